import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AppliedSet, SeenIds } from '../../../src/journal/seen.ts';

const id = fc.oneof(
  fc
    .tuple(fc.constantFrom('aaaaaaaaaaaa', 'bbbbbbbbbbbb'), fc.nat({ max: 200 }))
    .map(([w, n]) => `${w}-${n.toString(36)}`),
  fc.constantFrom(
    'aaaaaaaaaaaa-01',
    'aaaaaaaaaaaa-',
    'aaaaaaaaaaaa--1',
    'aaaaaaaaaaaa-zzzzzzzzz',
    'aaaaaaaaaaaa-A',
    '',
  ),
  fc.string(),
);

it('behaves like a set of strings', () => {
  fc.assert(
    fc.property(fc.array(id), (ids) => {
      const seen = new SeenIds();
      const model = new Set<string>();
      for (const one of ids) {
        expect(seen.add(one)).toBe(!model.has(one));
        model.add(one);
      }
    }),
    { seed: 1 },
  );
});

it('names a set the same whatever order it was read in, and another set differently', () => {
  const entries = Array.from({ length: 50 }, (_, i) => [`w-${i}`, (i * 2654435761) >>> 0] as const);
  const nameOf = (list: readonly (readonly [string, number])[]) => {
    const set = new AppliedSet();
    for (const [one, crc] of list) set.add(one, crc);
    return set.name();
  };
  expect(nameOf([...entries].reverse())).toBe(nameOf(entries));
  expect(nameOf([...entries, ...entries])).toBe(nameOf(entries));
  const others = entries.map((_, skip) => nameOf(entries.filter((_, i) => i !== skip)));
  expect(new Set([...others, nameOf(entries)]).size).toBe(51);
});
