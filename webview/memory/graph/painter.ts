import { CATEGORIES, type Category } from '../../../src/memory/entry.ts';
import { type Camera, type Size, toScreen } from './camera.ts';
import type { Layout } from './layout.ts';
import { type GraphModel, radiusOf } from './model.ts';
import { traceShape } from './shapes.ts';
import type { GraphTheme } from './theme.ts';

export interface Scene {
  readonly model: GraphModel;
  readonly layout: Pick<Layout, 'x' | 'y'>;
  readonly camera: Camera;
  readonly size: Size;
  readonly theme: GraphTheme;
  /** The node the keyboard is at, -1 for none. */
  readonly current: number;
  readonly hovered: number;
  /** The node whose entry is open. */
  readonly open: number;
  /** What was searched for; the others step back. Undefined: nothing is searched for. */
  readonly matches: ReadonlySet<number> | undefined;
  /** The keyboard is in the picture. */
  readonly focused: boolean;
}

/** The parts of a canvas that are used: a test counts the calls. */
export type Surface = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'closePath'
  | 'arc'
  | 'fill'
  | 'stroke'
  | 'fillText'
  | 'strokeText'
  | 'clearRect'
  | 'setLineDash'
  | 'font'
  | 'direction'
  | 'textAlign'
  | 'textBaseline'
  | 'globalAlpha'
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineJoin'
>;

/** More names would lie on each other, and text is the dearest thing to draw. */
const MOST_LABELS = 60;
/** Names that are tried: most fall on others when everything is in view. */
const MOST_TRIED = 400;
const LABEL_HEIGHT = 14;
/** Widths without measuring: names that are a little apart cost less than measuring thousands of texts. */
const LETTER = 6.2;
const WIDE_LETTER = 11.5;
const OUTSIDE = 40;

/** Paints the graph. Everything of one colour is one path, so the count of paths does not grow with the graph. */
export function paint(surface: Surface, scene: Scene): void {
  const { size } = scene;
  surface.clearRect(0, 0, size.width, size.height);
  const places = placesOf(scene);
  const near = neighbourhood(scene);
  paintLinks(surface, scene, places, near);
  paintNodes(surface, scene, places, near);
  paintRings(surface, scene, places);
  paintLabels(surface, scene, places, near);
}

interface Places {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly radius: Float64Array;
}

function placesOf({ model, layout, camera, size }: Scene): Places {
  const count = layout.x.length;
  const places = { x: new Float64Array(count), y: new Float64Array(count), radius: new Float64Array(count) };
  // Far away nodes stay large enough to tell their shapes; near ones do not fill the screen.
  const grow = Math.min(1.6, Math.max(0.4, Math.sqrt(camera.scale)));
  for (let node = 0; node < count; node++) {
    const at = toScreen(camera, size, { x: layout.x[node] as number, y: layout.y[node] as number });
    [places.x[node], places.y[node]] = [at.x, at.y];
    places.radius[node] = radiusOf(model, node) * grow;
  }
  return places;
}

/** What stands out: the node in question with its neighbours, else what was found; undefined: everything alike. */
function neighbourhood({ model, current, hovered, open, matches }: Scene): ReadonlySet<number> | undefined {
  const middle = [hovered, current, open].find((node) => node >= 0);
  if (middle === undefined) return matches;
  return new Set([middle, ...(model.beside[middle] ?? []), ...(matches ?? [])]);
}

function paintLinks(
  surface: Surface,
  { model, theme, size, hovered, current, open }: Scene,
  { x, y, radius }: Places,
  near: ReadonlySet<number> | undefined,
): void {
  const middle = [hovered, current, open].find((node) => node >= 0) ?? -1;
  const { links } = model.map;
  const strong: (readonly [number, number])[] = [];
  surface.lineWidth = 1;
  surface.strokeStyle = theme.quiet;
  surface.globalAlpha = theme.highContrast
    ? near === undefined
      ? 0.8
      : 0.45
    : near === undefined
      ? 0.4
      : 0.18;
  surface.beginPath();
  for (let at = 0; at < links.length; at += 2) {
    const from = links[at] as number;
    const to = links[at + 1] as number;
    if (from === middle || to === middle) strong.push([from, to]);
    else if (
      !isOutside(x[from] as number, x[to] as number, size.width) &&
      !isOutside(y[from] as number, y[to] as number, size.height)
    ) {
      surface.moveTo(x[from] as number, y[from] as number);
      surface.lineTo(x[to] as number, y[to] as number);
    }
  }
  surface.stroke();
  surface.globalAlpha = 1;
  if (strong.length === 0) return;
  surface.strokeStyle = theme.focus;
  surface.fillStyle = theme.focus;
  surface.lineWidth = 1.5;
  surface.beginPath();
  for (const [from, to] of strong) {
    surface.moveTo(x[from] as number, y[from] as number);
    surface.lineTo(x[to] as number, y[to] as number);
  }
  surface.stroke();
  surface.beginPath();
  for (const [from, to] of strong) traceArrow(surface, x, y, from, to, radius[to] as number);
  surface.fill();
}

