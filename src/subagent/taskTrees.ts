/** The work trees of one batch, made as the settings say where that can be done. */
import type { Baseline } from '../git/baseline.ts';
import { OverlayError, overlayProblem } from '../git/overlay.ts';
import type { Repository } from '../git/repository.ts';
import { messageOf } from '../journal/errors.ts';
import { createIsolation } from './isolation.ts';
import type { IsolationRecord } from './isolationRecord.ts';
import { createOverlay, endSharing, shareIsolation } from './overlayIsolation.ts';
import type { IsolationSettings } from './taskSettings.ts';

/** Names the work tree that those of the tasks lie over; no task is called so, they begin with a number. */
const SHARED = 'shared';

export class TaskTrees {
  readonly #repository: Repository;
  readonly #baseline: Baseline;
  readonly #session: string;
  #overlay: boolean;
  #notice: string | undefined;
  #shared: Promise<IsolationRecord> | undefined;

  constructor(repository: Repository, baseline: Baseline, session: string, mode: IsolationSettings['mode']) {
    this.#repository = repository;
    this.#baseline = baseline;
    this.#session = session;
    this.#overlay = mode === 'fuse-overlay';
    if (mode === 'fuse-projfs') this.#fallBack('fuse-projfs is not available here');
    const problem = this.#overlay ? problemOf(baseline) : undefined;
    if (problem !== undefined) this.#fallBack(`fuse-overlay is not available: ${problem}`);
  }

  /** Makes a task's work tree. */
  async make(task: string, signal: AbortSignal): Promise<IsolationRecord> {
    const options = { session: this.#session, task, signal };
    if (!this.#overlay) return createIsolation(this.#repository, this.#baseline, options);
    try {
      this.#shared ??= this.#share();
      return await createOverlay(this.#repository, await this.#shared, task);
    } catch (error) {
      if (!(error instanceof OverlayError)) throw error;
      this.#fallBack(`fuse-overlay is not available: ${messageOf(error)}`);
      return this.make(task, signal);
    }
  }

  /** What the person should know of how the work trees are made; answered once. */
  takeNotice(): string | undefined {
    const notice = this.#notice;
    this.#notice = undefined;
    return notice;
  }

  /** To be called when no more are made. */
  async close(): Promise<void> {
    const shared = await this.#shared?.catch(() => undefined);
    if (shared) await endSharing(this.#repository, shared);
  }

  /** All tasks wait for the same one: none of them, cancelled, may end it for the others. */
  async #share(): Promise<IsolationRecord> {
    const options = { session: this.#session, task: SHARED };
    return shareIsolation(await createIsolation(this.#repository, this.#baseline, options));
  }

  #fallBack(why: string): void {
    this.#overlay = false;
    this.#notice = `${why}; git worktrees are used (setting task.isolation.mode).`;
  }
}

function problemOf({ nested }: Baseline): string | undefined {
  // Their own git folders would be shared with the tasks.
  if (nested.length > 0)
    return `there are repositories inside this one (${nested.map(({ prefix }) => prefix).join(', ')})`;
  return overlayProblem();
}
