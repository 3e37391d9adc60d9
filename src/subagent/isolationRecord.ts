/** What is known of an isolated work tree, written beside it. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Repository } from '../git/repository.ts';
import { isAdminDir } from '../git/worktree.ts';
import { isAlive } from '../journal/liveness.ts';
import { putStored, readStored } from '../journal/storedFile.ts';
import { OWNER } from './batchFiles.ts';

const RECORD = /^(.+)\.json$/;
const objectId = z.string().regex(/^[0-9a-f]{40,64}$/);

const baseline = z.object({
  head: objectId,
  indexTree: objectId,
  workTree: objectId,
  intended: z.array(z.string()).readonly(),
  skipped: z.array(z.string()).readonly(),
});

const isolationRecord = z.object({
  version: z.literal(1),
  /**
   * `preparing` until its files are there: nobody has worked in it yet. `shared`: nobody ever will, others lie over
   * it, and its batch may start more; it is `ready` once the batch has ended.
   */
  state: z.enum(['preparing', 'ready', 'shared']),
  /** The name of its folder, and of what is kept of it. */
  id: z.string(),
  session: z.string(),
  task: z.string(),
  /** Its folder, absolute. */
  path: z.string(),
  /** Its own git folder in the repository; empty while unknown. */
  adminDir: z.string(),
  baseline,
  /** Work trees inside it, of repositories that lie inside the person's. */
  nested: z
    .array(
      z.object({
        prefix: z.string(),
        /** The work tree that it stands for. */
        root: z.string(),
        adminDir: z.string(),
        baseline,
      }),
    )
    .readonly()
    .default([]),
  /** Set where the work tree is a mount over another's files: its folders. */
  overlay: z
    .object({
      /** The work tree that the tasks of a batch share and nobody works in. */
      lower: z.string(),
      upper: z.string(),
      work: z.string(),
    })
    .optional(),
  owner: z.object({ pid: z.number(), host: z.string(), started: z.number().optional() }),
  /** Unix milliseconds. */
  created: z.number(),
});

export type IsolationRecord = z.infer<typeof isolationRecord>;

/** A process on another machine may live; nobody here can tell. */
export function hasEnded({ owner: { pid, host, started } }: IsolationRecord): boolean {
  if (host !== OWNER.host) return false;
  if (pid === OWNER.pid && started !== undefined) return started !== OWNER.started;
  return !isAlive(pid);
}

/** The folder is not the one we made; nothing was read or removed. */
export class IsolationMovedError extends Error {
  override readonly name = 'IsolationMovedError';
}

/** Where the record of a work tree is, beside its folder. */
export function recordFile(path: string): string {
  return `${path}.json`;
}

/** The index that knows every file as the task found it, beside its folder. */
export function keptIndex(path: string): string {
  return `${path}.index`;
}

/** The same of a repository inside it. */
export function nestedIndex(path: string, at: number): string {
  return `${path}.index.${at}`;
}

export function writeRecord(record: IsolationRecord): void {
  putStored(recordFile(record.path), Buffer.from(JSON.stringify(record)), { isDurable: false });
}

/** The record of the work tree in a folder; undefined when there is none that can be read or it names another. */
export function readRecord(repository: Repository, path: string): IsolationRecord | undefined {
  let content: unknown;
  try {
    content = JSON.parse(readStored(recordFile(path)).toString('utf8'));
  } catch {
    return undefined;
  }
  const { data } = isolationRecord.safeParse(content);
  if (data === undefined || data.path !== path || data.id !== basename(path)) return undefined;
  return data.adminDir === '' || isAdminDir(repository, data.adminDir) ? data : undefined;
}

/** Folders with a record below `base`: one for each session, in it one for each work tree. Links are not followed. */
export function recordedIn(base: string): string[] {
  return readdirSync(base)
    .map((session) => join(base, session))
    .filter((session) => lstatSync(session).isDirectory())
    .flatMap((session) =>
      readdirSync(session).flatMap((name) => {
        const id = RECORD.exec(name)?.[1];
        return id === undefined ? [] : [join(session, id)];
      }),
    );
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
