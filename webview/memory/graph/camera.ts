import type { Point } from './layout.ts';

/** What part of the picture is seen: `x` and `y` are in the middle of the screen, `scale` is pixels a unit. */
export interface Camera extends Point {
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const START: Camera = { x: 0, y: 0, scale: 1 };
const SMALLEST = 0.05;
const LARGEST = 6;
/** Pictures of a few nodes are not blown up to fill the screen. */
const LARGEST_FIT = 1.5;
const MARGIN = 28;

export function toScreen(camera: Camera, { width, height }: Size, { x, y }: Point): Point {
  return {
    x: (x - camera.x) * camera.scale + width / 2,
    y: (y - camera.y) * camera.scale + height / 2,
  };
}

export function toPicture(camera: Camera, { width, height }: Size, { x, y }: Point): Point {
  return {
    x: (x - width / 2) / camera.scale + camera.x,
    y: (y - height / 2) / camera.scale + camera.y,
  };
}

/** Moves what is seen by pixels. */
export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.scale, y: camera.y - dy / camera.scale };
}

/** Zooms by a factor, with one place of the screen, by default its middle, staying where it is. */
export function zoom(camera: Camera, size: Size, factor: number, at?: Point): Camera {
  const scale = Math.min(LARGEST, Math.max(SMALLEST, camera.scale * factor));
  if (at === undefined) return { ...camera, scale };
  const held = toPicture(camera, size, at);
  const moved = toPicture({ ...camera, scale }, size, at);
  return { x: camera.x + held.x - moved.x, y: camera.y + held.y - moved.y, scale };
}

/** Shows everything. */
export function fitAll(xs: Float64Array, ys: Float64Array, { width, height }: Size): Camera {
  if (xs.length === 0) return START;
  const [left, right] = ends(xs);
  const [top, bottom] = ends(ys);
  const room = (length: number): number => Math.max(length - 2 * MARGIN, length / 2, 1);
  const scale = Math.min(
    LARGEST_FIT,
    room(width) / Math.max(right - left, 1),
    room(height) / Math.max(bottom - top, 1),
  );
  return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(SMALLEST, scale) };
}

/** The camera moved just so far that a point is in view, away from the edges. */
export function reveal(camera: Camera, size: Size, point: Point): Camera {
  const at = toScreen(camera, size, point);
  const into = (value: number, length: number): number =>
    Math.min(Math.max(value, Math.min(MARGIN, length / 2)), Math.max(length - MARGIN, length / 2)) - value;
  return pan(camera, into(at.x, size.width), into(at.y, size.height));
}

function ends(values: Float64Array): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
