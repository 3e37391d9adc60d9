import { CheckpointMachine } from '../session/checkpoint.ts';
import { ContextMeter } from '../session/contextMeter.ts';
import { Inbox } from '../session/inbox.ts';
import type { TranscriptReader } from '../session/reader.ts';
import type { Draft, SessionRecord } from '../session/record.ts';
import { Ledger } from '../session/resume/ledger.ts';
import { TodoFold } from '../session/todoState.ts';
import { followTranscript, type TranscriptOptions } from '../session/transcript.ts';

/** What follows from the records of a session. */
export interface SessionState {
  readonly todo: TodoFold;
  readonly checkpoint: CheckpointMachine;
  readonly ledger: Ledger;
  readonly meter: ContextMeter;
  /** Whether there are records that only a key which is not here opens. */
  readonly isLocked: boolean;
}

type Folds = Omit<SessionState, 'isLocked'>;

function newFolds(): Folds {
  return {
    ...{ todo: new TodoFold(), checkpoint: new CheckpointMachine() },
    ...{ ledger: new Ledger(), meter: new ContextMeter() },
  };
}

/** A session that another process writes to, or nobody. */
export class FollowedSession implements SessionState {
  readonly #options: TranscriptOptions;
  readonly #inbox: Inbox;
  readonly #reader: TranscriptReader;
  #recorded = newFolds();
  #shown = this.#recorded;
  #pending = '';
  isLocked = false;

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#inbox = new Inbox(options);
    this.#reader = followTranscript(options);
  }

  get todo(): TodoFold {
    return this.#shown.todo;
  }

  get checkpoint(): CheckpointMachine {
    return this.#shown.checkpoint;
  }

  get ledger(): Ledger {
    return this.#shown.ledger;
  }

  get meter(): ContextMeter {
    return this.#recorded.meter;
  }

  /** True when there was something new. */
  refresh(): boolean {
    const { records, reset } = this.#reader.read();
    if (reset) {
      this.#recorded = newFolds();
      this.isLocked = false;
    }
    for (const record of records) {
      this.isLocked ||= record.type === 'opaque' && record.reason === 'key-missing';
      this.#recorded.todo.fold(record);
      this.#recorded.checkpoint.fold(record);
      this.#recorded.meter.fold(record);
      this.#recorded.ledger.fold(record);
    }
    const pending = this.#inbox.pending((uuid) => this.#reader.has(uuid));
    const names = pending.map(({ uuid }) => uuid).join();
    const isNew = reset || records.length > 0 || names !== this.#pending;
    this.#pending = names;
    if (isNew) this.#shown = pending.length === 0 ? this.#recorded : this.#with(pending);
    return isNew;
  }

  /** What waits will be taken in after everything that is recorded by then, so it is shown on top of that. */
  #with(pending: readonly SessionRecord[]): Folds {
    const todo = this.#recorded.todo.fork();
    const checkpoint = this.#recorded.checkpoint.fork();
    const ledger = this.#recorded.ledger.fork();
    for (const record of pending) {
      if (record.type === 'opaque') continue;
      const { given } = this.#options;
      const draft = given ? given(record as Draft, todo.phases) : record;
      if (!draft) continue;
      const taken = { ...record, ...draft } as SessionRecord;
      todo.fold(taken);
      checkpoint.fold(taken);
      ledger.fold(taken);
    }
    return { todo, checkpoint, ledger, meter: this.#recorded.meter };
  }
}
