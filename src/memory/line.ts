/** On one line, so that a quoted text cannot pretend to be a line of ours. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').toWellFormed();
}

/** The start of a text on one line, cut with an ellipsis and never inside a character. */
export function clip(text: string, length: number): string {
  const line = oneLine(text.slice(0, length * 4)).trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}
