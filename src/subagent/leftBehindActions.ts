/** What a person does with work that was left behind: look at it, apply it, throw it away, and take that back. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findGit } from '../git/layout.ts';
import { openRepository, type Repository, runOn } from '../git/repository.ts';
import type { BatchRecord } from './batchRecord.ts';
import { holdsEverything } from './isolation.ts';
import { landTask } from './landing.ts';
import { LandingActionError } from './landingActions.ts';
import { takeBack } from './landingSteps.ts';
import { findLeftBehind, gone, type LeftBehind, leftWork } from './leftBehind.ts';
import { recoverLeftover } from './leftovers.ts';
import { recoverables } from './recoverables.ts';
import { type Delta, discardRecovery, forgetRecovery, keepRecovery } from './recovery.ts';
import { withRepositoryLock } from './repositoryLock.ts';
import { removeBranch, taskBranches } from './taskBranch.ts';
import { fileOfWork } from './workFiles.ts';

/** As many as a person can still take back; a toast offers it for seconds. */
const UNDOABLE = 20;

export interface LeftBehindParts {
  /** The workspace folder. */
  readonly root: string;
  /** Whether git may be run here. */
  trusted(): boolean;
  /** How the work of branches lands: setting `task.isolation.merge`. */
  merge(): 'patch' | 'branch';
  list(): Promise<readonly BatchRecord[]>;
  changed(): void;
}

/** One of them, as whoever asks knows it. */
export type LeftName = Pick<LeftBehind, 'kind' | 'id'>;

export interface LeftDone {
  readonly said: string;
  /** What `restore` takes. */
  readonly undo: string;
}

export class LeftBehindActions {
  readonly #parts: LeftBehindParts;
  readonly #undo = new Map<string, (signal: AbortSignal) => Promise<void>>();
  /** The work that was looked at last: the editor asks for each of its files. */
  #seen: { name: string; work: Promise<Delta> } | undefined;

  constructor(parts: LeftBehindParts) {
    this.#parts = parts;
  }

