import type { Partition } from './partition.ts';
import type { Query, QueryTerm, Vocabulary } from './query.ts';
import type { Signals } from './signals.ts';
import type { Spelling } from './spellings.ts';
import { compareSteps, type Place, type Step, type Surroundings } from './surroundings.ts';

/** The documents of one level. */
export interface Shelf {
  readonly partition: Partition;
  readonly surroundings: Surroundings;
}

/** A document and where it stands. */
export interface Located {
  readonly id: string;
  readonly shelf: Shelf;
  readonly slot: number;
}

/** Links into one document that are followed; a hub that everything names says nothing about the rest. */
const MAX_LINKS = 32;

/** What a reader may see of the index: nothing it answers depends on a level above. */
export class View implements Vocabulary {
  readonly #shelves: readonly Shelf[];

  constructor(shelves: readonly Shelf[]) {
    this.#shelves = shelves.filter(({ partition }) => partition.size > 0);
  }

  get size(): number {
    return this.#sum(({ partition }) => partition.size);
  }

  get averageLength(): number {
    return this.#sum(({ partition }) => partition.totalLength) / this.size;
  }

  frequency = (text: string): number => this.#sum(({ partition }) => partition.documentFrequency(text));

  near(word: string, most: number): Spelling[] {
    const found = new Map<string, Spelling>();
    for (const { partition } of this.#shelves)
      for (const spelling of partition.near(word, most)) found.set(spelling.text, spelling);
    const spellings = [...found.values()].sort(
      (one, other) => one.errors - other.errors || (one.text < other.text ? -1 : 1),
    );
    return spellings.filter(({ errors }) => errors === spellings[0]?.errors).slice(0, most);
  }

  /** Runs a search; scores are there only within `use`. */
  search<T>(query: Query, signals: Signals, use: (scores: Scores) => T): T {
    const average = this.averageLength;
    const scored = this.#shelves.map((shelf) => ({
      shelf,
      touched: shelf.partition.score(query.terms, average),
      numbers: query.terms.map(({ text }) => shelf.partition.numberOf(text)),
    }));
    try {
      return use(new Scores(this, scored, query, signals));
    } finally {
      for (const { shelf, touched } of scored) shelf.partition.release(touched);
    }
  }

  find(id: string): Located | undefined {
    for (const shelf of this.#shelves) {
      const slot = shelf.partition.slotOf(id);
      if (slot !== undefined) return { id, shelf, slot };
    }
    return undefined;
  }

  /** The two steps before a place in its session and the two after it, nearest first. */
  around(id: string, { session, at }: Place): { before: Step[]; after: Step[] } {
    const [first, ...others] = this.#shelves;
    if (session === '' || first === undefined) return { before: [], after: [] };
    const found = first.surroundings.around(session, { id, at }, 2);
    if (others.length === 0) return found;
    for (const { surroundings } of others) {
      const { before, after } = surroundings.around(session, { id, at }, 2);
      found.before.push(...before);
      found.after.push(...after);
    }
    return {
      before: found.before.sort((one, other) => compareSteps(other, one)).slice(0, 2),
      after: found.after.sort(compareSteps).slice(0, 2),
    };
  }

  /** Every document that links to a key. */
  linkedFrom(key: string): string[] {
    return this.#shelves.flatMap(({ surroundings }) => [...surroundings.linkedFrom(key)]);
  }

  /** The documents that one links to or that link to it, by explicit links and `[[key]]`. */
  linked(id: string): string[] {
    const place = this.find(id)?.shelf.surroundings.place(id);
    if (place === undefined) return [];
    const ids = new Set<string>();
    for (const { surroundings } of this.#shelves) {
      for (const key of place.links ?? []) {
        const target = surroundings.named(key);
        if (target !== undefined) ids.add(target);
      }
      for (const from of surroundings.linkedFrom(place.key)) {
        if (ids.size >= MAX_LINKS) break;
        ids.add(from);
      }
    }
    ids.delete(id);
    return [...ids];
  }

  #sum(value: (shelf: Shelf) => number): number {
    return this.#shelves.reduce((total, shelf) => total + value(shelf), 0);
  }
}

/** One level in a running search. */
interface ScoredShelf {
  readonly shelf: Shelf;
  /** Slots of the documents that have one of the terms. */
  readonly touched: readonly number[];
  /** The partition's numbers of the query's terms; undefined for those it does not know. */
  readonly numbers: readonly (number | undefined)[];
}

/** A document in a running search. */
export interface Doc extends Located {
  readonly place: Place;
  /** BM25 times the coordination factor; 0 for a document that has none of the terms. */
  readonly text: number;
  /** How much of the query's worth it has in no form, 0..1. */
  readonly lack: number;
  /** Which of the query's terms it contains, by their place in the query. */
  readonly matched: readonly number[];
  /** Ids of the documents it is linked with. */
  readonly linked: readonly string[];
}

/** A running search. What is asked twice is worked out once. */
export class Scores {
  readonly #view: View;
  readonly #shelves: readonly ScoredShelf[];
  readonly #query: Query;
  readonly #power: number;
  readonly #wanted: number;
  readonly #known = new Map<string, Doc | undefined>();

  constructor(view: View, shelves: readonly ScoredShelf[], query: Query, { coordination }: Signals) {
    this.#view = view;
    this.#shelves = shelves;
    this.#query = query;
    this.#power = coordination;
    this.#wanted = query.free + query.worth.reduce((sum, worth) => sum + worth, 0);
  }

  /** Calls `visit` for each document that has one of the query's terms, with its BM25 score. */
  forEach(visit: (score: number, slot: number, shelf: Shelf) => void): void {
    for (const { shelf, touched } of this.#shelves)
      for (const slot of touched) visit(shelf.partition.scoreAt(slot), slot, shelf);
  }

  /** A document by its id. */
  doc(id: string): Doc | undefined {
    if (!this.#known.has(id)) this.#known.set(id, this.#read(id));
    return this.#known.get(id);
  }

  /** The documents with some of the terms among these. */
  docs(ids: readonly string[]): Doc[] {
    return ids.flatMap((id) => {
      const doc = this.doc(id);
      return doc === undefined || doc.text === 0 ? [] : [doc];
    });
  }

  #read(id: string): Doc | undefined {
    const found = this.#view.find(id);
    const place = found?.shelf.surroundings.place(id);
    if (found === undefined || place === undefined) return undefined;
    const { shelf, slot } = found;
    const bare = shelf.partition.scoreAt(slot);
    const numbers = this.#shelves.find((each) => each.shelf === shelf)?.numbers ?? [];
    const matched = bare === 0 ? [] : shelf.partition.whichIn(slot, numbers);
    const text = bare * this.#share(matched, ({ certainty }) => certainty) ** this.#power;
    const lack = 1 - this.#share(matched, () => 1);
    return { id, shelf, slot, place, text, lack, matched, linked: this.#view.linked(id) };
  }

  /** How much of the query's worth is in some of its terms, 0..1; `certaintyOf`: how sure one stands for its word. */
  #share(matched: readonly number[], certaintyOf: (term: QueryTerm) => number): number {
    if (this.#wanted === 0) return 1;
    const { terms, worth } = this.#query;
    const best = new Float64Array(worth.length);
    for (const at of matched) {
      const term = terms[at] as QueryTerm;
      best[term.word] = Math.max(best[term.word] as number, certaintyOf(term));
    }
    let found = this.#query.free;
    for (let word = 0; word < worth.length; word++) found += (worth[word] as number) * (best[word] as number);
    return Math.min(1, found / this.#wanted);
  }
}
