import type { Hit } from './recallIndex.ts';

/** What a person or agent said an entry is worth; '' when nobody said. */
export type Importance = 'critical' | 'high' | 'medium' | 'low' | '';

/** What ranking knows of an entry besides its text. Times in milliseconds since 1970. */
export interface EntrySignals {
  /** 0..1 */
  readonly quality: number;
  readonly category: string;
  readonly importance: Importance;
  /** When it last changed. */
  readonly createdAt: number;
  /** How often it was recalled. */
  readonly used: number;
  readonly lastUsedAt?: number | undefined;
  /** Written in the script of the query. */
  readonly sameScript?: boolean | undefined;
  /** Of the branch, or about a file, that the asking session works on. */
  readonly inSession?: boolean | undefined;
  /** Meant for files such as the one in front of the person. */
  readonly inFolder?: boolean | undefined;
}

/** A hit in its final place. */
export interface RankedHit extends Hit {
  /** `92% relevance · used 14× · used today · importance HIGH` */
  readonly reasons: string;
}

/** How to order: by fused ranks of text and centrality, or by one sum. */
export interface RankOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly rrf: boolean;
}

const DAY = 24 * 60 * 60 * 1000;

/** What each signal of the seed (001, "Ranking") adds at most to relevance, as a share of it. */
const BOOST = {
  quality: 0.1,
  warning: 0.05,
  measured: 0.05,
  freshness: 0.05,
  script: 0.02,
  session: 0.05,
  folder: 0.02,
  centrality: 0.05,
};
const IMPORTANCE_BOOST: Record<Importance, number> = {
  critical: 0.1,
  high: 0.05,
  medium: 0,
  '': 0,
  low: -0.05,
};
/**
 * Boosts add up to at most +25 % and at least −5 %. So an entry never passes one that is more than 1.25 / 0.95 ≈ 1.3
 * times as relevant, which in BM25 is less than a further query word matched: boosts settle near-ties only.
 */
const MOST = 0.25;
const LEAST = -0.05;
/** Days after which freshness is down to a third. */
const FRESH_DAYS = 30;

/** Text counts three times in the fusion (seed 001: BM25×3 and centrality). */
const TEXT_LISTS = 3;
/** The constant of the fusion, by the square root of how many are ranked (toon-memory 4.3.5). */
const FUSION = { least: 3, most: 60 };
/** Ranks forget by how much one is better, so the fusion may only swap hits this near to each other. */
const NEAR = 1.1;

/**
 * Orders hits by relevance and bounded boosts, equal ones by id. Hits without signals are dropped: their entry is
 * gone. `relevance` of the answer falls with the place and is 1 for the first.
 */
export function rank(
  hits: readonly Hit[],
  signalsOf: (id: string) => EntrySignals | undefined,
  { now, rrf }: RankOptions,
): RankedHit[] {
  const mostLinks = Math.max(1, ...hits.map(({ links }) => links));
  const known = hits.flatMap((hit) => {
    const signals = signalsOf(hit.id);
    if (signals === undefined) return [];
    const centrality = hit.links / mostLinks;
    const lift = boost(signals, now, rrf ? 0 : centrality);
    return [{ hit, signals, centrality, value: hit.relevance * (1 + lift) }];
  });
  const byValue = known.sort((one, other) => other.value - one.value || (one.hit.id < other.hit.id ? -1 : 1));
  const values = byValue.map(({ value }) => value);
  const ordered = rrf ? fuse(byValue) : byValue;
  return ordered.map(({ hit, signals }, at) => {
    const relevance = (values[at] as number) / (values[0] as number);
    return { ...hit, relevance, reasons: reasons(relevance, signals, now) };
  });
}

/**
 * Reciprocal rank fusion of the order by text and the order by centrality, held to near-ties: an entry rises past
 * another when its fused rank is better and it is nearly as relevant.
 */
function fuse<Item extends { readonly value: number; readonly centrality: number }>(
  byValue: readonly Item[],
): Item[] {
  const k = Math.min(FUSION.most, Math.max(FUSION.least, Math.round(Math.sqrt(byValue.length))));
  const central = byValue.map(({ centrality }) => centrality).sort((one, other) => other - one);
  // Equals share the first of their places, so that having no links is no order.
  const places = new Map(central.map((centrality) => [centrality, central.indexOf(centrality)]));
  const fused = new Map(
    byValue.map((item, place) => [
      item,
      TEXT_LISTS / (k + place) + 1 / (k + (places.get(item.centrality) ?? byValue.length)),
    ]),
  );
  const ordered: Item[] = [];
  for (const item of byValue) {
    let at = ordered.length;
    for (; at > 0; at--) {
      const above = ordered[at - 1] as Item;
      if ((fused.get(item) ?? 0) <= (fused.get(above) ?? 0) || item.value * NEAR < above.value) break;
    }
    ordered.splice(at, 0, item);
  }
  return ordered;
}

/** The share by which an entry's own worth lifts its relevance, −0.05..0.25. `centrality` 0..1. */
export function boost(signals: EntrySignals, now: number, centrality = 0): number {
  const { quality, category, importance, createdAt, sameScript, inSession, inFolder } = signals;
  const ageDays = Math.max(0, now - createdAt) / DAY;
  const sum =
    BOOST.quality * clamp01(quality) +
    (category === 'warning' ? BOOST.warning : 0) +
    (IMPORTANCE_BOOST[importance] ?? 0) +
    BOOST.measured * measuredImportance(signals, now) +
    BOOST.freshness * Math.exp(-ageDays / FRESH_DAYS) +
    (sameScript === true ? BOOST.script : 0) +
    (inSession === true ? BOOST.session : 0) +
    (inFolder === true ? BOOST.folder : 0) +
    BOOST.centrality * centrality;
  return Math.min(MOST, Math.max(LEAST, sum));
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
