/** The removal of isolated work trees: only what we made, never through a link. */
import { existsSync, lstatSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { unmountOverlay } from '../git/overlay.ts';
import type { Repository } from '../git/repository.ts';
import { forgetWorktree } from '../git/worktree.ts';
import { errorCode, removeFile } from '../journal/disk.ts';
import {
  checkPlace,
  hasEnded,
  type IsolationRecord,
  keptIndex,
  nestedIndex,
  readRecord,
  recordedIn,
  recordFile,
} from './isolationRecord.ts';
import { forgetNested } from './nestedIsolation.ts';
import { withRepositoryLock } from './repositoryLock.ts';

/**
 * Removes a work tree with everything we know of it; links in it are removed, not followed. What is worth keeping
 * must be kept before.
 * @throws {IsolationMovedError} when the folder is not the one we made. {GitError}
 */
export async function removeIsolation(repository: Repository, isolation: IsolationRecord): Promise<void> {
  const { path } = isolation;
  if (isSharedNow(repository, isolation)) {
    throw new SharedWorktreeError(`Other tasks work over ${path}; it goes with the last of them.`);
  }
  // What was written down may be later than what we were given.
  const known = readRecord(repository, path) ?? isolation;
  const adminDir = isolation.adminDir || known.adminDir;
  if (lstatSync(path, { throwIfNoEntry: false })) {
    checkPlace(isolation);
    if (isolation.overlay) await unmountOverlay(path);
    await rm(path, { recursive: true, maxRetries: 5 });
  }
  for (const folder of isolation.overlay ? [isolation.overlay.upper, isolation.overlay.work] : []) {
    if (dirname(folder) === dirname(path)) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  await forgetNested(repository, known);
  await withRepositoryLock(repository, 'metadata', () => forgetWorktree(repository, path, adminDir));
  removeFile(keptIndex(path));
  for (const at of known.nested.keys()) removeFile(nestedIndex(path, at));
  // Last: while it is there, an interrupted removal is taken up again.
  removeFile(recordFile(path));
  if (isolation.overlay) await removeUnused(repository, isolation.overlay.lower);
  try {
    rmdirSync(dirname(path));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** Others work over this work tree. */
class SharedWorktreeError extends Error {
  override readonly name = 'SharedWorktreeError';
}

/** Whether the work trees of other tasks lie over this one: without its files, theirs would seem deleted. */
export function isSharedNow(repository: Repository, { path }: IsolationRecord): boolean {
  const base = dirname(dirname(path));
  return (
    existsSync(base) &&
    recordedIn(base).some((other) => readRecord(repository, other)?.overlay?.lower === path)
  );
}

/** Removes a shared work tree, unless tasks work over it or their batch still runs and may start more. */
export async function removeUnused(repository: Repository, lower: string): Promise<void> {
  const record = readRecord(repository, lower);
  if (record === undefined || isSharedNow(repository, record)) return;
  if (record.state === 'shared' && !hasEnded(record)) return;
  await removeIsolation(repository, record);
}
