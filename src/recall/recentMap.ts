/**
 * A map that forgets what was not used for long. It keeps two halves: what is not in the younger one is taken from the
 * older, and when the younger is full it becomes the older. So it never forgets everything at once.
 */
export class RecentMap<Key, Value> {
  readonly #size: number;
  #younger = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  /** Keeps at least the last `size` keys that were used, and at most twice as many. */
  constructor(size: number) {
    this.#size = size;
  }

  get(key: Key): Value | undefined {
    const known = this.#younger.get(key);
    if (known !== undefined) return known;
    const old = this.#older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#younger.size >= this.#size) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(key, value);
  }
}
