/** Reads what all processes wrote, each record once. Keeps no payloads. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalContext } from './context.ts';
import { DamageLog, type DamageReport } from './damage.ts';
import { readFrom } from './disk.ts';
import { isRetired, type Listing, latestSeq, list, manifestName } from './folder.ts';
import { lineKey, readLines } from './lines.ts';
import { isEnded, type SegmentState } from './liveness.ts';
import { ManifestReader, type View } from './manifest.ts';
import { isOp, type JournalRecord, type Line, type OpLine, openLine } from './record.ts';
import { AppliedSet } from './seen.ts';
import type { Place } from './segment.ts';

/** How often one refresh follows a folder that moves under it. What it then lacks, the next one finds. */
const MAX_PASSES = 24;
/** A torn tail of a living process is a write in flight, until it has not moved for so long. */
const IN_FLIGHT_MS = 5000;

export interface Refreshed {
  /** In no particular order; `inOrder` sorts them. */
  records: JournalRecord[];
  /** Whether `records` is everything there is now, in place of all that was delivered before. */
  reset: boolean;
}

interface SegmentProgress extends SegmentState {
  /** The file's present name. */
  file: string;
  /** Bytes done with. */
  offset: number;
  /** Bytes the file had when it was last looked at. */
  size: number;
}

export class JournalReader {
  readonly #context: JournalContext;
  readonly #manifests: ManifestReader;
  #loaded = false;
  #applied = new AppliedSet();
  #view: View | undefined;
  #bases = new Map<string, number>();
  #basesWhole = true;
  #segments = new Map<string, SegmentProgress>();
  readonly #damage: DamageLog;
  #unopened = 0;
  /** Of the records that were read: those in the clear, and those that only the store's switch has sealed. */
  #plain = 0;
  #whole = 0;

  constructor(context: JournalContext) {
    this.#context = context;
    this.#manifests = new ManifestReader(context.dir);
    this.#damage = new DamageLog(context.dir, context.keys);
  }

  /** Forgets what was read: the next refresh delivers everything. */
  restart(): void {
    this.#loaded = false;
  }

