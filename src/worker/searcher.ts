import type { Entry, Reader } from '../memory/entry.ts';
import { inScope, passes } from '../memory/filter.ts';
import { type FoldedEntry, qualityAt } from '../memory/fold.ts';
import { normalizeKey } from '../memory/operation.ts';
import type { ReadableMemory } from '../memory/past.ts';
import { referencedKeys } from '../memory/quality.ts';
import type { StoreChange } from '../memory/store.ts';
import { analyze } from '../recall/analyze.ts';
import { Best } from '../recall/best.ts';
import { type EntrySignals, measuredImportance, rank, reasons } from '../recall/ranking.ts';
import { RecallIndex } from '../recall/recallIndex.ts';
import { scriptOf } from '../recall/script.ts';
import type { Recalled, RecallInput, RecallOutcome } from './api.ts';

/** Candidates looked at beyond the limit, since boosts may lift an entry past others. */
const MARGIN = 40;

/** Lifts pinned entries over all others: worth is at most 2. */
const PINNED = 10;

type Accepts = (entry: FoldedEntry | undefined) => entry is FoldedEntry;

/** Keeps the recall index in step with the store and answers queries over both. */
export class Searcher {
  readonly #store: ReadableMemory;
  readonly #now: () => number;
  readonly #index = new RecallIndex();
  /** Pinned entries come first even without a match, so they are at hand. */
  readonly #pinned = new Set<string>();

  constructor(store: ReadableMemory, now: () => number) {
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

  recall(input: RecallInput, reader: Reader): RecallOutcome {
    const { query, filter, limit, matchesOnly } = input;
    const accepts: Accepts = (entry): entry is FoldedEntry =>
      entry !== undefined &&
      passes(entry, filter) &&
      !this.#store.isExpired(entry) &&
      this.#store.isVisible(entry, reader);
    if (query.trim() === '') return this.#everything(accepts, limit, reader);
    const found =
      (filter.status ?? 'active') === 'active'
        ? this.#search(input, accepts, reader)
        : this.#scan(query, accepts, reader);
    const ordered = matchesOnly === true ? found : this.#pinnedFirst(found, accepts);
    const results = ordered.slice(0, limit);
    return { results, total: results.length };
  }

  /** Ids of the entries most like a text, best first. */
  similar(text: string, limit: number, reader: Reader, accept: (id: string) => boolean): string[] {
    return this.#index.search(text, { level: reader.level, limit, accept, by: 'text' }).map(({ id }) => id);
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
      .map((entry) => this.recalled(entry, 0));
    return [...pinned, ...unmatched, ...found.filter(({ entry }) => !entry.pinned)];
  }

  #search(input: RecallInput, accepts: Accepts, reader: Reader): Recalled[] {
    const hits = this.#index.search(input.query, {
      level: reader.level,
      signals: input.signals,
      limit: input.limit + MARGIN,
      accept: (id) => accepts(this.#store.folded(id)),
    });
    const script = scriptOf(input.query);
    const signalsOf = (id: string) => {
      const entry = this.#store.folded(id);
      return entry && { ...this.#signalsOf(entry), ...closeness(entry, script, input) };
    };
    return rank(hits, signalsOf, { now: this.#now(), rrf: input.rrf !== false }).flatMap(
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
        return this.recalled(
          entry,
          wanted.filter((word) => own.has(word)).length / Math.max(1, wanted.length),
        );
      })
      .filter(({ relevance }) => relevance > 0)
      .sort(byRelevance);
  }

  /**
   * Without a query, relevance says how much an entry matters by itself: recency, use and quality. Every entry is
   * looked at once, since what passes is counted; only the few that are shown are ordered and copied.
   */
  #everything(accepts: Accepts, limit: number, reader: Reader): RecallOutcome {
    const now = this.#now();
    const best = new Best<{ id: string; score: number; worth: number; entry: FoldedEntry }>(limit);
    let total = 0;
    let most = 0;
    for (const entry of this.#store.visible(reader)) {
      if (!accepts(entry)) continue;
      total++;
      const signals = this.#signalsOf(entry);
      const worth = measuredImportance(signals, now) + signals.quality;
      most = Math.max(most, worth);
      const score = entry.pinned ? worth + PINNED : worth;
      if (best.wants(score)) best.put({ id: entry.id, score, worth, entry });
    }
    const results = best.list.map(({ entry, worth }) => this.recalled(entry, most > 0 ? worth / most : 0));
    return { results, total };
  }

  /** An entry as a result; `hops`: how many links away from the nearest match. */
  recalled(folded: FoldedEntry, relevance: number, hops = 0): Recalled {
    const reason = reasons(relevance, this.#signalsOf(folded), this.#now());
    return {
      entry: this.#store.present(folded),
      relevance,
      reason: hops === 0 ? reason : `${reason} · ${hops} ${hops === 1 ? 'link' : 'links'} away`,
    };
  }

  /** Ids of the entries that an entry links to or that link to it. */
  linkedWith(id: string, reader: Reader): string[] {
    return this.#index.linked(id, reader.level).filter((other) => {
      const entry = this.#store.folded(other);
      return entry !== undefined && this.#store.isVisible(entry, reader);
    });
  }

  /** The entries that link to one, by links and `[[key]]`. */
  linkedFrom({ id, key }: FoldedEntry, reader: Reader): { key: string; id: string }[] {
    return this.#index.linkedFrom(key, reader.level).flatMap((from) => {
      const entry = this.#store.folded(from);
      if (entry === undefined || from === id || !this.#store.isVisible(entry, reader)) return [];
      return [{ key: entry.key, id: from }];
    });
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
      session: entry.session,
      at: entry.created,
      links: [...new Set([...entry.links.map(normalizeKey), ...referencedKeys(entry.content)])],
    });
  }
}

/** How near an entry is to the question and to what the session works on. */
function closeness(
  entry: FoldedEntry,
  script: string,
  { session, currentFile }: RecallInput,
): Pick<EntrySignals, 'sameScript' | 'inSession' | 'inFolder'> {
  return {
    sameScript: script !== '' && script === scriptOf(entry.content),
    inSession:
      session !== undefined &&
      ((session.branch !== '' && session.branch === entry.branch) ||
        session.files.some((file) => inScope({ file: entry.file, pathScope: '' }, file))),
    inFolder:
      currentFile !== undefined &&
      entry.pathScope !== '' &&
      inScope({ file: currentFile, pathScope: '' }, entry.pathScope),
  };
}

function byRelevance(a: Recalled, b: Recalled): number {
  return b.relevance - a.relevance || (a.entry.id < b.entry.id ? -1 : 1);
}
