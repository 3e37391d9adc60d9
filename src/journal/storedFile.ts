/** Reading and writing files of folders that are sealed where their store is (see sealedPlaces.ts). */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode, readFrom, removeFile, syncDir, syncFile, writeNewFile } from './disk.ts';
import { makeDir } from './folder.ts';
import { restore } from './refitFile.ts';
import { isSealedFile } from './sealedFile.ts';
import { formedBytes, isSealedNow, openedAt, settledAt } from './sealedPlaces.ts';

/** So many bytes tell whether a file is sealed. */
const HEAD_BYTES = 64;
const DRAFT = '.put.tmp';

/** Reads a file whole. @throws SealedAway, and what the file system says. */
export function readStored(file: string): Buffer {
  return found(file, () => openedAt(file, readFileSync(file)));
}

export interface PutOptions {
  readonly mode?: number;
  /** It is on disk when this returns, unless false: then whenever the system likes. */
  readonly isDurable?: boolean;
}

/**
 * Puts bytes in a file's place, with its folder. A reader sees the old file or the new one.
 * @throws KeyError, and what the file system says; the old file is still there then.
 */
export function putStored(
  file: string,
  bytes: Uint8Array,
  { mode = 0o600, isDurable = true }: PutOptions = {},
): void {
  makeDir(dirname(file));
  settledAt(file, () => {
    const draft = draftOf(file);
    const formed = formedBytes(file, bytes);
    try {
      if (isDurable) writeNewFile(draft, formed);
      else writeFileSync(draft, formed, { flag: 'wx', mode: 0o600 });
      if (mode !== 0o600) chmodSync(draft, mode);
      renameSync(draft, file);
    } catch (error) {
      removeFile(draft);
      throw error;
    }
    if (isDurable) syncDir(dirname(file));
  });
}

/** Keeps a copy of a person's file; on disk when this returns. @param mode the file's permissions, which the copy has too */
export function keepCopy(from: string, file: string, mode: number): void {
  makeDir(dirname(file));
  settledAt(file, () => {
    if (isSealedNow(file)) {
      putStored(file, readFileSync(from), { mode });
      return;
    }
    // The system copies without reading, where it can.
    const draft = draftOf(file);
    try {
      copyFileSync(from, draft);
      syncFile(draft);
      renameSync(draft, file);
    } catch (error) {
      removeFile(draft);
      throw error;
    }
  });
}

/** Copies what a file says to a place outside. @throws SealedAway, and what the file system says. */
export function copyOut(file: string, to: string): void {
  found(file, () => copyFileSync(file, to));
  // It may have been sealed a moment ago, so the copy tells.
  const head = readFrom(to, 0, HEAD_BYTES)?.bytes;
  if (head === undefined || !isSealedFile(head)) return;
  const opened = openedAt(file, readFileSync(to));
  removeFile(to);
  writeNewFile(to, opened);
}

/** It may be put into another form right now, or whoever did so has died. */
function found<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    restore(file);
    return read();
  }
}

function draftOf(file: string): string {
  return `${file}.${process.pid}-${randomBytes(4).toString('hex')}${DRAFT}`;
}
