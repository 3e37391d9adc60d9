/** A work tree's files as a tree object, without a touch to its index, references, stash or files. */
import { copyFileSync, existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { lookAt } from '../journal/disk.ts';
import { isSafePath } from './names.ts';
import { fieldsOf, GitError, joinFields, lineOf } from './run.ts';
import type { Scratch } from './scratch.ts';

/** How much untracked content is carried, bytes, unless the caller says otherwise. */
const UNTRACKED_LIMIT = 200 * 1024 * 1024;
const NAMED = 5;
const GITLINK = '160000';

export interface CaptureOptions {
  /** Top folder of the files; the repository's work tree unless given. */
  readonly workTree?: string;
  /** The index to start from: which files are tracked, and what is known of them. It is only read. */
  readonly index: string;
  /** How many bytes untracked files may hold together. */
  readonly limit?: number;
  /** Another index: what it tracks although it is ignored is carried too. */
  readonly alsoTracked?: string;
  /** Untracked paths that stay out. */
  readonly leaveOut?: (path: string) => boolean;
}

export interface Capture {
  /** Tree of the index that the capture started from. */
  readonly indexTree: string;
  /** Tree of the files: tracked as they are now, and untracked that are not ignored. */
  readonly workTree: string;
  /** Paths that `git add --intent-to-add` announced. */
  readonly intended: readonly string[];
  /** What stays out: repositories inside this one, unreadable files, names no work tree should have. */
  readonly skipped: readonly string[];
}

/** There is too much untracked content to carry; the message names the biggest files and what to do. */
export class UntrackedTooLargeError extends Error {
  override readonly name = 'UntrackedTooLargeError';
}

/** The index holds an unfinished merge. */
export class UnmergedError extends Error {
  override readonly name = 'UnmergedError';
}

/**
 * Captures a work tree. Afterwards the scratch folder's `index` holds the captured tree, with what is known of each
 * file. Submodules stay as the index has them; nobody looks inside.
 * @throws {UntrackedTooLargeError} {UnmergedError} {GitError}
 */
export async function capture(scratch: Scratch, options: CaptureOptions): Promise<Capture> {
  const workTree = options.workTree ?? scratch.repository.workTree;
  copyIndex(options.index, join(scratch.dir, 'index'));
  const git = (args: string[], input?: Buffer) =>
    scratch.git(args, { workTree, ...(input ? { input } : {}) });

  if ((await git(['ls-files', '--unmerged', '-z'])).stdout.length > 0) {
    throw new UnmergedError('A merge is not finished here: resolve or abort it, then try again.');
  }
  await lookAtHidden(workTree, git);
  const indexTree = lineOf(await git(['write-tree', '--missing-ok']));
  const changed = await changedFiles(git);
  const untracked = await untrackedFiles(git, options.leaveOut);
  if (options.alsoTracked) untracked.names.push(...(await forced(scratch, workTree, options.alsoTracked)));
  checkSize(workTree, untracked.names, options.limit ?? UNTRACKED_LIMIT);

  await update(git, ['--force-remove'], changed.removed);
  await update(git, ['--add', '--remove', '--replace'], changed.present);
  const unreadable = await addReadable(git, untracked.names);
  return {
    indexTree,
    workTree: lineOf(await git(['write-tree', '--missing-ok'])),
    intended: changed.intended,
    skipped: [...untracked.skipped, ...unreadable.map(String)],
  };
}

type Git = (args: string[], input?: Buffer) => Promise<{ stdout: Buffer }>;

/**
 * Copies an index so that git still doubts what it must: a file changed in the second in which the index was written
 * looks unchanged, and git tells by the index's time. A file system may keep less of it, so it only goes down.
 */
export function copyIndex(from: string, to: string): void {
  if (!existsSync(from)) return;
  const { mtimeMs } = statSync(from);
  copyFileSync(from, to);
  const seconds = Math.floor(mtimeMs / 1000);
  utimesSync(to, seconds, seconds);
}

/** Files that the index says not to look at are looked at all the same when they are there. */
async function lookAtHidden(workTree: string, git: Git): Promise<void> {
  const assumed: Buffer[] = [];
  const skipped: Buffer[] = [];
  for (const field of fieldsOf((await git(['ls-files', '-v', '-z'])).stdout)) {
    const tag = field.toString('latin1', 0, 1);
    const name = field.subarray(2);
    if (tag !== tag.toUpperCase()) assumed.push(name);
    if (tag.toUpperCase() === 'S' && sizeOf(workTree, name) !== undefined) skipped.push(name);
  }
  await update(git, ['--no-assume-unchanged'], assumed);
  await update(git, ['--no-skip-worktree'], skipped);
}

async function changedFiles(git: Git) {
  const { stdout } = await git(['diff-files', '-z', '--raw', '--no-renames', '--ignore-submodules=all']);
  const removed: Buffer[] = [];
  const present: Buffer[] = [];
  const intended: string[] = [];
  const fields = fieldsOf(stdout);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode, newMode, , , status] = String(fields[at]).slice(1).split(' ');
    const name = fields[at + 1] as Buffer;
    if (oldMode === GITLINK) continue;
    if (status === 'A') intended.push(String(name));
    // Where a repository took the place of a file, the file is gone.
    (status === 'D' || newMode === GITLINK ? removed : present).push(name);
  }
  return { removed, present, intended };
}

