import type { Hit } from './recallIndex.ts';

/** What a person or agent said an entry is worth; '' when nobody said. */
export type Importance = 'critical' | 'high' | 'medium' | 'low' | '';

/** What ranking knows of an entry besides its text. Times in milliseconds since 1970. */
export interface EntrySignals {
  /** 0..1 */
  readonly quality: number;
  readonly category: string;
  readonly importance: Importance;
  readonly createdAt: number;
  /** How often it was recalled. */
  readonly used: number;
  readonly lastUsedAt?: number | undefined;
}

/** A hit in its final place. */
export interface RankedHit extends Hit {
  /** Relevance after boosts; orders the result. */
  readonly rank: number;
  /** `92% relevance · used 14× · used today · importance HIGH` */
  readonly reasons: string;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Boosts add up to at most +25 % and at least −5 %. So an entry never passes one that is more than 1.25 / 0.95 ≈ 1.3
 * times as relevant, which in BM25 is less than a further query word matched: boosts settle near-ties only.
 */
const QUALITY_BOOST = 0.1;
const WARNING_BOOST = 0.05;
const IMPORTANCE_BOOST: Record<Importance, number> = {
  critical: 0.1,
  high: 0.05,
  medium: 0,
  '': 0,
  low: -0.05,
};

/**
 * Orders hits by relevance and bounded boosts, equal ranks by id. Hits without signals are dropped: their entry is
 * gone. `now` in milliseconds since 1970.
 */
export function rank(
  hits: readonly Hit[],
  signalsOf: (id: string) => EntrySignals | undefined,
  now: number,
): RankedHit[] {
  const ranked: RankedHit[] = [];
  for (const hit of hits) {
    const signals = signalsOf(hit.id);
    if (signals === undefined) continue;
    ranked.push({
      ...hit,
      rank: hit.relevance * (1 + boost(signals)),
      reasons: reasons(hit.relevance, signals, now),
    });
  }
  return ranked.sort((one, other) => other.rank - one.rank || (one.id < other.id ? -1 : 1));
}

/** The share by which an entry's own worth lifts its relevance, −0.05..0.25. */
export function boost({ quality, category, importance }: EntrySignals): number {
  return (
    QUALITY_BOOST * clamp01(quality) +
    (category === 'warning' ? WARNING_BOOST : 0) +
    (IMPORTANCE_BOOST[importance] ?? 0)
  );
}

/** Importance from recency and use, 0..1: new in the last 30 days counts 0.6, five uses 0.4 (toon-memory 4.3.5). */
export function measuredImportance({ createdAt, used }: EntrySignals, now: number): number {
  const ageDays = (now - createdAt) / DAY;
  return 0.6 * clamp01((30 - ageDays) / 30) + 0.4 * clamp01(used / 5);
}

/** Why a hit is shown, in one line; `relevance` 0..1. */
export function reasons(relevance: number, signals: EntrySignals, now: number): string {
  const measured = measuredImportance(signals, now);
  const parts = [
    `${Math.round(relevance * 100)}% relevance`,
    `used ${signals.used}×`,
    lastUse(signals.lastUsedAt, now),
    `importance ${measured >= 0.7 ? 'HIGH' : measured >= 0.4 ? 'MED' : 'LOW'}`,
  ];
  if (signals.importance !== '') parts.push(`explicit ${signals.importance}`);
  return parts.join(' · ');
}

/** Days are UTC days, so that the line does not depend on where it is computed. */
function lastUse(lastUsedAt: number | undefined, now: number): string {
  if (lastUsedAt === undefined) return 'never used';
  const days = Math.floor(now / DAY) - Math.floor(lastUsedAt / DAY);
  if (days <= 0) return 'used today';
  return days === 1 ? 'used yesterday' : `used ${days}d ago`;
}

function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}
