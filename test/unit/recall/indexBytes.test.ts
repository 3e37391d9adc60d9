import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeIndex, encodeIndex } from '../../../src/recall/indexBytes.ts';
import { type RecallDocument, RecallIndex } from '../../../src/recall/recallIndex.ts';

const WORDS =
  'pool redis cache naïve 캐시는 데이터베이스에서 東京タワー useZodSchema v1.17.0 C++20 --dry-run the'.split(
    ' ',
  );
const text = fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }).map((words) => words.join(' '));
const document = fc.record({
  id: fc.integer({ min: 0, max: 30 }).map((n) => `id${n}`),
  level: fc.constantFrom('PUBLIC', 'INTERNAL' as const),
  key: text,
  category: fc.constantFrom('bug', 'decision'),
  content: fc.oneof(text, fc.string({ unit: 'binary' })),
  tags: fc.array(fc.constantFrom('redis', '결정'), { maxLength: 2 }),
  file: fc.constantFrom('', 'src/auth/token.ts'),
  session: fc.constantFrom('', 's'),
  at: fc.nat(),
}) as fc.Arbitrary<RecallDocument>;
/** Documents that are put, one after another, and ids that are taken out again. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: document },
    document.map(({ id }) => id),
  ),
  { maxLength: 150 },
);

type Known = Map<string, RecallDocument>;

function run(index: RecallIndex, done: readonly (RecallDocument | string)[], known: Known): void {
  for (const step of done) {
    if (typeof step === 'string') {
      index.remove(step);
      known.delete(step);
    } else {
      index.put(step);
      known.set(step.id, step);
    }
  }
}

function bytesOf(index: RecallIndex): Buffer {
  const shelves = (['PUBLIC', 'INTERNAL'] as const).flatMap((level) => {
    const image = index.image(level);
    return image === undefined ? [] : [{ level, image, digests: '' }];
  });
  return encodeIndex({ position: '0.1', shelves });
}

function load(bytes: Buffer, known: Known): RecallIndex {
  const index = new RecallIndex();
  for (const { level, image } of decodeIndex(bytes)?.shelves ?? []) index.load(level, image);
  for (const each of known.values()) index.place(each);
  return index;
}

function answers(index: RecallIndex) {
  return [...WORDS, 'redsi', 'pool redis naïve', '캐시', 'token'].flatMap((query) =>
    (['PUBLIC', 'INTERNAL'] as const).map((level) => index.search(query, { level, limit: 20 })),
  );
}

describe('an index that was saved', () => {
  it('answers as the one it was saved from, then and after the same changes', () => {
    fc.assert(
      fc.property(steps, steps, (before, after) => {
        const index = new RecallIndex();
        const known: Known = new Map();
        run(index, before, known);
        const loaded = load(bytesOf(index), known);
        expect(loaded.size).toBe(index.size);
        expect(answers(loaded)).toEqual(answers(index));
        run(index, after, known);
        run(loaded, after, new Map());
        expect(answers(loaded)).toEqual(answers(index));
      }),
      { numRuns: 60 },
    );
  });

  it('holds no word of a document that was taken out', () => {
    const index = new RecallIndex();
    const nothing = { category: 'bug', tags: [], file: '', session: '', at: 0, level: 'PUBLIC' } as const;
    index.put({ ...nothing, id: 'a', key: 'stays', content: 'pool' });
    index.put({ ...nothing, id: 'gone1', key: 'leaves', content: 'zanzibar' });
    index.remove('gone1');
    const bytes = bytesOf(index).toString('latin1');
    expect(bytes).toContain('pool');
    for (const word of ['zanzibar', 'leav', 'gone1']) expect(bytes).not.toContain(word);
  });
});

describe('bytes that are not those of an index', () => {
  const whole = (): Buffer => {
    const index = new RecallIndex();
    run(index, fc.sample(document, { numRuns: 5, seed: 1 }), new Map());
    return bytesOf(index);
  };
  const tries = (bytes: Buffer) => {
    try {
      return decodeIndex(bytes);
    } catch {
      return undefined;
    }
  };

  it('are refused when one bit differs, wherever', () => {
    const bytes = whole();
    expect(tries(bytes)).toBeDefined();
    for (let at = 0; at < bytes.length; at++) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      expect(tries(damaged)).toBeUndefined();
    }
  });

  it('are refused when some are missing or too many', () => {
    const bytes = whole();
    for (let length = 0; length < bytes.length; length++)
      expect(tries(bytes.subarray(0, length))).toBeUndefined();
    expect(tries(Buffer.concat([bytes, Buffer.of(0)]))).toBeUndefined();
  });
});
