import { CheckpointMachine } from '../session/checkpoint.ts';
import { Inbox } from '../session/inbox.ts';
import type { TranscriptReader } from '../session/reader.ts';
import type { Draft, SessionRecord } from '../session/record.ts';
import { TodoFold } from '../session/todoState.ts';
import { followTranscript, type TranscriptOptions } from '../session/transcript.ts';

/** What follows from the records of a session. */
export interface SessionState {
  readonly todo: TodoFold;
  readonly checkpoint: CheckpointMachine;
  /** Whether there are records that only a key which is not here opens. */
  readonly isLocked: boolean;
}

/** A session that another process writes to, or nobody. */
export class FollowedSession implements SessionState {
  readonly #options: TranscriptOptions;
  readonly #inbox: Inbox;
  readonly #reader: TranscriptReader;
  #recorded = { todo: new TodoFold(), checkpoint: new CheckpointMachine() };
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

  /** True when there was something new. */
  refresh(): boolean {
    const { records, reset } = this.#reader.read();
    if (reset) {
      this.#recorded = { todo: new TodoFold(), checkpoint: new CheckpointMachine() };
      this.isLocked = false;
    }
    for (const record of records) {
      this.isLocked ||= record.type === 'opaque' && record.reason === 'key-missing';
      this.#recorded.todo.fold(record);
      this.#recorded.checkpoint.fold(record);
    }
    const pending = this.#inbox.pending((uuid) => this.#reader.has(uuid));
    const names = pending.map(({ uuid }) => uuid).join();
    const isNew = reset || records.length > 0 || names !== this.#pending;
    this.#pending = names;
    if (isNew) this.#shown = pending.length === 0 ? this.#recorded : this.#with(pending);
    return isNew;
  }

  /** What waits will be taken in after everything that is recorded by then, so it is shown on top of that. */
  #with(pending: readonly SessionRecord[]): { todo: TodoFold; checkpoint: CheckpointMachine } {
    const todo = this.#recorded.todo.fork();
    const checkpoint = this.#recorded.checkpoint.fork();
    for (const record of pending) {
      if (record.type === 'opaque') continue;
      const { given } = this.#options;
      const draft = given ? given(record as Draft, todo.phases) : record;
      if (!draft) continue;
      const taken = { ...record, ...draft } as SessionRecord;
      todo.fold(taken);
      checkpoint.fold(taken);
    }
    return { todo, checkpoint };
  }
}
