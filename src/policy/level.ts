/**
 * The four classification levels, lowest first (seed 004). A level says who may read an entry: information
 * flows only to the same or a higher level.
 */
export const LEVELS = ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] as const;

export type Level = (typeof LEVELS)[number];

/** Rank of a level, 0 (PUBLIC) to 3 (RESTRICTED). */
export function levelRank(level: Level): number {
  return LEVELS.indexOf(level);
}

/** Whether information at `source` may be shown to (or written at) `target`. */
export function canFlowTo(source: Level, target: Level): boolean {
  return levelRank(target) >= levelRank(source);
}

/** The higher of two levels: what a session becomes after it has read something at `other`. */
export function maxLevel(level: Level, other: Level): Level {
  return canFlowTo(level, other) ? other : level;
}

/** The level named by `text`, case-sensitive, or undefined. */
export function parseLevel(text: string): Level | undefined {
  return LEVELS.find((level) => level === text);
}

/** The first `most` items of each level, in their order: those of one level make no room for those of another. */
export function firstOfEach<T>(items: readonly T[], levelOf: (item: T) => Level, most: number): T[] {
  const counts = new Map<Level, number>();
  return items.filter((item) => {
    const level = levelOf(item);
    const before = counts.get(level) ?? 0;
    counts.set(level, before + 1);
    return before < most;
  });
}
