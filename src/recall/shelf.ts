import type { Partition } from './partition.ts';
import type { Surroundings } from './surroundings.ts';

/** The documents of one level. */
export interface Shelf {
  readonly partition: Partition;
  readonly surroundings: Surroundings;
}

/** A document and where it stands. */
export interface Located {
  readonly id: string;
  readonly shelf: Shelf;
  readonly slot: number;
}
