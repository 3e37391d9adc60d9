/** Isolated work trees whose process died: found, their work kept, then removed. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { clearScratches } from '../git/scratch.ts';
import { listWorktrees } from '../git/worktree.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import { hasEnded, type IsolationRecord, readRecord, recordedIn } from './isolationRecord.ts';
import { isSharedNow, removeIsolation } from './isolationRemoval.ts';
import { landingOfWork } from './landingUndo.ts';
import { type Delta, keepRecovery, type Recovery } from './recovery.ts';

export interface Leftover {
  readonly path: string;
  /** What was written down of it; without, only a person can decide what it is worth. */
  readonly record: IsolationRecord | undefined;
}

export interface Recovered {
  /** Where its work is now; undefined when there was none. */
  readonly recovery: Recovery | undefined;
  readonly delta: Delta | undefined;
  /** What `undoLanding` takes, when all of it had landed before its process died. */
  readonly landing: string | undefined;
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
  return (
    [...paths]
      .sort()
      .map((path) => ({ path, record: readRecord(repository, path) }))
      .filter(({ record }) => record === undefined || hasEnded(record))
      // What lies over another goes before it.
      .sort((one, other) => Number(isOver(other.record)) - Number(isOver(one.record)))
  );
}

function isOver(record: IsolationRecord | undefined): boolean {
  return record?.overlay !== undefined;
}

/**
 * Keeps what the dead owner's task had done, then removes the work tree. When not all of it can be kept, the
 * work tree stays.
 * @throws {UntrackedTooLargeError} {IsolationMovedError} {GitError}
 */
export async function recoverLeftover(repository: Repository, record: IsolationRecord): Promise<Recovered> {
  const worked = record.state === 'ready' && existsSync(record.path);
  const delta = worked ? await isolationDelta(repository, record) : undefined;
  const landing = delta && landingOfWork(repository, delta);
  const worth =
    landing === undefined && delta !== undefined && (delta.files.length > 0 || delta.commits !== undefined);
  const recovery = worth ? await keepRecovery(repository, delta) : undefined;
  const removed = (delta === undefined || holdsEverything(delta)) && !isSharedNow(repository, record);
  if (removed) await removeIsolation(repository, record);
  return { recovery, delta, landing, removed };
}
