/** Bytes that no record verifies, kept for a person to look at. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorCode, writeNewFile } from './disk.ts';
import { DAMAGED, makeDir } from './folder.ts';
import type { KeyRing } from './keys.ts';
import { sealedBytes } from './sealedFile.ts';

/**
 * Puts bytes that no record verifies aside, once, so that a person can look at them; sealed where the whole store is.
 * @throws when they cannot be written.
 */
export function quarantine(
  dir: string,
  file: string,
  offset: number,
  bytes: Uint8Array,
  keys: Pick<KeyRing, 'sealsAll' | 'sealingKey'>,
): void {
  const name = `${file}-${offset}-${crc32(bytes).toString(16)}.bin`;
  const target = join(dir, DAMAGED, name);
  if (existsSync(target)) return;
  makeDir(join(dir, DAMAGED));
  try {
    writeNewFile(target, keys.sealsAll() ? sealedBytes(keys, name, bytes) : bytes);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
