/**
 * Sets of words, of which one after the other is taken out with those that are like it. Exact, and far from comparing
 * all with all: of two sets that share enough, each has one of the other's rarest words among its own rarest (prefix
 * filtering; Chaudhuri, Ganti and Kaushik 2006), and where that word stands bounds how many more they can share
 * (Xiao, Wang, Lin and Yu 2008). A set is named by its place in the order in which they were given.
 */
export class AlikeSets {
  readonly #least: number;
  /** Words as numbers, rarest first. */
  readonly #sets: readonly Int32Array[];
  /** For each word the sets that have it among their rarest, each followed by the word's place in the set. */
  readonly #holders = new Map<number, number[]>();
  readonly #out: Uint8Array;
  /** Words in common so far with the set that is being taken; −1 where there cannot be enough. */
  readonly #shared: Int32Array;

  /**
   * Reads the sets, and stops after each so that other work can be done in between.
   * @param least two sets are alike above this Jaccard similarity, in (0, 1)
   */
  static *of(sets: Iterable<ReadonlySet<string>>, least: number): Generator<void, AlikeSets> {
    const numbers = new Map<string, number>();
    const frequency: number[] = [];
    const numbered: Int32Array[] = [];
    for (const set of sets) {
      const words = [...set].map((word) => {
        const number = numbers.get(word) ?? numbers.size;
        numbers.set(word, number);
        frequency[number] = (frequency[number] ?? 0) + 1;
        return number;
      });
      numbered.push(Int32Array.from(words));
      yield;
    }
    const rarity = new Int32Array(frequency.length);
    [...frequency.keys()]
      .sort((a, b) => (frequency[a] ?? 0) - (frequency[b] ?? 0) || a - b)
      .forEach((number, place) => {
        rarity[number] = place;
      });
    const alike = new AlikeSets(numbered, least);
    for (const [at, set] of numbered.entries()) {
      set.set(set.map((number) => rarity[number] ?? 0).sort());
      alike.#hold(at, set);
      yield;
    }
    return alike;
  }

  private constructor(sets: readonly Int32Array[], least: number) {
    this.#sets = sets;
    this.#least = least;
    this.#out = new Uint8Array(sets.length);
    this.#shared = new Int32Array(sets.length);
  }

  /** Takes a set out, and names those still in that share more than `least` of their words with it. */
  take(at: number): number[] {
    const set = this.#sets[at];
    this.#out[at] = 1;
    if (set === undefined) return [];
    const met: number[] = [];
    for (let place = 0; place < this.#rare(set); place++) {
      const holders = this.#holders.get(set[place] ?? -1);
      if (holders === undefined) continue;
      let kept = 0;
      for (let step = 0; step < holders.length; step += 2) {
        const other = holders[step] as number;
        const its = holders[step + 1] as number;
        if (this.#out[other] === 1) continue;
        holders[kept++] = other;
        holders[kept++] = its;
        this.#meet(set, place, other, its, met);
      }
      holders.length = kept;
    }
    const found = met.filter((other) => (this.#shared[other] ?? 0) > 0 && this.#isAlike(set, other));
    for (const other of met) this.#shared[other] = 0;
    return found;
  }

  /** Takes a set out. */
  drop(at: number): void {
    this.#out[at] = 1;
  }

  #hold(at: number, set: Int32Array): void {
    for (let place = 0; place < this.#rare(set); place++) {
      const word = set[place] as number;
      const holders = this.#holders.get(word);
      if (holders === undefined) this.#holders.set(word, [at, place]);
      else holders.push(at, place);
    }
  }

  /** How many of its rarest words a set must share one of with any set that is like it. */
  #rare(set: Int32Array): number {
    return set.length - Math.floor(this.#least * set.length);
  }

  /** Notes a word in common, unless what follows in both sets can no longer make them alike. */
  #meet(set: Int32Array, place: number, other: number, its: number, met: number[]): void {
    const before = this.#shared[other] ?? 0;
    if (before < 0) return;
    if (before === 0) met.push(other);
    const length = this.#sets[other]?.length ?? 0;
    const most = before + Math.min(set.length - place, length - its);
    const needed = (this.#least * (set.length + length)) / (1 + this.#least);
    this.#shared[other] = most < needed ? -1 : before + 1;
  }

  #isAlike(set: Int32Array, other: number): boolean {
    const its = this.#sets[other] ?? new Int32Array();
    let common = 0;
    for (let one = 0, two = 0; one < set.length && two < its.length; ) {
      const order = (set[one] as number) - (its[two] as number);
      if (order === 0) common++;
      if (order <= 0) one++;
      if (order >= 0) two++;
    }
    return common / (set.length + its.length - common) > this.#least;
  }
}
