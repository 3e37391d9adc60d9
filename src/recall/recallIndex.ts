import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { Best } from './best.ts';
import { type Mark, marksOf, POOL, type Scored, type ScoredInContext, scoreInContext } from './context.ts';
import { type SearchedFields, weightedFrequencies } from './frequencies.ts';
import { Partition } from './partition.ts';
import type { PartitionImage } from './postings.ts';
import { type QueryTerm, readQuery } from './query.ts';
import type { Shelf } from './shelf.ts';
import { SIGNALS, type Signals } from './signals.ts';
import { Surroundings } from './surroundings.ts';
import { View } from './view.ts';

/** What the index knows of an entry. */
export interface RecallDocument extends SearchedFields {
  readonly id: string;
  readonly level: Level;
  /** Session in which it was written; '' when unknown. */
  readonly session: string;
  /** When it was written, epoch milliseconds. */
  readonly at: number;
  /** Keys of explicit links and `[[key]]` references. */
  readonly links?: readonly string[] | undefined;
}

/** One document found by a query. */
export interface Hit {
  readonly id: string;
  /** BM25 of the text and of what stands around it, > 0. */
  readonly score: number;
  /** Score as a share of the best score among this query's hits, in (0, 1]. */
  readonly relevance: number;
  /** How many documents it is linked with. */
  readonly links: number;
  /** The query's terms that the document contains, in analysed form, and others that may be meant by them. */
  readonly terms: readonly string[];
  /** What counted besides its own words. */
  readonly marks?: readonly Mark[] | undefined;
}

export interface SearchOptions {
  /** Level of the reader: documents that may not flow to it do not exist for this search. */
  readonly level: Level;
  /** Most hits to return. */
  readonly limit: number;
  /** Filter applied before the limit; must not change the index. */
  accept?: ((id: string) => boolean) | undefined;
  /** `text`: what stands around a document does not matter. */
  readonly by?: 'text' | 'context' | undefined;
  readonly signals?: Partial<Signals> | undefined;
}

/**
 * Full-text index over entries, in memory. Statistics of a search are those of the levels the reader may see, so
 * nothing above a reader's level can change a score or an order.
 */
export class RecallIndex {
  readonly #shelves = new Map<Level, Shelf>();

  constructor() {
    this.clear();
  }

  /** Documents of all levels. */
  get size(): number {
    return [...this.#shelves.values()].reduce((n, { partition }) => n + partition.size, 0);
  }

  /** Removes every document. */
  clear(): void {
    for (const level of LEVELS)
      this.#shelves.set(level, { partition: new Partition(), surroundings: new Surroundings() });
  }

  /** Adds a document, or replaces the one with its id, whatever level that had. */
  put(document: RecallDocument): void {
    this.remove(document.id);
    const shelf = this.#shelves.get(document.level);
    shelf?.partition.add(document.id, weightedFrequencies(document));
    shelf?.surroundings.add(document.id, document);
  }

  /** The words of a level's documents, for `load`. */
  image(level: Level): PartitionImage | undefined {
    return this.#shelves.get(level)?.partition.image();
  }

  /**
   * Takes over the words of a level's documents in place of what is there. Each of the documents must then be placed, put
   * or removed before the first search. The image must not be used after that.
   */
  load(level: Level, image: PartitionImage): void {
    const partition = new Partition();
    partition.load(image);
    this.#shelves.set(level, { partition, surroundings: new Surroundings() });
  }

  /** Says where a document stands whose words were loaded. */
  place(document: RecallDocument): void {
    this.#shelves.get(document.level)?.surroundings.add(document.id, document);
  }

  /** Removes a document; false when there is none with this id. */
  remove(id: string): boolean {
    return [...this.#shelves.values()].some(({ partition, surroundings }) => {
      surroundings.remove(id);
      return partition.remove(id);
    });
  }

  search(text: string, options: SearchOptions): Hit[] {
    if (options.limit <= 0) return [];
    const { accept, limit } = options;
    const signals = { ...SIGNALS, ...options.signals };
    const view = this.#view(options.level);
    const query = readQuery(text, view, signals);
    return view.search(query, signals, (scores) => {
      const inContext = options.by !== 'text';
      const matches = new Best<Scored>(inContext ? Math.max(POOL, limit) : limit, accept);
      scores.forEach((score, slot, shelf) => {
        if (matches.wants(score)) matches.put({ id: shelf.partition.idAt(slot), slot, shelf, score });
      });
      const hitOf = ({ id, score }: Scored, top: Scored): Hit => {
        const { linked = [], matched = [] } = scores.doc(id) ?? {};
        const terms = matched.map((at) => (query.terms[at] as QueryTerm).text);
        return { id, score, relevance: score / top.score, links: linked.length, terms };
      };
      if (!inContext) return matches.list.map((found, _, [top]) => hitOf(found, top as Scored));
      const best = new Best<ScoredInContext>(limit, accept);
      for (const scored of scoreInContext(matches.list, query, scores, signals)) best.put(scored);
      return best.list.map((found, _, [top]) => ({
        ...hitOf(found, top as Scored),
        marks: marksOf(found, query),
      }));
    });
  }

  /** Ids of the documents that one links to or that link to it, of those the reader may see. */
  linked(id: string, level: Level): readonly string[] {
    return this.#view(level).linked(id);
  }

  /** Ids of the documents that link to a key, of those the reader may see. */
  linkedFrom(key: string, level: Level): string[] {
    return this.#view(level).linkedFrom(key);
  }

  #view(level: Level): View {
    return new View(
      LEVELS.filter((each) => canFlowTo(each, level)).flatMap((each) => this.#shelves.get(each) ?? []),
    );
  }
}
