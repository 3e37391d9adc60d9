import type { Level } from '../policy/level.ts';

/** Something that happened to a message. For the editor, which tells the person. */
export interface MessageEvent {
  /** `message`: it waits in `to` for its agent. `announce`: an agent tells what came of it. */
  readonly kind: 'message' | 'reply' | 'announce' | 'failed';
  readonly runId: string;
  /** Canonical key of the session that it comes from. */
  readonly from: string;
  /** The session where it is to be read: canonical key, the key that its door gave it, and its id. */
  readonly to: { readonly key: string; readonly raw: string; readonly id: string; readonly isOurs: boolean };
  readonly text: string;
  readonly level: Level;
  /** Epoch milliseconds. */
  readonly at: number;
}
