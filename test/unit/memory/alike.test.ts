import { expect, it } from 'vitest';
import { alikeSets } from '../../../src/memory/alike.ts';
import { jaccard } from '../../../src/memory/similar.ts';

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) yield state >> 8;
}

it.each([0.3, 0.5, 0.8])('finds exactly the pairs that comparing all with all finds above %d', (least) => {
  const random = numbers(7);
  const next = (): number => random.next().value as number;
  const sets = new Map(
    Array.from({ length: 150 }, (_, at) => {
      const words = Array.from({ length: next() % 9 }, () => `w${next() % 14}`);
      return [`s${at}`, new Set(words)] as const;
    }),
  );
  const pairs = (of: Iterable<string>): string[] => [...of].sort();
  const expected = [...sets].flatMap(([a, one]) =>
    [...sets].flatMap(([b, other]) => (a !== b && jaccard(one, other) > least ? [`${a} ${b}`] : [])),
  );
  const found = [...alikeSets(sets, least)].flatMap(([a, others]) => others.map((b) => `${a} ${b}`));
  expect(expected.length).toBeGreaterThan(20);
  expect(pairs(found)).toEqual(pairs(expected));
});
