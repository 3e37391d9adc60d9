import { randomBytes } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncDir, writeNewFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';

/**
 * Puts a text in a file's place (0600) so that a reader, also after a crash, sees the old text or the new one. Throws
 * what the system says; the old text is still there then.
 * @param check called when only the change of names is left to do; what it throws stops that
 */
export function putFile(file: string, text: string, check?: () => void): void {
  const folder = dirname(file);
  makeDir(folder);
  const draft = join(folder, `.${basename(file)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    writeNewFile(draft, Buffer.from(text, 'utf8'));
    check?.();
    renameSync(draft, file);
    syncDir(folder);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
