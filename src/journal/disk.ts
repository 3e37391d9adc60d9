/** The few file operations the journal rests on, all synchronous: it lives in a worker thread. */
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';

/** Writes some of `bytes` from `offset` on and says how many; may write fewer, may throw. */
export type WriteSome = (fd: number, bytes: Uint8Array, offset: number, length: number) => number;

const writeSome: WriteSome = (fd, bytes, offset, length) => writeSync(fd, bytes, offset, length);

/** The errno code of a failed file operation, or undefined. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Writes all of `bytes` at the file's end, however many calls that takes. */
export function writeAll(fd: number, bytes: Uint8Array, write: WriteSome = writeSome): void {
  let done = 0;
  while (done < bytes.length) done += write(fd, bytes, done, bytes.length - done);
}

/** Creates a file that must not exist (0600), on disk when this returns, though its name may not be yet. */
export function writeNewFile(file: string, bytes: Uint8Array, write: WriteSome = writeSome): void {
  const fd = openSync(file, 'wx', 0o600);
  try {
    writeAll(fd, bytes, write);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** What file systems say that have no sync for folders (some that are mounted from elsewhere). */
const NO_SYNC = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP']);

/** Makes the names in a folder durable, where there is a way to. Windows has none, and does it by itself. */
export function syncDir(dir: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!NO_SYNC.has(errorCode(error) ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}

/** Makes what others have written to `file` durable; a file that is gone is none of our business. */
export function syncFile(file: string): void {
  let fd: number;
  try {
    fd = openSync(file, 'r+');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The bytes of `file` from `offset` on (all, or at most `limit`), or undefined when there is no such file. */
export function readFrom(
  file: string,
  offset: number,
  limit = Number.POSITIVE_INFINITY,
): { bytes: Buffer; mtimeMs: number } | undefined {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(size - offset, limit)));
    let done = 0;
    while (done < bytes.length) {
      const count = readSync(fd, bytes, done, bytes.length - done, offset + done);
      if (count === 0) break;
      done += count;
    }
    return { bytes: bytes.subarray(0, done), mtimeMs };
  } finally {
    closeSync(fd);
  }
}

/** What is at a path, a link itself; undefined when nothing is, also where a part of the way is a file. */
export function lookAt(path: string | Buffer): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Removes a file; one that is already gone is fine. */
export function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Creates a file with this text, which only one of many processes can do: false when it is there already. */
export function claimFile(file: string, text: string, write: WriteSome = writeSome): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeAll(fd, Buffer.from(text, 'utf8'), write);
    return true;
  } catch (error) {
    // Without its text nobody could tell whose it is, and it would stay.
    removeFile(file);
    throw error;
  } finally {
    closeSync(fd);
  }
}
