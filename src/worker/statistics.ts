import type { Entry } from '../memory/entry.ts';
import type { Stats } from './api.ts';

const DAY = 86_400_000;
const LISTED = 5;
/** Cold memories (seed 001): below these, and old enough that they could have been used. */
const COLD = { quality: 0.4, used: 2, age: 30 * DAY };

/** Figures over every visible entry, forgotten and expired ones included where they say so. */
export function statistics(entries: readonly Entry[], summaries: number, now: number): Stats {
  const isExpired = ({ status, expires }: Entry) =>
    status === 'active' && expires !== undefined && expires <= now;
  const live = entries.filter((entry) => entry.status === 'active' && !isExpired(entry));
  const contents = new Set(live.map(({ content }) => content.normalize('NFC').trim()));
  const buckets = [0, 0, 0, 0, 0];
  for (const { quality } of live) {
    const bucket = Math.min(4, Math.floor(quality * 5));
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  return {
    total: live.length,
    byCategory: countBy(live, ({ category }) => category),
    byOrigin: countBy(live, ({ origin }) => origin),
    byStatus: countBy(entries, (entry) => (isExpired(entry) ? 'expired' : entry.status)),
    byLevel: countBy(live, ({ level }) => level),
    withTtl: live.filter(({ expires }) => expires !== undefined).length,
    expired: entries.filter(isExpired).length,
    averageQuality: share(
      live.reduce((sum, { quality }) => sum + quality, 0),
      live.length,
    ),
    qualityBuckets: buckets,
    hitRate: share(live.filter(({ used }) => used > 0).length, live.length),
    duplicateRate: share(live.length - contents.size, live.length),
    deadRate: share(
      entries.filter(({ status }) => status === 'forgotten' || status === 'superseded').length,
      entries.length,
    ),
    unconfirmed: live.filter(({ confirmed }) => !confirmed).length,
    pinned: live.filter(({ pinned }) => pinned).length,
    summaries,
    newest: top(live, (entry) => entry.updated),
    mostUsed: top(
      live.filter(({ used }) => used > 0),
      ({ used }) => used,
    ),
    cold: top(
      live.filter(
        (entry) => entry.quality < COLD.quality && entry.used < COLD.used && now - entry.updated > COLD.age,
      ),
      (entry) => -entry.quality,
    ),
  };
}

function countBy(entries: readonly Entry[], group: (entry: Entry) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) counts[group(entry)] = (counts[group(entry)] ?? 0) + 1;
  return counts;
}

function top(entries: readonly Entry[], value: (entry: Entry) => number): Entry[] {
  return [...entries].sort((a, b) => value(b) - value(a) || (a.id < b.id ? -1 : 1)).slice(0, LISTED);
}
