/** What the parent and its children agree on. */
import { idOf } from '../../../src/session/sessionId.ts';

export const KEY = 'k';
export const ID = idOf(KEY);

/** Where a process kills itself: at its n-th write (before it, in its midst, after it) or its n-th step. */
export interface Death {
  at: number;
  how: 'before' | 'within' | 'after' | 'step';
}

export interface ChildOptions {
  role: 'turns' | 'resume' | 'fight' | 'give' | 'own' | 'idle' | 'steady' | 'busy';
  dir: string;
  keys: string;
  label: string;
  seed: number;
  death?: Death | undefined;
  /** Turns, rounds or items. */
  count: number;
  /** A file that tells everybody to stop. */
  stop: string;
}

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
