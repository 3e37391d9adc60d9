/**
 * The journal: the one truth of a store. A folder of segments; every process appends to its own, and reads
 * those of all. State is what the owner makes of the records. Synchronous: it lives in a worker thread.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type CompactOptions, type CompactResult, compact } from './compact.ts';
import type { JournalContext, JournalSeam } from './context.ts';
import type { DamageReport } from './damage.ts';
import { JournalWriteError } from './errors.ts';
import { recordJson } from './form.ts';
import { frame } from './frame.ts';
import { KeyError, type KeyRing } from './keys.ts';
import { JournalReader, type Refreshed } from './reader.ts';
import type { JournalRecord, JsonValue } from './record.ts';
import { OwnSegments } from './segment.ts';
import { HybridClock } from './stamp.ts';

export type { CompactOptions, CompactResult } from './compact.ts';
export type { DamageReport } from './damage.ts';
export type { Refreshed } from './reader.ts';
export type { JournalRecord, JsonValue } from './record.ts';

/** Small enough that a busy process soon leaves something to fold, large enough that folding is rare. */
const MAX_SEGMENT_BYTES = 4 << 20;
const WRITER_BYTES = 6;
/** Each start of a process leaves a segment; so many are folded however small they are. */
const FOLD_SEGMENTS = 32;
/** Fewer bytes than this in ended segments are not worth a new base... */
const FOLD_BYTES = 4 << 20;
/** ...nor is less than this part of the present one. */
const FOLD_SHARE = 0.5;

export interface JournalOptions {
  /** The journal's folder; created (0700) with the first append. A missing one is empty. */
  dir: string;
  /** Whether payloads of this level are sealed. */
  sealed(level: string): boolean;
  keys: KeyRing;
  /** Unix milliseconds. */
  now(): number;
  /** Cryptographically random bytes. */
  randomBytes?(count: number): Uint8Array;
  /** A segment is ended once it is longer than this. */
  maxSegmentBytes?: number;
  /** For tests. */
  seam?: JournalSeam;
}

/** One op to append. */
export interface Draft {
  payload: JsonValue;
  level: string;
  /** Op id; by default one that no other op has. The same id must always mean the same op. */
  id?: string;
}

export class Journal {
  readonly #context: JournalContext;
  readonly #own: OwnSegments;
  readonly #reader: JournalReader;
  #ops = 0;
  #closed = false;

  /** Opens the journal: reads nothing yet, and leaves no trace in a folder that is only looked at. */
  constructor(options: JournalOptions) {
    const { dir, keys, now } = options;
    const random = options.randomBytes ?? randomBytes;
    this.#context = {
      dir,
      writer: Buffer.from(random(WRITER_BYTES)).toString('hex'),
      keys,
      clock: new HybridClock(now),
      now,
      sealed: (level) => keys.sealsAll() || options.sealed(level),
      random,
      maxSegmentBytes: options.maxSegmentBytes ?? MAX_SEGMENT_BYTES,
      seam: options.seam ?? {},
    };
    this.#own = new OwnSegments(this.#context);
    this.#reader = new JournalReader(this.#context);
  }

  /** The name of this instance in stamps and op ids: 12 hex digits. */
  get writer(): string {
    return this.#context.writer;
  }

  /** Everything there is, each op once, in no particular order (`inOrder` sorts). Damage is left out. */
  load(): JournalRecord[] {
    this.#reader.restart();
    return this.#reader.refresh().records;
  }

  /**
   * What others appended since the last `load`, `refresh` or `append`. Cheap when nothing changed. When `reset`
   * is true, `records` is everything there is and replaces all that was delivered before: the generation
   * changed (something was deleted for good), or files went away.
   */
  refresh(): Refreshed {
    return this.#reader.refresh();
  }

  /**
   * Appends ops in one write and one sync. They are durable when this returns.
   * @returns the records, without those whose given id had been applied before. `refresh` will not repeat them.
   * @throws JournalWriteError when they could not be made durable; none of them is acknowledged then.
   */
  append(drafts: readonly Draft[]): JournalRecord[] {
    if (this.#closed) throw new JournalWriteError('The journal is closed.');
    if (drafts.length === 0) return [];
    const records = drafts.map((draft) => this.#record(draft));
    let written: { record: JournalRecord; framed: Buffer; crc: number }[] = [];
    // Anew at each try: the switch may have been moved since the last one.
    const place = this.#own.append(() => {
      written = records.map((record) => this.#encode(record));
      return Buffer.concat(written.map(({ framed }) => framed));
    });
    return this.#reader.appended(place, written);
  }

  /**
   * Names the set of records delivered so far, for a projection to compare itself with: equal for equal sets,
   * whichever process asks and whatever files they are in.
   */
  position(): string {
    return this.#reader.position();
  }

  /** Whether there is enough to fold. Goes by what the last `load` or `refresh` saw. */
  shouldCompact(): boolean {
    const { segments, bytes, baseBytes, leftovers } = this.#reader.foldable();
    return leftovers || segments >= FOLD_SEGMENTS || bytes >= Math.max(FOLD_BYTES, baseBytes * FOLD_SHARE);
  }

  /**
   * Folds segments of ended processes, and our own, into a new base without the records that are not
   * retained. Best right after a `refresh` whose records were applied. The next `refresh` of every instance
   * reads the new base; with `newGeneration` it says `reset`.
   * @throws JournalWriteError when it could not be done; nothing is lost then.
   */
  compact(options: CompactOptions): CompactResult {
    return compact(this.#context, this.#own, options);
  }

  /** Whether records that were read so far stand in a form that the store's switch no longer wants. */
  hasMisfits(): boolean {
    return this.#reader.misfits() > 0;
  }

  /** What could not be read: damaged bytes, torn tails, records that cannot be opened. All of it is kept. */
  damage(): DamageReport[] {
    return this.#reader.damage();
  }

  /** Ends our segment. Nothing can be appended any more. */
  close(): void {
    this.#closed = true;
    this.#own.rotate();
  }

  #record({ id, level, payload }: Draft): JournalRecord {
    const { writer, clock } = this.#context;
    return {
      id: id ?? `${writer}-${(this.#ops++).toString(36)}`,
      stamp: clock.next(),
      writer,
      level,
      payload,
    };
  }

  #encode(record: JournalRecord): { record: JournalRecord; framed: Buffer; crc: number } {
    try {
      const body = Buffer.from(recordJson(record, this.#context), 'utf8');
      return { record, framed: frame(body), crc: crc32(body) };
    } catch (cause) {
      if (cause instanceof KeyError) throw new JournalWriteError(cause.message, { cause });
      throw cause;
    }
  }
}
