import type { Point } from './layout.ts';

/** A hand is never quite still: less is a click. */
const SLACK = 4;
/** Pixels that a line of a wheel stands for. */
const LINE = 16;
const WHEEL_SPEED = 0.0018;
const WHEEL_MOST = 120;

export interface GestureTarget {
  pan(dx: number, dy: number): void;
  zoom(factor: number, at: Point): void;
  hover(at: Point | undefined): void;
  click(at: Point): void;
}

/** What a pointer does on an element: drags, clicks, hovers and turns its wheel. Two fingers zoom. */
export class Gestures {
  readonly #element: HTMLElement;
  readonly #target: GestureTarget;
  readonly #held = new Map<number, Point>();
  #moved = false;

  constructor(element: HTMLElement, target: GestureTarget) {
    this.#element = element;
    this.#target = target;
    element.addEventListener('pointerdown', this.#down);
    element.addEventListener('pointermove', this.#move);
    element.addEventListener('pointerup', this.#up);
    element.addEventListener('pointercancel', this.#cancel);
    element.addEventListener('pointerleave', () => this.#target.hover(undefined));
    element.addEventListener('wheel', this.#wheel, { passive: false });
  }

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (this.#held.size === 0) this.#moved = false;
    this.#element.setPointerCapture(event.pointerId);
    this.#held.set(event.pointerId, pointOf(event));
  };

  readonly #move = (event: PointerEvent): void => {
    const before = this.#held.get(event.pointerId);
    const now = pointOf(event);
    if (before === undefined) {
      if (this.#held.size === 0) this.#target.hover(now);
      return;
    }
    if (!this.#moved && Math.hypot(now.x - before.x, now.y - before.y) < SLACK) return;
    if (!this.#moved) this.#target.hover(undefined);
    this.#moved = true;
    const other = [...this.#held].find(([id]) => id !== event.pointerId)?.[1];
    if (other === undefined) this.#target.pan(now.x - before.x, now.y - before.y);
    else {
      const stretch = distance(now, other) / Math.max(distance(before, other), 1);
      this.#target.zoom(stretch, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
    }
    this.#held.set(event.pointerId, now);
  };

  readonly #up = (event: PointerEvent): void => {
    if (this.#held.delete(event.pointerId) && !this.#moved && this.#held.size === 0)
      this.#target.click(pointOf(event));
  };

  readonly #cancel = (event: PointerEvent): void => {
    this.#held.delete(event.pointerId);
  };

  readonly #wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE);
    // A pinch on a touch pad comes as a wheel with Ctrl, in small steps.
    const speed = event.ctrlKey ? 5 * WHEEL_SPEED : WHEEL_SPEED;
    const turned = Math.max(-WHEEL_MOST, Math.min(WHEEL_MOST, pixels));
    this.#target.zoom(Math.exp(-turned * speed), pointOf(event));
  };
}

function pointOf({ offsetX, offsetY }: MouseEvent): Point {
  return { x: offsetX, y: offsetY };
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
