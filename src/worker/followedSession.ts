import { CheckpointMachine } from '../session/checkpoint.ts';
import { Inbox } from '../session/inbox.ts';
import type { TranscriptReader } from '../session/reader.ts';
import type { SessionRecord } from '../session/record.ts';
import { TodoFold } from '../session/todoState.ts';
import { followTranscript, type TranscriptOptions } from '../session/transcript.ts';

/** A session that another process writes to, or nobody. */
export class FollowedSession {
  readonly #options: TranscriptOptions;
  #reader: TranscriptReader;
  #seen = new Set<string>();
  todo = new TodoFold();
  checkpoint = new CheckpointMachine();

  constructor(options: TranscriptOptions) {
    this.#options = options;
    this.#reader = followTranscript(options);
  }

  /** True when there was something new. */
  refresh(): boolean {
    const { records, reset } = this.#reader.read();
    if (reset) {
      this.todo = new TodoFold();
      this.checkpoint = new CheckpointMachine();
      this.#seen.clear();
    }
    const given = new Inbox(this.#options).pending((uuid) => this.#reader.has(uuid));
    const fresh = [...records, ...given].filter(({ uuid }) => !this.#seen.has(uuid));
    for (const record of fresh) this.#fold(record);
    return fresh.length > 0;
  }

  #fold(record: SessionRecord): void {
    this.#seen.add(record.uuid);
    this.todo.fold(record);
    this.checkpoint.fold(record);
  }
}
