import { openRepository, type Repository } from '../git/repository.ts';
import type { LandedPart, TaskLanding, TaskRecord } from './batchRecord.ts';
import { branchOf } from './branchPlan.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { landTask } from './landing.ts';
import {
  keepAgain,
  keptWork,
  LandingActionError,
  requireWork,
  type Settled,
  worktreeOf,
} from './landingActions.ts';
import { type Choice, chosenWork, leftOut } from './landingChoice.ts';
import {
  CannotUndoError,
  forgetLanding,
  knowsLanding,
  landingOfWork,
  revertLanding,
  undoLanding,
} from './landingUndo.ts';
import { type Delta, forgetRecovery, readRecovery } from './recovery.ts';
import { removeBranch } from './taskBranch.ts';

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
  const delta = await keptWork(repository, work);
  if (delta.tree !== work.tree)
    throw new LandingActionError('Its work is another than what was shown. Look at it again.');
  const { merge = 'patch' } = landing;
  const chosen = await chosenWork(repository, delta, [choice]);
  const answer = await landTask(repository, chosen, { signal, merge, message: task.description }, delta);
  const isThere = answer.status === 'applied' || answer.status === 'no_changes';
  if (!isThere && answer.landing === undefined) throw new LandingActionError(answer.reason);
  const before = landing.parts ?? [];
  const undo = answer.landing ?? landingOfWork(repository, chosen, undosOf(landing));
  const isNew = undo !== undefined || !before.some((one) => isSameChoice(one, choice));
  const parts = isNew ? [...before, { ...choice, ...(undo !== undefined && { undo }) }] : before;
  const left = await leftOut(repository, delta, parts.filter(isOfThisWork));
  const landed = delta.files.flatMap(({ path }) => (left.has(path) ? [] : [path]));
  const isPutAside = landing.state === 'discarded' || landing.state === 'reverted';
  const after: TaskLanding = { ...landing, ...(isPutAside && { state: 'waiting' }), parts, landed };
  // What was changed while it landed may not be what was chosen.
  if (left.size > 0 || !isThere) return { landing: after, worktree: task.worktree };
  return allApplied(repository, task, after, delta);
}

function isSameChoice(part: LandedPart, { path, hunks }: Choice): boolean {
  return part.path === path && JSON.stringify(part.hunks) === JSON.stringify(hunks);
}

function undosOf({ parts = [], undo }: TaskLanding): ReadonlySet<string> {
  return new Set([undo, ...parts.map((part) => part.undo)].flatMap((one) => one ?? []));
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
  if (landing.recovery?.startsWith('refs/heads/')) {
    const { branch } = await branchOf(repository, delta, task.description);
    if (branch) await removeBranch(repository, branch);
  }
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
 * @param was how the work stood before the first of them
 * @throws CannotUndoError when they went on in the same places. LandingActionError when there is nothing to take back.
 */
export async function revertStep(
  root: string,
  task: TaskRecord,
  choice: Choice | undefined,
  signal: AbortSignal,
  was: TaskLanding['state'] | undefined = task.landing?.state,
): Promise<Settled> {
  const { landing, work } = requireWork(task);
  const { parts = [] } = landing;
  const isMeant = (part: LandedPart) =>
    choice === undefined ||
    (part.path === choice.path && (choice.hunks === undefined || isSameChoice(part, choice)));
  const isWhole = landing.undo !== undefined;
  if (isWhole && choice !== undefined)
    throw new LandingActionError('The rest landed together with it: revert all of it.');
  const hasRest = (one: LandedPart) =>
    one.path === choice?.path && one.hunks === undefined && one.undo !== undefined;
  if (choice?.hunks !== undefined && parts.some(hasRest))
    throw new LandingActionError('The rest of the file landed together with it: revert all of the file.');
  const part = isWhole ? undefined : parts.findLast((one) => one.undo !== undefined && isMeant(one));
  const undo = landing.undo ?? part?.undo;
  if (undo === undefined)
    throw new LandingActionError('It is not in your files, so there is nothing to take back.');
  const repository = await openRepository(root);
  const recovery = await keepAgain(repository, work);
  // Its process may have died after it had taken it back and before it said so.
  if (knowsLanding(repository, undo)) await takeBack(repository, undo, signal);
  else await takeOut(repository, work.id, part, signal);
  // What the files had already when it was applied may just have been taken back.
  const isLost = (one: LandedPart) => one === part || (one.undo === undefined && one.path === part?.path);
  const rest = parts.filter((one) => !isLost(one));
  const landed = landing.landed?.filter((path) => path !== part?.path);
  const { undo: _, ...after } = {
    ...landing,
    parts: rest,
    landed,
    recovery: landing.recovery ?? recovery?.ref,
  };
  const isAll = choice === undefined && was === 'applied' && !hasSteps(rest);
  const state = isAll ? 'reverted' : landing.state === 'applied' ? 'waiting' : landing.state;
  return { landing: { ...after, state }, worktree: task.worktree };
}

/**
 * Takes work, or a part of it, out of the files as they are, where nothing is known of how it landed.
 * @throws LandingActionError when they went on in the same places
 */
async function takeOut(
  repository: Repository,
  id: string,
  part: LandedPart | undefined,
  signal: AbortSignal,
): Promise<void> {
  const all = await readRecovery(repository, id);
  const meant = part === undefined ? all : await chosenWork(repository, all, [part]);
  const back = {
    ...inverted(meant),
    id: `${id}.revert`,
    nested: meant.nested.map(inverted),
    commits: undefined,
  };
  const answer = await landTask(repository, back, { signal, keep: false });
  if (answer.status !== 'applied' && answer.status !== 'no_changes')
    throw new LandingActionError(`${answer.reason} Nothing was put back.`);
  if (answer.landing !== undefined) forgetLanding(repository, answer.landing);
}

function inverted<Work extends { base: string; tree: string }>(work: Work): Work {
  return { ...work, base: work.tree, tree: work.base };
}

/** Whether more of the work can be taken back. */
export function hasSteps(parts: readonly LandedPart[] | undefined): boolean {
  return (parts ?? []).some(({ undo }) => undo !== undefined);
}

/** Undoes a landing exactly, or takes it out by a merge. @throws CannotUndoError */
export async function takeBack(repository: Repository, landing: string, signal: AbortSignal): Promise<void> {
  try {
    await undoLanding(repository, landing, { signal });
  } catch (error) {
    if (!(error instanceof CannotUndoError)) throw error;
    await revertLanding(repository, landing, { signal });
    // It can be forgotten: the work itself is kept, and is applied again where a person wants it back.
    forgetLanding(repository, landing);
  }
}
