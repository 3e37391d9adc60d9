/**
 * What a session did to the world, from its records: calls that were announced and have no outcome, calls of which
 * nobody knows whether they took effect, and with what the session was run last.
 */
import type { JsonValue } from '../../journal/record.ts';
import type { CallIntent, CallOutcome, PolicyValues, RunState } from '../effects.ts';
import { type Message, textOf } from '../messages.ts';
import type { SessionRecord } from '../record.ts';
import { quoted } from './lines.ts';

/** A call that was announced and whose result is not there. */
export interface Unresolved extends CallIntent {
  /** What the model said with it; undefined when the call itself was not recorded, so that it never ran. */
  readonly announced: string | undefined;
  readonly input: JsonValue;
  /** When it was announced, Unix milliseconds. */
  readonly at: number;
  /** A later record of the same session could only be written by it. */
  readonly isProved: boolean;
  /** Set where it came to its end while others of its answer still ran. */
  readonly ended: CallOutcome['ended'] | undefined;
}

/** A call of which nobody knows whether it took effect. */
export interface UnknownCall {
  readonly id: string;
  readonly name: string;
  /** What the model said with it, in short. */
  readonly announced: string;
}

interface Open {
  readonly intent: CallIntent;
  readonly at: number;
  announced: string | undefined;
  input: JsonValue;
  isProved: boolean;
  ended: CallOutcome['ended'] | undefined;
}

export class Ledger {
  readonly #open = new Map<string, Open>();
  readonly #unknown = new Map<string, UnknownCall>();
  readonly #told = new Set<string>();
  readonly #accepted = new Map<string, JsonValue>();
  #run: RunState | undefined;

  /** Calls that were announced and whose results are not there, oldest first. */
  get unresolved(): readonly Unresolved[] {
    return [...this.#open.values()].map(({ intent, ...rest }) => ({ ...intent, ...rest }));
  }

  /** Calls of which nobody knows whether they took effect, until somebody says that they looked. */
  get unknown(): readonly UnknownCall[] {
    return [...this.#unknown.values()];
  }

  /** With what it was run last; undefined when nobody wrote that down. */
  get run(): RunState | undefined {
    return this.#run;
  }

  /** Looser values of settings that the person wants to count. */
  get accepted(): PolicyValues {
    return Object.fromEntries(this.#accepted);
  }

  /** Whether a resume has told of this already. */
  wasTold(name: string): boolean {
    return this.#told.has(name);
  }

  /** A copy that takes in records of its own. */
  fork(): Ledger {
    const copy = new Ledger();
    for (const [id, open] of this.#open) copy.#open.set(id, { ...open });
    for (const [id, call] of this.#unknown) copy.#unknown.set(id, call);
    for (const name of this.#told) copy.#told.add(name);
    for (const [key, value] of this.#accepted) copy.#accepted.set(key, value);
    copy.#run = this.#run;
    return copy;
  }

  isOpen(call: string): boolean {
    return this.#open.has(call);
  }

  /** Takes in the next record of the transcript. */
  fold(record: SessionRecord): void {
    switch (record.type) {
      case 'intent':
        for (const intent of record.intent.calls) this.#announce(intent, Date.parse(record.timestamp) || 0);
        break;
      case 'message':
        if (this.#open.size > 0) this.#message(record.message);
        break;
      case 'todo':
        this.#prove(record.todo.call_id);
        break;
      case 'checkpoint':
        if (record.checkpoint.event !== 'cancelled') this.#prove(record.checkpoint.call_id);
        break;
      case 'outcome':
        for (const { call, ended } of record.outcome.calls) {
          const open = this.#open.get(call);
          // Its result may follow with those of the others of its answer.
          if (open !== undefined) open.ended = ended;
        }
        break;
      case 'reconciled':
        for (const name of record.reconciled.told ?? []) this.#told.add(name);
        for (const { id, name, finding } of record.reconciled.calls) {
          if (finding === undefined) continue;
          const announced = this.#open.get(id)?.announced ?? '';
          this.#open.delete(id);
          if (finding === 'unknown') this.#unknown.set(id, { id, name, announced });
        }
        break;
      case 'acknowledged':
        for (const { id } of record.acknowledged.calls) this.#unknown.delete(id);
        for (const [key, value] of Object.entries(record.acknowledged.policy ?? {}))
          this.#accepted.set(key, value);
        break;
      case 'run_record':
        this.#run = record.run_record;
        break;
    }
  }

  #announce(intent: CallIntent, at: number): void {
    const unknown = { announced: undefined, input: null, isProved: false, ended: undefined };
    this.#open.set(intent.call, { intent, at, ...unknown });
  }

  #message(message: Message): void {
    for (const block of message.content) {
      if (block.type === 'tool_result') this.#open.delete(block.tool_use_id);
      if (block.type !== 'tool_use') continue;
      const open = this.#open.get(block.id);
      if (open === undefined) continue;
      open.announced = quoted(textOf(message));
      open.input = block.input;
    }
  }

  #prove(call: string | undefined): void {
    const open = call === undefined ? undefined : this.#open.get(call);
    if (open !== undefined) open.isProved = true;
  }
}
