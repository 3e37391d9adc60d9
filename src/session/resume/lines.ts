/** Lines of a report that a model is told: few enough for a small window, and none that could pass for others. */

/** So many of one kind. */
const MOST = 30;
/** Characters of what the model said with a call. */
const QUOTE_LENGTH = 200;

export function firstOf(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST ? lines : [...lines.slice(0, MOST), `- and ${lines.length - MOST} more`];
}

/** The beginning of a text on one line, never cut inside a character. */
export function quoted(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > QUOTE_LENGTH ? `${line.slice(0, QUOTE_LENGTH).toWellFormed()}…` : line;
}
