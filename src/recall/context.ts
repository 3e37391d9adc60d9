import { isWithin } from './period.ts';
import type { Query, TermKind } from './query.ts';
import type { Signals } from './signals.ts';
import type { Doc, Located, Scores, View } from './view.ts';

/** Best matches whose session neighbours are looked at beside them. */
export const POOL = 50;
/** What lifted (or, `replaced`, lowered) a document besides its own words. */
export type Mark =
  | Exclude<TermKind, 'own'>
  | 'beside'
  | 'session'
  | 'linked'
  | 'tags'
  | 'label'
  | 'period'
  | 'replaced';

/** A document with its score among the others. */
export interface Scored extends Located {
  readonly score: number;
  readonly marks?: readonly Mark[] | undefined;
}

/**
 * Scores the best matches and what stands around them by their text and by their surroundings: the entries before
 * and after in their session, what the session speaks of, and the documents they are linked with. A session fills what
 * a document itself lacks of the query: where somebody happened to save what has all of it says nothing. All of it
 * together is bounded, so that nothing gets as far on its company alone as the best match on its own.
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
  const tagged = byTag(pool);
  const top = Math.max(0, ...pool.map(({ text }) => text));
  return pool.map((doc) => {
    const { id, shelf, slot, place, lack } = doc;
    const lent: Partial<Record<Mark, number>> = {
      beside: lack * neighbours(doc, view, scores, signals),
      session: lack * signals.session * (mentioned.get(place.session) ?? 0),
      linked: signals.hop * Math.max(0, ...scores.docs(doc.linked).map(({ text }) => text)),
      tags: signals.tags * sharedTags(doc, tagged),
    };
    const factors: Partial<Record<Mark, number>> = {
      label: query.label !== undefined && shelf.partition.has(slot, query.label) ? signals.label : 0,
      period: query.periods.length > 0 && isWithin(place.at, query.periods) ? signals.period : 0,
      replaced: isSuperseded(doc, scores) ? -signals.superseded : 0,
    };
    const company = Object.values(lent).reduce((total, share) => total + share);
    const sum = doc.text + Math.min(company, signals.company * top);
    const score = Object.values(factors).reduce((product, share) => product * (1 + share), sum);
    const changed = Object.entries({ ...lent, ...factors }).filter(([, share]) => share !== 0);
    return {
      id,
      shelf,
      slot,
      score,
      marks: [...guesses(doc, query), ...changed.map(([mark]) => mark as Mark)],
    };
  });
}

/** In which ways the document's words are not those of the query. */
function guesses({ matched }: Doc, { terms }: Query): Mark[] {
  const found = matched.flatMap((at) => terms[at] ?? []);
  const own = new Set(found.flatMap(({ kind, word }) => (kind === 'own' ? word : [])));
  return [
    ...new Set(found.flatMap(({ kind, word }) => (kind === 'own' || own.has(word) ? [] : kind))),
  ].sort();
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

/** The two best matches by tag. */
function byTag(pool: readonly Doc[]): Map<string, Doc[]> {
  const tagged = new Map<string, Doc[]>();
  for (const doc of pool) {
    for (const tag of doc.place.tags) {
      const best = [...(tagged.get(tag) ?? []), doc].sort((one, other) => other.text - one.text);
      tagged.set(tag, best.slice(0, 2));
    }
  }
  return tagged;
}

/** The best score among the other matches that share a tag with a document. */
function sharedTags(doc: Doc, tagged: ReadonlyMap<string, readonly Doc[]>): number {
  const others = doc.place.tags.flatMap((tag) => tagged.get(tag)?.filter((other) => other !== doc) ?? []);
  return Math.max(0, ...others.map(({ text }) => text));
}

/** Whether a newer document that is linked with this one and on its topic answers the query, too. */
function isSuperseded({ place, linked }: Doc, scores: Scores): boolean {
  return (
    place.tags.length > 0 &&
    scores
      .docs(linked)
      .some((other) => other.place.at > place.at && isSameTopic(place.tags, other.place.tags))
  );
}

/** Two tags in common, or all of them: one alone is an area in which there is much to say. */
function isSameTopic(tags: readonly string[], others: readonly string[]): boolean {
  const shared = tags.filter((tag) => others.includes(tag)).length;
  return shared >= 2 || (shared === tags.length && shared === others.length);
}
