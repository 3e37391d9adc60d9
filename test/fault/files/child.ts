/** A process that matches memory and files once, and for which the disk fails, or which dies, at a given moment. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { openFolder } from './kit.ts';

export interface ChildOptions {
  readonly folder: string;
  /**
   * What happens at the given change of the disk: `dies` before it, `torn`: dies when a write is half done, `full`: from
   * there on there is no room, `read-only`: the work tree may not be changed.
   */
  readonly fault: 'none' | 'dies' | 'torn' | 'full' | 'read-only';
  readonly at: number;
}

const { folder, fault, at } = JSON.parse(process.argv[2] ?? '') as ChildOptions;
const original = { ...fs };
const work = join(folder, 'work');
/** Where each open file is. */
const paths = new Map<number, string>();
let count = 0;

function failure(code: string, syscall: string, text: string): Error {
  return Object.assign(new Error(`${code}: ${text}, ${syscall}`), { code, syscall });
}

/** Called before each change of the disk. @param adds whether it needs room */
function change(path: string, syscall: string, adds: boolean): void {
  count++;
  if (fault === 'dies' && count === at) process.kill(process.pid, 'SIGKILL');
  if (fault === 'full' && count >= at && adds) throw failure('ENOSPC', syscall, 'no space left on device');
  if (fault === 'read-only' && path.startsWith(work))
    throw failure('EROFS', syscall, 'read-only file system');
}

function isWriting(flags: unknown): boolean {
  return typeof flags === 'string' ? flags !== 'r' : typeof flags === 'number' && (flags & 3) !== 0;
}

const patched = {
  openSync(path: string, flags: string, mode?: number): number {
    if (isWriting(flags)) change(String(path), 'open', false);
    const fd = original.openSync(path, flags, mode);
    paths.set(fd, String(path));
    return fd;
  },
  writeSync(fd: number, bytes: Uint8Array, offset = 0, length = bytes.length - offset): number {
    change(paths.get(fd) ?? '', 'write', true);
    if (fault === 'torn' && count >= at) {
      original.writeSync(fd, bytes, offset, Math.max(1, length >> 1));
      process.kill(process.pid, 'SIGKILL');
    }
    return original.writeSync(fd, bytes, offset, length);
  },
  fsyncSync(fd: number): void {
    change('', 'fsync', false);
    original.fsyncSync(fd);
  },
  renameSync(from: string, to: string): void {
    change(String(to), 'rename', false);
    original.renameSync(from, to);
  },
  unlinkSync(path: string): void {
    change(String(path), 'unlink', false);
    original.unlinkSync(path);
  },
  mkdirSync(path: string, options: object): unknown {
    change(String(path), 'mkdir', true);
    return original.mkdirSync(path, options);
  },
};

const store = openFolder(folder);
Object.assign(fs, patched);
syncBuiltinESMExports();
let answer: object;
try {
  answer = { report: await store.files.filesSync({ branch: 'main' }) };
} catch (error) {
  answer = { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}
original.writeSync(1, JSON.stringify({ ...answer, count }));
process.exit(0);
