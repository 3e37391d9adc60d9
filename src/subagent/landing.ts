/** Brings what tasks changed into the person's files, one task after the other. */
import { randomBytes } from 'node:crypto';
import type { ChangedFile } from '../git/delta.ts';
import { isSafePath } from '../git/names.ts';
import type { Repository } from '../git/repository.ts';
import { withScratch } from '../git/scratch.ts';
import { messageOf } from '../journal/errors.ts';
import { type Branched, branchOf } from './branchPlan.ts';
import { finish, isInTheWay } from './landingFinish.ts';
import { HalfWrittenError, LandingFolder, type LandingJournal, type Step } from './landingJournal.ts';
import { type PartOf, partsOf } from './landingParts.ts';
import { type PartPlan, planPart, proveParts } from './landingPlan.ts';
import { writeLanding } from './landingWrite.ts';
import { type Delta, discardRecovery, keepRecovery, type Recovery } from './recovery.ts';
import { withRepositoryLock } from './repositoryLock.ts';
import { removeBranch } from './taskBranch.ts';

export interface LandingAnswer {
  readonly id: string;
  /**
   * `applied`: in the work tree, and in branch mode in the history. `no_changes`: nothing to do, or all of it was
   * there already. `conflict`: the person's files say otherwise; nothing was changed and the work is kept.
   * `recovery_available`: kept without an attempt, or after a failure. `discarded`: gone, as asked.
   */
  readonly status: 'applied' | 'no_changes' | 'conflict' | 'recovery_available' | 'discarded';
  /** What the task changed. */
  readonly files: readonly ChangedFile[];
  /** Where the work is kept, when it did not land. */
  readonly recovery?: Recovery;
  /** Full name of the task's branch, when it did not land in branch mode. */
  readonly branch?: string;
  /** What `undoLanding` takes, when it did. */
  readonly landing?: string;
  readonly reason: string;
}

export interface LandingOptions {
  /** `patch` (unless given) changes files alone; `branch` commits. Setting `task.isolation.merge`. */
  readonly merge?: 'patch' | 'branch';
  /** In branch mode, the message of the commit with what the task did not commit itself. */
  readonly message?: string;
  /** False for work that is worth nothing by itself: where it cannot land, nothing is left of it. */
  readonly keep?: boolean;
  readonly signal?: AbortSignal;
  readonly step?: Step;
}

/** Lands tasks in this order; one that cannot land keeps no other from landing. */
export async function landTasks(
  repository: Repository,
  deltas: readonly Delta[],
  options: LandingOptions = {},
): Promise<LandingAnswer[]> {
  const answers: LandingAnswer[] = [];
  for (const delta of deltas) answers.push(await landTask(repository, delta, options));
  return answers;
}

/**
 * Merges one task's work with the person's files as they are now and writes what differs. In patch mode into files
 * only, never into the index or a reference; in branch mode the task's commits also go onto HEAD, and what the
 * person has staged and changed stays so. When anything is in the way nothing is changed, and the work is kept.
 * @param whole where `delta` is a chosen part of it, all of the work: it is what is kept.
 * @throws when the work can neither land nor be kept; it is then still in the task's work tree.
 */
export async function landTask(
  repository: Repository,
  delta: Delta,
  options: LandingOptions = {},
  whole: Delta = delta,
): Promise<LandingAnswer> {
  const { id, files } = delta;
  if (files.length === 0) {
    return delta.commits === undefined
      ? { id, status: 'no_changes', files, reason: 'The task changed nothing.' }
      : keepTask(repository, whole, 'The task committed, but its files are as they were.');
  }
  const unsafe = files.filter(({ path }) => !isSafePath(path));
  if (unsafe.length > 0) {
    return keepTask(repository, whole, `Names that no file of yours may have: ${listed(unsafe)}.`);
  }
  let branched: Branched | undefined;
  let outcome: Outcome;
  // A branch of a part would pass for all of the work, which is kept as a whole.
  const makes = whole === delta && options.keep !== false;
  try {
    branched =
      options.merge === 'branch' ? await branchOf(repository, delta, options.message, makes) : undefined;
    outcome = await withRepositoryLock(
      repository,
      'landing',
      (held) => attempt(repository, delta, branched, held, options),
      options.signal,
    );
  } catch (error) {
    outcome = { status: 'recovery_available', reason: `It could not be landed: ${messageOf(error)}` };
  }
  if (outcome.status === 'no_changes' && branched?.branch) await removeBranch(repository, branched.branch);
  if (outcome.status === 'applied' || outcome.status === 'no_changes') return { id, files, ...outcome };
  if (options.keep === false) return { id, files, ...outcome };
  const kept = await keepTask(repository, whole, outcome.reason);
  const branch = branched?.branch;
  return { ...kept, ...outcome, ...(branch && { branch: branch.ref }) };
}

