/** What is known of turns that sessions ask each other for. */
import type { Level } from '../policy/level.ts';
import type { Usage } from './messages.ts';
import type { RunRecord, TurnEnd } from './record.ts';

/** What became of a turn that another session asked for. */
export type StepState =
  | { readonly state: 'absent' }
  /** It stands in the transcript as a message that no turn began with. */
  | { readonly state: 'given' }
  /** It has no end yet; `isLive`: whoever began it is at work on it. */
  | { readonly state: 'open'; readonly isLive: boolean }
  | StepDone;

export interface StepDone {
  readonly state: 'ended';
  /** `interrupted`: whoever began it is gone, and nobody knows what of it took effect. */
  readonly reason: TurnEnd['reason'] | 'interrupted';
  readonly detail?: string | undefined;
  /** The model's last words in it. */
  readonly reply: string;
  /** The text of the latest result of a tool. */
  readonly lastToolResult: string | undefined;
  readonly usage: Usage;
  readonly runtimeMs: number;
  /** Of what was said in it. */
  readonly level: Level;
}

/** A run in the outbox. */
export interface RunEntry {
  readonly run: RunRecord;
  /** A living process does what is left of it. */
  readonly isHeld: boolean;
}
