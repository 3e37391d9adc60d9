import { type Entry, isLifted, type Reader } from '../memory/entry.ts';
import { passes } from '../memory/filter.ts';
import { type FoldedEntry, qualityAt } from '../memory/fold.ts';
import { normalizeKey } from '../memory/operation.ts';
import type { ReadableMemory } from '../memory/past.ts';
import type { StoreChange } from '../memory/storeChange.ts';
import { LEVELS, type Level } from '../policy/level.ts';
import { analyze } from '../recall/analyze.ts';
import { Best } from '../recall/best.ts';
import { DIGEST_LENGTH, digestOf } from '../recall/frequencies.ts';
import type { SavedIndex, SavedShelf } from '../recall/indexBytes.ts';
import { type EntrySignals, measuredImportance, type RankedHit, rank, reasons } from '../recall/ranking.ts';
import { RecallIndex } from '../recall/recallIndex.ts';
import { scriptOf } from '../recall/script.ts';
import type { Recalled, RecallInput, RecallOutcome } from './api.ts';
import { closeness } from './closeness.ts';
import { documentOf } from './document.ts';

/** Candidates looked at beyond the limit, since boosts may lift an entry past others. */
const MARGIN = 40;

/** Lifts pinned entries over all others: worth is at most 2. */
const PINNED = 10;

const NOTHING_SAVED: SavedIndex = { position: '', shelves: [] };

/** An entry that was found; what it is shown with is worked out for those that are shown. */
interface Found {
  readonly entry: FoldedEntry;
  readonly relevance: number;
  readonly ranked?: RankedHit | undefined;
}

type Accepts = (entry: FoldedEntry | undefined) => entry is FoldedEntry;

/** Keeps the recall index in step with the store and answers queries over both. */
export class Searcher {
  readonly #store: ReadableMemory;
  readonly #now: () => number;
  readonly #index = new RecallIndex();
  /** Pinned entries come first even without a match, so they are at hand. */
  readonly #pinned = new Set<string>();
  #changes = 0;

  /** `saved`: to begin with, if it was kept. `progress` is told how much is indexed, 0 to 1. */
  constructor(
    store: ReadableMemory,
    now: () => number,
    saved: SavedIndex = NOTHING_SAVED,
    progress: (share: number) => void = () => {},
  ) {
    this.#store = store;
    this.#now = now;
    this.#load(saved, progress);
  }

  /** What a start can begin with that finds it, without levels for which `sealed` holds; see `changes`. */
  saved(position: string, sealed: (level: Level) => boolean): SavedIndex {
    const digests = (ids: readonly string[]) =>
      ids.map((id) => {
        const entry = this.#store.folded(id);
        return entry === undefined ? ''.padEnd(DIGEST_LENGTH) : digestOf(documentOf(entry));
      });
    const shelves = LEVELS.filter((level) => !sealed(level)).flatMap((level): SavedShelf[] => {
      const image = this.#index.image(level);
      if (image === undefined || image.ids.length === 0) return [];
      return [{ level, image, digests: digests(image.ids).join('') }];
    });
    this.#changes = 0;
    return { position, shelves };
  }

  /** Documents put or removed since the index was loaded or last saved. */
  get changes(): number {
    return this.#changes;
  }

  /** Documents of all levels. */
  get size(): number {
    return this.#index.size;
  }

  update(change: StoreChange): void {
    for (const id of change.ids) {
      const entry = this.#store.folded(id);
      if (entry === undefined) {
        this.#changes++;
        this.#index.remove(id);
        this.#pinned.delete(id);
      } else this.#put(entry);
    }
    // The saved index is gone, so the next start would have to analyse all of them.
    if (change.reset) this.#changes = Math.max(this.#changes, this.#index.size);
  }

