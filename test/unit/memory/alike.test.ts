import { expect, it } from 'vitest';
import { AlikeSets } from '../../../src/memory/alike.ts';
import { jaccard } from '../../../src/memory/similar.ts';

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) yield state >> 8;
}

function finished<Result>(work: Generator<void, Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function someSets(seed: number, count: number, longest: number, words: number): Set<string>[] {
  const random = numbers(seed);
  const next = (): number => random.next().value as number;
  return Array.from(
    { length: count },
    () => new Set(Array.from({ length: next() % (longest + 1) }, () => `w${next() % words}`)),
  );
}

it.each(
  [0.3, 0.5, 0.8].flatMap((least) => [
    [least, 9, 14],
    [least, 30, 20],
    [least, 3, 3],
  ]),
)(
  'finds exactly the pairs that comparing all with all finds above %d (up to %i of %i words)',
  (least, longest, words) => {
    const sets = someSets(7, 400, longest, words);
    const expected = sets.flatMap((one, a) =>
      sets.flatMap((other, b) => (a < b && jaccard(one, other) > least ? [`${a} ${b}`] : [])),
    );
    const alike = finished(AlikeSets.of(sets, least));
    const found = sets.flatMap((_, a) => alike.take(a).map((b) => `${a} ${b}`));
    expect(expected.length).toBeGreaterThan(20);
    expect(found.sort()).toEqual(expected.sort());
  },
);

it('names no set that was taken out or dropped', () => {
  const alike = finished(AlikeSets.of([new Set('abcd'), new Set('abcde'), new Set('abce')], 0.5));
  alike.drop(1);
  expect(alike.take(0)).toEqual([2]);
  expect(alike.take(2)).toEqual([]);
});
