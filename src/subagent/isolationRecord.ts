/** What is known of an isolated work tree, written beside it, and its removal. */
import { lstatSync, readFileSync, realpathSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Repository } from '../git/repository.ts';
import { forgetWorktree, isAdminDir } from '../git/worktree.ts';
import { errorCode, removeFile } from '../journal/disk.ts';
import { withRepositoryLock } from './repositoryLock.ts';

const objectId = z.string().regex(/^[0-9a-f]{40,64}$/);

const isolationRecord = z.object({
  version: z.literal(1),
  /** `preparing` until its files are there: nobody has worked in it yet. */
  state: z.enum(['preparing', 'ready']),
  /** The name of its folder, and of what is kept of it. */
  id: z.string(),
  session: z.string(),
  task: z.string(),
  /** Its folder, absolute. */
  path: z.string(),
  /** Its own git folder in the repository; empty while unknown. */
  adminDir: z.string(),
  baseline: z.object({
    head: objectId,
    indexTree: objectId,
    workTree: objectId,
    intended: z.array(z.string()).readonly(),
    skipped: z.array(z.string()).readonly(),
  }),
  owner: z.object({ pid: z.number(), host: z.string() }),
  /** Unix milliseconds. */
  created: z.number(),
});

export type IsolationRecord = z.infer<typeof isolationRecord>;

/** The folder is not the one we made; nothing was read or removed. */
export class IsolationMovedError extends Error {
  override readonly name = 'IsolationMovedError';
}

/** Where the record of a work tree is, beside its folder. */
function recordFile(path: string): string {
  return `${path}.json`;
}

/** The index that knows every file as the task found it, beside its folder. */
export function keptIndex(path: string): string {
  return `${path}.index`;
}

export function writeRecord(record: IsolationRecord): void {
  const file = recordFile(record.path);
  writeFileSync(`${file}.tmp`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
}

/** The record of the work tree in a folder; undefined when there is none that can be read or it names another. */
export function readRecord(repository: Repository, path: string): IsolationRecord | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(recordFile(path), 'utf8'));
  } catch {
    return undefined;
  }
  const { data } = isolationRecord.safeParse(content);
  if (data === undefined || data.path !== path || data.id !== basename(path)) return undefined;
  return data.adminDir === '' || isAdminDir(repository, data.adminDir) ? data : undefined;
}

/**
 * Makes sure that the work tree's folder is a folder where we put it, and that no link leads elsewhere.
 * @throws {IsolationMovedError}
 */
export function checkPlace({ path }: IsolationRecord): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() && realpathSync(path) === path) return;
  throw new IsolationMovedError(
    found === undefined
      ? `The task's work tree is gone: ${path}`
      : `${path} is no longer the folder that was made for the task; look at it, then remove it by hand.`,
  );
}

/**
 * Removes a work tree with everything we know of it; links in it are removed, not followed. What is worth keeping
 * must be kept before.
 * @throws {IsolationMovedError} when the folder is not the one we made. {GitError}
 */
export async function removeIsolation(repository: Repository, isolation: IsolationRecord): Promise<void> {
  const { path } = isolation;
  const adminDir = isolation.adminDir || (readRecord(repository, path)?.adminDir ?? '');
  if (lstatSync(path, { throwIfNoEntry: false })) {
    checkPlace(isolation);
    await rm(path, { recursive: true, maxRetries: 5 });
  }
  await withRepositoryLock(repository, 'metadata', () => forgetWorktree(repository, path, adminDir));
  removeFile(keptIndex(path));
  // Last: while it is there, an interrupted removal is taken up again.
  removeFile(recordFile(path));
  try {
    rmdirSync(dirname(path));
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
  }
}
