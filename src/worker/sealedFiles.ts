/** Files that are sealed as a whole, where the store is. */
import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, readFrom, removeFile, writeNewFile } from '../journal/disk.ts';
import { DAMAGED } from '../journal/folder.ts';
import type { KeyRing } from '../journal/keys.ts';
import { refitted } from '../journal/sealedFile.ts';

const DRAFT = '.refit.tmp';

/** Puts what was put aside as damaged, in a folder below `dir`, into the form that the store's switch wants. */
export function refitDamaged(dir: string, keys: KeyRing): void {
  refitFolder(join(dir, DAMAGED), keys, (name) => name.endsWith('.bin'));
}

/**
 * Puts files into the form that the store's switch wants. Nobody else may write to them meanwhile.
 * @throws what the disk says, KeyError
 */
function refitFolder(dir: string, keys: KeyRing, wanted: (name: string) => boolean): void {
  for (const name of namesIn(dir)) {
    const file = join(dir, name);
    if (name.endsWith(DRAFT)) removeFile(file);
    if (!wanted(name)) continue;
    const bytes = readFrom(file, 0)?.bytes;
    const fitted = bytes && refitted(keys, name, bytes);
    if (fitted === undefined) continue;
    const draft = join(dir, `${randomBytes(4).toString('hex')}${DRAFT}`);
    try {
      writeNewFile(draft, fitted);
      renameSync(draft, file);
    } catch (error) {
      removeFile(draft);
      throw error;
    }
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
