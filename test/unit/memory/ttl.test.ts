import { describe, expect, it } from 'vitest';
import { isoDate, parseMoment, parseTtl } from '../../../src/memory/ttl.ts';

const NOW = Date.parse('2026-07-12T09:00:00Z');
const HOUR = 3_600_000;

describe('a time to live', () => {
  it.each([
    ['7d', NOW + 7 * 24 * HOUR],
    ['30D', NOW + 30 * 24 * HOUR],
    ['24h', NOW + 24 * HOUR],
    [' 1h ', NOW + HOUR],
    ['2026-12-31', Date.parse('2026-12-31T23:59:59.999Z')],
    ['2026-12-31T10:00', Date.parse('2026-12-31T10:00')],
    ['2026-12-31T10:00:00Z', Date.parse('2026-12-31T10:00:00Z')],
    ['2026-12-31T10:00:00+09:00', Date.parse('2026-12-31T01:00:00Z')],
  ])('understands %s', (text, expected) => {
    expect(parseTtl(text, NOW)).toBe(expected);
  });

  it.each([
    '',
    '0d',
    '-1d',
    '7',
    '7w',
    '7 d',
    '1.5d',
    'tomorrow',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '99999999999d',
    '7d7d',
    '20261231',
    'NaN',
    '2026-12-31T25:00',
  ])('refuses %j', (text) => {
    expect(parseTtl(text, NOW)).toBeUndefined();
  });
});

describe('a moment of a filter', () => {
  it('counts back from now, or names the start or the end of a day', () => {
    expect(parseMoment('24h', NOW, 'start')).toBe(NOW - 24 * HOUR);
    expect(parseMoment('2026-07-01', NOW, 'start')).toBe(Date.parse('2026-07-01T00:00:00Z'));
    expect(parseMoment('2026-07-01', NOW, 'end')).toBe(Date.parse('2026-07-01T23:59:59.999Z'));
    expect(parseMoment('last week', NOW, 'start')).toBeUndefined();
  });

  it('prints dates as the seed does', () => {
    expect(isoDate(NOW)).toBe('2026-07-12');
  });
});