interface Outcome extends Pick<LandingAnswer, 'reason' | 'landing'> {
  readonly status: 'applied' | 'no_changes' | 'conflict' | 'recovery_available';
}

async function attempt(
  repository: Repository,
  delta: Delta,
  branched: Branched | undefined,
  held: () => boolean,
  { signal, step = () => {} }: LandingOptions,
): Promise<Outcome> {
  await finish(repository);
  const folder = new LandingFolder(repository.stateDir);
  const landing = `${delta.id}.${randomBytes(4).toString('hex')}`;
  try {
    const parts = await partsOf(repository, delta, branched);
    const plan = await planAll(parts, { workTree: repository.workTree, folder, landing, step }, signal);
    if (plan.blocked !== undefined) {
      folder.forget(landing);
      return { status: 'conflict', reason: plan.blocked };
    }
    const { changes, head } = plan;
    if (changes.length === 0 && head === undefined) {
      return { status: 'no_changes', reason: 'Your files already have what the task changed.' };
    }
    if (!held()) throw new Error('Another process took over; try again.');
    const journal: LandingJournal = {
      version: 1,
      id: landing,
      workTree: repository.workTree,
      state: 'writing',
      changes,
      nested: parts.flatMap(({ prefix }) => (prefix === '' ? [] : [prefix])),
      tree: delta.tree,
      nestedTrees: delta.nested.map(({ tree }) => tree),
      ...(head && { head }),
    };
    folder.write(journal);
    step('journal');
    await writeLanding(repository, folder, journal, { step });
    noteLanded(folder, journal);
    step('landed');
    return await proven(plan.parts, parts, landing, changes.length);
  } catch (error) {
    if (!(error instanceof HalfWrittenError)) folder.forget(landing);
    if (isInTheWay(error)) return { status: 'conflict', reason: `${error.message}.` };
    throw error;
  }
}

async function planAll(
  parts: readonly PartOf[],
  target: Parameters<typeof planPart>[2],
  signal: AbortSignal | undefined,
) {
  const plans: PartPlan[] = [];
  for (const { repository, ...part } of parts) {
    const first = plans.reduce((sum, { changes }) => sum + changes.length, 0);
    const plan = await withScratch(repository, (scratch) => planPart(scratch, part, target, first), signal);
    if (plan.blocked !== undefined) return plan;
    plans.push(plan);
  }
  const head = plans.find((plan) => plan.head !== undefined)?.head;
  return { blocked: undefined, parts: plans, changes: plans.flatMap(({ changes }) => changes), head };
}

/** What landed is what was planned, as git sees it: only then does the work count as landed. */
async function proven(
  plans: readonly PartPlan[],
  parts: readonly PartOf[],
  landing: string,
  count: number,
): Promise<Outcome> {
  let reason: string;
  try {
    const differ = await proveParts(plans, parts);
    if (differ.length === 0) return { status: 'applied', landing, reason: `Changed ${count} of your files.` };
    reason = `Changed while it landed: ${differ.join(', ')}. The task's work is kept as well.`;
  } catch (error) {
    // It has landed all the same, and must stay such as can be undone.
    reason = `It landed, but git could not look at it: ${messageOf(error)}. The task's work is kept as well.`;
  }
  return { status: 'recovery_available', landing, reason };
}

function noteLanded(folder: LandingFolder, journal: LandingJournal): void {
  try {
    folder.write({ ...journal, state: 'landed' });
  } catch {
    // The files are there all the same. The next start finds nothing left to write and notes it then.
  }
}

/** Keeps a task's work without landing it: the task failed, or a person wants to look first. */
export async function keepTask(repository: Repository, delta: Delta, reason: string): Promise<LandingAnswer> {
  const recovery = await keepRecovery(repository, delta);
  return { id: delta.id, status: 'recovery_available', files: delta.files, recovery, reason };
}

/** Throws a task's work away, kept or not. */
export async function discardTask(repository: Repository, delta: Delta): Promise<LandingAnswer> {
  await discardRecovery(repository, delta);
  return { id: delta.id, status: 'discarded', files: delta.files, reason: 'Discarded as asked.' };
}

const LISTED = 8;

function listed(files: readonly { path: string }[]): string {
  const names = files.slice(0, LISTED).map(({ path }) => path);
  return names.join(', ') + (files.length > LISTED ? ` and ${files.length - LISTED} more` : '');
}
