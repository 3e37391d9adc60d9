import { describe, expect, it } from 'vitest';
import { boost, type EntrySignals, measuredImportance, rank, reasons } from '../../../src/recall/ranking.ts';
import type { Hit } from '../../../src/recall/recallIndex.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 6, 10, 12);

function signals(changes: Partial<EntrySignals> = {}): EntrySignals {
  return { quality: 0.5, category: 'decision', importance: '', createdAt: NOW, used: 0, ...changes };
}

function hit(id: string, relevance: number): Hit {
  return { id, score: relevance * 7, relevance, terms: ['x'] };
}

function ranked(hits: Hit[], entries: Record<string, EntrySignals>): string[] {
  return rank(hits, (id) => entries[id], NOW).map(({ id }) => id);
}

describe('rank', () => {
  it('puts the better of two near-ties first: quality, warning, explicit importance', () => {
    const hits = [hit('a', 1), hit('b', 0.97)];
    expect(ranked(hits, { a: signals({ quality: 0.2 }), b: signals({ quality: 0.9 }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals(), b: signals({ category: 'warning' }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals({ importance: 'low' }), b: signals() })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals(), b: signals({ importance: 'critical' }) })).toEqual(['b', 'a']);
  });

  it('never lets boosts drown relevance', () => {
    const worst = signals({ quality: 0, importance: 'low' });
    const best = signals({ quality: 1, importance: 'critical', category: 'warning' });
    expect(boost(worst)).toBeGreaterThanOrEqual(-0.05);
    expect(boost(best)).toBeLessThanOrEqual(0.25);
    expect(ranked([hit('a', 1), hit('b', 0.75)], { a: worst, b: best })).toEqual(['a', 'b']);
  });

  it('is not moved by age or use', () => {
    const old = signals({ createdAt: NOW - 300 * DAY });
    const used = signals({ used: 50, lastUsedAt: NOW });
    expect(ranked([hit('a', 1), hit('b', 0.999)], { a: old, b: used })).toEqual(['a', 'b']);
  });

  it('breaks ties by id and drops hits whose entry is gone', () => {
    expect(ranked([hit('b', 1), hit('gone', 1), hit('a', 1)], { a: signals(), b: signals() })).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('reasons', () => {
  it('has the form of the example', () => {
    const entry = signals({ used: 14, lastUsedAt: NOW - 1000 });
    expect(reasons(0.92, entry, NOW)).toBe('92% relevance · used 14× · used today · importance HIGH');
  });

  it('reports an explicit importance', () => {
    const entry = signals({ importance: 'critical', createdAt: NOW - 60 * DAY });
    expect(reasons(1, entry, NOW)).toBe(
      '100% relevance · used 0× · never used · importance LOW · explicit critical',
    );
  });

  it.each([
    [0, 'used today'],
    [1, 'used yesterday'],
    [9, 'used 9d ago'],
  ])('last use %d days ago: %s', (days, text) => {
    expect(reasons(1, signals({ used: 1, lastUsedAt: NOW - days * DAY }), NOW)).toContain(` · ${text} · `);
  });

  it('counts UTC days, not spans of 24 hours', () => {
    const lateYesterday = Date.UTC(2026, 6, 9, 23, 59);
    expect(reasons(1, signals({ used: 1, lastUsedAt: lateYesterday }), NOW)).toContain('used yesterday');
  });

  it('measures importance from recency and use', () => {
    expect(measuredImportance(signals(), NOW)).toBeCloseTo(0.6);
    expect(measuredImportance(signals({ createdAt: NOW - 15 * DAY, used: 5 }), NOW)).toBeCloseTo(0.7);
    expect(measuredImportance(signals({ createdAt: NOW - 90 * DAY, used: 50 }), NOW)).toBeCloseTo(0.4);
    expect(measuredImportance(signals({ createdAt: NOW + DAY }), NOW)).toBeCloseTo(0.6);
  });
});
