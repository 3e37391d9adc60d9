import type { Entry, EntryFilter, Reader } from '../memory/entry.ts';
import { passes } from '../memory/filter.ts';
import { PastMemory, type ReadableMemory } from '../memory/past.ts';
import type { MemoryStore } from '../memory/store.ts';
import type { Recalled, RecallInput, RecallOutcome } from './api.ts';
import { alongLinks } from './linkWalk.ts';
import { Searcher } from './searcher.ts';

/** Memory with its index, of now or of a moment. */
interface Indexed {
  readonly memory: ReadableMemory;
  readonly searcher: Searcher;
}

interface Past extends Indexed {
  readonly moment: number;
  /** What memory had when it was looked back from. */
  readonly position: string;
}

/** Reads memory: as it is and as it stood, by words and along links. It changes nothing. */
export class Recaller {
  readonly #store: MemoryStore;
  readonly #searcher: Searcher;
  readonly #now: () => number;
  /** Looking back costs an index, and whoever looks back asks more than once. */
  #past: Past | undefined;

  constructor(store: MemoryStore, searcher: Searcher, now: () => number) {
    this.#store = store;
    this.#searcher = searcher;
    this.#now = now;
  }

  recall(input: RecallInput, reader: Reader): RecallOutcome {
    const { memory, searcher } = this.#at(input.asOf);
    const outcome =
      input.hops === undefined && input.from === undefined
        ? searcher.recall(input, reader)
        : alongLinks(input, reader, memory, searcher);
    if (input.asOf === undefined) return outcome;
    return { ...outcome, results: outcome.results.map((result) => this.#withToday(result)) };
  }

  /** Entries by id or key as they stood at a moment, in the order asked, each once. */
  fetchAt(names: readonly string[], reader: Reader, filter: EntryFilter, moment: number): Entry[] {
    const { memory } = this.#at(moment);
    const found = names.flatMap((name) => {
      const entry = memory.resolve(name, reader);
      if (entry === undefined || memory.isExpired(entry) || !passes(entry, filter)) return [];
      return [entry];
    });
    return [...new Set(found)].map((entry) => memory.present(entry));
  }

  /** Work for idle moments: lets go of the past. */
  tidy(): void {
    this.#past = undefined;
  }

  #at(moment: number | undefined): Indexed {
    if (moment === undefined) return { memory: this.#store, searcher: this.#searcher };
    const position = this.#store.position();
    if (this.#past?.moment !== moment || this.#past.position !== position) {
      // The one before goes first: two indexes at once are enough.
      this.#past = undefined;
      const memory = new PastMemory(this.#store, moment);
      this.#past = { moment, position, memory, searcher: new Searcher(memory, this.#now) };
    }
    return this.#past;
  }

  /** What became of an entry of the past that is out of recall today. */
  #withToday(result: Recalled): Recalled {
    const today = this.#store.folded(result.entry.id);
    if (today === undefined || today.status === 'active') return result;
    return { ...result, now: { status: today.status, supersededBy: today.supersededBy } };
  }
}
