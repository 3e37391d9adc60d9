/** Something with a score. Ties are broken by id. */
interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** The best few of many, best first. Asks `accept` only about what would get in. */
export class Best<Item extends Ranked> {
  readonly list: Item[] = [];
  readonly #limit: number;
  readonly #accept: ((id: string) => boolean) | undefined;

  constructor(limit: number, accept?: (id: string) => boolean) {
    this.#limit = limit;
    this.#accept = accept;
  }

  /** Whether something with this score may get in. */
  wants(score: number): boolean {
    const last = this.list[this.#limit - 1];
    return last === undefined || score >= last.score;
  }

  put(item: Item): void {
    const last = this.list[this.#limit - 1];
    if (last !== undefined && compare(last, item) < 0) return;
    if (this.#accept?.(item.id) === false) return;
    let from = 0;
    let to = this.list.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compare(this.list[middle] as Item, item) < 0) from = middle + 1;
      else to = middle;
    }
    this.list.splice(from, 0, item);
    if (this.list.length > this.#limit) this.list.pop();
  }
}

function compare(one: Ranked, other: Ranked): number {
  return other.score - one.score || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}
