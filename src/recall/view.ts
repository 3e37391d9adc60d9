import type { Query, Vocabulary } from './query.ts';
import { Scores } from './scores.ts';
import type { Located, Shelf } from './shelf.ts';
import type { Signals } from './signals.ts';
import type { Spelling } from './spellings.ts';
import { type Around, compareSteps, type Place } from './surroundings.ts';

/** Links into one document that are followed; a hub that everything names says nothing about the rest. */
const MAX_LINKS = 32;
const NOTHING: readonly string[] = [];

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
  around(id: string, { session, at }: Place): Around {
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
  linked(id: string): readonly string[] {
    const place = this.find(id)?.shelf.surroundings.place(id);
    return place === undefined ? NOTHING : this.linkedAt(id, place);
  }

  /** The same of a document whose place is known. */
  linkedAt(id: string, { key, links = NOTHING }: Place): readonly string[] {
    let ids: Set<string> | undefined;
    for (const { surroundings } of this.#shelves) {
      for (const name of links) {
        const target = surroundings.named(name);
        if (target !== undefined) ids = (ids ?? new Set()).add(target);
      }
      for (const from of surroundings.linkedFrom(key)) {
        if (ids !== undefined && ids.size >= MAX_LINKS) break;
        ids = (ids ?? new Set()).add(from);
      }
    }
    // Most documents have no links.
    if (ids === undefined) return NOTHING;
    ids.delete(id);
    return [...ids];
  }

  #sum(value: (shelf: Shelf) => number): number {
    return this.#shelves.reduce((total, shelf) => total + value(shelf), 0);
  }
}
