/**
 * How much each signal counts when documents are found. Each can be set to 0 to see what it is worth (`bench
 * retrieval --ablate`). Scores are BM25; shares are of another document's score.
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
};
