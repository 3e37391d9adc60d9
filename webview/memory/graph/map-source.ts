import type { MemoryMap } from '../../../src/protocol.ts';
import { errorText, type Host, isAbort } from '../../kit/host.ts';

/** The whole graph is read anew for every change; a row of changes is read as one. Milliseconds. */
const REST = 400;
/** A large memory takes the store's thread long to read, and agents want it, too: it has most of the time to itself. */
const REST_FOR_READING = 4;

type Input = Readonly<Record<string, unknown>>;

/** What was read, or why it was not. */
export type MapAnswer = { readonly map: MemoryMap; readonly input: Input } | { readonly error: string };
type Arrived = (answer: MapAnswer) => void;

/**
 * Reads the graph, one reading at a time: the store's thread goes on with a reading that nobody waits for, and agents
 * may write faster than a large memory is read.
 */
export class MapSource {
  readonly #host: () => Host;
  readonly #arrived: Arrived;
  #flight: { readonly input: Input; readonly abort: AbortController } | undefined;
  #isStale = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: () => Host, arrived: Arrived) {
    this.#host = host;
    this.#arrived = arrived;
  }

  /** Reads for an input. The same input as what is being read waits for that to end. */
  want(input: Input): void {
    if (this.#flight !== undefined && JSON.stringify(this.#flight.input) === JSON.stringify(input)) {
      this.#isStale = true;
      return;
    }
    this.stop();
    void this.#read(input);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#flight?.abort.abort();
    this.#flight = undefined;
    this.#isStale = false;
  }

  async #read(input: Input): Promise<void> {
    const flight = { input, abort: new AbortController() };
    this.#flight = flight;
    const start = performance.now();
    try {
      const map = await this.#host().invoke<MemoryMap>('memory_map', input, { signal: flight.abort.signal });
      if (this.#flight === flight) this.#arrived({ map, input });
    } catch (error) {
      if (this.#flight === flight && !isAbort(error)) this.#arrived({ error: errorText(error) });
    }
    if (this.#flight !== flight) return;
    const rest = Math.max(REST, REST_FOR_READING * (performance.now() - start));
    this.#timer = setTimeout(() => {
      this.#flight = undefined;
      if (!this.#isStale) return;
      this.#isStale = false;
      void this.#read(input);
    }, rest);
  }
}
