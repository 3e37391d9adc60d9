/** Finding the text that an edit names, and what it may have meant when it is not there. */

/** Lines of a file that are compared; a longer file gets no hint. */
const MAX_LINES = 50_000;

/** Offsets at which `part` begins in `text`, without overlaps. `part` is not empty. */
export function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

export interface NearMiss {
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
  /** What differs, to follow "differs in". */
  readonly why: string;
}

/**
 * The lines that are the same but for white space, Unicode form or line numbers that were copied along; else lines
 * that begin as the text does.
 */
export function nearMiss(text: string, old: string): NearMiss | undefined {
  const lines = text.split('\n');
  const wanted = trimEmpty(old.split('\n'));
  if (lines.length > MAX_LINES || wanted.length === 0) return undefined;
  const without = wanted.map((line) => line.replace(/^\s*\d+\t/, ''));
  return (
    find(
      lines,
      without,
      (line) => line.trimEnd(),
      'the line numbers at its start, which are not part of the file',
    ) ??
    find(lines, wanted, squeeze, 'white space or the form of its characters') ??
    find(lines, wanted, (line) => squeeze(line).toLowerCase(), 'upper and lower case') ??
    find(lines, longest(wanted), squeeze, 'the lines around this one')
  );
}

function find(
  lines: readonly string[],
  wanted: readonly string[],
  form: (line: string) => string,
  why: string,
): NearMiss | undefined {
  const target = wanted.map(form);
  const formed = lines.map(form);
  const from = formed.findIndex((_, index) =>
    target.every((line, offset) => formed[index + offset] === line),
  );
  return from === -1 ? undefined : { from: from + 1, to: from + target.length, why };
}

/** The longest line: the one that says most. One that says little is none. */
function longest(wanted: readonly string[]): readonly string[] {
  const line = wanted.reduce((a, b) => (b.trim().length > a.trim().length ? b : a));
  // Shorter lines (a brace, an import of one word) are found anywhere.
  return line.trim().length < 8 ? ['\u0000'] : [line];
}

function squeeze(line: string): string {
  return line.normalize('NFC').replace(/\s+/gu, '');
}

function trimEmpty(lines: readonly string[]): readonly string[] {
  const isText = (line: string) => line.trim() !== '';
  return lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1);
}
