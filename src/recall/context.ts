import { isWithin } from './period.ts';
import type { Query, TermKind } from './query.ts';
import type { Doc, Scores } from './scores.ts';
import type { Located } from './shelf.ts';
import type { Signals } from './signals.ts';

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

/** What stands around a document, as shares of scores that it lends, and what changes its own, as factors above 1. */
type Shares = Readonly<Record<Exclude<Mark, TermKind>, number>>;

/** A document with its score among the others. */
export interface Scored extends Located {
  readonly score: number;
}

/** Scored with what stands around it. */
export interface ScoredInContext extends Scored {
  readonly doc: Doc;
  readonly shares: Shares;
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
  scores: Scores,
  signals: Signals,
): ScoredInContext[] {
  const pool = collect(best, scores);
  const mentioned = sessionMentions(pool, query);
  const tagged = byTag(pool);
  const most = signals.company * pool.reduce((top, { text }) => Math.max(top, text), 0);
  return pool.map((doc) => {
    const { id, shelf, slot, place, lack } = doc;
    const shares: Shares = {
      beside: lack === 0 ? 0 : lack * neighbours(doc, scores, signals),
      session: lack * signals.session * (mentioned.get(place.session) ?? 0),
      linked: signals.hop * scores.bestOf(doc.linked),
      tags: signals.tags * sharedTags(doc, tagged),
      label: query.label !== undefined && shelf.partition.has(slot, query.label) ? signals.label : 0,
      period: query.periods.length > 0 && isWithin(place.at, query.periods) ? signals.period : 0,
      replaced: isSuperseded(doc, scores) ? -signals.superseded : 0,
    };
    const company = shares.beside + shares.session + shares.linked + shares.tags;
    const sum = doc.text + Math.min(company, most);
    const score = sum * (1 + shares.label) * (1 + shares.period) * (1 + shares.replaced);
    return { id, shelf, slot, score, doc, shares };
  });
}

/** What counted for a document besides its own words. */
export function marksOf({ doc, shares }: ScoredInContext, query: Query): Mark[] {
  const changed = Object.entries(shares).filter(([, share]) => share !== 0);
  return [...guesses(doc, query), ...changed.map(([mark]) => mark as Mark)];
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
function collect(best: readonly Located[], scores: Scores): Doc[] {
  const pool = new Set<Doc>();
  const add = (id: string) => {
    const doc = scores.doc(id);
    if (doc !== undefined) pool.add(doc);
  };
  for (const { id } of best) add(id);
  for (const { around, linked } of [...pool].slice(0, POOL)) {
    for (const { id } of around.before) add(id);
    for (const { id } of around.after) add(id);
    for (const id of linked) add(id);
  }
  return [...pool];
}

/** What the entries before and after in its session lend a document. */
function neighbours({ around: { before, after } }: Doc, scores: Scores, signals: Signals): number {
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
  const sessions = new Map<string, { matches: number; mentioned: Set<number> }>();
  for (const { place, matched } of pool) {
    if (place.session === '') continue;
    const known = sessions.get(place.session) ?? { matches: 0, mentioned: new Set() };
    known.matches++;
    for (const at of matched) known.mentioned.add(at);
    sessions.set(place.session, known);
  }
  const worth = new Map<string, number>();
  for (const [session, { matches, mentioned }] of sessions) {
    // One match alone would only count its own words twice.
    if (matches < 2) continue;
    let sum = 0;
    for (const at of mentioned) sum += terms[at]?.value ?? 0;
    worth.set(session, sum);
  }
  return worth;
}

/** The two best matches by tag, the better first. */
function byTag(pool: readonly Doc[]): Map<string, [Doc, Doc?]> {
  const tagged = new Map<string, [Doc, Doc?]>();
  for (const doc of pool) {
    for (const tag of doc.place.tags) {
      const best = tagged.get(tag);
      if (best === undefined) tagged.set(tag, [doc]);
      else if (doc.text > best[0].text) tagged.set(tag, [doc, best[0]]);
      else if (best[1] === undefined || doc.text > best[1].text) best[1] = doc;
    }
  }
  return tagged;
}

/** The best score among the other matches that share a tag with a document. */
function sharedTags(doc: Doc, tagged: ReadonlyMap<string, readonly [Doc, Doc?]>): number {
  let best = 0;
  for (const tag of doc.place.tags) {
    const [first, second] = tagged.get(tag) ?? [];
    best = Math.max(best, (first === doc ? second : first)?.text ?? 0);
  }
  return best;
}

/** Whether a newer document that is linked with this one and on its topic answers the query, too. */
function isSuperseded({ place, linked }: Doc, scores: Scores): boolean {
  return (
    place.tags.length > 0 &&
    linked.some((id) => {
      const other = scores.doc(id)?.place;
      return other !== undefined && other.at > place.at && isSameTopic(place.tags, other.tags);
    })
  );
}

/** Two tags in common, or all of them: one alone is an area in which there is much to say. */
function isSameTopic(tags: readonly string[], others: readonly string[]): boolean {
  const shared = tags.filter((tag) => others.includes(tag)).length;
  return shared >= 2 || (shared === tags.length && shared === others.length);
}
