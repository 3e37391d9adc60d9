import { isWithin } from './period.ts';
import type { Query } from './query.ts';
import type { Signals } from './signals.ts';
import type { Doc, Located, Scores, View } from './view.ts';

/** Best matches whose session neighbours are looked at beside them. */
export const POOL = 50;
/** A document with its score among the others. */
export interface Scored extends Located {
  readonly score: number;
}

/**
 * Scores the best matches and what stands around them by their text and by their surroundings: the entries before
 * and after in their session, what the session speaks of, and the documents they are linked with.
 *
 * @param best matches by text, best first
 */
export function scoreInContext(
  best: readonly Located[],
  query: Query,
  view: View,
  scores: Scores,
  signals: Signals,
): Scored[] {
  const pool = collect(best, view, scores);
  const mentioned = sessionMentions(pool, query);
  return pool.map((doc) => {
    const { id, shelf, slot, place } = doc;
    let score =
      doc.text +
      neighbours(doc, view, scores, signals) +
      signals.session * (mentioned.get(place.session) ?? 0) +
      signals.hop * Math.max(0, ...scores.docs(doc.linked).map(({ text }) => text));
    if (query.label !== undefined && shelf.partition.has(slot, query.label)) score *= 1 + signals.label;
    if (query.periods.length > 0 && isWithin(place.at, query.periods)) score *= 1 + signals.period;
    if (isSuperseded(doc, scores)) score *= 1 - signals.superseded;
    return { id, shelf, slot, score };
  });
}

/** The matches that may be among the results: the best by text, and those that stand beside these. */
function collect(best: readonly Located[], view: View, scores: Scores): Doc[] {
  const pool = new Set<Doc>(scores.docs(best.map(({ id }) => id)));
  for (const doc of [...pool].slice(0, POOL)) {
    const { before, after } = view.around(doc.id, doc.place);
    for (const other of scores.docs([...[...before, ...after].map(({ id }) => id), ...doc.linked]))
      pool.add(other);
  }
  return [...pool];
}

/** What the entries before and after in its session lend a document. */
function neighbours({ id, place }: Doc, view: View, scores: Scores, signals: Signals): number {
  const { before, after } = view.around(id, place);
  const of = (step: { readonly id: string } | undefined) =>
    step === undefined ? 0 : (scores.doc(step.id)?.text ?? 0);
  return (
    signals.previous * of(before[0]) +
    signals.next * of(after[0]) +
    signals.second * (of(before[1]) + of(after[1]))
  );
}

/** By session with several matches: what the query's terms are worth that these contain between them. */
function sessionMentions(pool: readonly Doc[], { terms }: Query): Map<string, number> {
  const sessions = new Map<string, Doc[]>();
  for (const doc of pool) {
    const { session } = doc.place;
    if (session !== '') sessions.set(session, [...(sessions.get(session) ?? []), doc]);
  }
  return new Map(
    [...sessions].map(([session, docs]) => {
      // One match alone would only count its own words twice.
      const mentioned = new Set(docs.length > 1 ? docs.flatMap(({ matched }) => matched) : []);
      return [session, [...mentioned].reduce((sum, at) => sum + (terms[at]?.value ?? 0), 0)];
    }),
  );
}

/** Whether a newer document that is linked with this one and shares a tag answers the query, too. */
function isSuperseded({ place, linked }: Doc, scores: Scores): boolean {
  return (
    place.tags.length > 0 &&
    scores
      .docs(linked)
      .some((other) => other.place.at > place.at && other.place.tags.some((tag) => place.tags.includes(tag)))
  );
}