  /** What was appended by anyone since the last time. */
  refresh(): Refreshed {
    this.#context.keys.lookAgain();
    let records: JournalRecord[] = [];
    let reset = false;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const listing = list(this.#context.dir);
      this.#context.seam.step?.('read: listed');
      const view = this.#manifests.read(listing);
      this.#context.seam.step?.('read: manifest');
      if (!this.#loaded || this.#view?.generation !== view.generation || this.#lostSegment(listing, view)) {
        this.#clear();
        records = [];
        reset = true;
      }
      this.#view = view;
      const complete = this.#read(listing, view, records);
      if (complete && !this.#moved(listing)) break;
    }
    return { records, reset };
  }

  /**
   * Notes records this instance appended: they are not delivered again.
   * @returns those whose op id is new.
   */
  appended(place: Place, records: { record: JournalRecord; crc: number }[]): JournalRecord[] {
    const progress = this.#segments.get(place.name);
    if (progress?.offset === place.from) {
      progress.offset = place.to;
      progress.size = place.to;
    }
    const fresh: JournalRecord[] = [];
    for (const { record, crc } of records) {
      if (this.#applied.add(record.id, crc)) fresh.push(record);
    }
    return fresh;
  }

  /**
   * Names the set of records read so far: equal for equal sets in whatever order and files they were read.
   * A generation ago is another set, so that no projection outlives a hard delete.
   */
  position(): string {
    return [this.#view?.generation ?? 0, this.#applied.name(), this.#unopened].join('.');
  }

  /** How much of what was read stands in a form that the store's switch does not want at this moment. */
  misfits(): number {
    if (!this.#context.keys.sealsAll()) return this.#whole;
    let count = this.#plain;
    // What was left half written may be in the clear, and nobody finishes it.
    for (const state of this.#segments.values())
      if (state.size > state.offset && isEnded(this.#context, state, this.#view?.generation ?? 0)) count++;
    return count;
  }

  /** What could not be read so far, and what is torn at present. */
  damage(): DamageReport[] {
    const reports = this.#damage.reports();
    const generation = this.#view?.generation ?? 0;
    for (const [file, state] of this.#segments) {
      const length = state.size - state.offset;
      if (length <= 0) continue;
      const quiet = this.#context.now() - state.mtimeMs > IN_FLIGHT_MS;
      if (!quiet && !isEnded(this.#context, state, generation)) continue;
      reports.push({ file, offset: state.offset, length, reason: 'torn', count: 1 });
    }
    return reports;
  }

  /** Segments that a compaction would fold, and their bytes; bytes of the bases. */
  foldable(): { segments: number; bytes: number; baseBytes: number; leftovers: boolean } {
    const view = this.#view;
    const ended = [...this.#segments.values()].filter((state) =>
      isEnded(this.#context, state, view?.generation ?? 0),
    );
    const leftovers =
      view?.problem !== undefined ||
      this.#bases.size > 1 ||
      [...this.#segments].some(([name, state]) => isRetired(state.file) || view?.folded[name] !== undefined);
    return {
      segments: ended.length,
      bytes: ended.reduce((sum, state) => sum + state.size, 0),
      baseBytes: [...this.#bases.values()].reduce((sum, bytes) => sum + bytes, 0),
      leftovers,
    };
  }

  #clear(): void {
    this.#loaded = true;
    this.#applied = new AppliedSet();
    this.#view = undefined;
    this.#bases.clear();
    this.#basesWhole = true;
    this.#segments.clear();
    this.#damage.clear();
    this.#unopened = 0;
    this.#plain = 0;
    this.#whole = 0;
  }

  /** Whether a segment went away that no compaction we know of folded. Forgets those that were folded. */
  #lostSegment(listing: Listing, view: View): boolean {
    for (const [name, { offset }] of this.#segments) {
      if (listing.segments.has(name)) continue;
      if (offset > 0 && this.#view?.seq === view.seq && view.folded[name] === undefined) return true;
      this.#segments.delete(name);
    }
    return false;
  }

  /** Whether the folder has changed in a way that this pass may have missed something through. */
  #moved(before: Listing): boolean {
    const after = list(this.#context.dir);
    if (latestSeq(after) !== latestSeq(before)) return true;
    return [...after.segments.keys()].some((name) => !before.segments.has(name));
  }

  /** False when a file went away before it could be read. */
  #read(listing: Listing, view: View, out: JournalRecord[]): boolean {
    if (view.problem) {
      const { reason, bytes } = view.problem;
      this.#damage.bytes(manifestName(view.seq), 0, reason, bytes);
    }
    let complete = true;
    for (const name of this.#bases.keys()) if (!view.bases.includes(name)) this.#bases.delete(name);
    if (view.bases.some((name) => !this.#bases.has(name))) this.#basesWhole = true;
    for (const name of view.bases) {
      if (!this.#bases.has(name)) complete = this.#readBase(name, view.seq, out) && complete;
    }
    for (const [name, file] of listing.segments) {
      complete = this.#readSegment(name, file, view, out) && complete;
    }
    return complete;
  }

  #readBase(name: string, seq: number, out: JournalRecord[]): boolean {
    const bytes = this.#bytes(name, name, 0)?.bytes;
    if (!bytes) {
      // Gone because a newer base took its place, or really gone?
      if (latestSeq(list(this.#context.dir)) !== seq) return false;
      this.#damage.file(name, 0, 'missing');
      this.#basesWhole = false;
      this.#bases.set(name, 0);
      return true;
    }
    let expected = -1;
    let count = 0;
    const consumed = this.#consume(name, bytes, 0, out, (line) => {
      if (line.kind === 'end') expected = line.count;
      else count++;
    });
    if (consumed < bytes.length) {
      this.#damage.bytes(name, consumed, 'torn', bytes.subarray(consumed));
    }
    if (count !== expected) {
      this.#damage.file(name, bytes.length, 'incomplete');
      // The segments it was made of may still be there.
      this.#basesWhole = false;
    }
    this.#bases.set(name, bytes.length);
    return true;
  }

  #readSegment(name: string, file: string, view: View, out: JournalRecord[]): boolean {
    const stat = statSync(join(this.#context.dir, file), { throwIfNoEntry: false });
    if (!stat) return false;
    let state = this.#segments.get(name);
    if (state && stat.size < state.offset) {
      // Its writer took back what it could not make durable: start over without it.
      this.restart();
      return false;
    }
    if (state && state.size === stat.size && state.mtimeMs === stat.mtimeMs) {
      state.file = file;
      return true;
    }
    const offset = state?.offset ?? (this.#basesWhole ? (view.folded[name] ?? 0) : 0);
    const read = this.#bytes(file, name, offset);
    if (!read) return false;
    state ??= { file, offset, size: 0, mtimeMs: 0, header: undefined, closed: false };
    const progress = Object.assign(state, { file, size: offset + read.bytes.length, mtimeMs: read.mtimeMs });
    this.#segments.set(name, progress);
    progress.offset = this.#consume(name, read.bytes, offset, out, (line) => {
      if (line.kind === 'header') progress.header = line.header;
      if (line.kind === 'close') progress.closed = true;
    });
    return true;
  }

  /** The bytes of a file; none, with a report, when the file is there and cannot be read. */
  #bytes(file: string, name: string, offset: number): { bytes: Buffer; mtimeMs: number } | undefined {
    try {
      return readFrom(join(this.#context.dir, file), offset);
    } catch {
      this.#damage.file(name, offset, 'unreadable');
      return { bytes: Buffer.alloc(0), mtimeMs: 0 };
    }
  }

  /** Counts what will have to be rewritten, and tells the switch of what only it can have sealed. */
  #note(line: OpLine): void {
    if (line.kind !== 'sealed') this.#plain++;
    else if (line.whole) {
      this.#context.keys.foundSealed(line.keyId);
      if (this.#context.keys.find(line.keyId) !== undefined) this.#whole++;
    }
  }

  #consume(
    name: string,
    bytes: Buffer,
    offset: number,
    out: JournalRecord[],
    onLine: (line: Line) => void,
  ): number {
    return readLines(bytes, offset, {
      line: (line, body, crc, start) => {
        onLine(line);
        if (!isOp(line)) return;
        this.#note(line);
        if (line.kind !== 'opaque') this.#context.clock.observe(line.stamp);
        if (!this.#applied.add(lineKey(line, body, crc), crc)) return;
        const record = openLine(line, this.#context.keys);
        if (typeof record !== 'string') {
          out.push(record);
          return;
        }
        this.#unopened++;
        const level = line.kind === 'opaque' ? undefined : line.level;
        this.#damage.unopened(name, start, body.length, record, level);
      },
      damage: (start, end) => {
        this.#damage.bytes(name, start, 'unverified', bytes.subarray(start - offset, end - offset));
      },
    });
  }
}
