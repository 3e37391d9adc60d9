/** Which entries need a look: old and unused, poor, or linked with everything. Deterministic, no model. */
import type { Entry } from './entry.ts';

const DAY = 86_400_000;
/** After so long without a change or a use an entry counts as wholly stale. */
const STALE_DAYS = 180;
/** More neighbours than this are many; with twice as many the entry counts as wholly overlinked. */
const MANY_LINKS = 8;
const WEIGHT = { stale: 0.4, quality: 0.4, links: 0.2 };

/** An entry's place in the ranking. `need` is 0–1; `reasons` are English. */
export interface Reflection {
  readonly entry: Entry;
  readonly need: number;
  readonly reasons: readonly string[];
}

/** Ranks entries by how much they need attention. `degree`: how many entries lie beside one; times in epoch ms. */
export function reflectOn(
  entries: readonly Entry[],
  degree: (id: string) => number,
  now: number,
): Reflection[] {
  return entries
    .map((entry): Reflection => {
      const days = Math.max(0, now - Math.max(entry.updated, entry.lastUsed ?? 0)) / DAY;
      const expired = entry.expires !== undefined && entry.expires <= now;
      const stale = expired ? 1 : Math.min(1, days / STALE_DAYS);
      const links = degree(entry.id);
      const overlinked = Math.min(1, Math.max(0, links - MANY_LINKS) / MANY_LINKS);
      const reasons = [
        expired ? 'expired' : '',
        !expired && days >= 30 ? `not changed or used for ${Math.floor(days)} days` : '',
        entry.used === 0 ? 'never used' : '',
        entry.quality < 0.4 ? `quality ${entry.quality.toFixed(2)}` : '',
        entry.tags.length === 0 ? 'no tags' : '',
        links === 0 ? 'no links' : '',
        overlinked > 0 ? `${links} links` : '',
      ];
      return {
        entry,
        need: WEIGHT.stale * stale + WEIGHT.quality * (1 - entry.quality) + WEIGHT.links * overlinked,
        reasons: reasons.filter(Boolean),
      };
    })
    .sort((a, b) => b.need - a.need || (a.entry.id < b.entry.id ? -1 : 1));
}
