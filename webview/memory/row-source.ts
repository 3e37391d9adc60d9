import type { BrowsePage, EntryRow } from '../../src/protocol.ts';
import { errorText, isAbort } from '../kit/host.ts';

const PAGE = 100;
const KEPT_PAGES = 40;
const AT_ONCE = 2;

interface Page {
  readonly rows: readonly EntryRow[];
  readonly generation: number;
}

export type FetchPage = (offset: number, limit: number, signal: AbortSignal) => Promise<BrowsePage>;

/**
 * The rows of one list, read from the host a page at a time as they come into view. What was read stays
 * shown while newer is on its way; answers to questions no longer asked are dropped.
 */
export class RowSource {
  /** Undefined until the first answer. */
  total: number | undefined;
  error: string | undefined;
  readonly #changed: () => void;
  readonly #pages = new Map<number, Page>();
  #fetch: FetchPage | undefined;
  #flights = new Map<number, AbortController>();
  #generation = 0;
  #first = 0;
  #last = 0;
  /** The next answer is for other criteria and takes the place of everything. */
  #fresh = true;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Shows other rows from the top. */
  search(fetch: FetchPage): void {
    this.#fetch = fetch;
    this.#fresh = true;
    this.#first = 0;
    this.#last = 0;
    this.refresh();
  }

  /** Reads what is in view again. */
  refresh(): void {
    this.#generation++;
    this.error = undefined;
    for (const flight of this.#flights.values()) flight.abort();
    this.#flights = new Map();
    this.#pump();
  }

  /** Says which rows are in view. */
  want(first: number, last: number): void {
    this.#first = first;
    this.#last = Math.max(first, last);
    if (!this.#fresh) this.#pump();
  }

  row(index: number): EntryRow | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.rows[index % PAGE];
  }

  /** Where an entry is among the rows read so far, else -1. */
  indexOf(id: string): number {
    for (const [page, { rows }] of this.#pages) {
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) return page * PAGE + at;
    }
    return -1;
  }

  /** Reads the rows from one index to another; undefined when that failed, which is shown as an error. */
  async range(from: number, to: number): Promise<readonly EntryRow[] | undefined> {
    const rows: EntryRow[] = [];
    try {
      for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page++) {
        const all =
          this.#pages.get(page) ?? (await this.#fetch?.(page * PAGE, PAGE, new AbortController().signal));
        rows.push(...(all?.rows ?? []).filter((_, at) => page * PAGE + at >= from && page * PAGE + at <= to));
      }
      return rows;
    } catch (error) {
      this.error = errorText(error);
      this.#changed();
      return undefined;
    }
  }

  #pump(): void {
    for (let page = Math.floor(this.#first / PAGE); page <= Math.floor(this.#last / PAGE); page++) {
      if (this.#flights.size >= AT_ONCE) return;
      if (this.#pages.get(page)?.generation !== this.#generation && !this.#flights.has(page))
        void this.#read(page);
    }
  }

  async #read(page: number): Promise<void> {
    const generation = this.#generation;
    const flight = new AbortController();
    this.#flights.set(page, flight);
    try {
      const answer = await this.#fetch?.(page * PAGE, PAGE, flight.signal);
      if (answer === undefined || generation !== this.#generation) return;
      if (this.#fresh) this.#pages.clear();
      this.#fresh = false;
      this.total = answer.total;
      this.#pages.set(page, { rows: answer.rows, generation });
      this.#forgetFar(page);
    } catch (error) {
      if (generation !== this.#generation || isAbort(error)) return;
      this.error = errorText(error);
    }
    this.#flights.delete(page);
    this.#changed();
    // After a failure the person retries; going on by ourselves would only fail again.
    if (this.error === undefined) this.#pump();
  }

  #forgetFar(page: number): void {
    if (this.#pages.size <= KEPT_PAGES) return;
    const far = [...this.#pages.keys()].reduce((a, b) => (Math.abs(b - page) > Math.abs(a - page) ? b : a));
    this.#pages.delete(far);
  }
}
