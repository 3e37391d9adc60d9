import { Quadtree } from './quadtree.ts';

/** How long a link is at rest, in the units of the picture; a node is about ten across. */
const LINK = 52;
/** How hard nodes push each other away, and pull towards the middle. */
const PUSH = 110;
const PULL = 0.045;
/** A cell that is seen smaller than this counts as one point. */
const THETA = 0.9;
/** What is left of a speed after a step. */
const DRAG = 0.6;
/** Heat falls by this part in every step, from 1 to `COLD`: about 170 steps in all. */
const COOLING = 0.031;
const COLD = 0.005;
/** The heat with which a small change of the graph is settled: what is near it moves, the rest hardly. */
export const WARM = 0.25;
/** Rows of sunflower seeds: a start without a pattern in which every node has room (Vogel, 1979). */
const SEED_ANGLE = Math.PI * (3 - Math.sqrt(5));
const SEED_SPACE = 14;

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LayoutInput {
  readonly size: number;
  /** Places of the nodes, two for each link. */
  readonly links: readonly number[];
  /** Where a node was before; undefined: it is new. */
  known?(node: number): Point | undefined;
  /** The heat to go on with where most nodes are known. */
  readonly heat?: number;
}

type Phase = 'links' | 'clear' | 'tree' | 'repel' | 'move';

/**
 * Where the nodes of a graph lie: links are springs, nodes push each other away. The same graph always ends in the same
 * picture. The work is done in slices of any size, whatever they are, with the same result.
 */
export class Layout {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly #vx: Float64Array;
  readonly #vy: Float64Array;
  readonly #links: readonly number[];
  readonly #degrees: Uint32Array;
  readonly #tree: Quadtree;
  #heat = 1;
  #phase: Phase = 'links';
  /** Where in the phase the next slice goes on. */
  #at = 0;

  constructor({ size, links, known, heat = 1 }: LayoutInput) {
    this.x = new Float64Array(size);
    this.y = new Float64Array(size);
    this.#vx = new Float64Array(size);
    this.#vy = new Float64Array(size);
    this.#links = links;
    this.#degrees = new Uint32Array(size);
    for (const node of links) this.#degrees[node] = (this.#degrees[node] as number) + 1;
    this.#tree = new Quadtree(this.x, this.y);
    const stayed = this.#place(known ?? (() => undefined));
    if (stayed > size / 2) this.#heat = heat;
    if (size === 0) this.#heat = 0;
  }

  /** 1 at the start; how far nodes still move. */
  get heat(): number {
    return this.#heat;
  }

  get settled(): boolean {
    return this.#heat < COLD;
  }

  /**
   * Goes on for about this many looks at a node, link or cell, and returns how many it were. One node may take it
   * further than that, by at most the size of the tree.
   */
  advance(budget: number): number {
    let work = 0;
    while (work < budget && !this.settled) work += this.#go(budget - work);
    return work;
  }

  /** Puts nodes where they were, new ones beside what they are linked with; returns how many stayed. */
  #place(known: (node: number) => Point | undefined): number {
    const { x, y } = this;
    const placed = new Uint8Array(x.length);
    let stayed = 0;
    for (let node = 0; node < x.length; node++) {
      const point = known(node);
      if (point === undefined) {
        const radius = SEED_SPACE * Math.sqrt(node + 0.5);
        x[node] = radius * Math.cos(node * SEED_ANGLE);
        y[node] = radius * Math.sin(node * SEED_ANGLE);
        continue;
      }
      [x[node], y[node], placed[node]] = [point.x, point.y, 1];
      stayed++;
    }
    if (stayed === 0) return 0;
    for (let at = 0; at < this.#links.length; at += 2) {
      const [from, to] = [this.#links[at] as number, this.#links[at + 1] as number];
      const [old, fresh] = placed[from] === 1 ? [from, to] : [to, from];
      if (placed[old] !== 1 || placed[fresh] === 1) continue;
      x[fresh] = (x[old] as number) + (LINK / 2) * Math.cos(fresh * SEED_ANGLE);
      y[fresh] = (y[old] as number) + (LINK / 2) * Math.sin(fresh * SEED_ANGLE);
      placed[fresh] = 1;
    }
    return stayed;
  }

  /** One phase of one step, or a part of it. */
  #go(budget: number): number {
    const size = this.x.length;
    let work = 0;
    switch (this.#phase) {
      case 'links': {
        const { length } = this.#links;
        for (; this.#at < length && work < budget; this.#at += 2, work++) this.#spring(this.#at);
        if (this.#at >= length) this.#enter('clear');
        return work;
      }
      case 'clear':
        this.#tree.clear();
        this.#enter('tree');
        return size;
      case 'tree':
        for (; this.#at < size && work < budget; this.#at++) work += this.#tree.add(this.#at);
        if (this.#at >= size) this.#enter('repel');
        return work;
      case 'repel': {
        const strength = PUSH * this.#heat;
        for (; this.#at < size && work < budget; this.#at++)
          work += this.#tree.repel(this.#at, strength, THETA, this.#vx, this.#vy);
        if (this.#at >= size) this.#enter('move');
        return work;
      }
      case 'move':
        this.#move();
        this.#heat += -this.#heat * COOLING;
        this.#enter('links');
        return size;
    }
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#at = 0;
  }

  /** Pulls or pushes both ends of a link towards its length, the one with fewer links more. */
  #spring(at: number): void {
    const from = this.#links[at] as number;
    const to = this.#links[at + 1] as number;
    const vx = this.#vx;
    const vy = this.#vy;
    // From where they would be next: fewer steps until it is at rest.
    const dx = this.#aim(this.x, vx, to) - this.#aim(this.x, vx, from) || 1e-6;
    const dy = this.#aim(this.y, vy, to) - this.#aim(this.y, vy, from) || 1e-6;
    const distance = Math.sqrt(dx * dx + dy * dy);
    const one = this.#degrees[from] as number;
    const other = this.#degrees[to] as number;
    const pull = (((distance - LINK) / distance) * this.#heat) / Math.min(one, other);
    const share = one / (one + other);
    vx[to] = (vx[to] as number) - dx * pull * share;
    vy[to] = (vy[to] as number) - dy * pull * share;
    vx[from] = (vx[from] as number) + dx * pull * (1 - share);
    vy[from] = (vy[from] as number) + dy * pull * (1 - share);
  }

  #aim(place: Float64Array, speed: Float64Array, node: number): number {
    return (place[node] as number) + (speed[node] as number);
  }

  #move(): void {
    const vx = this.#vx;
    const vy = this.#vy;
    for (let node = 0; node < this.x.length; node++) {
      const x = this.x[node] as number;
      const y = this.y[node] as number;
      vx[node] = ((vx[node] as number) - x * PULL * this.#heat) * DRAG;
      vy[node] = ((vy[node] as number) - y * PULL * this.#heat) * DRAG;
      this.x[node] = x + (vx[node] as number);
      this.y[node] = y + (vy[node] as number);
    }
  }
}
