/** Deeper cells are smaller than anybody sees; points that are still together there share a leaf. */
const MOST_DEPTH = 20;
/** Cells for each point; points spread at all evenly need one or two, and where there are no more leaves are shared. */
const CELLS = 8;
const NONE = 0;

/**
 * Points in a square that is cut into four again and again, so that what is far away counts as one point (Barnes and
 * Hut, 1986). Built a point at a time, so that building can stop and go on. Cell 1 is the whole square; in `children` a
 * positive number is a cell, a negative one a leaf with the points that start at -number - 1 and go on in `next`.
 */
export class Quadtree {
  readonly #xs: Float64Array;
  readonly #ys: Float64Array;
  readonly #children: Int32Array;
  readonly #next: Int32Array;
  /** How many points a cell has, and the sums of where they are. */
  readonly #mass: Float64Array;
  readonly #sumX: Float64Array;
  readonly #sumY: Float64Array;
  readonly #most: number;
  #left = 0;
  #top = 0;
  #size = 1;
  #cells = 1;
  /** Cells yet to be looked at, and their sizes. */
  readonly #stack = new Int32Array(4 * MOST_DEPTH + 4);
  readonly #sizes = new Float64Array(4 * MOST_DEPTH + 4);

  /** Over these positions, which may move between one `clear` and the next. */
  constructor(xs: Float64Array, ys: Float64Array) {
    this.#xs = xs;
    this.#ys = ys;
    this.#most = CELLS * xs.length + 2;
    this.#next = new Int32Array(xs.length);
    this.#children = new Int32Array(4 * this.#most);
    this.#mass = new Float64Array(this.#most);
    this.#sumX = new Float64Array(this.#most);
    this.#sumY = new Float64Array(this.#most);
  }

  clear(): void {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = 0; at < this.#xs.length; at++) {
      const x = this.#xs[at] as number;
      const y = this.#ys[at] as number;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
    this.#left = left;
    this.#top = top;
    this.#size = Math.max(right - left, bottom - top, 1);
    this.#cells = 1;
    this.#addCell();
  }

  /** Adds a point by its place; returns how many cells that went through. */
  add(point: number): number {
    const px = this.#xs[point] as number;
    const py = this.#ys[point] as number;
    let cell = 1;
    let left = this.#left;
    let top = this.#top;
    let size = this.#size;
    let depth = 0;
    while (true) {
      this.#count(cell, px, py);
      size /= 2;
      depth++;
      const east = px >= left + size;
      const south = py >= top + size;
      if (east) left += size;
      if (south) top += size;
      const slot = cell * 4 + (south ? 2 : 0) + (east ? 1 : 0);
      const there = this.#children[slot] as number;
      if (there > 0) cell = there;
      else if (there === NONE || depth === MOST_DEPTH || this.#cells === this.#most) {
        this.#next[point] = there === NONE ? -1 : -there - 1;
        this.#children[slot] = -point - 1;
        return depth;
      } else cell = this.#split(slot, left, top, size);
    }
  }

  /** Pushes a point away from all others: adds to its speed, and returns how many cells and points were looked at. */
  repel(point: number, strength: number, theta: number, vx: Float64Array, vy: Float64Array): number {
    const px = this.#xs[point] as number;
    const py = this.#ys[point] as number;
    let pushX = 0;
    let pushY = 0;
    let looked = 0;
    let height = 1;
    this.#stack[0] = 1;
    this.#sizes[0] = this.#size;
    while (height > 0) {
      height--;
      const at = this.#stack[height] as number;
      const size = this.#sizes[height] as number;
      looked++;
      if (at > 0) {
        const mass = this.#mass[at] as number;
        const dx = px - (this.#sumX[at] as number) / mass;
        const dy = py - (this.#sumY[at] as number) / mass;
        const distance = dx * dx + dy * dy;
        if (size * size < theta * theta * distance) {
          pushX += (dx * mass) / distance;
          pushY += (dy * mass) / distance;
          continue;
        }
        for (let slot = at * 4; slot < at * 4 + 4; slot++) {
          const child = this.#children[slot] as number;
          if (child === NONE) continue;
          this.#stack[height] = child;
          this.#sizes[height] = size / 2;
          height++;
        }
        continue;
      }
      for (let other = -at - 1; other >= 0; other = this.#next[other] as number) {
        looked++;
        if (other === point) continue;
        let dx = px - (this.#xs[other] as number);
        let dy = py - (this.#ys[other] as number);
        // Two on one spot part along ways of their own, the same ones every time.
        if (dx === 0 && dy === 0) {
          dx = Math.cos(point);
          dy = Math.sin(point);
        }
        // Closer than one unit, the push would throw points across the room.
        const distance = Math.max(dx * dx + dy * dy, 1);
        pushX += dx / distance;
        pushY += dy / distance;
      }
    }
    vx[point] = (vx[point] as number) + pushX * strength;
    vy[point] = (vy[point] as number) + pushY * strength;
    return looked;
  }

  /** Puts a cell in the place of a leaf, with the leaf inside it. */
  #split(slot: number, left: number, top: number, size: number): number {
    const leaf = this.#children[slot] as number;
    const cell = this.#addCell();
    this.#children[slot] = cell;
    const x = this.#xs[-leaf - 1] as number;
    const y = this.#ys[-leaf - 1] as number;
    this.#children[cell * 4 + (y >= top + size / 2 ? 2 : 0) + (x >= left + size / 2 ? 1 : 0)] = leaf;
    // Only the last depth and the last cell share leaves, and neither is split.
    this.#count(cell, x, y);
    return cell;
  }

  #count(cell: number, x: number, y: number): void {
    this.#mass[cell] = (this.#mass[cell] as number) + 1;
    this.#sumX[cell] = (this.#sumX[cell] as number) + x;
    this.#sumY[cell] = (this.#sumY[cell] as number) + y;
  }

  #addCell(): number {
    const cell = this.#cells++;
    this.#children.fill(NONE, cell * 4, cell * 4 + 4);
    this.#mass[cell] = 0;
    this.#sumX[cell] = 0;
    this.#sumY[cell] = 0;
    return cell;
  }
}
