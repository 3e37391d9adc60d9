/** `MEMORY.md`: the list of the entries' files. It is made of them, so whatever became of it, it can be made again. */

import { clip } from './line.ts';
import { foldName } from './markdownName.ts';

const TITLE = '# Memory';
const NOTHING = '(no memories yet)';
const ROW_END = /\.md\)(?: — |$)/iu;
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/;
const LONGEST = 160;

export interface IndexRow {
  /** Of the file, such as `user-role.md`. */
  readonly file: string;
  readonly name: string;
  readonly description: string;
}

/**
 * The index: one line for each file, by the files' names, so that two clones write the same and git merges them.
 * @param before the index that is there: what a person wrote into it beside the list stays below it
 */
export function indexOf(rows: readonly IndexRow[], before: string): string {
  const lines = [...rows].sort(
    (a, b) => compare(foldName(a.file), foldName(b.file)) || compare(a.file, b.file),
  );
  const list = lines.length === 0 ? [NOTHING] : lines.map(lineOf);
  const own = ownLines(before);
  return [TITLE, '', ...list, ...(own.length > 0 ? ['', ...own] : []), ''].join('\n');
}

/** `- [User Role!](user-role.md) — what it says` */
function lineOf({ file, name, description }: IndexRow): string {
  const shown = clip(name, LONGEST).replace(/[\\[\]]/g, '\\$&');
  const target = file.replace(/[\s()<>%\\]/g, (character) => encodeURIComponent(character));
  const said = clip(description, LONGEST);
  return `- [${shown}](${target})${said === '' ? '' : ` — ${said}`}`;
}

function ownLines(before: string): string[] {
  const lines = before.replace(/^\uFEFF/, '').split(/\r\n?|\n/);
  const own = lines.filter(
    (line) => line !== TITLE && line !== NOTHING && !isRow(line.trimEnd()) && !MARKER.test(line),
  );
  return own
    .join('\n')
    .trimEnd()
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .replace(/\n{3,}/g, '\n\n')
    .split('\n')
    .filter((line, _, all) => all.length > 1 || line.trim() !== '');
}

/** In two steps, so that a long line takes no longer than it is. */
function isRow(line: string): boolean {
  const target = line.indexOf('](');
  return line.startsWith('- [') && target !== -1 && ROW_END.test(line.slice(target));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
