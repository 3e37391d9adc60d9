import type { Mark } from './context.ts';
import type { Hit } from './recallIndex.ts';
import { SIGNALS, type Signals } from './signals.ts';

/** What a person or agent said an entry is worth; '' when nobody said. */
export type Importance = 'critical' | 'high' | 'medium' | 'low' | '';

/** What ranking knows of an entry besides its text. Times in milliseconds since 1970. */
export interface EntrySignals {
  /** 0..1 */
  readonly quality: number;
  /** The same without what it gains by being new. */
  readonly lastingQuality?: number | undefined;
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
  /** How many will be shown; at least 10 when not given. */
  readonly limit?: number | undefined;
  /** Other weights than the usual ones. */
  readonly signals?: Partial<Signals> | undefined;
}

const DAY = 24 * 60 * 60 * 1000;

/** What a stated importance is worth, as a share of the most that it can be. */
const STATED: Record<Importance, number> = { critical: 1, high: 0.5, medium: 0, '': 0, low: -0.5 };
/**
 * Boosts add up to at most +25 % and at least −5 %. So they lift no entry past one that is more than 1.25 / 0.95 ≈ 1.3
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

/** Age decides nothing about who is among the first so many, or among any later so many. */
const AGELESS = 10;

/**
 * Orders hits by relevance and bounded boosts, equal ones by id. Hits without signals are dropped: their entry is
 * gone. Which are the first ten (or fewer, when fewer are shown) is decided as if all were old; how new they are then
 * orders near-ties among these. `relevance` of the answer falls with the place and is 1 for the first. Reasons are
 * put into words when they are read, as most hits are never shown.
 */
export function rank(
  hits: readonly Hit[],
  signalsOf: (id: string) => EntrySignals | undefined,
  { now, rrf, limit = AGELESS, signals: given = {} }: RankOptions,
): RankedHit[] {
  const weights = { ...SIGNALS, ...given };
  const mostLinks = hits.reduce((most, { links }) => Math.max(most, links), 1);
  const known = hits.flatMap((hit): Placed[] => {
    const signals = signalsOf(hit.id);
    return signals === undefined ? [] : [{ hit, signals, centrality: hit.links / mostLinks }];
  });
  const order = (signalsFor: (signals: EntrySignals) => EntrySignals) => {
    const valued = known.map(({ hit, signals, centrality }): Valued => {
      const lift = boost(signalsFor(signals), now, rrf ? 0 : centrality, weights);
      return { hit, signals, centrality, value: hit.relevance * (1 + lift) };
    });
    valued.sort((one, other) => other.value - one.value || (one.hit.id < other.hit.id ? -1 : 1));
    const values = valued.map(({ value }) => value);
    return { values, ordered: rrf && weights.centrality !== 0 ? fuse(valued) : valued };
  };
  const { values, ordered } = order(asOld);
  const size = Math.max(1, Math.min(limit, AGELESS));
  const block = new Map(ordered.map(({ hit }, at) => [hit.id, Math.floor(at / size)]));
  const blockOf = ({ hit }: Placed) => block.get(hit.id) ?? 0;
  const final = order((signals) => signals).ordered.sort((one, other) => blockOf(one) - blockOf(other));
  let shared: ReadonlySet<string> | undefined;
  return final.map((placed, at) => {
    const relevance = (values[at] as number) / (values[0] as number);
    return {
      ...placed.hit,
      relevance,
      get reasons() {
        shared ??= sharedRemarks(final, now);
        const own = remarksOf(placed, now).filter((remark) => shared?.has(remark) === false);
        return [reasons(relevance, placed.signals, now), ...own].join(' · ');
      },
    };
  });
}

/** An entry's signals without those that fade with time. */
function asOld(signals: EntrySignals): EntrySignals {
  return {
    ...signals,
    quality: signals.lastingQuality ?? signals.quality,
    createdAt: Number.NEGATIVE_INFINITY,
  };
}

/**
 * Reciprocal rank fusion of the order by text and the order by centrality, held to near-ties: an entry rises past
 * another when its fused rank is better and it is nearly as relevant.
 */
