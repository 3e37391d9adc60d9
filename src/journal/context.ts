/** What the parts of one open journal share. */
import type { WriteSome } from './disk.ts';
import type { KeyRing } from './keys.ts';
import type { HybridClock } from './stamp.ts';

/** Where tests reach in: nothing else sets it. */
export interface JournalSeam {
  /** Called between any two steps that reach the disk. */
  step?(name: string): void;
  /** Stands in for `fs.writeSync`. */
  write?: WriteSome;
  /** Whether a process of this machine lives. */
  alive?(pid: number): boolean;
}

export interface JournalContext {
  dir: string;
  /** 12 hex digits that name this instance. */
  writer: string;
  keys: KeyRing;
  clock: HybridClock;
  /** Unix milliseconds. */
  now(): number;
  maxSegmentBytes: number;
  /** Whether payloads of a level are to be sealed at this moment. */
  sealed(level: string): boolean;
  /** Cryptographically random bytes. */
  random(count: number): Uint8Array;
  seam: JournalSeam;
}
