import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boost, type EntrySignals, measuredImportance, rank, reasons } from '../../../src/recall/ranking.ts';
import type { Hit } from '../../../src/recall/recallIndex.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 6, 10, 12);

function signals(changes: Partial<EntrySignals> = {}): EntrySignals {
  return { quality: 0.5, category: 'decision', importance: '', createdAt: NOW, used: 0, ...changes };
}

function hit(id: string, relevance: number, links = 0): Hit {
  return { id, score: relevance * 7, relevance, links, terms: ['x'] };
}

function ranked(hits: Hit[], entries: Record<string, EntrySignals>, rrf = true): string[] {
  return rank(hits, (id) => entries[id], { now: NOW, rrf }).map(({ id }) => id);
}

describe('rank', () => {
  it('puts the better of two near-ties first: quality, warning, explicit importance', () => {
    const hits = [hit('a', 1), hit('b', 0.97)];
    expect(ranked(hits, { a: signals({ quality: 0.2 }), b: signals({ quality: 0.9 }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals(), b: signals({ category: 'warning' }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals({ importance: 'low' }), b: signals() })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals(), b: signals({ importance: 'critical' }) })).toEqual(['b', 'a']);
  });

  it('puts the better of two near-ties first: script, session, folder, freshness, use', () => {
    const hits = [hit('a', 1), hit('b', 0.999)];
    const old = signals({ createdAt: NOW - 300 * DAY });
    expect(ranked(hits, { a: signals(), b: signals({ sameScript: true }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals(), b: signals({ inSession: true }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: signals(), b: signals({ inFolder: true }) })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: old, b: signals() })).toEqual(['b', 'a']);
    expect(ranked(hits, { a: old, b: { ...old, used: 50 } })).toEqual(['b', 'a']);
  });

  it('adds centrality to the sum when ranks are not fused, among near-ties only', () => {
    const all = { a: signals(), b: signals() };
    expect(ranked([hit('a', 1), hit('b', 0.97, 5)], all, false)).toEqual(['b', 'a']);
    expect(ranked([hit('a', 1), hit('b', 0.8, 50)], all, false)).toEqual(['a', 'b']);
  });

  it('fuses ranks: a hub rises past near-ties, never past what is clearly more relevant', () => {
    const ids = ['a', 'b', 'hub', 'd', 'e', 'f', 'g'];
    const all = Object.fromEntries(ids.map((id) => [id, signals()]));
    const order = (relevances: number[], rrf: boolean) => {
      const hits = ids.map((id, at) => hit(id, relevances[at] ?? 0, id === 'hub' ? 9 : Number(at > 2)));
      return ranked(hits, all, rrf);
    };
    const near = [1, 0.8, 0.79, 0.3, 0.3, 0.3, 0.3];
    expect(order(near, true).slice(0, 3)).toEqual(['a', 'hub', 'b']);
    const apart = [1, 0.8, 0.7, 0.3, 0.3, 0.3, 0.3];
    expect(order(apart, true).slice(0, 3)).toEqual(['a', 'b', 'hub']);
  });

  it('never lets boosts drown relevance', () => {
    const worst = signals({ quality: 0, importance: 'low', createdAt: NOW - 900 * DAY });
    const best = signals({
      ...{ quality: 1, importance: 'critical', category: 'warning', used: 50 },
      ...{ sameScript: true, inSession: true, inFolder: true },
    });
    expect(boost(worst, NOW)).toBeGreaterThanOrEqual(-0.05);
    expect(boost(best, NOW, 1)).toBeLessThanOrEqual(0.25);
    for (const rrf of [true, false])
      expect(ranked([hit('a', 1), hit('b', 0.75, 50)], { a: worst, b: best }, rrf)).toEqual(['a', 'b']);
  });

  it('loses no more than a tenth to age, however old', () => {
    const loss = boost(signals(), NOW) - boost(signals({ createdAt: NOW - 9000 * DAY }), NOW);
    expect(loss).toBeGreaterThan(0);
    expect(loss).toBeLessThanOrEqual(0.1);
  });

  it.each([3, 10, 20])('decides who is among the first ten of %d as if all were old', (limit) => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ relevance: fc.double({ min: 0.4, max: 1, noNaN: true }), days: fc.nat(900) }), {
          minLength: 11,
          maxLength: 40,
        }),
        (entries) => {
          const hits = entries.map(({ relevance }, at) => hit(String(at), relevance));
          const first = (age: (at: number) => number) => {
            const signalsOf = (id: string) =>
              signals({ quality: 0.6, lastingQuality: 0.5, createdAt: NOW - age(Number(id)) * DAY });
            const all = rank(hits, signalsOf, { now: NOW, rrf: true, limit }).map(({ id }) => id);
            return all.slice(0, Math.min(limit, 10)).sort();
          };
          expect(first((at) => entries[at]?.days ?? 0)).toEqual(first(() => 0));
        },
      ),
      { seed: 7 },
    );
  });

  it('lets nothing pass what is clearly more relevant, whatever its signals', () => {
    const any = fc.record({
      ...{ quality: fc.double({ min: 0, max: 1, noNaN: true }), used: fc.nat(99), days: fc.nat(900) },
      category: fc.constantFrom('warning', 'decision'),
      importance: fc.constantFrom('critical', 'high', 'medium', 'low', '' as const),
      ...{ sameScript: fc.boolean(), inSession: fc.boolean(), inFolder: fc.boolean() },
      ...{ links: fc.nat(50), relevance: fc.double({ min: 0.05, max: 1, noNaN: true }) },
    });
    fc.assert(
      fc.property(fc.array(any, { minLength: 2, maxLength: 30 }), fc.boolean(), (entries, rrf) => {
        const hits = entries.map(({ relevance, links }, at) => hit(String(at), relevance, links));
        const order = rank(
          hits,
          (id) => {
            const { days, ...own } = entries[Number(id)] as (typeof entries)[number];
            return signals({ ...own, createdAt: NOW - days * DAY });
          },
          { now: NOW, rrf },
        ).map(({ id }) => entries[Number(id)]?.relevance ?? 0);
        // Boosts 1.25 / 0.95, the fusion 1.1 on top.
        order.forEach((above, at) => {
          for (const below of order.slice(at + 1))
            expect(below / above).toBeLessThan((1.25 / 0.95) * 1.1 + 1e-9);
        });
      }),
      { seed: 8 },
    );
  });

  it('gives a relevance that falls with the place, 1 for the first', () => {
    const entries = { a: signals(), b: signals({ importance: 'critical' }), c: signals() };
    const hits = [hit('a', 1), hit('b', 0.97, 5), hit('c', 0.5)];
    const relevances = rank(hits, (id) => entries[id as 'a'], { now: NOW, rrf: true }).map(
      ({ relevance }) => relevance,
    );
    expect(relevances[0]).toBe(1);
    expect(relevances).toEqual([...relevances].sort((one, other) => other - one));
  });

  it('breaks ties by id and drops hits whose entry is gone', () => {
    expect(ranked([hit('b', 1), hit('gone', 1), hit('a', 1)], { a: signals(), b: signals() })).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('what rank says of each hit', () => {
  const told = (hits: Hit[], entries: Record<string, EntrySignals>) =>
    rank(hits, (id) => entries[id], { now: NOW, rrf: true }).map(({ id, reasons: line }) => [
      id,
      line.split(' · ').slice(4),
    ]);

  it('tells each signal that set hits apart, and none that all of them share', () => {
    const shared = { quality: 0.5, sameScript: true };
    const entries = {
      a: signals({ ...shared, category: 'warning', inSession: true, createdAt: NOW - 3 * DAY }),
      b: signals({ ...shared, quality: 0.8, inFolder: true, importance: 'high' }),
    };
    const marked = { ...hit('b', 0.5), marks: ['synonym', 'linked'] as const };
    expect(told([hit('a', 1, 2), marked], entries)).toEqual([
      ['a', ['quality 0.50', 'changed 3d ago', 'warning', '2 links', 'this branch or file']],
      [
        'b',
        ...[
          [
            'explicit high',
            'quality 0.80',
            'changed today',
            'for the current file',
            'by a synonym',
            'linked with a match',
          ],
        ],
      ],
    ]);
  });

  it('tells nothing more of a single hit, nor of equals', () => {
    const warning = signals({ category: 'warning', inSession: true });
    expect(told([hit('a', 1, 3)], { a: warning })).toEqual([['a', []]]);
    expect(told([hit('a', 1), hit('b', 0.9)], { a: warning, b: warning })).toEqual([
      ['a', []],
      ['b', []],
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
