/** Reading of a transcript, at once or while somebody else writes to it. */
import { statSync } from 'node:fs';
import { readFrom } from '../journal/disk.ts';
import { LEVELS, type Level } from '../policy/level.ts';
import type { LineCodec } from './line.ts';
import type { SessionRecord } from './record.ts';

const LF = 0x0a;

/** What follows the part of a transcript that verifies. */
export interface TranscriptDamage {
  /** Where the verified part ends. */
  offset: number;
  length: number;
  /**
   * `torn`: the file ends within a record, which was never acknowledged, or is being written right now.
   * `unverified`: a whole line that does not verify, or does not belong after the one before it.
   */
  reason: 'torn' | 'unverified';
}

export interface NewRecords {
  records: SessionRecord[];
  /** The file was replaced by another: these are all records, and what was told before does not count. */
  reset: boolean;
}

/** How far a transcript was read, for whoever reads on later. */
export interface ReadSoFar {
  readonly offset: number;
  readonly count: number;
  readonly hash: string;
  /** Whether the last line had a place in the chain, as all after it must have. */
  readonly chained: boolean;
}

export class TranscriptReader {
  readonly #file: string;
  readonly #codec: LineCodec;
  #uuids = new Set<string>();
  #offset = 0;
  #count = 0;
  #hash = '';
  #chained = false;
  #last: SessionRecord | undefined;
  /** Whether there were lines in the clear, and whether ones that only the store's switch has sealed. */
  #hasPlain = false;
  #hasWhole = false;
  #damage: TranscriptDamage | undefined;
  /** Size and time of the file as it was last read: a file that did not change is not read again. */
  #seen = '';

  /** `from`: where another reader came to. What is before it is not read again, and `has` does not know it. */
  constructor(file: string, codec: LineCodec, from?: ReadSoFar) {
    this.#file = file;
    this.#codec = codec;
    if (from === undefined) return;
    this.#offset = from.offset;
    this.#count = from.count;
    this.#hash = from.hash;
    this.#chained = from.chained;
  }

  /** What follows the verified part, as of the last read. */
  get damage(): TranscriptDamage | undefined {
    return this.#damage;
  }

  /** Where the verified part ends, in bytes. */
  get offset(): number {
    return this.#offset;
  }

  /** How many records there are. */
  get count(): number {
    return this.#count;
  }

  /** The hash that the next record must name. */
  get hash(): string {
    return this.#hash;
  }

  get chained(): boolean {
    return this.#chained;
  }

  get last(): SessionRecord | undefined {
    return this.#last;
  }

  /** The level the session has come to: of its last record, since it never falls. */
  get level(): Level {
    return this.#last?.level ?? LEVELS[0];
  }

  /** Whether lines that were read stand in a form that does not count, where everything, or nothing, is to be sealed. */
  hasMisfits(sealsAll: boolean): boolean {
    return sealsAll ? this.#hasPlain : this.#hasWhole;
  }

  /** Takes note that the owner of this reader has put the same records in another form. */
  moved(offset: number, hash: string): void {
    this.#offset = offset;
    this.#hash = hash;
    this.#hasPlain = false;
    this.#hasWhole = false;
    this.#seen = '';
  }

  has(uuid: string): boolean {
    return this.#uuids.has(uuid);
  }

  /** The records that were added since the last call. */
  read(): NewRecords {
    const stat = statSync(this.#file, { throwIfNoEntry: false });
    const seen = stat ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : '';
    if (seen === this.#seen) return { records: [], reset: false };
    this.#seen = seen;
    const from = this.#offset;
    const size = stat?.size ?? 0;
    if (size >= from) {
      const records = this.#take(from);
      // A line that does not follow what was read before: perhaps what was read before is no longer there.
      if (from === 0 || this.#damage?.reason !== 'unverified' || records.length > 0) {
        return { records, reset: false };
      }
    }
    this.#restart();
    return { records: this.#take(0), reset: from > 0 };
  }

  /** Takes note of a record that the owner of this reader has itself appended in `length` bytes. */
  advance(record: SessionRecord, length: number, hash: string): void {
    this.#offset += length;
    this.#note(record, hash);
  }

  #restart(): void {
    this.#uuids = new Set();
    this.#offset = 0;
    this.#count = 0;
    this.#hash = '';
    this.#chained = false;
    this.#last = undefined;
    this.#hasPlain = false;
    this.#hasWhole = false;
  }

  #note(record: SessionRecord, hash: string): void {
    this.#uuids.add(record.uuid);
    this.#hash = hash;
    this.#last = record;
    this.#count++;
  }

  #take(from: number): SessionRecord[] {
    const bytes = readFrom(this.#file, from)?.bytes ?? Buffer.alloc(0);
    const records: SessionRecord[] = [];
    this.#damage = undefined;
    let at = 0;
    while (at < bytes.length) {
      const end = bytes.indexOf(LF, at);
      if (end < 0) break;
      if (end > at || this.#chained) {
        const line = this.#codec.decode(bytes, at, end, this.#count);
        if (!line || (line.prev === undefined ? this.#chained : line.prev !== this.#hash)) {
          this.#damage = { offset: from + at, length: bytes.length - at, reason: 'unverified' };
          break;
        }
        this.#chained = line.prev !== undefined;
        this.#note(line.record, line.hash);
        if (!line.isSealed) this.#hasPlain = true;
        else if (!isLocked(line.record) && this.#codec.isBelowSeal(line.record.level)) this.#hasWhole = true;
        records.push(line.record);
      }
      at = end + 1;
    }
    this.#offset = from + at;
    if (!this.#damage && at < bytes.length) {
      this.#damage = { offset: from + at, length: bytes.length - at, reason: 'torn' };
    }
    return records;
  }
}

function isLocked(record: SessionRecord): boolean {
  return record.type === 'opaque' && record.reason !== 'newer-version' && record.reason !== 'malformed';
}
