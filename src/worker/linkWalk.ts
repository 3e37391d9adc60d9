import { isLifted, type Reader } from '../memory/entry.ts';
import { passes } from '../memory/filter.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import type { ReadableMemory } from '../memory/past.ts';
import type { Recalled, RecallInput, RecallOutcome } from './api.ts';
import { namedBy, type Searcher } from './searcher.ts';

/** What one step along a link leaves of relevance (seed 001: 0.5^d). */
const DECAY = 0.5;

interface Reached {
  readonly entry: FoldedEntry;
  relevance: number;
  readonly hops: number;
}

/**
 * What a query matches, or the entries named in `from`, and what these are linked with, in up to `hops` steps along
 * links and `[[key]]` in either direction. A neighbour is as relevant as the best match it was reached from, halved
 * with every step. Entries that fail the filter are not returned, but lead on to others; what a recall never returns
 * leads nowhere.
 */
export function alongLinks(
  input: RecallInput,
  reader: Reader,
  memory: ReadableMemory,
  searcher: Searcher,
): RecallOutcome {
  const mayLead = (entry: FoldedEntry | undefined): entry is FoldedEntry =>
    entry !== undefined &&
    entry.status === 'active' &&
    !memory.isExpired(entry) &&
    memory.isVisible(entry, reader);
  const matched = input.from === undefined ? searcher.recall(input, reader) : undefined;
  const matches = matched?.results ?? [];
  const reached = new Map<string, Reached>();
  for (const { entry, relevance } of matches) {
    const folded = memory.folded(entry.id);
    if (folded !== undefined) reached.set(entry.id, { entry: folded, relevance, hops: 0 });
  }
  // Whoever names an entry means it, whatever else has the words of its key.
  for (const entry of (input.from ?? [input.query]).map((name) => memory.resolve(name, reader)))
    if (mayLead(entry)) reached.set(entry.id, { entry, relevance: 1, hops: 0 });
  let edge = [...reached.values()];
  for (let hops = 1; hops <= (input.hops ?? 1); hops++) {
    const next = new Map<string, Reached>();
    for (const { entry, relevance } of edge) {
      const lent = relevance * DECAY;
      // A pinned entry that matched nothing says nothing of its neighbours.
      if (lent === 0) continue;
      for (const id of searcher.linkedWith(entry.id, reader)) {
        const other = memory.folded(id);
        if (!mayLead(other)) continue;
        const known = reached.get(id) ?? next.get(id);
        if (known === undefined) next.set(id, { entry: other, relevance: lent, hops });
        else known.relevance = Math.max(known.relevance, lent);
      }
    }
    for (const [id, each] of next) reached.set(id, each);
    edge = [...next.values()];
  }
  const named = input.from === undefined ? namedBy(input.query, memory)?.id : undefined;
  const found = new Map(matches.map((match) => [match.entry.id, match]));
  const results = [...reached.values()]
    .filter(({ entry }) => passes(entry, input.filter))
    .sort((a, b) => Number(b.entry.id === named) - Number(a.entry.id === named) || byRelevance(a, b))
    .slice(0, input.limit)
    .map(({ entry, relevance, hops }): Recalled => {
      const match = found.get(entry.id);
      if (match?.relevance === relevance) return match;
      return { ...searcher.recalled(entry, relevance, hops), ...(hops > 0 && { hops }) };
    });
  const unmatched =
    matched?.unmatched === true && [...reached.values()].every(({ relevance }) => relevance === 0);
  return { results, total: results.length, ...(unmatched ? { unmatched } : {}) };
}

/** Pinned entries first, then the more relevant, matches before neighbours. */
function byRelevance(a: Reached, b: Reached): number {
  return (
    Number(isLifted(b.entry)) - Number(isLifted(a.entry)) ||
    b.relevance - a.relevance ||
    a.hops - b.hops ||
    (a.entry.id < b.entry.id ? -1 : 1)
  );
}
