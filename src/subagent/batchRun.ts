/** One batch while it runs: its record, the tasks' ways to their ends, and how they are stopped. */
import { hostname } from 'node:os';
import { messageOf } from '../journal/errors.ts';
import type { ReadyBatch, ReadyTask } from './batch.ts';
import type { BatchFiles } from './batchFiles.ts';
import {
  type BatchRecord,
  isOpenTask,
  NO_PROGRESS,
  type TaskLanding,
  type TaskRecord,
} from './batchRecord.ts';
import { previewOf, type TaskResult as SummaryResult } from './summary.ts';

/** How often a running batch is told of and written down: people see no more. */
const TELL_MS = 150;
const PREVIEW = 2_000;

/** What became of one task. */
export interface TaskEnd extends SummaryResult {
  readonly status: Extract<TaskRecord['status'], 'completed' | 'failed' | 'cancelled'>;
  readonly findings: TaskRecord['findings'];
  /** Set for isolated tasks whose work is to be brought back, or is not. */
  readonly landing?: TaskLanding | undefined;
}

export interface BatchRunParts {
  readonly id: string;
  readonly session: string;
  readonly batch: ReadyBatch;
  readonly schemaText: string;
  /** Artifact ids, in the order of the tasks. */
  readonly ids: readonly string[];
  readonly level: BatchRecord['level'];
  readonly files: BatchFiles;
  now(): number;
  /** Told after each change, at most every 150 ms. */
  changed(): void;
  /** A record that cannot be written must not end the work. */
  warn(message: string): void;
}

export class BatchRun {
  readonly id: string;
  readonly batch: ReadyBatch;
  readonly #parts: BatchRunParts;
  readonly #aborts: readonly AbortController[];
  #record: BatchRecord;
  #timer: NodeJS.Timeout | undefined;
  #saved: Promise<void> = Promise.resolve();

  constructor(parts: BatchRunParts) {
    const { id, session, batch, schemaText, ids, level, now } = parts;
    this.id = id;
    this.batch = batch;
    this.#parts = parts;
    this.#aborts = ids.map(() => new AbortController());
    this.#record = {
      ...{ version: 1, id, session, level, agent: batch.agent.name, started: now() },
      ...{ context: batch.context ?? '', schema: schemaText },
      ...{ isolated: batch.isolated, background: batch.background },
      owner: { pid: process.pid, host: hostname() },
      tasks: batch.tasks.map((task, at) => pending(task, ids[at] as string)),
    };
  }

  get record(): BatchRecord {
    return this.#record;
  }

  /** Fires when the task, or all of them, are to stop. */
  signal(at: number): AbortSignal {
    return (this.#aborts[at] as AbortController).signal;
  }

  /** Stops one task, or all that have not ended. Answers how many that were. */
  cancel(id?: string): number {
    const open = this.#record.tasks.flatMap((task, at) =>
      isOpenTask(task) && (id === undefined || task.id === id) ? [at] : [],
    );
    for (const at of open) this.#aborts[at]?.abort(new Error('Cancelled'));
    return open.length;
  }

  /** Changes what is known of a task. */
  update(at: number, change: Partial<TaskRecord>): void {
    const tasks = this.#record.tasks.map((task, index) => (index === at ? { ...task, ...change } : task));
    this.#record = { ...this.#record, tasks };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tell(false);
    }, TELL_MS);
  }

  /** Writes down that a task ended; durable when this resolves. */
  async ended(at: number, end: TaskEnd): Promise<void> {
    this.update(at, {
      ...{ status: end.status, ended: this.#parts.now(), findings: end.findings },
      ...{ error: end.error, preview: (previewOf(end.output) ?? end.output).slice(0, PREVIEW) },
      ...(end.landing && { landing: end.landing }),
    });
    await this.#tell(true);
  }

  /** Writes the record down as it is now; durable when this resolves. */
  async settle(): Promise<void> {
    if (!this.#record.tasks.some(isOpenTask)) this.#record = { ...this.#record, ended: this.#parts.now() };
    await this.#tell(true);
  }

  async #tell(final: boolean): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { files, changed, warn } = this.#parts;
    const record = this.#record;
    // One after another, so that an earlier state never takes the place of a later one.
    this.#saved = this.#saved
      .then(() => files.save(record, final))
      .catch((error: unknown) => warn(`The state of ${this.id} could not be saved: ${messageOf(error)}`));
    await this.#saved;
    changed();
  }
}

function pending({ id: name, description, assignment }: ReadyTask, id: string): TaskRecord {
  return {
    ...{ id, name, description, assignment, status: 'pending', progress: NO_PROGRESS },
    ...{ preview: '', findings: [], files: [] },
  };
}
