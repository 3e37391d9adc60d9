/** How much of a subagent's output its parent gets: the end of it, as that is where the result stands. */

/** Seed 000's caps. */
const MAX_BYTES = 500_000;
const MAX_LINES = 5_000;

export interface OutputLimits {
  readonly bytes: number;
  readonly lines: number;
}

export interface CappedOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * The limits, which `LODELINE_TASK_MAX_OUTPUT_BYTES` and `LODELINE_TASK_MAX_OUTPUT_LINES` override, or the same with
 * the older prefix `GJC_`. A value that is not a whole number above 0 is ignored.
 */
export function outputLimits(env: Readonly<Record<string, string | undefined>>): OutputLimits {
  const limit = (name: string, fallback: number) =>
    wholeNumber(env[`LODELINE_TASK_MAX_OUTPUT_${name}`]) ??
    wholeNumber(env[`GJC_TASK_MAX_OUTPUT_${name}`]) ??
    fallback;
  return { bytes: limit('BYTES', MAX_BYTES), lines: limit('LINES', MAX_LINES) };
}

/**
 * The last lines of a text, at most `lines` of them and `bytes` of UTF-8. Never begins inside a character; half
 * characters in the text become U+FFFD.
 */
export function capOutput(text: string, { bytes, lines }: OutputLimits): CappedOutput {
  const whole = text.toWellFormed();
  const tail = lastLines(whole, lines);
  const encoded = Buffer.from(tail, 'utf8');
  if (encoded.length <= bytes) return { text: tail, truncated: tail.length < whole.length };
  let start = encoded.length - bytes;
  while (start < encoded.length && isContinuation(encoded[start])) start += 1;
  return { text: encoded.toString('utf8', start), truncated: true };
}

/** How many lines a text has; a line feed at its end begins no further one. */
export function lineCount(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** What the parent is told of an output that is in no file; why is what the file system says. */
export function notSaved(id: string, why: string): string {
  return `The output could not be saved as a file, so read agent://${id} soon, while its batch is remembered: ${why}.`;
}

function lastLines(text: string, lines: number): string {
  let start = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let left = lines; left > 0; left -= 1) {
    if (start === 0) return text;
    start = text.lastIndexOf('\n', start - 1);
    if (start === -1) return text;
  }
  return text.slice(start + 1);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function wholeNumber(text: string | undefined): number | undefined {
  const value = /^\s*\d+\s*$/.test(text ?? '') ? Number(text) : 0;
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
