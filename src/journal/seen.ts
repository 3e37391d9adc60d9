/**
 * The op ids already applied. Ids of the form `<12-character writer>-<base-36 counter>` cost one bit each, so
 * that a store of some hundred thousand records does not keep as many strings alive.
 */

const WRITER_LENGTH = 12;
/** Counters from here on are kept as strings: one wild id must not claim a bitmap of any size. */
const MAX_COUNTER = 1 << 22;

export class SeenIds {
  readonly #counters = new Map<string, Uint8Array>();
  readonly #others = new Set<string>();

  /** Remembers `id`; false when it was known. */
  add(id: string): boolean {
    const counter = counterOf(id);
    if (counter < 0) {
      if (this.#others.has(id)) return false;
      this.#others.add(id);
      return true;
    }
    const writer = id.slice(0, WRITER_LENGTH);
    const byte = counter >> 3;
    const bit = 1 << (counter & 7);
    let bits = this.#counters.get(writer);
    if (bits === undefined || bits.length <= byte) {
      const grown = new Uint8Array(Math.max(8, byte + 1, 2 * (bits?.length ?? 0)));
      if (bits) grown.set(bits);
      this.#counters.set(writer, grown);
      bits = grown;
    }
    const known = bits[byte] ?? 0;
    if (known & bit) return false;
    bits[byte] = known | bit;
    return true;
  }
}

/** The counter of an id in the default form, in its one canonical spelling; else -1. */
function counterOf(id: string): number {
  if (id.charCodeAt(WRITER_LENGTH) !== 0x2d) return -1;
  const digits = id.slice(WRITER_LENGTH + 1);
  const counter = Number.parseInt(digits, 36);
  return counter >= 0 && counter < MAX_COUNTER && counter.toString(36) === digits ? counter : -1;
}

/** The set of records applied, and a short name for it. */
export class AppliedSet {
  readonly #ids = new SeenIds();
  #count = 0;
  #sum = 0;
  #mix = 0;

  /** Notes a record by its id and the checksum of its JSON; false when it was applied before. */
  add(id: string, crc: number): boolean {
    if (!this.#ids.add(id)) return false;
    this.#count++;
    this.#sum = (this.#sum + crc) >>> 0;
    this.#mix = (this.#mix + Math.imul(crc, crc | 1)) >>> 0;
    return true;
  }

  /** Equal for equal sets, in whatever order they were read: sums do not care. */
  name(): string {
    return [this.#count, this.#sum, this.#mix].map((value) => value.toString(36)).join('.');
  }
}
