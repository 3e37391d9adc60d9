/** Brings what tasks changed into the person's files, one task after the other. */
import { randomBytes } from 'node:crypto';
import type { ChangedFile } from '../git/delta.ts';
import { isSafePath } from '../git/names.ts';
import type { Repository } from '../git/repository.ts';
import { withScratch } from '../git/scratch.ts';
import { messageOf } from '../journal/errors.ts';
import { imageAmong, placeOf, sameImage, UnsafePathError } from './fileImage.ts';
import {
  type Change,
  FileChangedError,
  HalfWrittenError,
  LandingFolder,
  type LandingJournal,
  type Step,
} from './landingJournal.ts';
import { planLanding } from './landingPlan.ts';
import { type Delta, discardRecovery, keepRecovery, type Recovery } from './recovery.ts';
import { withRepositoryLock } from './repositoryLock.ts';

export interface LandingAnswer {
  readonly id: string;
  /**
   * `applied`: in the work tree. `no_changes`: nothing to do, or all of it was there already. `conflict`: the
   * person's files say otherwise; nothing was changed and the work is kept. `recovery_available`: kept without an
   * attempt, or after a failure. `discarded`: gone, as asked.
   */
  readonly status: 'applied' | 'no_changes' | 'conflict' | 'recovery_available' | 'discarded';
  /** What the task changed. */
  readonly files: readonly ChangedFile[];
  /** Where the work is kept, when it did not land. */
  readonly recovery?: Recovery;
  /** What `undoLanding` takes, when it did. */
  readonly landing?: string;
  readonly reason: string;
}