  /** All of it; none where no task was ever isolated. */
  async list(): Promise<readonly LeftBehind[]> {
    const git = findGit(this.#parts.root);
    if (git === undefined || !this.#parts.trusted() || !existsSync(join(git.commonDir, 'lodeline')))
      return [];
    const batches = await this.#parts.list();
    return findLeftBehind(await openRepository(this.#parts.root), batches);
  }

  /** What one of them changes. @throws LandingActionError */
  async work(name: LeftName): Promise<Delta> {
    const repository = await openRepository(this.#parts.root);
    const work = this.#find(name).then((left) => leftWork(repository, left));
    this.#seen = { name: JSON.stringify([name.kind, name.id]), work };
    return work;
  }

  /** A file of it, as it was before or after. @throws LandingActionError */
  async fileAt(name: LeftName, path: string, side: 'before' | 'after'): Promise<Buffer> {
    const key = JSON.stringify([name.kind, name.id]);
    const work = await (this.#seen?.name === key ? this.#seen.work : this.work(name));
    const file = work.files.find((one) => one.path === path);
    if (file === undefined) throw new LandingActionError('This task did not change the file.');
    if (file.status === (side === 'before' ? 'added' : 'deleted')) return Buffer.alloc(0);
    return fileOfWork(await openRepository(this.#parts.root), work, path, side);
  }

  /**
   * Lands it and removes what kept it.
   * @throws LandingActionError when it conflicts; it is kept then.
   */
  apply(name: LeftName, signal: AbortSignal): Promise<LeftDone> {
    return this.#act(name, async (repository, left) => {
      const { delta, remove } = await this.#hold(repository, left);
      const merge = left.kind === 'branch' ? this.#parts.merge() : 'patch';
      // It is still where it was found when it does not land.
      const options = { signal, merge, message: left.task, keep: false };
      const answer = await landTask(repository, delta, options);
      if (answer.status !== 'applied' && answer.status !== 'no_changes')
        throw new LandingActionError(answer.reason);
      const restore = await remove();
      const back = async (by: AbortSignal) => {
        if (answer.landing !== undefined) await takeBack(repository, answer.landing, by);
        await restore();
      };
      return { said: answer.reason, back };
    });
  }

  /** Throws it away; it can be taken back while this process runs. */
  discard(name: LeftName): Promise<LeftDone> {
    return this.#act(name, async (repository, left) => {
      const { remove } = await this.#hold(repository, left);
      return { said: 'Discarded as asked.', back: await remove() };
    });
  }

  /** Takes back what was done. @throws LandingActionError when that is not known any more. */
  async restore(undo: string, signal: AbortSignal): Promise<void> {
    const back = this.#undo.get(undo);
    if (back === undefined) throw gone();
    const repository = await openRepository(this.#parts.root);
    await withRepositoryLock(repository, 'leftovers', () => back(signal), signal);
    this.#undo.delete(undo);
    this.#parts.changed();
  }

  async #find({ kind, id }: LeftName): Promise<LeftBehind> {
    const found = (await this.list()).find((one) => one.kind === kind && one.id === id);
    if (found === undefined) throw gone();
    return found;
  }

  async #act(
    name: LeftName,
    action: (
      repository: Repository,
      left: LeftBehind,
    ) => Promise<{ said: string; back(signal: AbortSignal): Promise<void> }>,
  ): Promise<LeftDone> {
    const repository = await openRepository(this.#parts.root);
    // Another process may have taken it meanwhile.
    const { said, back } = await withRepositoryLock(repository, 'leftovers', async () =>
      action(repository, await this.#find(name)),
    );
    const undo = randomBytes(8).toString('hex');
    this.#undo.set(undo, back);
    for (const old of [...this.#undo.keys()].slice(0, -UNDOABLE)) this.#undo.delete(old);
    this.#seen = undefined;
    this.#parts.changed();
    return { said, undo };
  }

  /** The work, and how it is removed; that answers how it is put back. A worktree's is kept first. */
  async #hold(
    repository: Repository,
    left: LeftBehind,
  ): Promise<{ delta: Delta; remove(): Promise<() => Promise<void>> }> {
    const delta = await leftWork(repository, left);
    if (left.kind === 'branch') return { delta, remove: () => dropBranch(repository, left, delta) };
    if (left.kind === 'worktree' && !holdsEverything(delta))
      throw new LandingActionError(
        `It holds more than can be kept: ${delta.skipped.join(', ')}. Look at it, then remove it by hand.`,
      );
    const remove = async () => {
      const last = left.kind === 'worktree' ? await dropWorktree(repository, left.id) : delta;
      // Somebody went on in the worktree just now: that is kept.
      if (last === undefined || last.tree === delta.tree) await discardRecovery(repository, delta);
      return async () => void (await keepRecovery(repository, delta));
    };
    return { delta, remove };
  }
}

/** The work that was in it at last. */
async function dropWorktree(repository: Repository, path: string): Promise<Delta | undefined> {
  const found = (await recoverables(repository)).find((one) => one.kind === 'worktree' && one.path === path);
  if (found?.kind !== 'worktree' || found.record === undefined) throw gone();
  const { removed, delta } = await recoverLeftover(repository, found.record);
  if (!removed)
    throw new LandingActionError('Other tasks work over this folder; it goes with the last of them.');
  return delta;
}

/** @throws LandingActionError for a branch that is checked out. */
async function dropBranch(
  repository: Repository,
  { id: ref, twin }: LeftBehind,
  delta: Delta,
): Promise<() => Promise<void>> {
  const tip = delta.commits ?? delta.head;
  await removeBranch(repository, { ref, tip });
  if ((await taskBranches(repository)).some((one) => one.ref === ref))
    throw new LandingActionError('This branch is checked out, or went on: it was left as it is.');
  if (twin !== undefined) await forgetRecovery(repository, twin);
  return async () => void (await runOn(repository, ['update-ref', ref, tip, '0'.repeat(tip.length)]));
}
