import type { Entry, Reader } from '../memory/entry.ts';
import { passes } from '../memory/filter.ts';
import { type FoldedEntry, qualityAt } from '../memory/fold.ts';
import type { MemoryStore, StoreChange } from '../memory/store.ts';
import { analyze } from '../recall/analyze.ts';
import { type EntrySignals, measuredImportance, rank, reasons } from '../recall/ranking.ts';
import { RecallIndex } from '../recall/recallIndex.ts';
import type { Recalled, RecallInput, RecallOutcome } from './api.ts';

/** Candidates looked at beyond the limit, since boosts may lift an entry past others. */
const MARGIN = 40;

type Accepts = (entry: FoldedEntry | undefined) => entry is FoldedEntry;

/** Keeps the recall index in step with the store and answers queries over both. */
export class Searcher {
  readonly #store: MemoryStore;
  readonly #now: () => number;
  readonly #index = new RecallIndex();
  /** Pinned entries come first even without a match, so they are at hand. */
  readonly #pinned = new Set<string>();

  constructor(store: MemoryStore, now: () => number) {
    this.#store = store;
    this.#now = now;
    for (const entry of store.all()) this.#put(entry);
  }

  update(change: StoreChange): void {
    if (change.reset) {
      this.#index.clear();
      this.#pinned.clear();
      for (const entry of this.#store.all()) this.#put(entry);
      return;
    }
    for (const id of change.ids) {
      const entry = this.#store.folded(id);
      if (entry === undefined) {
        this.#index.remove(id);
        this.#pinned.delete(id);
      } else this.#put(entry);
    }
  }

  recall({ query, filter, limit, matchesOnly }: RecallInput, reader: Reader): RecallOutcome {
    const accepts: Accepts = (entry): entry is FoldedEntry =>
      entry !== undefined &&
      passes(entry, filter) &&
      !this.#store.isExpired(entry) &&
      this.#store.isVisible(entry, reader);
    if (query.trim() === '') return this.#everything(accepts, limit, reader);
    const found =
      (filter.status ?? 'active') === 'active'
        ? this.#search(query, accepts, limit, reader)
        : this.#scan(query, accepts, reader);
    const ordered = matchesOnly === true ? found : this.#pinnedFirst(found, accepts);
    const results = ordered.slice(0, limit);
    return { results, total: results.length };
  }

  /** Ids of the entries most like a text, best first. */
  similar(text: string, limit: number, reader: Reader, accept: (id: string) => boolean): string[] {
    return this.#index.search(text, { level: reader.level, limit, accept }).map(({ id }) => id);
  }

  /** The words of an entry as recall compares them. */
  words(entry: Pick<Entry, 'key' | 'content' | 'tags'>): Set<string> {
    return new Set(analyze(`${entry.key} ${entry.tags.join(' ')} ${entry.content}`).map(({ text }) => text));
  }

  /** Pinned entries that match, pinned ones that do not, newest first, then the others. */
  #pinnedFirst(found: readonly Recalled[], accepts: Accepts): Recalled[] {
    const pinned = found.filter(({ entry }) => entry.pinned);
    const known = new Set(pinned.map(({ entry }) => entry.id));
    const unmatched = [...this.#pinned]
      .flatMap((id) => {
        const entry = this.#store.folded(id);
        return !known.has(id) && accepts(entry) ? [entry] : [];
      })
      .sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1))
      .map((entry) => this.#recalled(entry, 0));
    return [...pinned, ...unmatched, ...found.filter(({ entry }) => !entry.pinned)];
  }

  #search(query: string, accepts: Accepts, limit: number, reader: Reader): Recalled[] {
    const hits = this.#index.search(query, {
      level: reader.level,
      limit: limit + MARGIN,
      accept: (id) => accepts(this.#store.folded(id)),
    });
    return rank(hits, (id) => this.#signals(id), this.#now()).flatMap(
      ({ id, relevance, reasons: reason }) => {
        const entry = this.#store.folded(id);
        return entry === undefined ? [] : [{ entry: this.#store.present(entry), relevance, reason }];
      },
    );
  }

  /** Forgotten and superseded entries are not in the index; the few that are looked for are scanned. */
  #scan(query: string, accepts: Accepts, reader: Reader): Recalled[] {
    const wanted = analyze(query).map(({ text }) => text);
    return [...this.#store.visible(reader)]
      .filter(accepts)
      .map((entry) => {
        const own = this.words(entry);
        return this.#recalled(
          entry,
          wanted.filter((word) => own.has(word)).length / Math.max(1, wanted.length),
        );
      })
      .filter(({ relevance }) => relevance > 0)
      .sort(byRelevance);
  }

  /** Without a query, relevance says how much an entry matters by itself: recency, use and quality. */
  #everything(accepts: Accepts, limit: number, reader: Reader): RecallOutcome {
    const scored = [...this.#store.visible(reader)].filter(accepts).map((entry) => {
      const signals = this.#signalsOf(entry);
      return { entry, worth: measuredImportance(signals, this.#now()) + signals.quality };
    });
    const best = scored.reduce((most, { worth }) => Math.max(most, worth), 0);
    scored.sort(
      (a, b) =>
        Number(b.entry.pinned) - Number(a.entry.pinned) ||
        b.worth - a.worth ||
        b.entry.updated - a.entry.updated ||
        (a.entry.id < b.entry.id ? -1 : 1),
    );
    const results = scored
      .slice(0, limit)
      .map(({ entry, worth }) => this.#recalled(entry, best > 0 ? worth / best : 0));
    return { results, total: scored.length };
  }

  #recalled(folded: FoldedEntry, relevance: number): Recalled {
    return {
      entry: this.#store.present(folded),
      relevance,
      reason: reasons(relevance, this.#signalsOf(folded), this.#now()),
    };
  }

  #signals(id: string): EntrySignals | undefined {
    const entry = this.#store.folded(id);
    return entry === undefined ? undefined : this.#signalsOf(entry);
  }

  /** Like `present`, without a copy of the entry: listing everything asks this for every one. */
  #signalsOf(folded: FoldedEntry): EntrySignals {
    const { used, lastUsed } = this.#store.usage(folded.id);
    return {
      quality: qualityAt(folded, this.#now()),
      category: folded.category,
      importance: folded.importance ?? '',
      createdAt: folded.updated,
      used,
      lastUsedAt: lastUsed,
    };
  }

  #put(entry: FoldedEntry): void {
    if (entry.pinned) this.#pinned.add(entry.id);
    else this.#pinned.delete(entry.id);
    if (entry.status !== 'active') {
      this.#index.remove(entry.id);
      return;
    }
    const additions = entry.revisions.filter(({ addition }) => addition).map(({ text }) => text);
    this.#index.put({
      id: entry.id,
      level: entry.level,
      key: entry.key,
      category: entry.category,
      content: [entry.content, ...additions].join('\n'),
      tags: entry.tags,
      file: entry.file,
    });
  }
}

function byRelevance(a: Recalled, b: Recalled): number {
  return b.relevance - a.relevance || (a.entry.id < b.entry.id ? -1 : 1);
}
