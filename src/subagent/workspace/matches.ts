/** Searching one file, in the search thread. */
import { closeSync, constants, fstatSync, readSync } from 'node:fs';
import type { HeldFolder } from './folder.ts';
import type { SearchJob } from './searchMessages.ts';
import { isBinary } from './text.ts';
import { start, WorkspaceError } from './tool.ts';

/** Larger files are data; they are counted and not searched. */
const MAX_SEARCHED = 2_000_000;
/** Most UTF-16 units of a line that are shown. */
const MAX_LINE = 300;

export interface Needle {
  /** Global and by lines. */
  readonly pattern: RegExp;
  /** Bytes that every file with a match contains, where they are known. */
  readonly bytes: Buffer | undefined;
  readonly context: number;
}

/** @throws WorkspaceError when the pattern is no regular expression. */
export function needleOf({
  pattern,
  literal,
  ignoreCase,
  context,
}: Pick<SearchJob, 'pattern' | 'literal' | 'ignoreCase' | 'context'>): Needle {
  const source = literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
  try {
    return {
      pattern: new RegExp(source, ignoreCase ? 'gmi' : 'gm'),
      // A line end may be spelled in two ways, and case in more.
      bytes: literal && !ignoreCase && !/[\r\n]/.test(pattern) ? Buffer.from(pattern) : undefined,
      context,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new WorkspaceError(`${why}. Correct the pattern, or set "literal": true to look for it as it is.`);
  }
}

let buffer = Buffer.allocUnsafe(64 * 1024);

/** The bytes of a text file, valid until the next call; or why there is nothing to search. */
export function readSearchable(folder: HeldFolder, name: string): Buffer | 'large' | 'other' {
  let fd: number;
  try {
    fd = folder.openFile(name, constants.O_RDONLY);
  } catch {
    return 'other';
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return 'other';
    if (stats.size > MAX_SEARCHED) return 'large';
    if (stats.size > buffer.length) buffer = Buffer.allocUnsafe(MAX_SEARCHED);
    let length = 0;
    while (length < stats.size) {
      const count = readSync(fd, buffer, length, stats.size - length, length);
      if (count === 0) break;
      length += count;
    }
    const bytes = buffer.subarray(0, length);
    return isBinary(bytes) ? 'other' : bytes;
  } catch {
    return 'other';
  } finally {
    closeSync(fd);
  }
}

/**
 * The lines of a file in which a match begins, with those around them: `12: match`, `13- context`, `--` between
 * places apart.
 */
export function matchIn(
  bytes: Buffer,
  needle: Needle,
  limit: number,
): { lines: readonly string[]; matches: number } {
  if (needle.bytes !== undefined && !bytes.includes(needle.bytes)) return { lines: [], matches: 0 };
  const decoded = bytes.toString('utf8');
  const text = decoded.includes('\r') ? decoded.replaceAll('\r\n', '\n') : decoded;
  const numbers = matchingLines(text, needle.pattern, limit);
  return { lines: numbers.size === 0 ? [] : show(text, numbers, needle.context), matches: numbers.size };
}

/** Line numbers, from 0, with the offset of the match in the line. */
function matchingLines(text: string, pattern: RegExp, limit: number): Map<number, number> {
  const found = new Map<number, number>();
  let line = 0;
  let lineStart = 0;
  pattern.lastIndex = 0;
  while (found.size < limit) {
    const match = pattern.exec(text);
    if (match === null) break;
    // What matches nothing after the last line end is no line.
    if (match.index === text.length && text.endsWith('\n')) break;
    for (let end = text.indexOf('\n', lineStart); end !== -1 && end < match.index; ) {
      line++;
      lineStart = end + 1;
      end = text.indexOf('\n', lineStart);
    }
    found.set(line, match.index - lineStart);
    const end = text.indexOf('\n', match.index);
    if (end === -1) break;
    pattern.lastIndex = end + 1;
  }
  return found;
}

function show(text: string, numbers: ReadonlyMap<number, number>, context: number): string[] {
  const all = text.split('\n');
  const lines: string[] = [];
  let last = -1;
  for (const number of numbers.keys()) {
    const from = Math.max(0, number - context, last + 1);
    if (context > 0 && last >= 0 && from > last + 1) lines.push('  --');
    // The lines after one match may hold the next.
    const to = Math.min(all.length - 1, number + context);
    for (let at = from; at <= to; at++) {
      const offset = numbers.get(at);
      const text = all[at] ?? '';
      lines.push(`  ${at + 1}${offset === undefined ? '-' : ':'} ${cut(text, offset ?? 0)}`);
    }
    last = Math.max(last, to);
  }
  return lines;
}

/** The part of a long line that has the match in it. */
function cut(line: string, offset: number): string {
  if (line.length <= MAX_LINE) return line.toWellFormed();
  const from = Math.max(0, Math.min(offset - MAX_LINE / 3, line.length - MAX_LINE));
  const part = start(line.slice(from), MAX_LINE).toWellFormed();
  return `${from > 0 ? '… ' : ''}${part}${from + part.length < line.length ? ' …' : ''}`;
}
