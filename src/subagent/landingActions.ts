/** What a person does with the work of isolated tasks after it ended: apply, discard, revert. */

import { join } from 'node:path';
import { openRepository, type Repository } from '../git/repository.ts';
import type { TaskLanding, TaskRecord } from './batchRecord.ts';
import { landingOf } from './isolatedWork.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import { type IsolationRecord, readRecord, removeIsolation } from './isolationRecord.ts';
import { landTask, undoLanding } from './landing.ts';
import { type Delta, keepRecovery, readRecovery } from './recovery.ts';

/** Something that cannot be done with a task's work now; the message says why. */
export class LandingActionError extends Error {
  override readonly name = 'LandingActionError';
}

/** The change of a task's record after an action. */
export type Settled = Pick<TaskRecord, 'landing' | 'worktree'>;

/**
 * Lands work that waits, did not land before, or was discarded or taken back: as it is in the task's worktree now,
 * where a person may have gone on with it.
 * @throws LandingActionError when there is none, or it is in the person's files already.
 */
export async function applyWork(root: string, task: TaskRecord, signal: AbortSignal): Promise<Settled> {
  const { landing, work } = requireWork(task);
  if (landing.state === 'applied') throw new LandingActionError('It is in your files already.');
  const repository = await openRepository(root);
  const record = worktreeOf(repository, task);
  const delta = record ? await kept(repository, record) : await readRecovery(repository, work.id);
  const answer = await landTask(repository, delta, { signal });
  const after = { ...landing, ...landingOf(answer, delta, task.id) };
  if (after.state !== 'applied' && after.state !== 'no_changes')
    return { landing: after, worktree: task.worktree };
  const isHeld = holdsEverything(delta);
  if (record && isHeld) await removeIsolation(repository, record);
  return { landing: after, worktree: isHeld ? undefined : task.worktree };
}

/** Puts work aside that has not landed, with its worktree. It can still be applied. */
export async function discardWork(root: string, task: TaskRecord): Promise<Settled> {
  const { landing } = requireWork(task);
  if (landing.state === 'applied') throw new LandingActionError('It is in your files: revert it instead.');
  const repository = await openRepository(root);
  const record = worktreeOf(repository, task);
  const isHeld = record === undefined || holdsEverything(await kept(repository, record));
  if (record && isHeld) await removeIsolation(repository, record);
  return { landing: { ...landing, state: 'discarded' }, worktree: isHeld ? undefined : task.worktree };
}

/**
 * Puts back what was in the person's files before a task's work landed. The work can be applied again.
 * @throws CannotUndoError when a file was changed since.
 */
export async function revertWork(root: string, task: TaskRecord, signal: AbortSignal): Promise<Settled> {
  const { landing, work } = requireWork(task);
  if (landing.state !== 'applied' || landing.undo === undefined)
    throw new LandingActionError('It is not in your files, so there is nothing to take back.');
  const repository = await openRepository(root);
  const recovery = await keepRecovery(repository, {
    ...{ ...work, commits: undefined, files: [], skipped: [] },
    patchFile: join(repository.stateDir, 'patches', `${work.id}.patch`),
  } satisfies Delta);
  await undoLanding(repository, landing.undo, { signal });
  const { undo: _, ...rest } = landing;
  return { landing: { ...rest, state: 'reverted', recovery: recovery.ref }, worktree: task.worktree };
}

function requireWork({ landing }: TaskRecord): {
  landing: TaskLanding;
  work: NonNullable<TaskLanding['work']>;
} {
  const work = landing?.work;
  if (landing === undefined || work === undefined)
    throw new LandingActionError('This task changed no files, so there is nothing to land or take back.');
  return { landing, work };
}

/** The task's worktree, if it is still the one that was made for it. */
function worktreeOf(repository: Repository, { worktree }: TaskRecord): IsolationRecord | undefined {
  return worktree === undefined ? undefined : readRecord(repository, worktree);
}

/** The work in a worktree as it is now, kept under its ref, so that nothing is lost with the worktree. */
async function kept(repository: Repository, record: IsolationRecord): Promise<Delta> {
  const delta = await isolationDelta(repository, record);
  await keepRecovery(repository, delta);
  return delta;
}
