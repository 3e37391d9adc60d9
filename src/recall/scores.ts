import type { Query, QueryTerm } from './query.ts';
import type { Located, Shelf } from './shelf.ts';
import type { Signals } from './signals.ts';
import type { Around, Place } from './surroundings.ts';

/** The documents that a search may see. */
interface Documents {
  find(id: string): Located | undefined;
  around(id: string, place: Place): Around;
  linkedAt(id: string, place: Place): readonly string[];
}

/** One level in a running search. */
interface ScoredShelf {
  readonly shelf: Shelf;
  /** Slots of the documents that have one of the terms. */
  readonly touched: readonly number[];
}

/** How a document's own words answer a query. */
interface OwnWords {
  /** BM25 times the coordination factor. */
  readonly text: number;
  /** How much of the query's worth it has in no form, 0..1. */
  readonly lack: number;
  /** Which of the query's terms it contains, by their place in the query, ascending. */
  readonly matched: readonly number[];
}

/** A document that has some of a running search's terms. What stands around it is looked up when it is asked for. */
export class Doc implements Located, OwnWords {
  readonly id: string;
  readonly shelf: Shelf;
  readonly slot: number;
  readonly place: Place;
  readonly text: number;
  readonly lack: number;
  readonly matched: readonly number[];
  readonly #view: Documents;
  #linked: readonly string[] | undefined;
  #around: Around | undefined;

  constructor(
    view: Documents,
    { id, shelf, slot }: Located,
    place: Place,
    { text, lack, matched }: OwnWords,
  ) {
    this.#view = view;
    this.id = id;
    this.shelf = shelf;
    this.slot = slot;
    this.place = place;
    this.text = text;
    this.lack = lack;
    this.matched = matched;
  }

  /** Ids of the documents it is linked with. */
  get linked(): readonly string[] {
    this.#linked ??= this.#view.linkedAt(this.id, this.place);
    return this.#linked;
  }

  /** The two steps before it in its session and the two after it, nearest first. */
  get around(): Around {
    this.#around ??= this.#view.around(this.id, this.place);
    return this.#around;
  }
}

/** A running search. What is asked twice is worked out once. */
export class Scores {
  readonly #view: Documents;
  readonly #shelves: readonly ScoredShelf[];
  readonly #query: Query;
  readonly #power: number;
  readonly #wanted: number;
  /** null: it is not there, or has none of the terms. */
  readonly #known = new Map<string, Doc | null>();
  /** By word of the query, of the document that is being read: how surely it has it, and whether it has it at all. */
  readonly #certainty: Float64Array;
  readonly #presence: Float64Array;

  constructor(view: Documents, shelves: readonly ScoredShelf[], query: Query, { coordination }: Signals) {
    this.#view = view;
    this.#shelves = shelves;
    this.#query = query;
    this.#power = coordination;
    this.#wanted = query.free + query.worth.reduce((sum, worth) => sum + worth, 0);
    this.#certainty = new Float64Array(query.worth.length);
    this.#presence = new Float64Array(query.worth.length);
  }

  /** Calls `visit` for each document that has one of the query's terms, with its BM25 score. */
  forEach(visit: (score: number, slot: number, shelf: Shelf) => void): void {
    for (const { shelf, touched } of this.#shelves)
      for (const slot of touched) visit(shelf.partition.scoreAt(slot), slot, shelf);
  }

  /** A document by its id, if it has some of the terms. */
  doc(id: string): Doc | undefined {
    let doc = this.#known.get(id);
    if (doc === undefined) {
      doc = this.#read(id) ?? null;
      this.#known.set(id, doc);
    }
    return doc ?? undefined;
  }

  /** The best BM25 score, times the coordination factor, among these; 0 when none has any of the terms. */
  bestOf(ids: readonly string[]): number {
    let best = 0;
    for (const id of ids) best = Math.max(best, this.doc(id)?.text ?? 0);
    return best;
  }

  #read(id: string): Doc | undefined {
    const found = this.#view.find(id);
    if (found === undefined) return undefined;
    const { shelf, slot } = found;
    const bare = shelf.partition.scoreAt(slot);
    // Most of what stands around a match has none of the terms.
    const place = bare === 0 ? undefined : shelf.surroundings.place(id);
    if (place === undefined) return undefined;
    const own = this.#ownWords(bare, shelf.partition.matchedAt(slot));
    return own.text === 0 ? undefined : new Doc(this.#view, found, place, own);
  }

  #ownWords(bare: number, matched: readonly number[]): OwnWords {
    const { terms } = this.#query;
    this.#certainty.fill(0);
    this.#presence.fill(0);
    for (const at of matched) {
      const { word, certainty } = terms[at] as QueryTerm;
      this.#presence[word] = 1;
      if (certainty > (this.#certainty[word] as number)) this.#certainty[word] = certainty;
    }
    const text = bare * this.#share(this.#certainty) ** this.#power;
    return { text, lack: 1 - this.#share(this.#presence), matched };
  }

  /** How much of the query's worth is there, 0..1, when so much of each word is. */
  #share(ofWord: Float64Array): number {
    if (this.#wanted === 0) return 1;
    const { worth, free } = this.#query;
    let found = free;
    for (let word = 0; word < worth.length; word++)
      found += (worth[word] as number) * (ofWord[word] as number);
    return Math.min(1, found / this.#wanted);
  }
}
