/** Files as text, and text as a model reads it. */

import { quote, sizeText, start, WorkspaceError } from './tool.ts';
import type { Content, Place } from './workspace.ts';

/** A line longer than this is data rather than code; in UTF-16 units. */
const MAX_LINE = 2000;
/** Bytes that are looked at to tell text from anything else; git looks at as many. */
const SNIFFED = 8000;
const IMAGE = /\.(png|jpe?g|gif|webp|bmp|ico|icns|tiff?|avif|heic|psd)$/i;

export interface Text {
  readonly text: string;
  /** Some bytes were no UTF-8 and stand in the text as U+FFFD. */
  readonly damaged: boolean;
}

/** Whether bytes are something else than text in UTF-8. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFFED).includes(0);
}

/**
 * The text of a file, with its byte order mark if it has one.
 * @throws WorkspaceError when it is no text.
 */
export function textOf({ path }: Place, { bytes }: Content): Text {
  const what = `${quote(path)} (${sizeText(bytes.length)})`;
  const isUtf16 = bytes.length >= 2 && /^(fffe|feff)$/.test(bytes.toString('hex', 0, 2));
  if (isUtf16)
    throw new WorkspaceError(`${what} is text in UTF-16, and this tool knows UTF-8 only. Convert it first.`);
  if (isBinary(bytes))
    throw new WorkspaceError(
      IMAGE.test(path)
        ? `${what} is an image, and this tool reads text only. Work with what is said about it elsewhere.`
        : `${what} is a binary file, and this tool works with text only. Choose another file.`,
    );
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), damaged: false };
  } catch {
    return { text: bytes.toString('utf8'), damaged: true };
  }
}

/** A line of a file, cut where it is too long. */
function shownLine(line: string): string {
  const shown = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (shown.length <= MAX_LINE) return shown;
  return `${start(shown, MAX_LINE)} … (line has ${shown.length} characters)`;
}

/** A line with its number, as in `    12\ttext`. */
export function numbered(line: string, number: number): string {
  return `${String(number).padStart(6)}\t${shownLine(line)}`;
}

/** Whether every line ends with CR LF. */
export function isCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text);
}

/** The text with every line end as CR LF. */
export function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** Number of the line, from 1, in which the offset lies. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** What belongs around lines `from` to `to` (from 1, both included), numbered. */
export function excerpt(text: string, from: number, to: number): string {
  return text
    .split('\n')
    .slice(from - 1, to)
    .map((line, index) => numbered(line, from + index))
    .join('\n');
}
