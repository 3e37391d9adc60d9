/**
 * Puts a file into another form while others may replace it at the same moment: theirs is the newer word and stays.
 * What was read is moved aside, looked at again, and what takes its place is linked, which fails where somebody was
 * faster. Should a process die in between, the file aside is all there is of it: whoever misses the file puts it back.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, renameSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, lookAt, readFrom, removeFile, syncDir, writeNewFile } from './disk.ts';

const ASIDE = '.lodeline-aside';
const DRAFT = '.lodeline-refit.tmp';
/** Somebody who replaces a file all the time leaves it in the form that counts by himself. */
const TRIES = 10;

/**
 * @param change the bytes in the other form; undefined when nothing is to be done
 * @throws what `change` throws and what the disk says; the file is as it was then.
 */
export function refitFile(file: string, change: (bytes: Buffer) => Uint8Array | undefined): void {
  for (let tries = 0; tries < TRIES; tries++) {
    putBack(file);
    const before = lookAt(file);
    if (before?.isFile() !== true) return;
    const bytes = readFrom(file, 0)?.bytes;
    const fitted = bytes && change(bytes);
    if (fitted === undefined || swap(file, before, fitted)) return;
  }
}

/** Whether a name is one that `refitFile` gives to files, and the name of the file that is meant by it. */
export function asideOf(name: string): string | undefined {
  return name.endsWith(ASIDE) ? name.slice(0, -ASIDE.length) : undefined;
}

/** Puts a file back that is aside, for whoever misses it: whoever moved it finds out, or has died. */
export function restore(file: string): void {
  if (lookAt(file + ASIDE) !== undefined) place(file + ASIDE, file);
}

/** The same where nobody else is at it. */
function putBack(file: string): void {
  restore(file);
  removeFile(file + ASIDE);
}

/** @returns false when somebody else had changed the file: nothing was done. */
function swap(file: string, before: Stats, fitted: Uint8Array): boolean {
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}${DRAFT}`;
  const aside = file + ASIDE;
  try {
    writeNewFile(draft, fitted);
    chmodSync(draft, before.mode & 0o777);
    renameSync(file, aside);
    const isSame = sameFile(lstatSync(aside), before);
    const isPlaced = place(isSame ? draft : aside, file);
    removeFile(aside);
    syncDir(dirname(file));
    return isSame && isPlaced;
  } catch (error) {
    putBack(file);
    // Removed meanwhile, perhaps with its folder.
    if (errorCode(error) === 'ENOENT') return true;
    throw error;
  } finally {
    removeFile(draft);
  }
}

/** @returns false when there is a file already. */
function place(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    if (lookAt(to) !== undefined) return false;
    // A file system without hard links.
    renameSync(from, to);
    return true;
  }
}

function sameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.mtimeMs === other.mtimeMs && one.size === other.size;
}
