/**
 * Hybrid logical clock: wall time where it moves forward, a counter where it does not. Stamps sort as strings.
 */

const MS_DIGITS = 12;
const COUNTER_DIGITS = 4;
const COUNTER_END = 16 ** COUNTER_DIGITS;
const STAMP = /^[0-9a-f]{12}-[0-9a-f]{4}$/;

/** Whether `text` is a stamp: 12 hex digits of Unix milliseconds, a dash, 4 hex digits of counter. */
export function isStamp(text: unknown): text is string {
  return typeof text === 'string' && STAMP.test(text);
}

/** Unix milliseconds of a stamp. */
export function stampMs(stamp: string): number {
  return Number.parseInt(stamp.slice(0, MS_DIGITS), 16);
}

/** Sorts records into the journal's total order: by stamp, then by writer. */
export function inOrder(a: { stamp: string; writer: string }, b: { stamp: string; writer: string }): number {
  if (a.stamp !== b.stamp) return a.stamp < b.stamp ? -1 : 1;
  if (a.writer !== b.writer) return a.writer < b.writer ? -1 : 1;
  return 0;
}

export class HybridClock {
  readonly #now: () => number;
  #last = '';

  /** @param now Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Makes every later `next()` greater than `stamp`. */
  observe(stamp: string): void {
    if (stamp > this.#last) this.#last = stamp;
  }

  /** A stamp greater than every one made or observed so far. */
  next(): string {
    let ms = Math.max(0, Math.floor(this.#now()));
    let counter = 0;
    const lastMs = this.#last === '' ? -1 : stampMs(this.#last);
    if (lastMs >= ms) {
      ms = lastMs;
      counter = Number.parseInt(this.#last.slice(MS_DIGITS + 1), 16) + 1;
      if (counter === COUNTER_END) {
        ms += 1;
        counter = 0;
      }
    }
    this.#last = `${hex(ms, MS_DIGITS)}-${hex(counter, COUNTER_DIGITS)}`;
    return this.#last;
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
