import { lstat, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isInside } from './fileReference.ts';

/**
 * The absolute path that a person names in a folder, or undefined when it lies outside of it, also through a link.
 * The file need not exist.
 */
export async function pathInFolder(root: string, name: string): Promise<string | undefined> {
  if (name.includes('\0')) return undefined;
  const path = resolve(root, name);
  if (!isInside(root, path)) return undefined;
  const realRoot = await realpath(root);
  for (let at = path; ; at = dirname(at)) {
    try {
      await lstat(at);
    } catch {
      // Not there; whether it may be made is up to the folder it would be in.
      continue;
    }
    const real = await realpath(at).catch(() => undefined);
    return real !== undefined && (real === realRoot || isInside(realRoot, real)) ? path : undefined;
  }
}
