/** The worktrees of a batch's isolated tasks: made from one baseline, and their work landed or kept. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Baseline, captureBaseline } from '../git/baseline.ts';
import type { ChangedFile as GitFile } from '../git/delta.ts';
import { findGit } from '../git/layout.ts';
import { IsolationUnavailableError, openRepository, type Repository } from '../git/repository.ts';
import { messageOf } from '../journal/errors.ts';
import type { ChangedFile, TaskLanding } from './batchRecord.ts';
import { holdsEverything, isolationDelta } from './isolation.ts';
import type { IsolationRecord } from './isolationRecord.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { keepTask, type LandingAnswer, landTask } from './landing.ts';
import type { Delta } from './recovery.ts';
import type { IsolationSettings } from './taskSettings.ts';
import { TaskTrees } from './taskTrees.ts';

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
  readonly settings: IsolationSettings;
}

/** Where an isolated task works. */
export interface Workplace {
  /** The worktree's folder. */
  readonly worktree: string;
  /** The folder in it that stands for the one the tasks start from. */
  readonly folder: string;
}

/** What an isolated task left behind. */
export interface FinishedWork {
  readonly files: readonly ChangedFile[];
  readonly landing: TaskLanding;
  /** The worktree's folder, where it was kept for a person to look at. */
  readonly worktree: string | undefined;
  /** Told once: why work trees are not made the way the settings say. */
  readonly notice: string | undefined;
}

export class IsolatedWork {
  readonly #options: IsolatedOptions;
  readonly #made = new Map<string, IsolationRecord>();
  #start: Promise<{ repository: Repository; baseline: Baseline }> | undefined;
  #trees: TaskTrees | undefined;

  constructor(options: IsolatedOptions) {
    this.#options = options;
  }

  /** Takes down what the tasks start from. Why that cannot be done, for whoever asked; undefined when it is. */
  async prepare(): Promise<string | undefined> {
    try {
      await this.#begun();
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** Makes a task's worktree. All tasks of a batch start from the same state, however long they wait. */
  async begin(id: string, signal: AbortSignal): Promise<Workplace> {
    const { root, session } = this.#options;
    const { repository, baseline } = await this.#begun();
    this.#trees ??= new TaskTrees(repository, baseline, session, this.#options.settings.mode);
    const record = await this.#trees.make(id, signal);
    this.#made.set(id, record);
    const workTree = findGit(root)?.workTree ?? repository.workTree;
    const folder = join(record.path, relative(workTree, root));
    // One that holds nothing git knows of is not there.
    await mkdir(folder, { recursive: true });
    return { worktree: record.path, folder };
  }

  /**
   * Brings a task's work into the person's files, or keeps it: because it is not to land yet, or cannot.
   * @param land whether to try; else `reason` says why not
   * @param message of the commit of what the task did not commit itself, where its work lands as commits
   * @returns undefined for a task that never had a worktree.
   */
  async finish(
    id: string,
    land: boolean,
    reason = 'Kept, and not landed.',
    message = '',
  ): Promise<FinishedWork | undefined> {
    const record = this.#made.get(id);
    if (record === undefined) return undefined;
    const { repository } = await this.#begun();
    const patchFile = join(this.#options.artifacts, `${id}.patch`);
    const { merge, untrackedLimit: limit } = this.#options.settings;
    const delta = await isolationDelta(repository, record, { patchFile, limit });
    const answer =
      land || delta.files.length === 0
        ? await landTask(repository, delta, { merge, message })
        : await keepTask(repository, delta, reason);
    const landing: TaskLanding = { ...landingOf(answer, delta, id), ...(merge === 'branch' && { merge }) };
    const isSettled =
      (landing.state === 'applied' || landing.state === 'no_changes') && holdsEverything(delta);
    if (isSettled) await removeIsolation(repository, record);
    const worktree = isSettled ? undefined : record.path;
    return { files: delta.files.map(fileOf), landing, worktree, notice: this.#trees?.takeNotice() };
  }

  /** To be called when no more tasks begin. */
  async close(): Promise<void> {
    await this.#trees?.close();
  }

  #begun(): Promise<{ repository: Repository; baseline: Baseline }> {
    this.#start ??= this.#capture();
    return this.#start;
  }

  async #capture(): Promise<{ repository: Repository; baseline: Baseline }> {
    const repository = await openRepository(this.#options.root);
    return {
      repository,
      baseline: await captureBaseline(repository, { limit: this.#options.settings.untrackedLimit }),
    };
  }
}

/** What is written down of a landing. */
export function landingOf(answer: LandingAnswer, delta: Delta, id: string): TaskLanding {
  const { head, base, tree, commits, nested } = delta;
  const hasFiles = delta.files.length > 0;
  return {
    state: STATES[answer.status],
    reason: answer.reason,
    ...(answer.recovery && { recovery: answer.branch ?? answer.recovery.ref }),
    ...(hasFiles && { patch: `${id}.patch`, work: { id: delta.id, head, base, tree, commits, nested } }),
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
