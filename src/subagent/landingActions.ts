/** What a person does with the work of isolated tasks after it ended: apply it, or put it aside. */

import { join } from 'node:path';
import { openRepository, type Repository } from '../git/repository.ts';
import { GitError } from '../git/run.ts';
import type { TaskLanding, TaskRecord, TaskWork } from './batchRecord.ts';
import { fileOf, landingOf } from './isolatedWork.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import { type IsolationRecord, readRecord } from './isolationRecord.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { landTask } from './landing.ts';
import { landingOfWork } from './landingUndo.ts';
import {
  type Delta,
  forgetRecovery,
  keepRecovery,
  NoRecoveryError,
  type Recovery,
  readRecovery,
} from './recovery.ts';

/** Something that cannot be done with a task's work now; the message says why. */
export class LandingActionError extends Error {
  override readonly name = 'LandingActionError';
}

/** The change of a task's record after an action. */
export interface Settled extends Pick<TaskRecord, 'landing' | 'worktree'> {
  /** Set with `patchFile` where the work was read anew: what it changes, and the patch that says so. */
  readonly files?: TaskRecord['files'];
  readonly patchFile?: string;
}

/**
 * Lands work that waits, did not land before, or was discarded or taken back: as it is in the task's worktree now,
 * where a person may have gone on with it.
 * @throws LandingActionError when there is none, or it is in the person's files already.
 */
export async function applyWork(root: string, task: TaskRecord, signal: AbortSignal): Promise<Settled> {
  const landing = requireLanding(task);
  if (landing.state === 'applied') throw new LandingActionError('It is in your files already.');
  const repository = await openRepository(root);
  const record = worktreeOf(repository, task);
  const { delta } = record
    ? await kept(repository, record)
    : { delta: await keptWork(repository, requireWork(task).work) };
  const { merge = 'patch' } = landing;
  const answer = await landTask(repository, delta, { signal, merge, message: task.description });
  const undone = answer.status === 'no_changes' && landing.undo === undefined;
  const undo = undone ? landingOfWork(repository, delta, partsUndone(landing)) : undefined;
  const after: TaskLanding = {
    ...{ ...landing, ...landingOf(answer, delta, task.id), ...partsIn(landing, delta) },
    // Its process died before it said that it had landed.
    ...(undo !== undefined && { state: 'applied', undo }),
  };
  const read = readAnew(record, delta);
  if (after.state !== 'applied' && after.state !== 'no_changes')
    return { ...read, landing: after, worktree: task.worktree };
  await forgetRecovery(repository, delta.id);
  const isHeld = holdsEverything(delta);
  if (record && isHeld) await removeIsolation(repository, record);
  const state = (after.parts ?? []).length > 0 ? 'applied' : after.state;
  const worktree = isHeld ? undefined : task.worktree;
  return { ...read, landing: { ...after, state, recovery: undefined }, worktree };
}

function partsUndone({ parts = [] }: TaskLanding): ReadonlySet<string> {
  return new Set(parts.flatMap(({ undo }) => undo ?? []));
}

/** Puts work aside that has not landed, with its worktree. It can still be applied. */
export async function discardWork(root: string, task: TaskRecord): Promise<Settled> {
  const landing = requireLanding(task);
  if (landing.state === 'applied') throw new LandingActionError('It is in your files: revert it instead.');
  const repository = await openRepository(root);
  const record = worktreeOf(repository, task);
  if (record === undefined) return { landing: { ...landing, state: 'discarded' }, worktree: undefined };
  const { delta, recovery } = await kept(repository, record);
  const { id, files } = delta;
  const answer = { id, files, recovery, status: 'discarded', reason: landing.reason ?? '' } as const;
  const isHeld = holdsEverything(delta);
  if (isHeld) await removeIsolation(repository, record);
  return {
    ...readAnew(record, delta),
    landing: { ...landing, ...landingOf(answer, delta, task.id), ...partsIn(landing, delta) },
    worktree: isHeld ? undefined : task.worktree,
  };
}

/** A person may have gone on in the worktree: what is shown of the work is what was read of it last. */
function readAnew(record: IsolationRecord | undefined, { files, patchFile }: Delta): Partial<Settled> {
  return record === undefined ? {} : { files: files.map(fileOf), patchFile };
}

/** What has landed of the work by itself; of other work than it was, nobody can say which hunks. */
function partsIn({ work, parts, landed }: TaskLanding, delta: Delta): Pick<TaskLanding, 'parts' | 'landed'> {
  const trees = (of: { tree: string; nested?: readonly { tree: string }[] | undefined } | undefined) =>
    [of?.tree, ...(of?.nested ?? []).map(({ tree }) => tree)].join();
  if (parts === undefined || trees(work) === trees(delta)) return { parts, landed };
  return { parts: parts.map((part) => ({ ...part, hunks: [] })), landed: [] };
}

/** @throws LandingActionError for a task that left no work. */
export function requireWork(task: TaskRecord): {
  landing: TaskLanding;
  work: NonNullable<TaskLanding['work']>;
} {
  const { landing } = task;
  const work = landing?.work;
  if (landing === undefined || work === undefined) throw new LandingActionError(NOTHING);
  return { landing, work };
}

/**
 * The landing of a task that left work: known by its objects, or only in its worktree, when it could not be kept.
 * @throws LandingActionError for any other
 */
export function requireLanding({ landing, worktree }: TaskRecord): TaskLanding {
  if (landing === undefined || (landing.work === undefined && worktree === undefined))
    throw new LandingActionError(NOTHING);
  return landing;
}

const NOTHING = 'This task changed no files, so there is nothing to land or take back.';

/** The task's worktree, if it is still the one that was made for it. */
export function worktreeOf(repository: Repository, { worktree }: TaskRecord): IsolationRecord | undefined {
  return worktree === undefined ? undefined : readRecord(repository, worktree);
}

/** The work in a worktree as it is now, kept under its ref, so that nothing is lost with the worktree. */
async function kept(
  repository: Repository,
  record: IsolationRecord,
): Promise<{ delta: Delta; recovery: Recovery }> {
  const delta = await isolationDelta(repository, record);
  return { delta, recovery: await keepRecovery(repository, delta) };
}

/** Undefined where git has thrown the work away since: taking it back goes all the same. */
export async function keepAgain(repository: Repository, work: TaskWork): Promise<Recovery | undefined> {
  try {
    return await keepRecovery(repository, {
      ...{ ...work, nested: work.nested ?? [], commits: work.commits, files: [], skipped: [] },
      patchFile: join(repository.stateDir, 'patches', `${work.id}.patch`),
    } satisfies Delta);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** Kept work; kept again where its process died after it had landed, before it said so. @throws NoRecoveryError */
export async function keptWork(repository: Repository, work: TaskWork): Promise<Delta> {
  try {
    return await readRecovery(repository, work.id);
  } catch (error) {
    if (!(error instanceof NoRecoveryError) || (await keepAgain(repository, work)) === undefined) throw error;
    return readRecovery(repository, work.id);
  }
}
