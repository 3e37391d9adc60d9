import { grow, type PartitionImage, Postings } from './postings.ts';
import { type Spelling, Spellings } from './spellings.ts';

/** BM25: how soon repeats of a term stop counting, and how much long documents are held back: memories are all short. */
const K1 = 1.2;
const B = 0.65;

/**
 * Frequencies are whole multiples of 1/10 occurrence, so that weights below 1 can be told apart and sums of lengths
 * stay exact under removal. Postings keep up to 25 occurrences, where BM25 has given 95 % of what it can.
 */
export const FREQUENCY_UNIT = 10;

/** A partition is rewritten when more than this share of its slots are dead (and there are enough to bother). */
const MAX_DEAD_SHARE = 1 / 3;
const MIN_DEAD = 64;

/** Terms of one search. */
export const MOST_TERMS = 64;
const WORDS_OF_BITS = MOST_TERMS / 32;

/** A query term with what one perfect match of it is worth: its weight times its inverse document frequency. */
export interface WeightedTerm {
  readonly text: string;
  readonly value: number;
}

/**
 * The documents of one level. Nothing here depends on another level. Documents live in numbered slots; a removed
 * one leaves a dead slot until the partition is rewritten, but counts are exact at every moment.
 */
export class Partition {
  #postings = new Postings();
  #terms = new Map<string, number>();
  /** Live documents per term. */
  #frequencies = new Uint32Array(256);
  #slots = new Map<string, number>();
  #ids: string[] = [];
  /** Document lengths in frequency units; 0 for dead slots and for documents without terms. */
  #lengths = new Uint32Array(64);
  /** Terms of every document one after another, and where each slot's begin: needed to take a document out. */
  #forward = new Uint32Array(1024);
  #forwardStarts = new Uint32Array(64);
  #totalLength = 0;
  #scores = new Float64Array(0);
  /** By slot: one bit for each of the running search's terms. */
  #matches = new Uint32Array(0);
  /** Made when the first word is looked up that nobody wrote. */
  #spellings: Spellings | undefined;

  /** Live documents. */
  get size(): number {
    return this.#slots.size;
  }

  /** Sum of the lengths of the live documents, in frequency units. */
  get totalLength(): number {
    return this.#totalLength;
  }

