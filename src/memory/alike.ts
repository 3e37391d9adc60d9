import { jaccard } from './similar.ts';

/**
 * For each name the names whose sets share more than `least` (0–1, Jaccard) of their words with its own. Exact, and
 * far from comparing all with all: of two such sets each has, among its rarest words, one that the other has among
 * its own (prefix filtering; Chaudhuri, Ganti and Kaushik 2006).
 */
export function alikeSets(
  sets: ReadonlyMap<string, ReadonlySet<string>>,
  least: number,
): ReadonlyMap<string, readonly string[]> {
  const frequency = new Map<string, number>();
  for (const set of sets.values())
    for (const word of set) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const rarer = (a: string, b: string): number =>
    (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : 1);
  const alike = new Map<string, string[]>();
  const byWord = new Map<string, string[]>();
  for (const [name, set] of sets) {
    const rare = [...set].sort(rarer).slice(0, set.size - Math.ceil(least * set.size) + 1);
    const candidates = new Set(rare.flatMap((word) => byWord.get(word) ?? []));
    for (const other of candidates) {
      const its = sets.get(other) ?? new Set();
      if (Math.min(its.size, set.size) < least * Math.max(its.size, set.size)) continue;
      if (jaccard(set, its) <= least) continue;
      push(alike, name, other);
      push(alike, other, name);
    }
    for (const word of rare) push(byWord, word, name);
  }
  return alike;
}

function push(lists: Map<string, string[]>, name: string, item: string): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [item]);
  else list.push(item);
}
