/** Small files that are written whole or not at all, without holding up the thread. */
import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../journal/disk.ts';
import { formedBytes, settledLater } from '../journal/sealedPlaces.ts';

/** What file systems say that have no sync for folders. */
const NO_SYNC: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP']);

/**
 * Puts a text (UTF-8, 0600) in a file's place, in a folder that is there, sealed where its store is. A reader sees the
 * old file or the new one.
 * @param isDurable it is on disk when this resolves; else whenever the system likes
 * @throws what the file system says, KeyError; nothing is left behind then
 */
export async function replaceFile(file: string, text: string, isDurable: boolean): Promise<void> {
  await settledLater(file, () => replace(file, Buffer.from(text, 'utf8'), isDurable));
}

async function replace(file: string, bytes: Uint8Array, isDurable: boolean): Promise<void> {
  const draft = join(dirname(file), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(formedBytes(file, bytes));
      if (isDurable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (isDurable) await syncFolder(dirname(file));
}

/** Makes the names in a folder durable. Windows has no way to, and does it by itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_SYNC.has(errorCode(error))) throw error;
  } finally {
    await handle.close();
  }
}
