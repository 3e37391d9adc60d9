import { minimatch } from 'minimatch';
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

/** An entry is in a scope when its file, or the scope it was saved for, lies there. */
export function inScope(entry: Pick<FoldedEntry, 'file' | 'pathScope'>, scope: string): boolean {
  return [entry.file.replace(/:\d+$/, ''), entry.pathScope].some(
    (path) => path !== '' && pathInScope(path, scope),
  );
}

/** A glob matches by minimatch; a plain path matches itself and what lies under it. Windows separators are the same. */
function pathInScope(path: string, scope: string): boolean {
  const file = path.replaceAll('\\', '/').replace(/^\.\//, '');
  const pattern = scope.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, '');
  if (pattern === '' || pattern === '.') return true;
  if (file === pattern || file.startsWith(`${pattern}/`)) return true;
  return minimatch(file, pattern, {
    dot: true,
    nonegate: true,
    nocomment: true,
    matchBase: !pattern.includes('/'),
  });
}
