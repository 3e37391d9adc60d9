/** The worktrees of a batch's isolated tasks: made from one baseline, and their work landed or kept. */
import { join, relative } from 'node:path';
import { type Baseline, captureBaseline } from '../git/baseline.ts';
import type { ChangedFile as GitFile } from '../git/delta.ts';
import { findGit } from '../git/layout.ts';
import { IsolationUnavailableError, openRepository, type Repository } from '../git/repository.ts';
import type { ChangedFile, TaskLanding } from './batchRecord.ts';
import { createIsolation, holdsEverything, isolationDelta } from './isolation.ts';
import { type IsolationRecord, removeIsolation } from './isolationRecord.ts';
import { keepTask, type LandingAnswer, landTask } from './landing.ts';
import type { Delta } from './recovery.ts';

/** Why tasks cannot be isolated in a folder; undefined when they can. */
export async function isolationProblem(folder: string): Promise<string | undefined> {
  try {
    await openRepository(folder);
    return undefined;
  } catch (error) {
    if (!(error instanceof IsolationUnavailableError)) throw error;
    return error.message.replace(/^Isolated task execution requires a git repository\.\s*/, '');
  }
}

export interface IsolatedOptions {
  /** The folder that the tasks start from. */
  readonly root: string;
  /** Id of the session. */
  readonly session: string;
  /** The session's folder of artifacts, where the patches go. */
  readonly artifacts: string;
}

/** What an isolated task left behind. */
export interface FinishedWork {
  readonly files: readonly ChangedFile[];
  readonly landing: TaskLanding;
  /** The worktree's folder, where it was kept for a person to look at. */
  readonly worktree: string | undefined;
}

export class IsolatedWork {
  readonly #options: IsolatedOptions;
  readonly #made = new Map<string, IsolationRecord>();
  #start: Promise<{ repository: Repository; baseline: Baseline }> | undefined;

  constructor(options: IsolatedOptions) {
    this.#options = options;
  }

  /**
   * Makes a task's worktree. All tasks of a batch start from the same state, however long they wait.
   * @returns the folder in it that stands for the one the tasks start from.
   */
  async begin(id: string, signal: AbortSignal): Promise<string> {
    const { root, session } = this.#options;
    const { repository, baseline } = await this.#begun();
    const record = await createIsolation(repository, baseline, { session, task: id, signal });
    this.#made.set(id, record);
    const workTree = findGit(root)?.workTree ?? repository.workTree;
    return join(record.path, relative(workTree, root));
  }

  /**
   * Brings a task's work into the person's files, or keeps it: because it is not to land yet, or cannot.
   * @param land whether to try
   * @returns undefined for a task that never had a worktree.
   */
  async finish(id: string, land: boolean): Promise<FinishedWork | undefined> {
    const record = this.#made.get(id);
    if (record === undefined) return undefined;
    const { repository } = await this.#begun();
    const patchFile = join(this.#options.artifacts, `${id}.patch`);
    const delta = await isolationDelta(repository, record, { patchFile });
    const answer =
      land || delta.files.length === 0
        ? await landTask(repository, delta)
        : await keepTask(repository, delta, 'Kept, and not landed.');
    const landing = landingOf(answer, delta, id);
    const isSettled =
      (landing.state === 'applied' || landing.state === 'no_changes') && holdsEverything(delta);
    if (isSettled) await removeIsolation(repository, record);
    return { files: delta.files.map(fileOf), landing, worktree: isSettled ? undefined : record.path };
  }

  #begun(): Promise<{ repository: Repository; baseline: Baseline }> {
    this.#start ??= this.#capture();
    return this.#start;
  }

  async #capture(): Promise<{ repository: Repository; baseline: Baseline }> {
    const repository = await openRepository(this.#options.root);
    return { repository, baseline: await captureBaseline(repository) };
  }
}

/** What is written down of a landing. */
export function landingOf(answer: LandingAnswer, delta: Delta, id: string): TaskLanding {
  const { head, base, tree } = delta;
  const hasFiles = delta.files.length > 0;
  return {
    state: STATES[answer.status],
    reason: answer.reason,
    ...(answer.recovery && { recovery: answer.recovery.ref }),
    ...(hasFiles && { patch: `${id}.patch`, work: { id: delta.id, head, base, tree } }),
    ...(answer.landing !== undefined && { undo: answer.landing }),
  };
}

const STATES: Readonly<Record<LandingAnswer['status'], TaskLanding['state']>> = {
  applied: 'applied',
  no_changes: 'no_changes',
  conflict: 'recoverable',
  recovery_available: 'recoverable',
  discarded: 'discarded',
};

/** A changed file as the panel shows it. */
export function fileOf({ path, status, added, deleted, binary }: GitFile): ChangedFile {
  return { path, status, added, removed: deleted, binary };
}
