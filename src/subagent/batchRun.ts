/** One batch while it runs: its record, the tasks' ways to their ends, and how they are stopped. */
import { messageOf } from '../journal/errors.ts';
import { canFlowTo, type Level } from '../policy/level.ts';
import type { ReadyBatch, ReadyTask } from './batch.ts';
import { type BatchFiles, OWNER } from './batchFiles.ts';
import {
  type BatchRecord,
  isOpenTask,
  NO_PROGRESS,
  type TaskLanding,
  type TaskProgress,
  type TaskRecord,
} from './batchRecord.ts';
import type { TaskResult as SummaryResult } from './summary.ts';
import { clipped } from './text.ts';

/** How often a running batch is told of: people see no more. */
const TELL_MS = 150;
/** How often it is written down, for other processes, while no task ends. */
const SAVE_MS = 1_000;
/** What the record keeps of outputs and errors, which stand whole elsewhere. */
const PREVIEW = 2_000;

/** What became of one task. */
export interface TaskEnd extends SummaryResult {
  readonly status: Extract<TaskRecord['status'], 'completed' | 'failed' | 'cancelled'>;
  readonly findings: TaskRecord['findings'];
  /** Set for isolated tasks whose work is to be brought back, or is not. */
  readonly landing?: TaskLanding | undefined;
  /** The whole output, where it could not be kept as an artifact. */
  readonly unsaved?: string | undefined;
}

export interface BatchRunParts {
  readonly id: string;
  readonly session: string;
  readonly batch: ReadyBatch;
  readonly schemaText: string;
  /** Artifact ids, in the order of the tasks. */
  readonly ids: readonly string[];
  readonly level: BatchRecord['level'];
  readonly call?: string | undefined;
  readonly files: BatchFiles;
  now(): number;
  /** Told after changes, at most every 150 ms and when a task ends. */
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
  /** What tasks are doing, where that has changed since somebody asked. */
  readonly #progress = new Map<number, () => TaskProgress>();
  #isInterrupted = false;
  #tellTimer: NodeJS.Timeout | undefined;
  #saveTimer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  /** The save that begins when the one under way is done; whoever comes meanwhile shares it. */
  #nextSave: Promise<void> | undefined;
  #isDurable = false;

  constructor(parts: BatchRunParts) {
    const { id, session, batch, schemaText, ids, level, call, now } = parts;
    this.id = id;
    this.batch = batch;
    this.#parts = parts;
    this.#aborts = ids.map(() => new AbortController());
    this.#record = {
      ...{ version: 1, id, session, level, agent: batch.agent.name, started: now() },
      ...{ call, context: batch.context ?? '', schema: schemaText },
      ...{ isolated: batch.isolated, background: batch.background },
      owner: OWNER,
      tasks: batch.tasks.map((task, at) => pending(task, ids[at] as string)),
    };
  }

  get record(): BatchRecord {
    if (this.#progress.size > 0) {
      const asked = [...this.#progress];
      this.#progress.clear();
      // First, since whoever is asked looks at the record, and may change it: a task may have risen.
      const said = new Map(asked.map(([at, now]) => [at, now()]));
      const tasks = this.#record.tasks.map((task, at) => {
        const progress = said.get(at);
        return progress === undefined ? task : { ...task, progress };
      });
      this.#record = { ...this.#record, tasks };
    }
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

  /** Stops all that have not ended, which nobody asked for: the process goes away. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.cancel();
  }

  /** Changes what is known of a task; nothing more once the batch has ended, when it is the person's. */
  update(at: number, change: Partial<TaskRecord>): void {
    if (this.#record.ended !== undefined) return;
    const tasks = this.#record.tasks.map((task, index) => (index === at ? { ...task, ...change } : task));
    this.#record = { ...this.#record, tasks };
    this.#soon();
  }

  /** A task came to a level: what is written down of it from then on is no lower. */
  rise(at: number, level: Level): void {
    const known = this.#record.tasks[at]?.level ?? this.#record.level;
    if (!canFlowTo(level, known)) this.update(at, { level });
  }

  /** A task went on. What it does now is asked for when somebody is told: an agent says many words a second. */
  progressed(at: number, now: () => TaskProgress): void {
    if (this.#record.ended !== undefined) return;
    this.#progress.set(at, now);
    this.#soon();
  }

  /** Writes down that a task ended; durable when this resolves if its work was brought back, else with the batch. */
  async ended(at: number, end: TaskEnd): Promise<void> {
    const isInterrupted = this.#isInterrupted && end.status === 'cancelled';
    this.update(at, {
      ...{ status: isInterrupted ? 'interrupted' : end.status, ended: this.#parts.now() },
      ...{ findings: end.findings, error: end.error && clipped(end.error, PREVIEW) },
      preview: clipped(end.output, PREVIEW),
      ...{ warning: end.warning && clipped(end.warning, PREVIEW), output: end.unsaved },
      ...(end.landing && { landing: end.landing }),
    });
    this.#tell();
    await this.#save(end.landing !== undefined);
  }

  /** Writes the record down as it is now; durable when this resolves. */
  async settle(): Promise<void> {
    if (!this.#record.tasks.some(isOpenTask)) this.#record = { ...this.record, ended: this.#parts.now() };
    await this.#save(true);
    this.#tell();
  }

  #soon(): void {
    this.#tellTimer ??= setTimeout(() => this.#tell(), TELL_MS);
    this.#saveTimer ??= setTimeout(() => void this.#save(false), SAVE_MS);
  }

  #tell(): void {
    clearTimeout(this.#tellTimer);
    this.#tellTimer = undefined;
    this.#parts.changed();
  }

  /** One save after another, so that an earlier state never takes the place of a later one. */
  #save(isDurable: boolean): Promise<void> {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    this.#isDurable ||= isDurable;
    this.#nextSave ??= this.#saving.then(async () => {
      const durable = this.#isDurable;
      this.#isDurable = false;
      this.#nextSave = undefined;
      const { files, warn } = this.#parts;
      this.#saving = files
        .save(this.record, durable)
        .catch((error: unknown) => warn(`The state of ${this.id} could not be saved: ${messageOf(error)}`));
      await this.#saving;
    });
    return this.#nextSave;
  }
}

function pending({ id: name, description, assignment }: ReadyTask, id: string): TaskRecord {
  return {
    ...{ id, name, description, assignment, status: 'pending', progress: NO_PROGRESS },
    ...{ preview: '', findings: [], files: [] },
  };
}
