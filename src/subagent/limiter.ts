/** How many subagents of a session run at once. */

/** A place among those that run. */
export interface Slot {
  /**
   * Gives the place to others while `work` runs, such as subagents of one's own, and takes one again after it.
   * It is one place, however often it is lent at the same time.
   */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** Lets a bounded number of pieces of work run at once; the others wait in the order in which they came. */
export class Limiter {
  /** How many may run; 0 is no limit (`task.maxConcurrency`). Read at every start. */
  readonly #limit: () => number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: () => number) {
    this.#limit = limit;
  }

  /**
   * Runs `work` when a place is free.
   * @throws the signal's reason when it fires before that: then `work` does not run.
   */
  async run<Value>(work: (slot: Slot) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    await this.#enter(signal);
    let lent = 0;
    let isOver = false;
    const lend: Slot['lend'] = async (inner) => {
      if (lent++ === 0) this.#leave();
      try {
        return await inner();
      } finally {
        // Work that was given up meanwhile needs its place no more.
        if (--lent === 0 && !isOver) await this.#enter();
      }
    };
    try {
      return await work({ lend });
    } finally {
      isOver = true;
      if (lent === 0) this.#leave();
    }
  }

  async #enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#hasRoom() && this.#waiting.length === 0) {
      this.#running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', stop);
        this.#running++;
        resolve();
      };
      const stop = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal?.reason);
      };
      this.#waiting.push(start);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  #leave(): void {
    this.#running--;
    while (this.#waiting.length > 0 && this.#hasRoom()) this.#waiting.shift()?.();
  }

  #hasRoom(): boolean {
    const limit = this.#limit();
    return limit <= 0 || this.#running < limit;
  }
}
