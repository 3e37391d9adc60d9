/**
 * How much each signal counts when entries are found and ordered. Each can be set to 0 to see what it is worth (`bench
 * retrieval --ablate`). The first ones belong to the text and what stands around it: scores are BM25, shares are of
 * another document's score. The others are what an entry is worth by itself (seed 001, "Ranking"): each is the most it
 * adds to relevance, as a share of it.
 */
export interface Signals {
  /** Power of the share of the query's worth that a document contains. */
  readonly coordination: number;
  /** Share of the score of the entry before it in its session. */
  readonly previous: number;
  /** Share of the score of the entry after it. */
  readonly next: number;
  /** Share of the scores of those one further. */
  readonly second: number;
  /** Share of what of the query its whole session mentions. */
  readonly session: number;
  /** Share of the best score among the documents it is linked with, once for each hop. */
  readonly hop: number;
  /** Factor above 1 for bearing the one label that the query names. */
  readonly label: number;
  /** Factor above 1 for having been written in the period that the query names. */
  readonly period: number;
  /** Share of a word's worth for its synonym. */
  readonly synonym: number;
  /** Share of a word's worth for each error in its spelling. */
  readonly spelling: number;
  /** Share of a score lost to a newer entry on the same topic that is linked with it. */
  readonly superseded: number;
  /** Share of the best score among the matches that share a tag with it. */
  readonly tags: number;
  /** The most that others lend to a document in all, as a share of the best score. */
  readonly company: number;
  /** How well kept it is. */
  readonly quality: number;
  readonly warning: number;
  /** What somebody said it is worth: all of it for critical, half for high, minus half for low. */
  readonly importance: number;
  /** Importance from recency and use. */
  readonly use: number;
  readonly freshness: number;
  /** Written in the script of the query. */
  readonly script: number;
  /** Of the branch, or about a file, that the asking session works on. */
  readonly focus: number;
  /** Meant for files such as the current one. */
  readonly folder: number;
  /** How many it is linked with, beside the most linked match. */
  readonly centrality: number;
}

/** Chosen on the even half of several collections of memories and conversations, for the kind rather than for the set. */
export const SIGNALS: Signals = {
  coordination: 0.5,
  previous: 0.25,
  next: 0.35,
  second: 0.1,
  session: 0.2,
  hop: 0.5,
  label: 0.5,
  period: 0.25,
  synonym: 0.4,
  spelling: 0.6,
  superseded: 0.1,
  tags: 0.1,
  company: 0.75,
  quality: 0.12,
  warning: 0.05,
  importance: 0.1,
  use: 0.05,
  freshness: 0.05,
  script: 0.02,
  focus: 0.05,
  folder: 0.02,
  centrality: 0.05,
};
