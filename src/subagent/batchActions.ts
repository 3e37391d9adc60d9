/** What a person does with batches: land, put aside and take back their work, look at it, run it again. */
import { join } from 'node:path';
import { openRepository } from '../git/repository.ts';
import { putStored, readStored } from '../journal/storedFile.ts';
import { readArtifact } from './artifacts.ts';
import type { TaskCall } from './batch.ts';
import type { BatchFiles } from './batchFiles.ts';
import { type BatchRecord, isOpenTask, type TaskRecord } from './batchRecord.ts';
import {
  applyWork,
  discardWork,
  LandingActionError,
  requireLanding,
  type Settled,
} from './landingActions.ts';
import type { Choice } from './landingChoice.ts';
import { applyPart, hasSteps, revertStep } from './landingSteps.ts';
import { withRepositoryLock } from './repositoryLock.ts';
import { fileOfWork } from './workFiles.ts';

/** What is run again is named by itself: the rest of a batch had done its work. */
const ENDED_WELL: ReadonlySet<TaskRecord['status']> = new Set(['completed']);

export interface BatchActionsParts {
  /** The workspace folder. */
  readonly root: string;
  /** The store's folder. */
  readonly storeDir: string;
  readonly files: BatchFiles;
  list(): Promise<readonly BatchRecord[]>;
  changed(): void;
}

export class BatchActions {
  readonly #parts: BatchActionsParts;
  /** One action after another: each reads what the one before it has written. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(parts: BatchActionsParts) {
    this.#parts = parts;
  }

  /** Lands a task's work, or a file or hunks of it. Answers how it stands then. */
  apply(batch: string, task: string, signal: AbortSignal, choice?: Choice): Promise<TaskRecord> {
    const { root } = this.#parts;
    return this.#act(batch, task, (record) =>
      choice === undefined ? applyWork(root, record, signal) : applyPart(root, record, choice, signal),
    );
  }

  /** Puts a task's work aside; it can still be applied. */
  discard(batch: string, task: string): Promise<TaskRecord> {
    return this.#act(batch, task, (record) => discardWork(this.#parts.root, record));
  }

  /** Takes a task's work back out of the person's files, or a file or hunks of it. */
  async revert(batch: string, task: string, signal: AbortSignal, choice?: Choice): Promise<TaskRecord> {
    let was: TaskRecord['landing'];
    const step = () =>
      this.#act(batch, task, (record) => {
        was ??= record.landing;
        return revertStep(this.#parts.root, record, choice, signal, was?.state);
      });
    const more = ({ landing }: TaskRecord) =>
      hasSteps(landing?.parts?.filter(({ path }) => choice === undefined || path === choice.path));
    let record = await step();
    // What landed in several steps goes back in as many, the latest first; each is written down.
    while (choice?.hunks === undefined && more(record)) record = await step();
    return record;
  }

  /** A task's patch, and which of the files in it has the path. */
  async patchOf(batch: string, task: string, path: string): Promise<{ patch: string; index: number }> {
    const { record, found } = await this.find(batch, task);
    const index = found.files.findIndex((file) => file.path === path);
    if (index < 0) throw new LandingActionError('This task did not change the file.');
    return { index, patch: await readArtifact(this.#artifactsOf(record), found.id, 'patch') };
  }

  /**
   * A file as a task found it, or as it left it; empty where there was none.
   * @throws LandingActionError for a file that the task did not change. GitError when git has it no longer.
   */
  async fileAt(batch: string, task: string, path: string, side: 'before' | 'after'): Promise<Buffer> {
    const { found } = await this.find(batch, task);
    const file = found.files.find((one) => one.path === path);
    const work = found.landing?.work;
    if (file === undefined || work === undefined)
      throw new LandingActionError('This task did not change the file.');
    if (file.status === (side === 'before' ? 'added' : 'deleted')) return Buffer.alloc(0);
    return fileOfWork(await openRepository(this.#parts.root), work, path, side);
  }

  /** The call that runs the tasks of a batch again which did not complete, or one task whatever it came to. */
  async again(batch: string, task: string | undefined): Promise<{ call: TaskCall; record: BatchRecord }> {
    const record = await this.#batch(batch);
    const { agent, context, schema, isolated } = record;
    const tasks = record.tasks.filter((one) =>
      task === undefined ? !isOpenTask(one) && !ENDED_WELL.has(one.status) : one.id === task,
    );
    if (tasks.length === 0) throw new LandingActionError('There is nothing to run again.');
    if (tasks.some(isOpenTask)) throw new LandingActionError('It still runs.');
    // Where it worked, and what it was allowed to do there, went with the subagent that started it.
    if (tasks.some(({ id }) => id.includes('.')))
      throw new LandingActionError('Another subagent started it: run that one again.');
    const call = {
      agent,
      tasks: tasks.map(({ name, description, assignment }) => ({ id: name, description, assignment })),
      ...(context !== '' && { context }),
      ...(schema !== '' && { schema }),
      ...(isolated && { isolated }),
    };
    return { call, record };
  }

  /** @throws LandingActionError when it is not there any more. */
  async find(batch: string, task: string): Promise<{ record: BatchRecord; found: TaskRecord }> {
    const record = await this.#batch(batch);
    const found = record.tasks.find(({ id }) => id === task);
    if (found === undefined) throw new LandingActionError('This task is not there any more.');
    return { record, found };
  }

  /** The whole output of a task of a batch. */
  async output(batch: string, id: string): Promise<string> {
    const record = await this.#batch(batch);
    const unsaved = record.tasks.find((task) => task.id === id)?.output;
    return unsaved ?? readArtifact(this.#artifactsOf(record), id);
  }

  #keepPatch(record: BatchRecord, task: string, patchFile: string): void {
    try {
      putStored(join(this.#artifactsOf(record), `${task}.patch`), readStored(patchFile));
    } catch {
      // Without the artifact the work is there all the same.
    }
  }

  #artifactsOf({ session }: BatchRecord): string {
    return join(this.#parts.storeDir, 'sessions', session, 'artifacts');
  }

  async #batch(id: string): Promise<BatchRecord> {
    const record = (await this.#parts.list()).find((one) => one.id === id);
    if (record === undefined) throw new LandingActionError('This batch is not there any more.');
    return record;
  }

  async #act(
    batch: string,
    task: string,
    action: (record: TaskRecord) => Promise<Settled>,
  ): Promise<TaskRecord> {
    const act = async () => {
      const { record, found } = await this.find(batch, task);
      if (record.tasks.some(isOpenTask))
        throw new LandingActionError('Its batch still runs. Wait until it has ended, or cancel it.');
      const { patchFile, ...change } = await action(found);
      const settled = { ...found, ...change };
      if (patchFile !== undefined) this.#keepPatch(record, task, patchFile);
      const tasks = record.tasks.map((one) => (one.id === task ? settled : one));
      await this.#parts.files.save({ ...record, tasks }, true);
      this.#parts.changed();
      return settled;
    };
    requireLanding((await this.find(batch, task)).found);
    // Of other processes, too: each would write down its own action and lose the other's.
    const result = this.#line.then(async () =>
      withRepositoryLock(await openRepository(this.#parts.root), 'leftovers', act),
    );
    this.#line = result.catch(() => {});
    return result;
  }
}
