import type { MemoryMap } from '../../../src/protocol.ts';
import { clip, visibleLine } from '../../kit/text.ts';
import type { Layout, Point } from './layout.ts';

const LABEL = 28;

/** A memory map with what drawing and walking through it ask for again and again. Nodes are named by their places. */
export interface GraphModel {
  readonly map: MemoryMap;
  readonly places: ReadonlyMap<string, number>;
  /** Places beside each node, each once, those with the most links first. */
  readonly beside: readonly (readonly number[])[];
  /** Keys as they are shown: on one line, short, and without what deceives the eye. */
  readonly labels: readonly string[];
}

export function modelOf(map: MemoryMap): GraphModel {
  const beside = map.nodes.map(() => new Set<number>());
  for (let at = 0; at < map.links.length; at += 2) {
    const [from, to] = [map.links[at] as number, map.links[at + 1] as number];
    beside[from]?.add(to);
    beside[to]?.add(from);
  }
  return {
    map,
    places: new Map(map.nodes.map(({ id }, at) => [id, at])),
    beside: beside.map((places) => [...places].sort((a, b) => a - b)),
    labels: map.nodes.map(({ key }) => {
      const line = visibleLine(clip(key, 4 * LABEL));
      return line.length > LABEL ? `${clip(line, LABEL - 1)}…` : line;
    }),
  };
}

/** Whether two maps have the same nodes and links, so that nothing needs to move. */
export function isSameShape(one: MemoryMap, other: MemoryMap): boolean {
  const ends = ({ nodes, links }: MemoryMap): string[] =>
    links.flatMap((from, at) =>
      at % 2 === 0 ? [`${nodes[from]?.id} ${nodes[links[at + 1] as number]?.id}`] : [],
    );
  if (one.nodes.length !== other.nodes.length || one.links.length !== other.links.length) return false;
  const known = new Set(one.nodes.map(({ id }) => id));
  const linked = new Set(ends(one));
  return other.nodes.every(({ id }) => known.has(id)) && ends(other).every((link) => linked.has(link));
}

/** Places whose key has a text, whatever its case, in their order. An empty text is in none. */
export function matchesOf({ map }: GraphModel, text: string): readonly number[] {
  const wanted = fold(text.trim());
  if (wanted === '') return [];
  return map.nodes.flatMap(({ key }, at) => (fold(key).includes(wanted) ? [at] : []));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The match after or before one; from outside, the first or last. Undefined when there is none. */
export function nextMatch(matches: readonly number[], current: number, step: 1 | -1): number | undefined {
  const at = matches.indexOf(current);
  if (at < 0) return matches.at(step === 1 ? 0 : -1);
  return matches[(at + step + matches.length) % matches.length];
}

export type Direction = 'left' | 'right' | 'up' | 'down';
const WAYS: Record<Direction, Point> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};

/** The neighbour that lies most in a direction, within 60° of it; undefined when none does. */
export function neighbourTowards(
  { beside }: GraphModel,
  { x, y }: Pick<Layout, 'x' | 'y'>,
  from: number,
  direction: Direction,
): number | undefined {
  const way = WAYS[direction];
  let best: number | undefined;
  let least = Infinity;
  for (const other of beside[from] ?? []) {
    const [dx, dy] = [(x[other] as number) - (x[from] as number), (y[other] as number) - (y[from] as number)];
    const along = dx * way.x + dy * way.y;
    const distance = Math.hypot(dx, dy);
    if (along < distance / 2) continue;
    // Far and straight on counts like near and somewhat aside.
    const cost = distance * (2 - along / Math.max(distance, 1));
    if (cost < least) [best, least] = [other, cost];
  }
  return best;
}

/** How large a node is drawn, in units: half its width. */
export function radiusOf({ beside }: GraphModel, node: number): number {
  return 4.5 + Math.min(7, 1.3 * Math.sqrt(beside[node]?.length ?? 0));
}

/** The node at a point of the picture, or within `slack` units of it: the nearest. */
export function nodeAt(
  model: GraphModel,
  { x, y }: Pick<Layout, 'x' | 'y'>,
  point: Point,
  slack: number,
): number | undefined {
  let best: number | undefined;
  let least = Infinity;
  for (let node = 0; node < x.length; node++) {
    const distance = Math.hypot((x[node] as number) - point.x, (y[node] as number) - point.y);
    if (distance <= radiusOf(model, node) + slack && distance < least) [best, least] = [node, distance];
  }
  return best;
}
