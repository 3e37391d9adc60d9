import type { Reader } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { graphing, neighboursIn } from '../memory/graph.ts';
import type { MemoryMap } from '../protocol.ts';
import type { MapInput } from './careApi.ts';
import type { HeldMemory } from './heldMemory.ts';

/**
 * More lines than this are a grey square, and a panel that draws them in every frame is slow. Links between the most
 * linked entries come first.
 */
const MOST_LINKS = 6_000;

/**
 * Memory as a graph to look at: the names of entries and the links between them, without any content. With ids or a
 * category these entries and what lies beside them. Where not everything fits, what is asked for and what has the most
 * links comes first. Stops after each step so that other work can be done in between.
 */
export function* mapOf(memory: HeldMemory, input: MapInput, reader: Reader): Generator<void, MemoryMap> {
  const live = memory.live(reader);
  yield;
  const graph = yield* graphing(live);
  const beside = neighboursIn(graph);
  yield;
  const degree = ({ id }: FoldedEntry): number => beside.get(id)?.length ?? 0;
  const asked = askedFor(graph.nodes, input);
  const wanted = asked && new Set([...asked].flatMap((id) => [id, ...(beside.get(id) ?? [])]));
  const meant = graph.nodes.filter(({ id }) => wanted?.has(id) ?? true);
  const loners = meant.filter((entry) => degree(entry) === 0);
  // Who looks for an entry wants to see it, linked or not.
  const found = new Set(input.ids);
  const fitting = meant.filter((entry) => input.loners || degree(entry) > 0 || found.has(entry.id));
  const rank = ({ id }: FoldedEntry): number => Number(asked?.has(id) ?? false);
  yield;
  const nodes = fitting
    .sort((a, b) => rank(b) - rank(a) || degree(b) - degree(a) || (a.id < b.id ? -1 : 1))
    .slice(0, input.limit);
  yield;
  const places = new Map(nodes.map(({ id }, at) => [id, at]));
  const links = graph.edges
    .flatMap(({ from, to }) => {
      const [one, other] = [places.get(from), places.get(to)];
      return one === undefined || other === undefined ? [] : [[one, other] as const];
    })
    .sort((a, b) => Math.max(...a) - Math.max(...b) || a[0] - b[0] || a[1] - b[1]);
  return {
    nodes: nodes.map(({ id, key, category }) => ({ id, key, category })),
    links: links.slice(0, MOST_LINKS).flat(),
    total: fitting.length,
    loners: loners.length,
    totalLinks: links.length,
  };
}

/** Ids of the entries that are asked for by id, category or both; undefined: all of them. */
function askedFor(entries: readonly FoldedEntry[], { ids, category }: MapInput): Set<string> | undefined {
  if (category === undefined) return ids && new Set(ids);
  const named = ids && new Set(ids);
  return new Set(
    entries
      .filter((entry) => entry.category === category && (named?.has(entry.id) ?? true))
      .map(({ id }) => id),
  );
}
