/** A session that this process writes to: its transcript, and what follows from the records. */
import { randomUUID } from 'node:crypto';
import { CheckpointMachine } from './checkpoint.ts';
import { ContextMeter } from './contextMeter.ts';
import { faultMessage } from './faults.ts';
import { Inbox } from './inbox.ts';
import { addUsage, type Message, NO_USAGE, type Usage } from './messages.ts';
import {
  type Draft,
  type FoldOpened,
  isPromptRecord,
  type SessionInfo,
  type SessionRecord,
  type TurnEnd,
} from './record.ts';
import { Ledger } from './resume/ledger.ts';
import { TodoFold } from './todoState.ts';
import type { AppendResult, TranscriptOptions, TranscriptWriter, WriterError } from './transcript.ts';
import { RequestView } from './view.ts';

/** How a turn ended for whoever runs it; when its records could not be saved, that is the reason. */
export interface TurnOutcome {
  readonly reason: TurnEnd['reason'] | 'writer-failed';
  readonly detail?: string | undefined;
  /** The uuid of its `end`, to go back to; absent when it could not be saved. */
  readonly turn?: string | undefined;
}

export class LiveSession {
  readonly writer: TranscriptWriter;
  readonly view = new RequestView();
  readonly checkpoint = new CheckpointMachine();
  readonly todo = new TodoFold();
  readonly ledger = new Ledger();
  readonly meter = new ContextMeter();
  readonly #inbox: Inbox | undefined;
  readonly #given: TranscriptOptions['given'];
  #info: SessionInfo | undefined;
  #usage: Usage = NO_USAGE;
  #isTurnOpen = false;
  #isLocked = false;
  #untold: Message[] = [];
  readonly #opened: FoldOpened[] = [];

  /** @param records what the transcript holds already. */
  constructor(options: TranscriptOptions, writer: TranscriptWriter, records: readonly SessionRecord[]) {
    this.writer = writer;
    this.#inbox = options.agentId === undefined ? new Inbox(options) : undefined;
    this.#given = options.given;
    this.#fold(records);
  }

  /** From the first record; undefined in a transcript of the reference format. */
  get info(): SessionInfo | undefined {
    return this.#info;
  }

  /** What all models calls of this session used, those on rewound branches too. */
  get usage(): Usage {
    return this.#usage;
  }

  /** Whether there is a prompt that no end of a turn follows. Of chats that are only observed we see no prompts. */
  get isTurnOpen(): boolean {
    return this.#isTurnOpen;
  }

  /** Whether there are records that only a key which is not here opens: what is known is not all there is. */
  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** Messages that other sessions have sent and that the agent of an observed chat was not told of yet. */
  get untold(): readonly Message[] {
    return this.#untold;
  }

  /** Folds that a person opened again. */
  get openedFolds(): readonly FoldOpened[] {
    return this.#opened;
  }

  /** Appends records and takes them in. They are acknowledged by the next `sync` or `endTurn`. */
  append(drafts: readonly Draft[]): AppendResult {
    return this.#taken(this.writer.append(drafts));
  }

  sync(): WriterError | undefined {
    return this.writer.sync();
  }

  /**
   * Takes in what others have given. The records in the result are new.
   * @param messages whether messages are taken, too: none may stand between a call and its result
   */
  takeInbox(messages = this.view.openCalls().length === 0): AppendResult {
    try {
      const append = (draft: Draft) => this.#give(draft);
      const canTake = ({ type }: SessionRecord) => messages || type !== 'message';
      return this.#inbox?.takeIn(this.writer, append, canTake) ?? { ok: true, records: [] };
    } catch (error) {
      // What is in the inbox stays there for the next time.
      return { ok: false, error: { reason: 'write-failed', message: faultMessage(error) } };
    }
  }

  /** Ends the turn durably; a rewind that was requested in it takes effect. */
  endTurn(end: TurnEnd): TurnOutcome {
    const rewind = end.reason === 'aborted' ? [] : this.checkpoint.turnEnd();
    const turn = randomUUID();
    this.append([...rewind, { type: 'end', uuid: turn, end }]);
    const error = this.sync();
    return error ? { reason: 'writer-failed', detail: error.message } : { ...end, turn };
  }

  close(): WriterError | undefined {
    return this.writer.close();
  }

  #taken(result: AppendResult): AppendResult {
    if (result.ok) this.#fold(result.records);
    return result;
  }

  #give(draft: Draft): AppendResult {
    const record = this.#given ? this.#given(draft, this.todo.phases) : draft;
    return record ? this.append([record]) : { ok: true, records: [] };
  }

  #fold(records: readonly SessionRecord[]): void {
    for (const record of records) {
      this.view.fold(record);
      this.checkpoint.fold(record);
      this.meter.fold(record);
      this.todo.fold(record);
      this.ledger.fold(record);
      if (record.type === 'opaque') this.#isLocked ||= record.reason === 'key-missing';
      else if (record.type === 'session') this.#info ??= record.session;
      else if (record.type === 'message') {
        this.#isTurnOpen ||= isPromptRecord(record) || record.begins === true;
        if (record.provenance && !record.begins) this.#untold.push(record.message);
        if (record.usage) this.#usage = addUsage(this.#usage, record.usage);
      } else if (record.type === 'end' || record.type === 'reconciled') this.#isTurnOpen = false;
      else if (record.type === 'told') this.#untold = [];
      else if (record.type === 'fold_opened') this.#opened.push(record.fold_opened);
    }
  }
}