  /** Live documents that contain the term. */
  documentFrequency(text: string): number {
    const term = this.#terms.get(text);
    return term === undefined ? 0 : (this.#frequencies[term] ?? 0);
  }

  /** Adds a document that is not there yet, by its terms and their weighted frequencies (whole units > 0). */
  add(id: string, frequencies: ReadonlyMap<string, number>): void {
    const terms: number[] = [];
    const slot = this.#openSlot(id, frequencies.size);
    for (const [text, frequency] of frequencies) {
      const term = this.#terms.get(text) ?? this.#addTerm(text);
      terms.push(term);
      this.#postings.append(term, slot, frequency);
      this.#frequencies[term] = (this.#frequencies[term] ?? 0) + 1;
      this.#lengths[slot] = (this.#lengths[slot] ?? 0) + frequency;
    }
    this.#closeSlot(slot, terms);
  }

  /** Takes a document out; false when it is not there. */
  remove(id: string): boolean {
    const slot = this.#slots.get(id);
    if (slot === undefined) return false;
    for (const term of this.#termsOf(slot)) this.#frequencies[term] = (this.#frequencies[term] ?? 0) - 1;
    this.#totalLength -= this.#lengths[slot] ?? 0;
    this.#lengths[slot] = 0;
    this.#slots.delete(id);
    const dead = this.#ids.length - this.#slots.size;
    if (dead >= MIN_DEAD && dead > this.#ids.length * MAX_DEAD_SHARE) this.load(this.image());
    return true;
  }

  /**
   * Scores every document that has one of the terms (at most `MOST_TERMS`) by BM25 and returns their slots. The scores
   * are read with `scoreAt` and `matchedAt` and must be let go with `release` before the next search.
   */
  score(query: readonly WeightedTerm[], averageLength: number): readonly number[] {
    if (this.#scores.length < this.#ids.length) {
      this.#scores = new Float64Array(this.#lengths.length);
      this.#matches = new Uint32Array(this.#lengths.length * WORDS_OF_BITS);
    }
    const scores = this.#scores;
    const matches = this.#matches;
    const lengths = this.#lengths;
    const touched: number[] = [];
    const base = FREQUENCY_UNIT * K1 * (1 - B);
    const perUnit = (FREQUENCY_UNIT * K1 * B) / averageLength;
    for (const [at, { text, value }] of query.entries()) {
      const term = this.#terms.get(text);
      if (term === undefined) continue;
      const worth = value * (K1 + 1);
      const bit = 1 << (at % 32);
      const word = Math.floor(at / 32);
      this.#postings.forEach(term, (slot, frequency) => {
        const length = lengths[slot] as number;
        if (length === 0) return;
        const before = scores[slot] as number;
        if (before === 0) touched.push(slot);
        scores[slot] = before + (worth * frequency) / (frequency + base + perUnit * length);
        matches[slot * WORDS_OF_BITS + word] = (matches[slot * WORDS_OF_BITS + word] as number) | bit;
      });
    }
    return touched;
  }

  /** The score that the running search gave to the document in a slot; 0 when it has none of the terms. */
  scoreAt(slot: number): number {
    return this.#scores[slot] ?? 0;
  }

  /** Which of the running search's terms the document in a slot contains, by their place among them, ascending. */
  matchedAt(slot: number): number[] {
    const found: number[] = [];
    for (let word = 0; word < WORDS_OF_BITS; word++) {
      const bits = this.#matches[slot * WORDS_OF_BITS + word] ?? 0;
      for (let rest = bits, at = word * 32; rest !== 0; rest >>>= 1, at++)
        if ((rest & 1) === 1) found.push(at);
    }
    return found;
  }

  /** Ends a search. */
  release(touched: readonly number[]): void {
    for (const slot of touched) {
      this.#scores[slot] = 0;
      for (let word = 0; word < WORDS_OF_BITS; word++) this.#matches[slot * WORDS_OF_BITS + word] = 0;
    }
  }

  slotOf(id: string): number | undefined {
    return this.#slots.get(id);
  }

  idAt(slot: number): string {
    return this.#ids[slot] as string;
  }

  /** Whether the document in a slot contains a term. */
  has(slot: number, text: string): boolean {
    const term = this.#terms.get(text);
    return term !== undefined && this.#termsOf(slot).includes(term);
  }

  /** Terms of live documents that are spelled nearly like a word. */
  near(word: string, most: number): Spelling[] {
    if (this.#spellings === undefined) {
      this.#spellings = new Spellings();
      for (const text of this.#terms.keys()) this.#spellings.add(text);
    }
    return this.#spellings.near(word, most, (text) => this.documentFrequency(text) > 0);
  }

  #termsOf(slot: number): Uint32Array {
    return this.#forward.subarray(this.#forwardStarts[slot], this.#forwardStarts[slot + 1]);
  }

  #addTerm(text: string): number {
    const term = this.#terms.size;
    this.#terms.set(text, term);
    this.#spellings?.add(text);
    if (term >= this.#frequencies.length) this.#frequencies = grow(this.#frequencies, term + 1);
    return term;
  }

  #openSlot(id: string, termCount: number): number {
    const slot = this.#ids.push(id) - 1;
    this.#slots.set(id, slot);
    if (slot + 1 >= this.#lengths.length) {
      this.#lengths = grow(this.#lengths, slot + 2);
      this.#forwardStarts = grow(this.#forwardStarts, slot + 2);
    }
    const end = (this.#forwardStarts[slot] ?? 0) + termCount;
    if (end > this.#forward.length) this.#forward = grow(this.#forward, end);
    this.#forwardStarts[slot + 1] = end;
    return slot;
  }

  #closeSlot(slot: number, terms: readonly number[]): void {
    this.#forward.set(terms, this.#forwardStarts[slot]);
    this.#totalLength += this.#lengths[slot] ?? 0;
  }

  /** The live documents and the terms they still use. */
  image(): PartitionImage {
    const live = this.#ids.map((id, slot) => this.#slots.get(id) === slot);
    const ids = this.#ids.filter((_, slot) => live[slot]);
    const lengths = new Uint32Array(ids.length);
    const starts = new Uint32Array(ids.length + 1);
    /** By old slot: where its next term goes; −1 for dead ones. */
    const next = new Int32Array(this.#ids.length).fill(-1);
    let count = 0;
    for (let slot = 0; slot < this.#ids.length; slot++) {
      if (!live[slot]) continue;
      const start = starts[count] as number;
      next[slot] = start;
      lengths[count] = this.#lengths[slot] as number;
      starts[++count] = start + this.#termsOf(slot).length;
    }
    const words: string[] = [];
    const terms = new Uint32Array(starts[count] as number);
    const frequencies = new Uint8Array(terms.length);
    for (const [text, term] of this.#terms) {
      if (this.#frequencies[term] === 0) continue;
      const number = words.push(text) - 1;
      this.#postings.forEach(term, (slot, frequency) => {
        const at = next[slot] as number;
        if (at < 0) return;
        terms[at] = number;
        frequencies[at] = frequency;
        next[slot] = at + 1;
      });
    }
    return { ids, lengths, words, starts, terms, frequencies };
  }

  /** Takes over what an image shows, in place of what is here. The image must not be used after that. */
  load(image: PartitionImage): void {
    const { ids, lengths, words, starts, terms } = image;
    this.#postings = Postings.of(words.length, image);
    this.#terms = new Map(words.map((text, term) => [text, term]));
    this.#frequencies = new Uint32Array(words.length);
    for (const term of terms) this.#frequencies[term] = (this.#frequencies[term] as number) + 1;
    this.#slots = new Map(ids.map((id, slot) => [id, slot]));
    this.#ids = [...ids];
    this.#lengths = lengths;
    this.#forward = terms;
    this.#forwardStarts = starts;
    this.#totalLength = lengths.reduce((sum, length) => sum + length, 0);
    this.#scores = new Float64Array(0);
    this.#matches = new Uint32Array(0);
    this.#spellings = undefined;
  }
}
