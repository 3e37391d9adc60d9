import { Minimatch, minimatch } from 'minimatch';
import type { EntryFilter } from './entry.ts';
import type { FoldedEntry } from './fold.ts';

/** Whether an entry passes every part of the filter. Without a status, only active entries do. */
export function passes(entry: FoldedEntry, filter: EntryFilter): boolean {
  if (entry.status !== (filter.status ?? 'active')) return false;
  if (filter.category !== undefined && entry.category !== filter.category) return false;
  if (filter.level !== undefined && entry.level !== filter.level) return false;
  if (filter.confirmed !== undefined && entry.confirmed !== filter.confirmed) return false;
  if (filter.pinned !== undefined && entry.pinned !== filter.pinned) return false;
  if (filter.from !== undefined && entry.updated < filter.from) return false;
  if (filter.to !== undefined && entry.updated > filter.to) return false;
  if (filter.tags !== undefined && !filter.tags.every((tag) => entry.tags.includes(tag))) return false;
  if (filter.pathScope !== undefined && !inScope(entry, filter.pathScope)) return false;
  return true;
}

/**
 * An entry is in a scope when its file, or the scope it was saved for, lies there, or when the scope it was saved for
 * covers the path that is asked for.
 */
export function inScope(entry: Pick<FoldedEntry, 'file' | 'pathScope'>, scope: string): boolean {
  if (entry.pathScope !== '' && !GLOB.test(scope) && matcherOf(entry.pathScope)(normalizePath(scope)))
    return true;
  const matches = matcherOf(scope);
  return [entry.file.replace(/(?::\d+(?:-\d+)?){1,2}$/, ''), entry.pathScope].some(
    (path) => path !== '' && matches(normalizePath(path)),
  );
}

/** Whether a scope's braces stand for few enough paths that matching stays quick. */
export function isUsableScope(scope: string): boolean {
  const alternatives = minimatch.braceExpand(normalizePath(scope), { braceExpandMax: MAX_ALTERNATIVES + 1 });
  return alternatives.length <= MAX_ALTERNATIVES;
}

const MAX_ALTERNATIVES = 256;
/** Signs that make a scope more than the path of one file or folder. */
const GLOB = /[*?[\]{}()|]/;

type Matches = (path: string) => boolean;

/** A read asks one scope of every entry, and many entries are saved for the same few, so these are kept compiled. */
const compiled = new Map<string, Matches>();
const MOST_COMPILED = 256;

function matcherOf(scope: string): Matches {
  const known = compiled.get(scope);
  if (known !== undefined) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const matches = compile(scope);
  compiled.set(scope, matches);
  return matches;
}

/** A glob matches by minimatch; a plain path matches itself and what lies under it. */
function compile(scope: string): Matches {
  const pattern = normalizePath(scope).replace(/\/+$/, '');
  if (pattern === '' || pattern === '.') return () => true;
  // What an entry was saved for may be anything; only what is asked for was refused before.
  if (!isUsableScope(scope)) return (path) => path === pattern;
  const glob = new Minimatch(pattern, {
    dot: true,
    nonegate: true,
    nocomment: true,
    matchBase: !pattern.includes('/'),
  });
  return (path) => path === pattern || path.startsWith(`${pattern}/`) || glob.match(path);
}

/** Windows separators are the same as others, and so are both ways to write an accent. */
function normalizePath(path: string): string {
  return path.toWellFormed().normalize('NFC').replaceAll('\\', '/').replace(/^\.\//, '');
}
