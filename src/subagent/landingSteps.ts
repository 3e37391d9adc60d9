/** The work of a task step by step: a file or a hunk that a person applies, and taking back what has landed. */
import { join } from 'node:path';
import { openRepository, type Repository } from '../git/repository.ts';
import { GitError } from '../git/run.ts';
import type { LandedPart, TaskLanding, TaskRecord, TaskWork } from './batchRecord.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { LandingActionError, requireWork, type Settled, worktreeOf } from './landingActions.ts';
import { type Choice, landHunks, leftOut } from './landingChoice.ts';
import { CannotUndoError, forgetLanding, revertLanding, undoLanding } from './landingUndo.ts';
import { type Delta, forgetRecovery, keepRecovery, type Recovery, readRecovery } from './recovery.ts';

/**
 * Lands a file of a task's work, or hunks of it, as they were shown: of the kept work, not of a worktree where a
 * person went on. When all of the work is there that way, it counts as applied.
 * @throws LandingActionError when it is there already, or conflicts; nothing was changed.
 */
export async function applyPart(
  root: string,
  task: TaskRecord,
  choice: Choice,
  signal: AbortSignal,
): Promise<Settled> {
  const { landing, work } = requireWork(task);
  if (landing.state === 'applied') throw new LandingActionError('It is in your files already.');
  const repository = await openRepository(root);
  const delta = await readRecovery(repository, work.id);
  if (delta.tree !== work.tree)
    throw new LandingActionError('Its work is another than what was shown. Look at it again.');
  const { merge = 'patch' } = landing;
  const answer = await landHunks(repository, delta, [choice], { signal, merge, message: task.description });
  const isThere = answer.status === 'applied' || answer.status === 'no_changes';
  if (!isThere && answer.landing === undefined) throw new LandingActionError(answer.reason);
  const part: LandedPart = { ...choice, ...(answer.landing !== undefined && { undo: answer.landing }) };
  const parts = [...(landing.parts ?? []), part];
  const left = await leftOut(repository, delta, parts.filter(isOfThisWork));
  const landed = delta.files.flatMap(({ path }) => (left.has(path) ? [] : [path]));
  const isPutAside = landing.state === 'discarded' || landing.state === 'reverted';
  const after: TaskLanding = { ...landing, ...(isPutAside && { state: 'waiting' }), parts, landed };
  if (left.size > 0) return { landing: after, worktree: task.worktree };
  return allApplied(repository, task, after, delta);
}

function isOfThisWork({ hunks }: LandedPart): boolean {
  return hunks === undefined || hunks.length > 0;
}

/** Nothing of the work is left to land: what kept it goes, unless a person went on in the worktree. */
async function allApplied(
  repository: Repository,
  task: TaskRecord,
  landing: TaskLanding,
  delta: Delta,
): Promise<Settled> {
  const record = worktreeOf(repository, task);
  const now = record && (await isolationDelta(repository, record));
  const isAll = now === undefined || (holdsEverything(now) && treesOf(now) === treesOf(delta));
  const after: TaskLanding = { ...landing, state: 'applied', reason: undefined };
  if (!isAll) return { landing: after, worktree: task.worktree };
  await forgetRecovery(repository, delta.id);
  if (record) await removeIsolation(repository, record);
  return { landing: { ...after, recovery: undefined }, worktree: undefined };
}

function treesOf({ tree, nested }: Delta): string {
  return [tree, ...nested.map((part) => part.tree)].join();
}

/**
 * Takes back what landed last of a task's work, or of one file of it, or of hunks of that: what was in the person's
 * files before is put back, or, where they went on since, it is taken out of the files as they are. The work can be
 * applied again. A task whose work landed in several steps takes several calls.
 * @throws CannotUndoError when they went on in the same places. LandingActionError when there is nothing to take back.
 */
export async function revertStep(
  root: string,
  task: TaskRecord,
  choice: Choice | undefined,
  signal: AbortSignal,
): Promise<Settled> {
  const { landing, work } = requireWork(task);
  const { parts = [] } = landing;
  const isMeant = (part: LandedPart) =>
    choice === undefined ||
    (part.path === choice.path && (choice.hunks === undefined || `${part.hunks}` === `${choice.hunks}`));
  const isWhole = landing.undo !== undefined;
  if (isWhole && choice !== undefined)
    throw new LandingActionError('The rest landed together with it: revert all of it.');
  const part = isWhole ? undefined : parts.findLast((one) => one.undo !== undefined && isMeant(one));
  const undo = landing.undo ?? part?.undo;
  if (undo === undefined)
    throw new LandingActionError('It is not in your files, so there is nothing to take back.');
  const repository = await openRepository(root);
  const recovery = await keepAgain(repository, work);
  await takeBack(repository, undo, signal);
  const rest = parts.filter((one) => one !== part);
  const landed = landing.landed?.filter((path) => path !== part?.path);
  const { undo: _, ...after } = { ...landing, parts: rest, landed, recovery: recovery?.ref };
  return { landing: { ...after, state: stateAfter(after, choice) }, worktree: task.worktree };
}

/** How work stands of which something was taken back. */
function stateAfter({ state, parts = [] }: TaskLanding, choice: Choice | undefined): TaskLanding['state'] {
  if (choice === undefined && !hasSteps(parts)) return 'reverted';
  return state === 'applied' ? 'waiting' : state;
}

/** Whether more of the work can be taken back. */
export function hasSteps(parts: readonly LandedPart[] | undefined): boolean {
  return (parts ?? []).some(({ undo }) => undo !== undefined);
}

/** Undefined where git has thrown the work away since: taking it back goes all the same. */
async function keepAgain(repository: Repository, work: TaskWork): Promise<Recovery | undefined> {
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

/** Undoes a landing exactly, or takes it out by a merge. @throws CannotUndoError */
export async function takeBack(repository: Repository, landing: string, signal: AbortSignal): Promise<void> {
  try {
    await undoLanding(repository, landing, { signal });
  } catch (error) {
    if (!(error instanceof CannotUndoError)) throw error;
    const { landing: again } = await revertLanding(repository, landing, { signal });
    // Both can be forgotten: the work itself is kept, and is applied again where a person wants it back.
    forgetLanding(repository, landing);
    if (again !== undefined) forgetLanding(repository, again);
  }
}