/** The head of an arrow where a link ends. */
function traceArrow(
  surface: Surface,
  x: Float64Array,
  y: Float64Array,
  from: number,
  to: number,
  gap: number,
): void {
  const [dx, dy] = [(x[to] as number) - (x[from] as number), (y[to] as number) - (y[from] as number)];
  const distance = Math.hypot(dx, dy);
  if (distance < gap + 8) return;
  const [ux, uy] = [dx / distance, dy / distance];
  const [tipX, tipY] = [(x[to] as number) - ux * (gap + 2), (y[to] as number) - uy * (gap + 2)];
  surface.moveTo(tipX, tipY);
  surface.lineTo(tipX - ux * 7 - uy * 3.5, tipY - uy * 7 + ux * 3.5);
  surface.lineTo(tipX - ux * 7 + uy * 3.5, tipY - uy * 7 - ux * 3.5);
  surface.closePath();
}

/** Both ends lie beyond the same edge. */
function isOutside(one: number, other: number, length: number): boolean {
  return (one < -OUTSIDE && other < -OUTSIDE) || (one > length + OUTSIDE && other > length + OUTSIDE);
}

function paintNodes(
  surface: Surface,
  { model, theme, size }: Scene,
  { x, y, radius }: Places,
  near: ReadonlySet<number> | undefined,
): void {
  const { nodes } = model.map;
  const groups = new Map<string, { category: Category; clear: boolean; places: number[] }>();
  nodes.forEach(({ category }, node) => {
    const [px, py] = [x[node] as number, y[node] as number];
    if (isOutside(px, px, size.width) || isOutside(py, py, size.height)) return;
    const clear = near === undefined || near.has(node);
    const group = groups.get(`${category} ${clear}`) ?? { category, clear, places: [] };
    group.places.push(node);
    groups.set(`${category} ${clear}`, group);
  });
  // What stands out lies on top.
  const ordered = [...groups.values()].sort((a, b) => Number(a.clear) - Number(b.clear));
  for (const { category, clear, places } of ordered) {
    surface.beginPath();
    for (const node of places)
      traceShape(surface, category, x[node] as number, y[node] as number, radius[node] as number);
    const colour = CATEGORIES.includes(category) ? theme.categories[category] : theme.quiet;
    // A pale shape is no sign in high contrast; there what steps back is hollow.
    surface.globalAlpha = clear || theme.highContrast ? 1 : 0.3;
    surface.fillStyle = clear || !theme.highContrast ? colour : theme.background;
    surface.fill();
    surface.lineWidth = 1;
    surface.strokeStyle = clear || !theme.highContrast ? theme.background : colour;
    surface.stroke();
  }
  surface.globalAlpha = 1;
}

function paintRings(surface: Surface, scene: Scene, { x, y, radius }: Places): void {
  const { theme, current, open, hovered, focused, matches } = scene;
  const ring = (nodes: Iterable<number>, colour: string, width: number, gap: number): void => {
    surface.strokeStyle = colour;
    surface.lineWidth = width;
    surface.beginPath();
    for (const node of nodes) {
      const around = (radius[node] as number) + gap;
      surface.moveTo((x[node] as number) + around, y[node] as number);
      surface.arc(x[node] as number, y[node] as number, around, 0, 2 * Math.PI);
    }
    surface.stroke();
  };
  if (matches !== undefined) ring(matches, theme.text, 1, 2.5);
  if (hovered >= 0) ring([hovered], theme.text, 1, 3);
  if (open >= 0) ring([open], theme.selected, 2, 3.5);
  if (current < 0) return;
  if (!focused) surface.setLineDash([3, 3]);
  ring([current], theme.focus, 2, 6.5);
  surface.setLineDash([]);
}

function paintLabels(
  surface: Surface,
  { model, theme, size, camera, current, open, hovered, matches }: Scene,
  { x, y, radius }: Places,
  near: ReadonlySet<number> | undefined,
): void {
  surface.font = theme.font;
  surface.direction = 'ltr';
  surface.textAlign = 'center';
  surface.textBaseline = 'top';
  surface.lineJoin = 'round';
  surface.lineWidth = 3;
  surface.strokeStyle = theme.background;
  const first = [hovered, current, open].filter((node) => node >= 0);
  // From afar only what holds the graph together has its name.
  const others = camera.scale < 0.35 ? Math.ceil(model.labels.length * camera.scale) : model.labels.length;
  const rest = near ?? Array.from({ length: Math.min(others, MOST_TRIED) }, (_, node) => node);
  const taken: (readonly [number, number, number, number])[] = [];
  const named = new Set<number>();
  let tried = 0;
  for (const node of [...first, ...(matches ?? []), ...rest]) {
    if (named.size >= MOST_LABELS || tried >= MOST_TRIED) break;
    const text = model.labels[node];
    const [at, py] = [x[node] as number, (y[node] as number) + (radius[node] as number) + 4];
    if (text === undefined || named.has(node) || at < 0 || at > size.width || py < 0 || py > size.height)
      continue;
    tried++;
    const half = widthOf(text) / 2;
    // What is at an edge has its whole name beside it.
    const px = Math.max(Math.min(at, size.width - half - 2), half + 2);
    const box = [px - half, py, px + half, py + LABEL_HEIGHT] as const;
    const isFree = taken.every(
      ([left, top, right, bottom]) => box[2] < left || box[0] > right || box[3] < top || box[1] > bottom,
    );
    if (!isFree && !first.includes(node)) continue;
    taken.push(box);
    named.add(node);
    surface.fillStyle = near === undefined || near.has(node) ? theme.text : theme.quiet;
    if (theme.background !== 'transparent') surface.strokeText(text, px, py);
    surface.fillText(text, px, py);
  }
}

function widthOf(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at++) width += text.charCodeAt(at) < 0x1100 ? LETTER : WIDE_LETTER;
  return width;
}