function fuse(byValue: readonly Valued[]): Valued[] {
  const k = Math.min(FUSION.most, Math.max(FUSION.least, Math.round(Math.sqrt(byValue.length))));
  // Equals share the first of their places, so that having no links is no order.
  const places = new Map<number, number>();
  byValue
    .map(({ centrality }) => centrality)
    .sort((one, other) => other - one)
    .forEach((centrality, place) => {
      if (!places.has(centrality)) places.set(centrality, place);
    });
  const ordered: { readonly item: Valued; readonly fused: number }[] = [];
  for (const [place, item] of byValue.entries()) {
    const fused = TEXT_LISTS / (k + place) + 1 / (k + (places.get(item.centrality) ?? byValue.length));
    let at = ordered.length;
    for (; at > 0; at--) {
      const above = ordered[at - 1] as (typeof ordered)[number];
      if (fused <= above.fused || item.value * NEAR < above.item.value) break;
    }
    ordered.splice(at, 0, { item, fused });
  }
  return ordered.map(({ item }) => item);
}

/** The share by which an entry's own worth lifts its relevance, −0.05..0.25. `centrality` 0..1. */
export function boost(signals: EntrySignals, now: number, centrality = 0, weight: Signals = SIGNALS): number {
  const { quality, category, importance, createdAt, sameScript, inSession, inFolder } = signals;
  const ageDays = Math.max(0, now - createdAt) / DAY;
  const sum =
    weight.quality * clamp01(quality) +
    (category === 'warning' ? weight.warning : 0) +
    weight.importance * (STATED[importance] ?? 0) +
    weight.use * measuredImportance(signals, now) +
    weight.freshness * Math.exp(-ageDays / FRESH_DAYS) +
    (sameScript === true ? weight.script : 0) +
    (inSession === true ? weight.focus : 0) +
    (inFolder === true ? weight.folder : 0) +
    weight.centrality * centrality;
  return Math.min(MOST, Math.max(LEAST, sum));
}

/** Importance from recency and use, 0..1: new in the last 30 days counts 0.6, five uses 0.4 (toon-memory 4.3.5). */
export function measuredImportance(
  { createdAt, used }: Pick<EntrySignals, 'createdAt' | 'used'>,
  now: number,
): number {
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

/** How each mark of a search is told, in the order of telling. */
const MARKS: Readonly<Record<Mark, string>> = {
  synonym: 'by a synonym',
  spelling: 'by another spelling',
  keyboard: 'by the other keyboard layout',
  label: 'begins with a name asked for',
  period: 'of the time asked for',
  linked: 'linked with a match',
  tags: 'shares a tag with a match',
  beside: 'next to a match in its session',
  session: 'session has more matches',
  replaced: 'a newer linked one is on its topic',
};

interface Placed {
  readonly hit: Hit;
  readonly signals: EntrySignals;
  /** 0..1 */
  readonly centrality: number;
}

interface Valued extends Placed {
  readonly value: number;
}

/** What all hits share decides nothing between them, and is not told. */
function sharedRemarks(hits: readonly Placed[], now: number): ReadonlySet<string> {
  const [first, ...others] = hits;
  let shared = first === undefined ? [] : remarksOf(first, now);
  for (const other of others) {
    if (shared.length === 0) break;
    const own = remarksOf(other, now);
    shared = shared.filter((remark) => own.includes(remark));
  }
  return new Set(shared);
}

/** What else put a hit in its place, in words. */
function remarksOf({ hit, signals }: Placed, now: number): string[] {
  const { quality, category, createdAt, sameScript, inSession, inFolder } = signals;
  const marks = new Set(hit.marks);
  return [
    `quality ${clamp01(quality).toFixed(2)}`,
    `changed ${daysAgo(createdAt, now)}`,
    category === 'warning' ? 'warning' : '',
    hit.links > 0 ? `${hit.links} ${hit.links === 1 ? 'link' : 'links'}` : '',
    sameScript === true ? 'script of the query' : '',
    inSession === true ? 'this branch or file' : '',
    inFolder === true ? 'for the current file' : '',
    ...Object.entries(MARKS).map(([mark, words]) => (marks.has(mark as Mark) ? words : '')),
  ].filter((remark) => remark !== '');
}

function lastUse(lastUsedAt: number | undefined, now: number): string {
  return lastUsedAt === undefined ? 'never used' : `used ${daysAgo(lastUsedAt, now)}`;
}

/** Days are UTC days, so that the line does not depend on where it is computed. */
function daysAgo(at: number, now: number): string {
  const days = Math.floor(now / DAY) - Math.floor(at / DAY);
  if (days <= 0) return 'today';
  return days === 1 ? 'yesterday' : `${days}d ago`;
}

function clamp01(value: number): number {
  return Math.min(1, Math.max(0, value));
}
