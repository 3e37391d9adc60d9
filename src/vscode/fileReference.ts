import { isAbsolute, relative, resolve, sep } from 'node:path';

export interface FilePosition {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Where an entry's `path` or `path:line` points, or undefined when that is not inside the folder. */
export function resolveFileReference(root: string, reference: string): FilePosition | undefined {
  const [, name = reference, line = '1'] = /^(.+?):(\d{1,7})(?::\d+)?$/u.exec(reference) ?? [];
  if (name.trim() === '' || name.includes('\0')) return undefined;
  const path = resolve(root, name.trim());
  return isInside(root, path) ? { path, line: Math.max(1, Number(line)) } : undefined;
}

/** `path:line` of a place in the folder, with slashes on every platform, or undefined outside it. */
export function fileReferenceOf(root: string, path: string, line: number): string | undefined {
  if (!isInside(root, path)) return undefined;
  return `${relative(root, path).split(sep).join('/')}:${line}`;
}

/** Whether a path lies below a folder. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
