import type { Author, Entry } from '../memory/entry.ts';
import { passes } from '../memory/filter.ts';
import { contradictionsOf, duplicatesOf, isRejected } from '../memory/similar.ts';
import type { MemoryStore } from '../memory/store.ts';
import type { RememberOutcome } from './api.ts';
import type { Searcher } from './searcher.ts';

/** How many of the most similar entries are looked at for warnings and rejected decisions. */
const NEIGHBOURS = 50;
/** More than half the words in common is always among the most similar. */
const DUPLICATE_CANDIDATES = 10;
const RELATED = 3;

/** What an author is shown beside what was just saved, of what is visible at its level. */
export function relationsOf(
  entry: Entry,
  author: Author,
  store: MemoryStore,
  searcher: Searcher,
): Pick<RememberOutcome, 'related' | 'duplicates' | 'contradictions' | 'rejected'> {
  const neighbours = neighboursOf(entry, author, store, searcher);
  const words = (of: Pick<Entry, 'key' | 'content' | 'tags'>) => searcher.words(of);
  return {
    duplicates: duplicatesOf(entry, neighbours.slice(0, DUPLICATE_CANDIDATES), words),
    contradictions: contradictionsOf(entry, neighbours, words),
    rejected: isRejected(entry) ? [] : rejectedOn(entry, neighbours, words),
    related: neighbours.slice(0, RELATED),
  };
}

function neighboursOf(entry: Entry, author: Author, store: MemoryStore, searcher: Searcher): Entry[] {
  return searcher
    .similar(`${entry.key}\n${entry.content}`, NEIGHBOURS, author, (id) => {
      const other = store.folded(id);
      return (
        other !== undefined &&
        other.key !== entry.key &&
        passes(other, {}) &&
        !store.isExpired(other) &&
        store.isVisible(other, author)
      );
    })
    .flatMap((id) => {
      const other = store.folded(id);
      return other === undefined ? [] : [store.present(other)];
    });
}

/** A rejected decision is on the topic when a word of its key, `rejected-<topic>`, is named by the entry. */
function rejectedOn(
  entry: Entry,
  neighbours: readonly Entry[],
  words: (of: Pick<Entry, 'key' | 'content' | 'tags'>) => ReadonlySet<string>,
): Entry[] {
  const own = words(entry);
  return neighbours.filter(isRejected).filter((other) => {
    const topic = words({ key: other.key.replace(/^rejected[-_. ]*/i, ''), content: '', tags: [] });
    return [...topic].some((word) => own.has(word));
  });
}
