/** What there is in a partition, with nothing left of what was taken out. Slots and terms are numbered from 0. */
export interface PartitionImage {
  /** By slot. */
  readonly ids: readonly string[];
  /** By slot, in frequency units. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** By number. */
  readonly words: readonly string[];
  /** By slot: where its terms begin in `terms`; one more for the end. */
  readonly starts: Uint32Array<ArrayBuffer>;
  /** Numbers of the terms of every slot, one after another. */
  readonly terms: Uint32Array<ArrayBuffer>;
  /** How often each of these occurs there, as far as postings keep it. */
  readonly frequencies: Uint8Array<ArrayBuffer>;
}

/** A posting is one number: the document's slot, then its frequency in the low eight bits. */
const FREQUENCY_BITS = 8;
/** Largest frequency kept; larger ones are stored as this. */
const MAX_FREQUENCY = 2 ** FREQUENCY_BITS - 1;

/**
 * Posting lists of many terms in one growing array. A term costs three numbers instead of an object of its own,
 * which matters when most terms occur in one or two documents. Lists are contiguous and keep slot order; a full
 * list moves to twice the room and leaves its old room to another list.
 */
export class Postings {
  #data = new Uint32Array(1024);
  #end = 0;
  #starts = new Uint32Array(256);
  #counts = new Uint32Array(256);
  /** Free rooms by the logarithm of their size. */
  readonly #free: number[][] = [];

  /**
   * The lists of many documents at once. `starts`: where each slot's terms begin, and after the last one where they
   * end. `terms` and `frequencies`, side by side: the terms of every slot one after another.
   */
  static of(
    termCount: number,
    { starts, terms, frequencies }: Pick<PartitionImage, 'starts' | 'terms' | 'frequencies'>,
  ): Postings {
    const counts = new Uint32Array(termCount);
    for (const term of terms) counts[term] = (counts[term] as number) + 1;
    const made = new Postings();
    made.#starts = new Uint32Array(termCount);
    for (let term = 0; term < termCount; term++) {
      made.#starts[term] = made.#end;
      if (counts[term] !== 0) made.#end += roomFor(counts[term] as number);
    }
    made.#data = new Uint32Array(made.#end);
    made.#counts = new Uint32Array(termCount);
    for (let slot = 0; slot + 1 < starts.length; slot++)
      for (let at = starts[slot] as number; at < (starts[slot + 1] as number); at++)
        made.#add(terms[at] as number, slot, frequencies[at] as number);
    return made;
  }

  /** Appends a posting to a term's list; slots (below 2 ** 24) must come in ascending order. */
  append(term: number, slot: number, frequency: number): void {
    if (term >= this.#starts.length) {
      this.#starts = grow(this.#starts, term + 1);
      this.#counts = grow(this.#counts, term + 1);
    }
    const count = this.#counts[term] ?? 0;
    // Room is always a power of two, so a list is full exactly when its count is one.
    if ((count & (count - 1)) === 0) this.#makeRoom(term, count);
    this.#add(term, slot, Math.min(frequency, MAX_FREQUENCY));
  }

  /** Calls `visit` for each posting of a term, in slot order. */
  forEach(term: number, visit: (slot: number, frequency: number) => void): void {
    const data = this.#data;
    const start = this.#starts[term] ?? 0;
    const end = start + (this.#counts[term] ?? 0);
    for (let at = start; at < end; at++) {
      const posting = data[at] as number;
      visit(posting >>> FREQUENCY_BITS, posting & MAX_FREQUENCY);
    }
  }

  /** Where there is room. */
  #add(term: number, slot: number, frequency: number): void {
    const count = this.#counts[term] as number;
    this.#data[(this.#starts[term] as number) + count] = slot * 2 ** FREQUENCY_BITS + frequency;
    this.#counts[term] = count + 1;
  }

  #makeRoom(term: number, count: number): void {
    const size = count === 0 ? 1 : count * 2;
    const start = this.#free[Math.log2(size)]?.pop() ?? this.#allocate(size);
    const old = this.#starts[term] ?? 0;
    if (count > 0) {
      this.#data.copyWithin(start, old, old + count);
      const rooms = Math.log2(count);
      this.#free[rooms] ??= [];
      this.#free[rooms].push(old);
    }
    this.#starts[term] = start;
  }

  #allocate(size: number): number {
    const start = this.#end;
    this.#end += size;
    if (this.#end > this.#data.length) this.#data = grow(this.#data, this.#end);
    return start;
  }
}

/** The room of a list: the least power of two that holds it. */
function roomFor(count: number): number {
  return 2 ** Math.ceil(Math.log2(count));
}

/** A copy of `array` with room for at least `length` numbers, half as long again so that growing stays rare. */
export function grow(array: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(Math.max(length, Math.ceil(array.length * 1.5)));
  longer.set(array);
  return longer;
}
