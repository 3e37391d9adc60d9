/** What is at one path of a work tree, and putting something there: whole, never through a link. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { isSafePath } from '../git/names.ts';
import { errorCode, lookAt, removeFile } from '../journal/disk.ts';
import { copyOut } from '../journal/storedFile.ts';

/** Something at a path. A file's bytes are told by their SHA-256, a link by its target (one character a byte). */
export const fileImage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('absent') }),
  z.object({ kind: z.literal('file'), hash: z.string(), mode: z.number() }),
  z.object({ kind: z.literal('link'), target: z.string() }),
  /** A folder, or what git does not carry. */
  z.object({ kind: z.literal('other') }),
]);

export type FileImage = z.infer<typeof fileImage>;

const EXECUTABLE = 0o111;

/** The path leads out of the work tree, or into a git folder. */
export class UnsafePathError extends Error {
  override readonly name = 'UnsafePathError';
  /** The part of the way that is a link, where that is why. */
  readonly link: string | undefined;

  constructor(message: string, link?: string) {
    super(message);
    this.link = link;
  }
}

/**
 * The place of a relative path in a work tree.
 * @throws {UnsafePathError} for a name that no work tree should have, and where a part of the way is a link.
 */
export function placeOf(workTree: string, path: string): string {
  if (!isSafePath(path)) throw new UnsafePathError(`No path for a work tree: ${JSON.stringify(path)}`);
  const parts = path.split('/');
  for (let count = 1; count < parts.length; count++) {
    const folder = parts.slice(0, count).join('/');
    if (lookAt(join(workTree, folder))?.isSymbolicLink()) {
      throw new UnsafePathError(`${folder} is a link, and ${path} would go through it`, folder);
    }
  }
  return join(workTree, ...parts);
}

/** What is at a place now. A part of the way that is a file means that nothing is there. */
export function imageAt(place: string): FileImage {
  try {
    const found = lstatSync(place);
    if (found.isSymbolicLink()) {
      return { kind: 'link', target: readlinkSync(place, 'buffer').toString('latin1') };
    }
    if (!found.isFile()) return { kind: 'other' };
    const hash = createHash('sha256').update(readFileSync(place)).digest('hex');
    return { kind: 'file', hash, mode: found.mode & 0o777 };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return { kind: 'absent' };
    throw error;
  }
}

/**
 * The same at a path of a work tree, but a folder that is there for other paths of the same set of changes counts as
 * nothing, and so does what would be behind a link that is one of them: they come and go together.
 * @throws {UnsafePathError}
 */
export function imageAmong(workTree: string, path: string, all: readonly { path: string }[]): FileImage {
  try {
    const image = imageAt(placeOf(workTree, path));
    const below = image.kind === 'other' && all.some((other) => other.path.startsWith(`${path}/`));
    return below ? { kind: 'absent' } : image;
  } catch (error) {
    if (!(error instanceof UnsafePathError) || !all.some((other) => other.path === error.link)) throw error;
    return { kind: 'absent' };
  }
}

/** Whether two images are the same to git: bytes, target, and whether it can be executed. */
export function sameImage(one: FileImage, other: FileImage): boolean {
  if (one.kind === 'file' && other.kind === 'file') {
    return one.hash === other.hash && isExecutable(one) === isExecutable(other);
  }
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  return one.kind === 'absent' && other.kind === 'absent';
}

export function isExecutable({ mode }: { mode: number }): boolean {
  return (mode & 0o100) !== 0;
}

/** Permissions for a file that replaces another: the other's, and executable or not as it should be. */
export function modeLike(before: FileImage, executable: boolean): number {
  const mode = before.kind === 'file' ? before.mode : 0o666 & ~process.umask();
  // Whoever may read a program may run it, as git has it.
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~EXECUTABLE;
}

/**
 * Puts an image in a place with one rename, so that nobody ever sees half of it.
 * @param source file with the bytes, for a file; in the store they may be sealed.
 * @param draft name of the draft in the same folder; whoever finds one after a crash may remove it.
 * @param step called when the draft is there.
 */
export function putImage(
  place: string,
  image: FileImage,
  source: string,
  draft: string,
  step: () => void = () => {},
): void {
  if (image.kind === 'absent') {
    removeFile(place);
    return;
  }
  mkdirSync(dirname(place), { recursive: true });
  const file = join(dirname(place), draft);
  removeFile(file);
  try {
    if (image.kind === 'link') symlinkSync(Buffer.from(image.target, 'latin1'), file);
    else if (image.kind === 'file') writeDraft(source, file, image.mode);
    step();
    renameSync(file, place);
  } catch (error) {
    removeFile(file);
    throw error;
  }
}

function writeDraft(source: string, file: string, mode: number): void {
  copyOut(source, file);
  chmodSync(file, mode | 0o200);
  const fd = openSync(file, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(file, mode);
}

/** Removes the folders above a path that are empty now, up to the work tree; others stay, and what is behind a link. */
export function removeEmptyFolders(workTree: string, path: string): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      rmdirSync(placeOf(workTree, folder));
    } catch (error) {
      // One that a process had removed before it died; those above it may be there still.
      if (errorCode(error) !== 'ENOENT') return;
    }
  }
}
