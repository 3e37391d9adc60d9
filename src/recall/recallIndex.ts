import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { analyze } from './analyze.ts';
import { FREQUENCY_UNIT, Partition, type WeightedTerm } from './partition.ts';

/** What the index knows of an entry. */
export interface RecallDocument {
  readonly id: string;
  readonly level: Level;
  readonly key: string;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly file: string;
}

/** One document found by a query. */
export interface Hit {
  readonly id: string;
  /** BM25, > 0. */
  readonly score: number;
  /** Score as a share of the best score among this query's hits, in (0, 1]. */
  readonly relevance: number;
  /** The query's terms that the document contains, in analysed form. */
  readonly terms: readonly string[];
}

export interface SearchOptions {
  /** Level of the reader: documents that may not flow to it do not exist for this search. */
  readonly level: Level;
  /** Most hits to return. */
  readonly limit: number;
  /** Filter applied before the limit; must not change the index. */
  accept?(id: string): boolean;
}

/** How much one occurrence counts by field: what names an entry says more about it than what it mentions. */
const KEY_WEIGHT = 2;
const TAG_WEIGHT = 1.5;
const CATEGORY_WEIGHT = 0.5;
const CONTENT_WEIGHT = 1;
const FILE_WEIGHT = 1;

/**
 * Query terms used. Questions have fewer; when an entry's whole text is the query (looking for duplicates), the
 * rarest of its terms identify it as well as all of them, in bounded time.
 */
const MAX_QUERY_TERMS = 64;

interface Candidate {
  readonly id: string;
  readonly score: number;
  readonly slot: number;
  readonly partition: Partition;
}

/**
 * Full-text index over entries, in memory. Statistics of a search are those of the levels the reader may see, so
 * nothing above a reader's level can change a score or an order.
 */
export class RecallIndex {
  readonly #partitions = new Map<Level, Partition>();

  constructor() {
    this.clear();
  }

  /** Documents of all levels. */
  get size(): number {
    return [...this.#partitions.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Removes every document. */
  clear(): void {
    for (const level of LEVELS) this.#partitions.set(level, new Partition());
  }

  /** Adds a document, or replaces the one with its id, whatever level that had. */
  put(document: RecallDocument): void {
    this.remove(document.id);
    this.#partitions.get(document.level)?.add(document.id, weightedFrequencies(document));
  }

  /** Removes a document; false when there is none with this id. */
  remove(id: string): boolean {
    return [...this.#partitions.values()].some((partition) => partition.remove(id));
  }

  /**
   * The documents that share a term with the query, best first, equal scores by id. Any text is a valid query and
   * none has operators; one without usable terms finds nothing.
   */
  search(query: string, options: SearchOptions): Hit[] {
    if (options.limit <= 0) return [];
    const visible = LEVELS.filter((level) => canFlowTo(level, options.level))
      .map((level) => this.#partitions.get(level))
      .filter((partition) => partition !== undefined);
    const terms = weigh(query, visible);
    const averageLength = sum(visible, ({ totalLength }) => totalLength) / sum(visible, ({ size }) => size);
    const best: Candidate[] = [];
    for (const partition of visible) {
      partition.score(terms, averageLength, (id, slot, score) => {
        keepBest(best, { id, score, slot, partition }, options);
      });
    }
    const top = best[0]?.score ?? 1;
    return best.map(({ id, score, slot, partition }) => ({
      id,
      score,
      relevance: score / top,
      terms: partition.matches(slot, terms),
    }));
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
  for (const [text, weight] of occurrences) {
    occurrences.set(text, Math.max(1, Math.round(weight * FREQUENCY_UNIT)));
  }
  return occurrences;
}

/** The query's terms that occur in a visible document, with their worth, at most the best `MAX_QUERY_TERMS`. */
function weigh(query: string, visible: readonly Partition[]): WeightedTerm[] {
  const weights = new Map<string, number>();
  for (const { text, weight } of analyze(query)) weights.set(text, Math.max(weights.get(text) ?? 0, weight));
  const documents = sum(visible, ({ size }) => size);
  const terms: WeightedTerm[] = [];
  for (const [text, weight] of weights) {
    const frequency = sum(visible, (partition) => partition.documentFrequency(text));
    if (frequency === 0) continue;
    const rarity = Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));
    terms.push({ text, value: weight * rarity });
  }
  return terms
    .sort((one, other) => other.value - one.value || compare(one.text, other.text))
    .slice(0, MAX_QUERY_TERMS);
}

/** Inserts a candidate into the ordered list of the best `limit`, asking `accept` only when it would get in. */
function keepBest(best: Candidate[], candidate: Candidate, { limit, accept }: SearchOptions): void {
  const last = best[limit - 1];
  if (last !== undefined && order(last, candidate) < 0) return;
  if (accept !== undefined && !accept(candidate.id)) return;
  let from = 0;
  let to = best.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (order(best[middle] as Candidate, candidate) < 0) from = middle + 1;
    else to = middle;
  }
  best.splice(from, 0, candidate);
  if (best.length > limit) best.pop();
}

function order(one: Candidate, other: Candidate): number {
  return other.score - one.score || compare(one.id, other.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
