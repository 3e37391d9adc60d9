/** Isolated work trees whose process died: found, their work kept, then removed. */
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { clearScratches } from '../git/scratch.ts';
import { listWorktrees } from '../git/worktree.ts';
import { isAlive } from '../journal/liveness.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import { type IsolationRecord, readRecord, removeIsolation } from './isolationRecord.ts';
import { type Delta, keepRecovery, type Recovery } from './recovery.ts';

const RECORD = /^(.+)\.json$/;

export interface Leftover {
  readonly path: string;
  /** What was written down of it; without, only a person can decide what it is worth. */
  readonly record: IsolationRecord | undefined;
}

export interface Recovered {
  /** Where its work is now; undefined when there was none. */
  readonly recovery: Recovery | undefined;
  readonly delta: Delta | undefined;
  /** False when the work tree stays, because it holds what no delta carries: `delta.skipped`. */
  readonly removed: boolean;
}

/**
 * The work trees below `folder` whose owner is gone, from git's list and from what lies there.
 * @param folder the store's `worktrees` unless given.
 */
export async function findLeftovers(
  repository: Repository,
  folder = join(repository.stateDir, 'worktrees'),
): Promise<Leftover[]> {
  clearScratches(repository);
  if (!existsSync(folder)) return [];
  const base = realpathSync(folder);
  const listed = (await listWorktrees(repository)).map(({ path }) => path);
  const paths = new Set([...recordedIn(base), ...listed.filter((path) => path.startsWith(join(base, '/')))]);
  return [...paths]
    .sort()
    .map((path) => ({ path, record: readRecord(repository, path) }))
    .filter(({ record }) => record === undefined || hasEnded(record.owner));
}

/** Two levels: a folder for each session, in it a record for each work tree. Links are not followed. */
function recordedIn(base: string): string[] {
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

/** A process on another machine may live; nobody here can tell. */
function hasEnded(owner: { pid: number; host: string }): boolean {
  return owner.host === hostname() && !isAlive(owner.pid);
}

/**
 * Keeps what the dead owner's task had done, then removes the work tree. When not all of it can be kept, the
 * work tree stays.
 * @throws {UntrackedTooLargeError} {IsolationMovedError} {GitError}
 */
export async function recoverLeftover(repository: Repository, record: IsolationRecord): Promise<Recovered> {
  const worked = record.state === 'ready' && existsSync(record.path);
  const delta = worked ? await isolationDelta(repository, record) : undefined;
  const worth = delta !== undefined && (delta.files.length > 0 || delta.commits !== undefined);
  const recovery = worth ? await keepRecovery(repository, delta) : undefined;
  const removed = delta === undefined || holdsEverything(delta);
  if (removed) await removeIsolation(repository, record);
  return { recovery, delta, removed };
}
