import fc from 'fast-check';
import { expect, it } from 'vitest';
import { similarGroups } from '../../../src/memory/consolidate.ts';
import { CATEGORIES } from '../../../src/memory/entry.ts';
import type { FoldedEntry } from '../../../src/memory/fold.ts';
import { overlapOf, type WordsOf } from '../../../src/memory/similar.ts';

const words: WordsOf = ({ key, content, tags }) =>
  new Set([key, ...tags, ...content.split(' ')].filter((word) => word !== ''));

const text = fc.array(fc.constantFrom(...'abcdefghij'), { maxLength: 8 }).map((all) => all.join(' '));
const memories = fc
  .array(
    fc.record({
      content: text,
      tags: fc.uniqueArray(fc.constantFrom('t', 'u', 'v'), { maxLength: 2 }),
      category: fc.constantFrom(...CATEGORIES.slice(0, 2)),
      level: fc.constantFrom('PUBLIC' as const, 'INTERNAL' as const),
      pinned: fc.boolean(),
      quality: fc.constantFrom(0.2, 0.4),
    }),
    { maxLength: 25 },
  )
  .map((all) => all.map((each, at) => entry({ ...each, id: `e${String(at).padStart(2, '0')}` })));

function entry(some: Partial<FoldedEntry> & Pick<FoldedEntry, 'id'>): FoldedEntry {
  return {
    ...{ key: some.id, level: 'PUBLIC', category: 'bug', content: '', file: '', tags: [], links: [] },
    ...{ created: 0, updated: 0, expires: undefined, importance: undefined, quality: 0, confidence: 1 },
    ...{ pinned: false, pathScope: '', origin: 'agent', status: 'active', confirmed: false, branch: '' },
    ...{ session: '', source: '', supersededBy: '', reason: '', revisions: [] },
    ...some,
  };
}

/** The rule, told without any shortcut: the longest entry first takes all that are like it. */
function byComparingAll(entries: readonly FoldedEntry[]): Map<string, string[]> {
  const worth = (a: FoldedEntry, b: FoldedEntry): number =>
    Number(b.pinned) - Number(a.pinned) || b.quality - a.quality || (a.id < b.id ? -1 : 1);
  const left = new Set([...entries].sort((a, b) => b.content.length - a.content.length || worth(a, b)));
  const groups = new Map<string, string[]>();
  for (const winner of left) {
    left.delete(winner);
    const losers = [...left].filter(
      (other) =>
        other.level === winner.level &&
        other.category === winner.category &&
        overlapOf(winner, other, words) > 0.5,
    );
    for (const loser of losers) left.delete(loser);
    if (losers.length > 0)
      groups.set(
        winner.id,
        losers.sort(worth).map(({ id }) => id),
      );
  }
  return groups;
}

it('similar groups are those that comparing all with all finds, in the same order', () => {
  fc.assert(
    fc.property(memories, (entries) => {
      const work = similarGroups(entries, words);
      let step = work.next();
      while (step.done !== true) step = work.next();
      const found = new Map(step.value.map(({ winner, losers }) => [winner.id, losers.map(({ id }) => id)]));
      expect([...found]).toEqual([...byComparingAll(entries)]);
    }),
    { numRuns: 500 },
  );
});