export interface LandingOptions {
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
 * Merges one task's work with the person's files as they are now and writes what differs: into files only, never
 * into the index or a reference. When anything is in the way nothing is changed, and the work is kept.
 * @throws when the work can neither land nor be kept; it is then still in the task's work tree.
 */
export async function landTask(
  repository: Repository,
  delta: Delta,
  options: LandingOptions = {},
): Promise<LandingAnswer> {
  const { id, files } = delta;
  if (files.length === 0) {
    return delta.commits === undefined
      ? { id, status: 'no_changes', files, reason: 'The task changed nothing.' }
      : keepTask(repository, delta, 'The task committed, but its files are as they were.');
  }
  const unsafe = files.filter(({ path }) => !isSafePath(path));
  if (unsafe.length > 0) {
    return keepTask(repository, delta, `Names that no file of yours may have: ${listed(unsafe)}.`);
  }
  let outcome: Outcome;
  try {
    outcome = await withRepositoryLock(
      repository,
      'landing',
      (held) => attempt(repository, delta, held, options),
      options.signal,
    );
  } catch (error) {
    return keepTask(repository, delta, `It could not be landed: ${messageOf(error)}`);
  }
  if (outcome.status !== 'conflict') return { id, files, ...outcome };
  return { ...(await keepTask(repository, delta, outcome.reason)), status: 'conflict' };
}

type Outcome = Pick<LandingAnswer, 'reason' | 'landing'> & { status: 'applied' | 'no_changes' | 'conflict' };

async function attempt(
  repository: Repository,
  delta: Delta,
  held: () => boolean,
  { signal, step = () => {} }: LandingOptions,
): Promise<Outcome> {
  await finish(repository);
  const folder = new LandingFolder(repository.stateDir);
  const landing = `${delta.id}.${randomBytes(4).toString('hex')}`;
  try {
    const plan = await withScratch(
      repository,
      (scratch) => planLanding(scratch, delta, folder, landing, step),
      signal,
    );
    if (plan.blocked !== undefined) {
      folder.forget(landing);
      return { status: 'conflict', reason: plan.blocked };
    }
    if (plan.changes.length === 0) {
      return { status: 'no_changes', reason: 'Your files already have what the task changed.' };
    }
    if (!held()) throw new Error('Another process took over; try again.');
    const journal: LandingJournal = {
      version: 1,
      id: landing,
      workTree: repository.workTree,
      state: 'writing',
      changes: plan.changes,
    };
    folder.write(journal);
    step('journal');
    await folder.apply(journal, step);
    noteLanded(folder, journal);
    step('landed');
    return { status: 'applied', landing, reason: `Changed ${plan.changes.length} of your files.` };
  } catch (error) {
    if (!(error instanceof HalfWrittenError)) folder.forget(landing);
    if (isInTheWay(error)) return { status: 'conflict', reason: `${error.message}.` };
    throw error;
  }
}

/** A file or a link that somebody put there since the landing was planned. */
function isInTheWay(error: unknown): error is Error {
  return error instanceof FileChangedError || error instanceof UnsafePathError;
}

function noteLanded(folder: LandingFolder, journal: LandingJournal): void {
  try {
    folder.write({ ...journal, state: 'landed' });
  } catch {
    // The files are there all the same. The next start finds nothing left to write and notes it then.
  }
}

function isLanded({ workTree, changes }: LandingJournal, { path, after }: Change): boolean {
  try {
    return sameImage(imageAmong(placeOf(workTree, path), path, changes), after);
  } catch (error) {
    if (error instanceof UnsafePathError) return false;
    throw error;
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

/** An interrupted landing, and what became of it. */
export interface FinishedLanding {
  readonly id: string;
  readonly outcome: 'finished' | 'taken back';
}

/**
 * Finishes landings whose process died, or takes them back where somebody changed a file since. To be called at
 * each start; every landing does it first.
 */
export async function finishLandings(repository: Repository): Promise<FinishedLanding[]> {
  return withRepositoryLock(repository, 'landing', () => finish(repository));
}

/** Whoever holds the lock knows that a landing under way has no living process. */
async function finish(repository: Repository): Promise<FinishedLanding[]> {
  const folder = new LandingFolder(repository.stateDir);
  const finished: FinishedLanding[] = [];
  for (const id of folder.ids()) {
    const journal = folder.read(id);
    if (journal === undefined) folder.forget(id);
    else if (journal === 'damaged') continue;
    else if (journal.state !== 'landed' && journal.workTree === repository.workTree) {
      finished.push({ id, outcome: await finishOne(folder, journal) });
    }
  }
  return finished;
}

async function finishOne(
  folder: LandingFolder,
  journal: LandingJournal,
): Promise<FinishedLanding['outcome']> {
  folder.clearDrafts(journal);
  const undoing = journal.state === 'undoing';
  try {
    await folder.apply(journal);
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    if (undoing) folder.write({ ...journal, state: 'landed' });
    else folder.forget(journal.id);
    return 'taken back';
  }
  if (undoing) folder.forget(journal.id);
  else folder.write({ ...journal, state: 'landed' });
  return 'finished';
}

/** A landing cannot be undone; the message says why. */
export class CannotUndoError extends Error {
  override readonly name = 'CannotUndoError';
}

/**
 * Puts back what was there before a landing.
 * @throws {CannotUndoError} when it is not there, or a file is no longer as it was landed; nothing is changed.
 */
export async function undoLanding(
  repository: Repository,
  landing: string,
  { signal, step = () => {} }: LandingOptions = {},
): Promise<void> {
  const undo = async () => {
    await finish(repository);
    const folder = new LandingFolder(repository.stateDir);
    const journal = folder.read(landing);
    if (
      journal === undefined ||
      journal === 'damaged' ||
      journal.state !== 'landed' ||
      journal.workTree !== repository.workTree
    ) {
      throw new CannotUndoError(`There is no landing ${landing} to undo in ${repository.workTree}.`);
    }
    const changed = journal.changes.filter((change) => !isLanded(journal, change));
    if (changed.length > 0) {
      throw new CannotUndoError(`Changed since it was landed: ${listed(changed)}. Nothing was put back.`);
    }
    const undoing: LandingJournal = { ...journal, state: 'undoing' };
    folder.write(undoing);
    step('journal');
    try {
      await folder.apply(undoing, step);
    } catch (error) {
      if (!(error instanceof HalfWrittenError)) folder.write(journal);
      if (!isInTheWay(error)) throw error;
      throw new CannotUndoError(`${error.message}. Nothing was put back.`);
    }
    folder.forget(landing);
  };
  await withRepositoryLock(repository, 'landing', undo, signal);
}

/** Gives up the possibility to undo a landing, and the room its images take. */
export function forgetLanding(repository: Repository, landing: string): void {
  new LandingFolder(repository.stateDir).forget(landing);
}

const LISTED = 8;

function listed(files: readonly { path: string }[]): string {
  const names = files.slice(0, LISTED).map(({ path }) => path);
  return names.join(', ') + (files.length > LISTED ? ` and ${files.length - LISTED} more` : '');
}
