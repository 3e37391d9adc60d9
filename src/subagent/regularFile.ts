import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { openedAt, SealedAway } from '../journal/sealedPlaces.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** A file that is there and cannot be taken; the message says why, without its name. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
}

/**
 * The text of a regular file of at most `limit` bytes on disk, opened where it is sealed, without a byte order mark. A
 * symlink is not followed, a pipe is not waited for.
 * @throws FileProblem when it is something else, too large or not UTF-8; what the file system says (ENOENT, …).
 */
export async function readRegularFile(file: string, limit: number): Promise<string> {
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new FileProblem('is not a regular file');
    if (stat.size > limit) throw new FileProblem(`has ${stat.size} bytes; at most ${limit} are read`);
    return decode(opened(file, await handle.readFile()));
  } finally {
    await handle.close();
  }
}

function opened(file: string, bytes: Buffer): Buffer {
  try {
    return openedAt(file, bytes);
  } catch (error) {
    if (error instanceof SealedAway)
      throw new FileProblem(`cannot be opened: ${error.message.replace(/\.$/, '')}`);
    throw error;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem('is not UTF-8 text');
  }
}
