/** The store's thread goes on with a reading, and agents want it, too: they have most of the time to themselves. */
const REST = 4;

/** Reads again whenever it is asked to, one reading at a time, with a rest after each that is as long as four of it. */
export class Pace {
  readonly #read: () => Promise<void>;
  #isReading = false;
  #isStale = false;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  want(): void {
    if (this.#isReading || this.#resting !== undefined) this.#isStale = true;
    else void this.#run();
  }

  stop(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    this.#isStale = false;
  }

  async #run(): Promise<void> {
    const began = performance.now();
    this.#isReading = true;
    this.#isStale = false;
    try {
      await this.#read();
    } finally {
      this.#isReading = false;
      this.#resting = setTimeout(
        () => {
          this.#resting = undefined;
          if (this.#isStale) void this.#run();
        },
        REST * (performance.now() - began),
      );
    }
  }
}
