/** `SPINE.md` of a folder: what its owner wants agents to save. It comes with a repository, and so from anybody. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { join } from 'node:path';

export const SPINE_FILE = 'SPINE.md';
/** More is no guide to what is worth saving, and every prompt would carry it. In bytes. */
const MAX_BYTES = 8_192;

/**
 * The text of the file in a folder, cut after 8 KiB; undefined where there is none, or it is empty. Never follows a
 * link, and waits for no pipe. Whoever shows it to a model has raised its session by the file's level before.
 * @param folder absolute path
 */
export async function readSpine(folder: string): Promise<string | undefined> {
  const path = join(folder, SPINE_FILE);
  let file: FileHandle | undefined;
  try {
    if (!(await lstat(path)).isFile()) return undefined;
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    const text = buffer
      .toString('utf8', 0, bytesRead)
      .replace(/\uFFFD+$/u, '')
      .trim();
    if (text === '') return undefined;
    return size > bytesRead ? `${text}\n(cut: ${size} bytes)` : text;
  } catch {
    // What cannot be read guides nobody; the chat goes on.
    return undefined;
  } finally {
    await file?.close();
  }
}
