/** What the parent and its children agree on. */

export interface ChildOptions {
  role: 'write' | 'read' | 'compact';
  dir: string;
  keys: string;
  /** Tells the records of one life of one writer from all others. */
  label: string;
  seed: number;
  /** Records to write. */
  count: number;
  /** Longest pause between two actions. */
  pauseMs: number;
  maxSegmentBytes?: number;
  /** A file that tells everybody to stop. */
  stop: string;
  /** Where a reader puts what it knows. */
  report: string;
}

/** The n-th text a writer says; no two are the same. */
export function saidIn(label: string, n: number): string {
  return `${label}:${n}`;
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