async function untrackedFiles(git: Git, leaveOut: (path: string) => boolean = () => false) {
  const names: Buffer[] = [];
  const skipped: string[] = [];
  for (const name of fieldsOf((await git(['ls-files', '--others', '--exclude-standard', '-z'])).stdout)) {
    const path = String(name);
    // A folder is listed as such when it is a repository of its own.
    const carried = !path.endsWith('/') && isSafePath(path) && !leaveOut(path);
    if (carried) names.push(name);
    else skipped.push(path);
  }
  return { names, skipped };
}

/** Ignored files that are tracked all the same. An index that cannot be read names none. */
async function forced(scratch: Scratch, workTree: string, index: string): Promise<Buffer[]> {
  try {
    const args = ['ls-files', '--cached', '--ignored', '--exclude-standard', '-z'];
    const names = fieldsOf((await scratch.git(args, { workTree, index })).stdout);
    return names.filter((name) => isSafePath(String(name)) && sizeOf(workTree, name) !== undefined);
  } catch (error) {
    if (error instanceof GitError) return [];
    throw error;
  }
}

function checkSize(workTree: string, names: readonly Buffer[], limit: number): void {
  const sizes = names.map((name) => ({ path: String(name), size: sizeOf(workTree, name) ?? 0 }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= limit) return;
  const biggest = sizes.sort((a, b) => b.size - a.size).slice(0, NAMED);
  const named = biggest.map(({ path, size }) => `${path} (${megabytes(size)})`).join(', ');
  throw new UntrackedTooLargeError(
    `Untracked files hold ${megabytes(total)}, and an isolated task carries at most ${megabytes(limit)}. ` +
      `The biggest: ${named}. Name them in .gitignore or commit them, allow more ` +
      '(setting task.isolation.maxUntrackedMb), or run the task without isolation (task.isolation.mode: none).',
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Bytes of a file or link; undefined when nothing is there. */
function sizeOf(workTree: string, name: Buffer): number | undefined {
  const file = Buffer.concat([Buffer.from(`${workTree}/`), name]);
  return lookAt(file)?.size;
}

async function update(git: Git, how: string[], names: readonly Buffer[]): Promise<void> {
  if (names.length > 0) await git(['update-index', ...how, '-z', '--stdin'], joinFields(names));
}

/** Adds untracked files; returns those that cannot be read, such as a lock that another process holds. */
async function addReadable(git: Git, names: readonly Buffer[]): Promise<readonly Buffer[]> {
  try {
    await update(git, ['--add', '--remove', '--replace'], names);
    return [];
  } catch (error) {
    if (!(error instanceof GitError) || error.code === -1) throw error;
    if (names.length === 1) return names;
    const half = names.length >> 1;
    const left = await addReadable(git, names.slice(0, half));
    return [...left, ...(await addReadable(git, names.slice(half)))];
  }
}
