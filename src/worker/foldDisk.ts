/** Files of folds on disk: each is put in place whole, and what was there can be put back. */
import { readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, readFrom, removeFile, syncDir, type WriteSome, writeNewFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';

export interface FoldSeam {
  step?(name: string): void;
  readonly write?: WriteSome | undefined;
}

/** A file that was put in place, and what was there before. */
export interface Written {
  readonly file: string;
  readonly before: Buffer | undefined;
}

/**
 * Puts a file in place whole, and answers what was there.
 * @param path from the folder, with slashes
 * @throws what the disk says; then what was there is there
 */
export function put(dir: string, path: string, bytes: Buffer, seam?: FoldSeam): Written {
  const file = join(dir, path);
  const before = readFrom(file, 0)?.bytes;
  makeDir(dirname(file));
  removeFile(`${file}.tmp`);
  seam?.step?.(`folds: write ${path}`);
  try {
    writeNewFile(`${file}.tmp`, bytes, seam?.write);
    seam?.step?.(`folds: written ${path}`);
    renameSync(`${file}.tmp`, file);
  } catch (error) {
    removeFile(`${file}.tmp`);
    throw error;
  }
  syncDir(dirname(file));
  seam?.step?.(`folds: placed ${path}`);
  return { file, before };
}

/** As well as it can be done: what could not be put back no longer fits to the manifest, and is made again. */
export function putBack({ file, before }: Written): void {
  try {
    removeFile(file);
    if (before !== undefined) writeNewFile(file, before);
  } catch {}
}

/** Every file of a folder and of the folders in it, from it, with slashes. */
export function pathsIn(dir: string): string[] {
  return (namesIn(dir) ?? []).flatMap((name) => {
    const inside = namesIn(join(dir, name));
    return inside === undefined ? [name] : inside.map((file) => `${name}/${file}`);
  });
}

/** Names in a folder; undefined where there is none. @throws what the disk says otherwise */
export function namesIn(dir: string): string[] | undefined {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
