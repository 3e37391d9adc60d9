import { describe, expect, it } from 'vitest';
import { isWithin, periodsOf } from '../../../src/recall/period.ts';

describe('periodsOf', () => {
  it.each([
    ['decided 2024-06', [{ year: 2024, month: 6 }]],
    ['since 2024-06-03', [{ year: 2024, month: 6 }]],
    ['June 2024', [{ year: 2024, month: 6 }]],
    ['3 May, 2023', [{ year: 2023, month: 5 }]],
    ['in March', [{ month: 3 }]],
    ['en junio de 2024', [{ year: 2024, month: 6 }, { month: 6 }]],
    ['2024년 6월에', [{ year: 2024, month: 6 }, { month: 6 }]],
    ['2월에 정한', [{ month: 2 }]],
    ['2024年6月', [{ year: 2024, month: 6 }, { month: 6 }]],
    ['in 2023', [{ year: 2023 }]],
  ])('%s', (query, expected) => {
    for (const period of expected) expect(periodsOf(query)).toContainEqual(period);
  });

  it.each(['may we march on', 'version 20.24', 'error 2024', '10.0.2024.6', '3개월', 'port 2024'])(
    'finds none in %j',
    (query) => {
      expect(periodsOf(query)).toEqual([]);
    },
  );
});

describe('isWithin', () => {
  it('compares in UTC, year and month alike', () => {
    const at = Date.UTC(2024, 5, 30, 23, 59);
    expect(isWithin(at, [{ year: 2024, month: 6 }])).toBe(true);
    expect(isWithin(at, [{ month: 6 }])).toBe(true);
    expect(isWithin(at, [{ year: 2024 }])).toBe(true);
    expect(isWithin(at, [{ year: 2024, month: 7 }])).toBe(false);
    expect(isWithin(at, [])).toBe(false);
  });
});
