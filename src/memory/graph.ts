/** Memory as a graph: entries, and the links between them. */
import type { FoldedEntry } from './fold.ts';
import { linksOf, meaningsOf } from './links.ts';

/** A directed link between two entries, by their ids. */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface MemoryGraph<Node = FoldedEntry> {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}

/** The graph of these entries; links that lead elsewhere are left out. Links are explicit or `[[key]]`, no others. */
export function graphOf(entries: readonly FoldedEntry[]): MemoryGraph {
  const steps = graphing(entries);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same bit by bit, so that other work can be done in between. */
export function* graphing(entries: readonly FoldedEntry[]): Generator<void, MemoryGraph> {
  const byKey = new Map(entries.map((entry) => [entry.key, entry.id]));
  yield;
  const edges: Edge[] = [];
  for (const entry of entries) {
    const targets = linksOf(entry).flatMap((link) => {
      const id = meaningsOf(link)
        .map((key) => byKey.get(key))
        .find((found) => found !== undefined);
      return id === undefined || id === entry.id ? [] : [id];
    });
    for (const to of new Set(targets)) edges.push({ from: entry.id, to });
    yield;
  }
  return { nodes: entries, edges };
}

/** For each id the ids beside it, whichever way the link points, in a fixed order. */
export function neighboursIn({ edges }: Pick<MemoryGraph, 'edges'>): ReadonlyMap<string, readonly string[]> {
  const beside = new Map<string, Set<string>>();
  const add = (one: string, other: string): void => {
    const known = beside.get(one) ?? new Set();
    beside.set(one, known.add(other));
  };
  for (const { from, to } of edges) {
    add(from, to);
    add(to, from);
  }
  return new Map([...beside].map(([id, ids]) => [id, [...ids].sort()]));
}

/** Ids on a shortest way between two entries, both ends included; undefined when there is none. */
export function shortestPath(
  graph: Pick<MemoryGraph, 'edges'>,
  from: string,
  to: string,
): string[] | undefined {
  const beside = neighboursIn(graph);
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  const queue = [from];
  for (let at = 0; at < queue.length && !cameFrom.has(to); at++) {
    const current = queue[at] as string;
    for (const next of beside.get(current) ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, current);
      queue.push(next);
    }
  }
  if (!cameFrom.has(to)) return undefined;
  const path: string[] = [];
  for (let id: string | undefined = to; id !== undefined; id = cameFrom.get(id)) path.unshift(id);
  return path;
}
