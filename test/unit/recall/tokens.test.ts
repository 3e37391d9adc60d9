import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, fitBlocks } from '../../../src/recall/tokens.ts';

const encoder = new Tiktoken(cl100k);
const trueCount = (text: string) => encoder.encode(text, [], []).length;
const MARKER = '… [cut to fit budget_tokens]';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.lorem({ maxCount: 40 }),
  fc
    .array(
      fc.constantFrom('a', 'ab', ' ', '\n', '😀', '한국어', '...', '123', "'s", '<|endoftext|>', '\ud83d'),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('a', '=', '  ', '\n', '😀', 'ab', '가'), fc.integer({ min: 1, max: 400 }))
    .map(([unit, n]) => unit.repeat(n)),
);

describe('countTokens', () => {
  it('counts as the true encoder does', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        expect(await countTokens(text)).toBe(trueCount(text));
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it.each(['a', '😀', ' ', '가', '='])('counts 100 kB of %j fast', async (unit) => {
    await countTokens('');
    const startedAt = performance.now();
    expect(await countTokens(unit.repeat(100_000 / unit.length))).toBeGreaterThan(0);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});

describe('fitBlocks', () => {
  it('keeps everything that fits', async () => {
    expect(await fitBlocks(['one', 'two'], 100)).toEqual({ kept: ['one', 'two'], cut: false, dropped: 0 });
    expect(await fitBlocks([], 100)).toEqual({ kept: [], cut: false, dropped: 0 });
  });

  it('drops the tail, not what fits behind it', async () => {
    const long = 'word '.repeat(100);
    expect(await fitBlocks(['one', long, 'two'], 20)).toEqual({ kept: ['one'], cut: false, dropped: 2 });
  });

  it('fills the budget exactly', async () => {
    const joined = 'alpha beta\n\ngamma delta';
    expect((await fitBlocks(['alpha beta', 'gamma delta'], trueCount(joined))).kept).toHaveLength(2);
    expect((await fitBlocks(['alpha beta', 'gamma delta'], trueCount(joined) - 1)).kept).toHaveLength(1);
  });

  it('cuts a first block that is too long, and says so', async () => {
    const { kept, cut, dropped } = await fitBlocks(['word '.repeat(1_000), 'next'], 50);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toMatch(/^(word )+word… \[cut to fit budget_tokens\]$/);
    expect(trueCount(kept[0] ?? '')).toBeGreaterThan(45);
    expect({ cut, dropped }).toEqual({ cut: true, dropped: 1 });
  });

  it('keeps nothing when not even the marker fits', async () => {
    expect(await fitBlocks(['word '.repeat(50)], 3)).toEqual({ kept: [], cut: false, dropped: 1 });
    expect(await fitBlocks(['a b', 'c'], 0)).toEqual({ kept: [], cut: false, dropped: 2 });
  });

  it('never exceeds the budget under the true encoder, nor cuts a character in half', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyText, { maxLength: 8 }),
        fc.integer({ min: 0, max: 200 }),
        async (blocks, budget) => {
          const { kept, cut, dropped } = await fitBlocks(blocks, budget);
          if (kept.length > 0) expect(trueCount(kept.join('\n\n'))).toBeLessThanOrEqual(budget);
          expect(kept.length + dropped).toBe(blocks.length);
          if (cut) {
            const start = (kept[0] ?? '').slice(0, -MARKER.length);
            expect(blocks[0]?.startsWith(start)).toBe(true);
            expect(/[\uD800-\uDBFF]$/.test(start)).toBe(false);
          } else {
            expect(kept).toEqual(blocks.slice(0, kept.length));
          }
        },
      ),
      { seed: 6, numRuns: 200 },
    );
  });

  it('cuts megabytes quickly', async () => {
    const startedAt = performance.now();
    const { kept } = await fitBlocks(['a'.repeat(5_000_000)], 300);
    expect(trueCount((kept[0] ?? '').slice(-600))).toBeLessThanOrEqual(300);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
