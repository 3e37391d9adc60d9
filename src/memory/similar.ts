import type { Similar } from '../worker/api.ts';
import type { Entry } from './entry.ts';

/** Overlap above which a text says the same as another (seed 001: Jaccard > 50 %). */
const DUPLICATE = 0.5;
/** Overlap from which a warning speaks to what is saved; a critical or high entry needs more. */
const CONTRADICTION = { warning: 0.22, important: 0.3 };

/** Share of words two sets have in common, 0–1; 0 when one is empty. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common++;
  return common / (a.size + b.size - common);
}

type Texts = Pick<Entry, 'key' | 'content' | 'tags'>;

/** The words of an entry, as recall compares them. */
export type WordsOf = (entry: Texts) => ReadonlySet<string>;

/** Words in common, 0–1: of everything, or of the contents where keys and tags name the same differently. */
export function overlapOf(one: Texts, other: Texts, words: WordsOf): number {
  const [left, right] = [one, other].map(({ content }) => words({ key: '', content, tags: [] }));
  return Math.max(jaccard(words(one), words(other)), jaccard(left ?? new Set(), right ?? new Set()));
}

/** Of the candidates, those that likely say the same as `saved`, most alike first. */
export function duplicatesOf(saved: Entry, candidates: readonly Entry[], words: WordsOf): Similar[] {
  return overlapping(
    saved,
    candidates,
    (entry) => overlapOf(saved, entry, words),
    () => DUPLICATE,
  );
}

/**
 * Of the candidates, those that may speak against `saved`, most alike first: warnings, important entries, and
 * anything when `saved` is itself a warning.
 */
export function contradictionsOf(saved: Entry, candidates: readonly Entry[], words: WordsOf): Similar[] {
  const own = words(saved);
  const overlap = (entry: Entry) => jaccard(own, words(entry));
  return overlapping(saved, candidates, overlap, (entry) => {
    const warnings = [saved, entry].filter(({ category }) => category === 'warning').length;
    // One warning speaks against the other entry; two of them say the same.
    if (warnings === 1) return CONTRADICTION.warning;
    if (warnings === 2) return undefined;
    return entry.importance === 'critical' || entry.importance === 'high'
      ? CONTRADICTION.important
      : undefined;
  });
}

function overlapping(
  saved: Entry,
  candidates: readonly Entry[],
  overlapWith: (entry: Entry) => number,
  threshold: (entry: Entry) => number | undefined,
): Similar[] {
  return candidates
    .flatMap((entry): Similar[] => {
      const least = threshold(entry);
      if (least === undefined || entry.id === saved.id) return [];
      const overlap = overlapWith(entry);
      return overlap >= least ? [{ entry, overlap }] : [];
    })
    .sort((a, b) => b.overlap - a.overlap || (a.entry.id < b.entry.id ? -1 : 1))
    .slice(0, 3);
}

/** A decision not to do something: tag `rejected` (seed 001, "Rejected decisions"). */
export function isRejected(entry: Pick<Entry, 'category' | 'tags'>): boolean {
  return entry.category === 'decision' && entry.tags.includes('rejected');
}
