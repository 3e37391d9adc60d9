import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Says of an absolute path that whoever asks may not be told of it. */
export type IsHidden = (path: string) => boolean;

/**
 * Whether all that a folder holds, however deep, is hidden: such a folder is as if it were not there. One that is
 * empty, or that cannot be read, hides nothing. Stops at the first thing that may be told.
 */
export async function holdsOnlyHidden(folder: string, isHidden: IsHidden): Promise<boolean> {
  let hides = false;
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      if (!isHidden(path) && !(entry.isDirectory() && (await holdsOnlyHidden(path, isHidden)))) return false;
      hides = true;
    }
  } catch {
    return false;
  }
  return hides;
}
