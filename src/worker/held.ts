/** A session that this process writes to, and the turn that runs in it. */
import type { Level } from '../policy/level.ts';
import type { LiveSession } from '../session/liveSession.ts';
import type { Draft, TodoPhase } from '../session/record.ts';

/** A turn of a loop of ours, and what its agent was told in it. */
export interface Turn {
  readonly level: Level;
  /** See `TurnOwner.step`. */
  readonly step: string | undefined;
  warnings: number;
  reminders: number;
}

/** A session this process writes to. */
export interface Held {
  /** The session's id; for a subagent the one of the session it belongs to, a slash and its own. */
  readonly id: string;
  readonly live: LiveSession;
  lastUsed: number;
  heartbeat: number;
  turn: Turn | undefined;
}

/** What others have to say about the sessions that are held. */
export interface HeldHooks {
  /** See `TranscriptOptions.given`. */
  given(id: string, draft: Draft, phases: readonly TodoPhase[]): Draft | undefined;
  /** This process goes on with a session. */
  opened(held: Held): void;
  /** What else a resume has found of a session, one line each for the model, told once; absent where nothing can be. */
  parts?(held: Held): readonly string[];
}
