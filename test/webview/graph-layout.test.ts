import { describe, expect, it } from 'vitest';
import type { MemoryMap } from '../../src/protocol.ts';
import { fitAll, pan, reveal, toPicture, toScreen, zoom } from '../../webview/memory/graph/camera.ts';
import { Layout, type LayoutInput } from '../../webview/memory/graph/layout.ts';
import {
  isSameShape,
  matchesOf,
  modelOf,
  neighbourTowards,
  nextMatch,
  nodeAt,
} from '../../webview/memory/graph/model.ts';
import { paint, type Surface } from '../../webview/memory/graph/painter.ts';
import { restoreGraph } from '../../webview/memory/graph/state.ts';
import { linkedEntries } from './harness/linked.ts';

/** The map of made up entries, as the host would send it. */
function mapOf(size: number): MemoryMap {
  const entries = linkedEntries(size, 0) as readonly { id: string; key: string; links: string[] }[];
  const places = new Map(entries.map(({ key }, at) => [key, at]));
  const links = entries.flatMap(({ links: keys }, from) =>
    keys.flatMap((key) => [from, places.get(key) ?? 0]),
  );
  return {
    nodes: entries.map(({ id, key }) => ({ id, key, category: 'bug' })),
    links,
    total: size,
    loners: 0,
    totalLinks: links.length / 2,
  };
}

function settled(input: LayoutInput, slice = 50_000): Layout {
  const layout = new Layout(input);
  for (let slices = 0; !layout.settled; slices++) {
    if (slices > 1_000_000) throw new Error('It never settles.');
    layout.advance(slice);
  }
  return layout;
}

const inputOf = ({ nodes, links }: MemoryMap): LayoutInput => ({ size: nodes.length, links });

describe('the layout', () => {
  it('is the same every time, whatever the slices it was done in', () => {
    const input = inputOf(mapOf(200));
    const once = settled(input, Number.POSITIVE_INFINITY);
    for (const slice of [1, 199, 777, 60_000]) {
      const sliced = settled(input, slice);
      expect([...sliced.x, ...sliced.y]).toEqual([...once.x, ...once.y]);
    }
  });

  it.each([1_000, 2_000])('never does much more in a slice than it was told: %d nodes', (size) => {
    const map = mapOf(size);
    const layout = new Layout(inputOf(map));
    let [most, all, slices] = [0, 0, 0];
    while (!layout.settled) {
      const work = layout.advance(20_000);
      most = Math.max(most, work);
      all += work;
      slices++;
    }
    // One node may look at every cell of the tree beyond the budget, and a pass over the nodes is not cut.
    expect(most).toBeLessThan(20_000 + 2 * size);
    expect(slices).toBeGreaterThan(50);
    // Looking at every pair in each of the 170 steps would be ten times as much.
    expect(all).toBeLessThan((170 * size * size) / 10);
  });

  it('brings linked nodes together and keeps the others apart', () => {
    const { x, y } = settled({ size: 6, links: [0, 1, 2, 3, 4, 5] });
    const distance = (a: number, b: number) =>
      Math.hypot((x[a] as number) - (x[b] as number), (y[a] as number) - (y[b] as number));
    for (const pair of [0, 2, 4]) {
      expect(distance(pair, pair + 1)).toBeLessThan(distance(pair, (pair + 2) % 6));
      expect(distance(pair, pair + 1)).toBeGreaterThan(20);
    }
  });

  it.each<[string, LayoutInput]>([
    ['nothing', { size: 0, links: [] }],
    ['one node', { size: 1, links: [] }],
    ['a node that links to itself', { size: 2, links: [0, 0, 0, 1] }],
    ['the same link many times', { size: 2, links: Array.from({ length: 400 }, (_, at) => at % 2) }],
    ['all on one spot', { size: 300, links: [0, 1], known: () => ({ x: 5, y: 5 }) }],
    ['all but on one spot', { size: 300, links: [], known: (at) => ({ x: at * 1e-9, y: 0 }) }],
    ['a star', { size: 500, links: Array.from({ length: 998 }, (_, at) => (at % 2 ? 0 : at / 2 + 1)) }],
  ])('ends with places for %s', (_, input) => {
    const { x, y } = settled(input);
    expect([...x, ...y].every(Number.isFinite)).toBe(true);
    expect(new Set([...x].map((value, at) => `${value} ${y[at]}`)).size).toBe(input.size);
  });

  it('leaves what was there where it was, and puts what is new beside what it is linked with', () => {
    const map = mapOf(50);
    const before = settled(inputOf(map));
    const known = (node: number) =>
      node < 50 ? { x: before.x[node] as number, y: before.y[node] as number } : undefined;
    const same = new Layout({ ...inputOf(map), known, heat: 0 });
    expect(same.settled).toBe(true);
    expect([...same.x]).toEqual([...before.x]);
    const grown = new Layout({ size: 51, links: [...map.links, 50, 7], known, heat: 0.25 });
    expect(
      Math.hypot(
        (grown.x[50] as number) - (grown.x[7] as number),
        (grown.y[50] as number) - (grown.y[7] as number),
      ),
    ).toBeLessThan(30);
    while (!grown.settled) grown.advance(10_000);
    const moved = [...before.x].map((value, at) =>
      Math.hypot(value - (grown.x[at] as number), (before.y[at] as number) - (grown.y[at] as number)),
    );
    expect(moved.sort((a, b) => a - b)[25]).toBeLessThan(30);
  });
});

