import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capOutput, lineCount, outputLimits } from '../../../src/subagent/output.ts';

const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n}`);

describe('the cap of an output', () => {
  test('is 500,000 bytes and 5,000 lines', () => {
    expect(outputLimits({})).toEqual({ bytes: 500_000, lines: 5_000 });
  });

  test.each([
    [{ LODELINE_TASK_MAX_OUTPUT_BYTES: '10', LODELINE_TASK_MAX_OUTPUT_LINES: '2' }, 10, 2],
    [{ GJC_TASK_MAX_OUTPUT_BYTES: '11', GJC_TASK_MAX_OUTPUT_LINES: '3' }, 11, 3],
    [{ LODELINE_TASK_MAX_OUTPUT_LINES: '4', GJC_TASK_MAX_OUTPUT_LINES: '3' }, 500_000, 4],
    [{ LODELINE_TASK_MAX_OUTPUT_LINES: 'x', GJC_TASK_MAX_OUTPUT_LINES: '3' }, 500_000, 3],
    [{ GJC_TASK_MAX_OUTPUT_LINES: '0', GJC_TASK_MAX_OUTPUT_BYTES: '-1' }, 500_000, 5_000],
    [{ GJC_TASK_MAX_OUTPUT_LINES: '1.5', GJC_TASK_MAX_OUTPUT_BYTES: '9'.repeat(30) }, 500_000, 5_000],
    [{ GJC_TASK_MAX_OUTPUT_LINES: '', GJC_TASK_MAX_OUTPUT_BYTES: '1e3' }, 500_000, 5_000],
  ])('is overridden by %j only with whole numbers above 0', (env, bytes, count) => {
    expect(outputLimits(env)).toEqual({ bytes, lines: count });
  });

  test('keeps the last lines', () => {
    const limits = outputLimits({ GJC_TASK_MAX_OUTPUT_LINES: '0' });
    const all = lines(6_000);
    expect(capOutput(all.join('\n'), limits)).toEqual({ text: all.slice(1_000).join('\n'), truncated: true });
    expect(capOutput(`${all.join('\n')}\n`, limits).text).toBe(`${all.slice(1_000).join('\n')}\n`);
    expect(capOutput(lines(5_000).join('\n'), limits).truncated).toBe(false);
    expect(capOutput(`${lines(5_000).join('\n')}\n`, limits).truncated).toBe(false);
  });

  test('keeps the last bytes, and no half of a character', () => {
    const limits = { bytes: 5, lines: 10 };
    expect(capOutput('abcdefg', limits)).toEqual({ text: 'cdefg', truncated: true });
    expect(capOutput('가나다', limits).text).toBe('다');
    expect(capOutput('x😀y', limits).text).toBe('😀y');
    expect(capOutput('😀abc', limits).text).toBe('abc');
    expect(capOutput('😀', { bytes: 3, lines: 1 })).toEqual({ text: '', truncated: true });
  });

  test('holds for every text, and keeps all that fits', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom('\n', '\r\n', 'a', '가', '😀', '\uD83D'), fc.string()),
    });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 6 }),
        (whole, bytes, count) => {
          const capped = capOutput(whole, { bytes, lines: count });
          expect(whole.toWellFormed().endsWith(capped.text)).toBe(true);
          expect(capped.text.isWellFormed()).toBe(true);
          expect(capped.truncated).toBe(capped.text !== whole.toWellFormed());
          expect(Buffer.byteLength(capped.text)).toBeLessThanOrEqual(bytes);
          expect(lineCount(capped.text)).toBeLessThanOrEqual(count);
          const rest = [...whole.toWellFormed().slice(0, -capped.text.length || undefined)];
          const more = `${rest.at(-1) ?? ''}${capped.text}`;
          if (capped.truncated) expect(Buffer.byteLength(more) > bytes || lineCount(more) > count).toBe(true);
        },
      ),
    );
  });
});

test.each([
  ['', 0],
  ['a', 1],
  ['a\n', 1],
  ['\n', 1],
  ['a\n\nb', 3],
])('%j has %i lines', (text, count) => {
  expect(lineCount(text)).toBe(count);
});
