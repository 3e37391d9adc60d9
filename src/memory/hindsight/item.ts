/** A memory on its way to a server. */
import { LEVELS, type Level, maxLevel } from '../../policy/level.ts';

export interface SpoolItem {
  /** Tells it from every other item, also from one that is to take its document's place. */
  readonly key: string;
  /** Of this id the server keeps one document: sent again, it takes its own place. */
  readonly documentId: string;
  readonly bank: string;
  /** Address of the server that it was kept for; absent in what an older version kept. */
  readonly server?: string | undefined;
  readonly level: Level;
  readonly content: string;
  readonly context: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  /** When it was queued, epoch milliseconds. */
  readonly at: number;
}

/** What may be told of these items together: it is of this level. */
export function highestOf(items: readonly SpoolItem[]): Level {
  return items.reduce<Level>((highest, { level }) => maxLevel(highest, level), LEVELS[0]);
}