describe('the camera', () => {
  const size = { width: 300, height: 200 };

  it('shows everything', () => {
    const [xs, ys] = [Float64Array.of(-400, 800), Float64Array.of(20, 90)];
    const camera = fitAll(xs, ys, size);
    xs.forEach((x, at) => {
      const point = toScreen(camera, size, { x, y: ys[at] as number });
      expect(point.x).toBeGreaterThan(0);
      expect(point.x).toBeLessThan(300);
    });
    expect(fitAll(Float64Array.of(3), Float64Array.of(4), size)).toMatchObject({ x: 3, y: 4 });
    expect(fitAll(new Float64Array(), new Float64Array(), size).scale).toBe(1);
  });

  it('zooms at a place that stays where it is, as far as there is something to see', () => {
    const camera = { x: 10, y: 20, scale: 1 };
    const at = { x: 40, y: 150 };
    const closer = zoom(camera, size, 2, at);
    const [before, after] = [toPicture(camera, size, at), toPicture(closer, size, at)];
    expect(after.x).toBeCloseTo(before.x);
    expect(after.y).toBeCloseTo(before.y);
    for (const factor of [1e9, 1e-9]) {
      const { scale } = zoom(camera, size, factor);
      expect(scale).toBeGreaterThan(0.01);
      expect(scale).toBeLessThan(10);
    }
    expect(pan(closer, 10, 0).x).toBe(closer.x - 5);
  });

  it('moves only as far as it must to bring a point into view', () => {
    const camera = { x: 0, y: 0, scale: 1 };
    expect(reveal(camera, size, { x: 10, y: 10 })).toEqual(camera);
    const point = toScreen(reveal(camera, size, { x: 900, y: 0 }), size, { x: 900, y: 0 });
    expect(point.x).toBeGreaterThan(250);
    expect(point.x).toBeLessThan(300);
    expect(point.y).toBe(100);
  });
});

