/** Messages that sessions send each other, as the transcripts have them. */
import { addUsage, type Message, NO_USAGE, textOf, type Usage } from '../session/messages.ts';
import type { TranscriptReader } from '../session/reader.ts';
import type { Draft, SessionRecord } from '../session/record.ts';
import { asReminder } from '../session/shownMessage.ts';
import type { StepDone, StepState } from '../session/steps.ts';
import { followTranscript, transcriptHolder } from '../session/transcript.ts';
import { StoreError } from './api.ts';
import type { HeldOptions, HeldSessions } from './heldSessions.ts';

/** So many transcripts are followed; of others nobody waits for anything just now. */
const FOLLOWED = 16;
/** Characters of a tool's result that are kept: nobody is told more of it. */
const MOST_RESULT = 100_000;

export class Steps {
  readonly #sessions: HeldSessions;
  readonly #options: HeldOptions;
  /** By the id of the session, the one asked for last at the end. */
  readonly #followed = new Map<string, StepReader>();

  constructor(sessions: HeldSessions, options: HeldOptions) {
    this.#sessions = sessions;
    this.#options = options;
  }

  state(id: string, uuid: string): StepState {
    const state = this.#reader(id).state(uuid);
    if (state.state !== 'open') return state;
    const own = this.#sessions.get(id);
    // Whoever takes over a transcript notes that the turn before was left.
    const isLive = own ? own.turn?.step === uuid : transcriptHolder({ ...this.#options, id }) !== undefined;
    return { state: 'open', isLive };
  }

  give(id: string, draft: Draft & { readonly uuid: string }): void {
    if (id.includes('/'))
      throw new StoreError('This subagent takes no messages: it answers whoever started it.');
    if (this.#reader(id).state(draft.uuid).state === 'absent') this.#sessions.deliver(id, draft);
  }

  forget(): void {
    this.#followed.clear();
  }

  #reader(id: string): StepReader {
    const reader = this.#followed.get(id) ?? new StepReader(followTranscript({ ...this.#options, id }));
    this.#followed.delete(id);
    this.#followed.set(id, reader);
    for (const other of this.#followed.keys()) {
      if (this.#followed.size <= FOLLOWED) break;
      this.#followed.delete(other);
    }
    return reader;
  }
}

/** What the agent of an observed chat is told of messages that came meanwhile; undefined when none did. */
export function messagesNotice(untold: readonly Message[]): string | undefined {
  if (untold.length === 0) return undefined;
  return untold.map((message) => asReminder(textOf(message))).join('\n\n');
}

/** A step as far as it was read. */
interface Fold {
  readonly began: number;
  usage: Usage;
  reply: string;
  lastToolResult: string | undefined;
  end: StepDone | undefined;
}

/** The steps of one transcript, read on from where they were read to before. */
class StepReader {
  readonly #reader: TranscriptReader;
  readonly #steps = new Map<string, Fold>();
  #open: Fold | undefined;

  constructor(reader: TranscriptReader) {
    this.#reader = reader;
  }

  state(uuid: string): StepState {
    const { records, reset } = this.#reader.read();
    if (reset) {
      this.#steps.clear();
      this.#open = undefined;
    }
    for (const record of records) this.#fold(record);
    const step = this.#steps.get(uuid);
    if (step) return step.end ?? { state: 'open', isLive: false };
    return { state: this.#reader.has(uuid) ? 'given' : 'absent' };
  }

  #fold(record: SessionRecord): void {
    if (record.type === 'message' && record.begins) {
      this.#end(record, 'interrupted');
      const began = Date.parse(record.timestamp);
      this.#open = { began, usage: NO_USAGE, reply: '', lastToolResult: undefined, end: undefined };
      this.#steps.set(record.uuid, this.#open);
    } else if (record.type === 'end') this.#end(record, record.end.reason, record.end.detail);
    else if (record.type === 'reconciled') this.#end(record, 'interrupted');
    else if (record.type === 'message' && this.#open) said(this.#open, record.message, record.usage);
  }

  #end({ level, timestamp }: SessionRecord, reason: StepDone['reason'], detail?: string): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const { began, usage, reply, lastToolResult } = open;
    const runtimeMs = Math.max(0, Date.parse(timestamp) - began) || 0;
    open.end = { state: 'ended', reason, detail, reply, lastToolResult, usage, runtimeMs, level };
  }
}

function said(step: Fold, message: Message, usage: Usage | undefined): void {
  if (usage) step.usage = addUsage(step.usage, usage);
  if (message.role === 'assistant') {
    const text = textOf(message);
    if (text.trim() !== '') step.reply = text;
    return;
  }
  for (const block of message.content) {
    if (block.type !== 'tool_result') continue;
    const text = textOf({ role: 'user', content: block.content });
    step.lastToolResult = text.slice(0, MOST_RESULT).toWellFormed();
  }
}