  recall(input: RecallInput, reader: Reader): RecallOutcome {
    const { query, filter, limit, matchesOnly } = input;
    const accepts: Accepts = (entry): entry is FoldedEntry =>
      entry !== undefined &&
      passes(entry, filter) &&
      !this.#store.isExpired(entry) &&
      this.#store.isVisible(entry, reader);
    if (query.trim() === '') return this.#everything(accepts, limit);
    const matched =
      (filter.status ?? 'active') === 'active'
        ? this.#search(input, accepts, reader)
        : this.#scan(query, accepts, reader);
    const ordered = matchesOnly === true ? matched : this.#pinnedFirst(matched, accepts);
    const named = namedBy(query, this.#store);
    const isNamed = accepts(named);
    // Whoever says an entry's id means it, whatever else has it among its words, and whatever is pinned.
    const found = isNamed
      ? [{ entry: named, relevance: 1 }, ...ordered.filter(({ entry }) => entry.id !== named.id)]
      : ordered;
    const results = found.slice(0, limit).map((each) => this.#shown(each));
    const unmatched = results.length > 0 && matched.length === 0 && !isNamed;
    return { results, total: results.length, ...(unmatched ? { unmatched } : {}) };
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
  #pinnedFirst(found: readonly Found[], accepts: Accepts): Found[] {
    const pinned = found.filter(({ entry }) => isLifted(entry));
    const known = new Set(pinned.map(({ entry }) => entry.id));
    const unmatched = [...this.#pinned]
      .flatMap((id) => {
        const entry = this.#store.folded(id);
        return !known.has(id) && accepts(entry) ? [entry] : [];
      })
      .sort((a, b) => b.updated - a.updated || (a.id < b.id ? -1 : 1))
      .map((entry) => ({ entry, relevance: 0 }));
    return [...pinned, ...unmatched, ...found.filter(({ entry }) => !isLifted(entry))];
  }

  #search(input: RecallInput, accepts: Accepts, reader: Reader): Found[] {
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
    const { limit, signals } = input;
    const options = { now: this.#now(), rrf: input.rrf !== false, limit, signals };
    return rank(hits, signalsOf, options).flatMap((ranked) => {
      const entry = this.#store.folded(ranked.id);
      return entry === undefined ? [] : [{ entry, relevance: ranked.relevance, ranked }];
    });
  }

  /** Forgotten and superseded entries are not in the index; the few that are looked for are scanned. */
  #scan(query: string, accepts: Accepts, reader: Reader): Found[] {
    const wanted = analyze(query).map(({ text }) => text);
    return [...this.#store.visible(reader)]
      .filter(accepts)
      .map((entry) => {
        const own = this.words(entry);
        const relevance = wanted.filter((word) => own.has(word)).length / Math.max(1, wanted.length);
        return { entry, relevance };
      })
      .filter(({ relevance }) => relevance > 0)
      .sort(byRelevance);
  }

  /**
   * Without a query, relevance says how much an entry matters by itself: recency, use and quality. Every entry is
   * looked at once, since what passes is counted; only the few that are shown are ordered and copied.
   */
  #everything(accepts: Accepts, limit: number): RecallOutcome {
    const now = this.#now();
    const best = new Best<{ id: string; score: number; worth: number; entry: FoldedEntry }>(limit);
    let total = 0;
    let most = 0;
    for (const entry of this.#store.all()) {
      if (!accepts(entry)) continue;
      total++;
      const { used } = this.#store.usage(entry.id);
      const worth = measuredImportance({ createdAt: entry.updated, used }, now) + qualityAt(entry, now);
      most = Math.max(most, worth);
      const score = isLifted(entry) ? worth + PINNED : worth;
      if (best.wants(score)) best.put({ id: entry.id, score, worth, entry });
    }
    const results = best.list.map(({ entry, worth }) => this.recalled(entry, most > 0 ? worth / most : 0));
    return { results, total };
  }

  #shown({ entry, relevance, ranked }: Found): Recalled {
    if (ranked === undefined) return this.recalled(entry, relevance);
    return { entry: this.#store.present(entry), relevance, reason: ranked.reasons };
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

  #signalsOf(folded: FoldedEntry): EntrySignals {
    const { used, lastUsed } = this.#store.usage(folded.id);
    return {
      quality: qualityAt(folded, this.#now()),
      lastingQuality: folded.quality,
      category: folded.category,
      importance: folded.importance ?? '',
      createdAt: folded.updated,
      used,
      lastUsedAt: lastUsed,
    };
  }

  /**
   * Begins with a saved index. Whatever the store had when that was saved, each document's words are used only if its
   * entry still says the same: ids alone do not tell, as two entries whose ids collide may swap them.
   */
  #load({ shelves }: SavedIndex, progress: (share: number) => void): void {
    const known = new Map<Level, { slots: Map<string, number>; digests: string }>();
    for (const { level, image, digests } of shelves) {
      known.set(level, { slots: new Map(image.ids.map((id, slot) => [id, slot])), digests });
      this.#index.load(level, image);
    }
    const others: FoldedEntry[] = [];
    for (const entry of this.#store.all()) {
      const { slots, digests } = known.get(entry.level) ?? {};
      const slot = slots?.get(entry.id);
      if (slot === undefined || entry.status !== 'active') {
        others.push(entry);
        continue;
      }
      const document = documentOf(entry);
      if (digests?.startsWith(digestOf(document), slot * DIGEST_LENGTH) !== true) {
        others.push(entry);
        continue;
      }
      this.#index.place(document);
      if (isLifted(entry)) this.#pinned.add(entry.id);
      slots?.delete(entry.id);
    }
    for (const { slots } of known.values())
      for (const id of slots.keys()) {
        this.#index.remove(id);
        this.#changes++;
      }
    for (const [at, entry] of others.entries()) {
      this.#put(entry);
      progress(at / others.length);
    }
  }

  #put(entry: FoldedEntry): void {
    this.#changes++;
    if (isLifted(entry)) this.#pinned.add(entry.id);
    else this.#pinned.delete(entry.id);
    if (entry.status !== 'active') this.#index.remove(entry.id);
    else this.#index.put(documentOf(entry));
  }
}

/** The entry whose id a query is. */
export function namedBy(query: string, memory: Pick<ReadableMemory, 'folded'>): FoldedEntry | undefined {
  return memory.folded(normalizeKey(query));
}

function byRelevance(a: Found, b: Found): number {
  return b.relevance - a.relevance || (a.entry.id < b.entry.id ? -1 : 1);
}