describe('walking through the graph', () => {
  const cross = modelOf({
    nodes: ['middle', 'east', 'west', 'south', 'Far-East'].map((key) => ({ id: key, key, category: 'bug' })),
    links: [0, 1, 2, 0, 0, 3, 0, 3],
    total: 5,
    loners: 0,
    totalLinks: 4,
  });
  const places = { x: Float64Array.of(0, 50, -50, 3, 90), y: Float64Array.of(0, 4, 0, 60, 0) };

  it('knows neighbours by where they lie, whichever way the link points', () => {
    const towards = (direction: 'left' | 'right' | 'up' | 'down') =>
      neighbourTowards(cross, places, 0, direction);
    expect([towards('right'), towards('left'), towards('down'), towards('up')]).toEqual([1, 2, 3, undefined]);
    expect(cross.beside[0]).toEqual([1, 2, 3]);
  });

  it('finds keys whatever their case and form, and goes round', () => {
    expect(matchesOf(cross, ' EAST ')).toEqual([1, 4]);
    expect(matchesOf(cross, ' ')).toEqual([]);
    expect([
      nextMatch([1, 4], -1, 1),
      nextMatch([1, 4], -1, -1),
      nextMatch([1, 4], 4, 1),
      nextMatch([], 0, 1),
    ]).toEqual([1, 4, 1, undefined]);
    const korean = modelOf({
      ...cross.map,
      nodes: [{ id: 'k', key: '인증-토큰', category: 'bug' }],
      links: [],
    });
    expect(matchesOf(korean, '토큰'.normalize('NFD'))).toEqual([0]);
  });

  it('takes the nearest node under the pointer', () => {
    expect(nodeAt(cross, places, { x: 51, y: 3 }, 4)).toBe(1);
    expect(nodeAt(cross, places, { x: 25, y: 0 }, 4)).toBeUndefined();
  });

  it('tells apart what is linked otherwise', () => {
    expect(isSameShape(cross.map, { ...cross.map, total: 9 })).toBe(true);
    expect(isSameShape(cross.map, { ...cross.map, links: [0, 1, 2, 0, 0, 3, 0, 4] })).toBe(false);
    expect(isSameShape(cross.map, { ...cross.map, nodes: cross.map.nodes.slice(1) })).toBe(false);
  });

  it('keeps nothing that another version may have kept otherwise', () => {
    const fresh = restoreGraph(undefined);
    for (const kept of [null, 3, 'x', [], { camera: { x: 'a' }, query: 3, category: 'no such' }])
      expect(restoreGraph(kept)).toEqual(fresh);
    const state = { ...fresh, query: 'a', category: 'bug' as const, camera: { x: 1, y: 2, scale: 3 } };
    expect(restoreGraph(JSON.parse(JSON.stringify(state)))).toEqual(state);
    expect(restoreGraph({ camera: { x: 1, y: 2, scale: 0 } }).camera).toBeNull();
  });
});

describe('painting', () => {
  function callsFor(map: MemoryMap, more = {}): { calls: Record<string, number>; texts: string[] } {
    const calls: Record<string, number> = {};
    const texts: string[] = [];
    const surface = new Proxy({} as Surface, {
      get:
        (_, name: string) =>
        (...args: readonly unknown[]) => {
          calls[name] = (calls[name] ?? 0) + 1;
          if (name === 'fillText') texts.push(String(args[0]));
        },
      set: () => true,
    });
    const layout = settled(inputOf(map));
    const size = { width: 800, height: 600 };
    paint(surface, {
      model: modelOf(map),
      layout,
      size,
      camera: fitAll(layout.x, layout.y, size),
      theme: {
        categories: { decision: '', pattern: '', bug: '', knowledge: '', warning: '' },
        ...{ text: '', quiet: '', background: 'x', focus: '', selected: '', font: '', highContrast: false },
      },
      ...{ current: -1, hovered: -1, open: -1, focused: true, matches: undefined },
      ...more,
    });
    return { calls, texts };
  }

  it('costs a few paths and names, however many nodes there are', () => {
    for (const size of [100, 2_000]) {
      const map = mapOf(size);
      const { calls } = callsFor(map, { current: 0, matches: new Set([1, 2, 3]) });
      expect((calls.fill ?? 0) + (calls.stroke ?? 0)).toBeLessThan(20);
      expect(calls.fillText).toBeLessThanOrEqual(60);
      // A few for each node and link, and for the arrows of the one.
      const all = Object.values(calls).reduce((sum, each) => sum + each, 0);
      expect(all).toBeLessThan(8 * size + 2 * map.links.length + 400);
    }
  });

  it('names what is in question first', () => {
    expect(callsFor(mapOf(500), { current: 499 }).texts[0]).toBe(modelOf(mapOf(500)).labels[499]);
  });

  it('writes nothing that deceives the eye, and no text without end', () => {
    const hostile = ['photo\u202egpj.exe', 'a\nb\u0000', `x${'y'.repeat(10_000)}`, '\ud800'];
    const map: MemoryMap = {
      nodes: hostile.map((key, at) => ({ id: `${at}`, key, category: 'bug' })),
      links: [],
      total: 4,
      loners: 4,
      totalLinks: 0,
    };
    const { labels } = modelOf(map);
    expect(labels.slice(0, 2)).toEqual(['photo[U+202E]gpj.exe', 'a b␀']);
    expect(labels[2]?.length).toBeLessThan(40);
    expect(labels[3]).toBe('\ufffd');
  });
});
