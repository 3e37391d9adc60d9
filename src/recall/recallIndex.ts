import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { analyze } from './analyze.ts';
import { Best } from './best.ts';
import { POOL, type Scored, scoreInContext } from './context.ts';
import { labelTerms } from './label.ts';
import { FREQUENCY_UNIT, Partition } from './partition.ts';
import { readQuery } from './query.ts';
import { SIGNALS, type Signals } from './signals.ts';
import { Surroundings } from './surroundings.ts';
import { type Shelf, View } from './view.ts';

/** What the index knows of an entry. */
export interface RecallDocument {
  readonly id: string;
  readonly level: Level;
  readonly key: string;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly file: string;
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

/** How much one occurrence counts by field: what names an entry says more about it than what it mentions. */
const KEY_WEIGHT = 2;
const TAG_WEIGHT = 1.5;
const CATEGORY_WEIGHT = 0.5;
const CONTENT_WEIGHT = 1;
const FILE_WEIGHT = 1;
/** A label is only looked up, so it should not count as length. */
const LABEL_WEIGHT = 0.1;

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
      const best = new Best<Scored>(inContext ? Math.max(POOL, limit) : limit, accept);
      scores.forEach((score, slot, shelf) => {
        if (best.wants(score)) best.put({ id: shelf.partition.idAt(slot), slot, shelf, score });
      });
      const found = inContext ? new Best<Scored>(limit, accept) : best;
      if (inContext)
        for (const scored of scoreInContext(best.list, query, view, scores, signals)) found.put(scored);
      const top = found.list[0]?.score ?? 1;
      return found.list.map(({ id, shelf, slot, score }) => ({
        id,
        score,
        relevance: score / top,
        links: view.linked(id).length,
        terms: query.terms.filter((term) => shelf.partition.has(slot, term.text)).map((term) => term.text),
      }));
    });
  }

  /** Ids of the documents that one links to or that link to it, of those the reader may see. */
  linked(id: string, level: Level): string[] {
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

function weightedFrequencies(document: RecallDocument): Map<string, number> {
  const occurrences = new Map<string, number>();
  const count = (text: string, fieldWeight: number) => {
    for (const term of analyze(text)) {
      occurrences.set(term.text, (occurrences.get(term.text) ?? 0) + term.weight * fieldWeight);
    }
  };
  count(document.key, KEY_WEIGHT);
  count(document.tags.join(' '), TAG_WEIGHT);
  count(document.category, CATEGORY_WEIGHT);
  count(document.content, CONTENT_WEIGHT);
  count(document.file, FILE_WEIGHT);
  for (const label of labelTerms(document.content)) occurrences.set(label, LABEL_WEIGHT);
  for (const [text, weight] of occurrences) {
    occurrences.set(text, Math.max(1, Math.round(weight * FREQUENCY_UNIT)));
  }
  return occurrences;
}
