/** No entry has another id because of what is above it. */
import { expect, test } from 'vitest';
import { entryIds } from '../../../src/memory/operation.ts';
import { LEVELS } from '../../../src/policy/level.ts';
import { openTestTools } from '../../unit/support/folder.ts';

/** Pairs of keys, at PUBLIC and CONFIDENTIAL, whose digests have the same last 41 bits but for two. */
const PAIRS = [
  ['key-1a3se', 'key-80uy'],
  ['key-y6ho', 'key-s86m'],
] as const;

test('a key that would take the id of one below it leaves it, whichever was first', async () => {
  for (const [low, high] of PAIRS) {
    const ids = await Promise.all(
      [false, true].map(async (isBefore) => {
        const { call } = openTestTools();
        const input = { category: 'decision', content: 'Use Zod' };
        if (isBefore) await call('memory_remember', { ...input, key: high }, { level: 'CONFIDENTIAL' });
        const { data } = await call('memory_remember', { ...input, key: low });
        return (data as { entry: { id: string } }).entry.id;
      }),
    );
    expect(ids[1]).toBe(ids[0]);
  }
});

test('ids of different levels are never the same', () => {
  const last = LEVELS.map(
    (level) =>
      new Set(
        Array.from(
          { length: 2_000 },
          (_, at) => Number.parseInt(entryIds(level, `key-${at}`).short.slice(-1), 36) % LEVELS.length,
        ),
      ),
  );
  expect(last.map((found) => [...found])).toEqual([[0], [1], [2], [3]]);
});
