/** The segments this instance writes. */
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { JournalContext } from './context.ts';
import { removeFile, syncDir, writeAll } from './disk.ts';
import { JournalWriteError, messageOf } from './errors.ts';
import { list, makeDir, segmentName } from './folder.ts';
import { frame } from './frame.ts';
import { ManifestReader } from './manifest.ts';
import { closeJson, headerJson } from './record.ts';

/** How often one append follows a store that keeps moving before it gives up. */
const MAX_MOVES = 16;

interface OpenSegment {
  name: string;
  fd: number;
  generation: number;
  /** Bytes that are durable; everything before was acknowledged. */
  size: number;
}

/** Where an acknowledged append went: bytes [from, to) of a segment. */
export interface Place {
  name: string;
  from: number;
  to: number;
}

export class OwnSegments {
  readonly #context: JournalContext;
  readonly #manifests: ManifestReader;
  #open: OpenSegment | undefined;
  #count = 0;

  constructor(context: JournalContext) {
    this.#context = context;
    this.#manifests = new ManifestReader(context.dir);
  }

  /**
   * Appends framed records; durable, and still part of the store, when this returns.
   * @param encode asked for the records at each try, after the generation that they are written in is known
   * @throws JournalWriteError; none of the records is acknowledged then.
   */
  append(encode: () => Uint8Array): Place {
    for (let move = 0; move < MAX_MOVES; move++) {
      const place = this.#write(encode);
      this.#context.seam.step?.('append: durable');
      if (this.#confirmed()) {
        if (place.to > this.#context.maxSegmentBytes) this.rotate();
        return place;
      }
      this.#takeBack(place);
    }
    throw new JournalWriteError(`The store in ${this.#context.dir} kept changing; nothing was saved.`);
  }

  /** Ends the current segment, so that it can be folded; the next append opens another. */
  rotate(): void {
    const segment = this.#open;
    if (!segment) return;
    try {
      // Not synced: should it get lost, the segment merely counts as open until this process ends.
      writeAll(segment.fd, frame(closeJson()), this.#context.seam.write);
    } catch {
      this.#cutBack(segment);
    }
    this.#abandon();
  }

  #write(encode: () => Uint8Array): Place {
    const { dir, seam } = this.#context;
    let segment: OpenSegment | undefined;
    try {
      // What cannot be encoded, for want of a key, leaves no trace.
      if (!this.#open) encode();
      const header = this.#open ? undefined : this.#create();
      segment = this.#open as OpenSegment;
      const records = encode();
      seam.step?.('append: open');
      writeAll(segment.fd, header ? Buffer.concat([header, records]) : records, seam.write);
      seam.step?.('append: written');
      fdatasyncSync(segment.fd);
      if (header) syncDir(dir);
      const from = segment.size;
      segment.size += records.length + (header?.length ?? 0);
      return { name: segment.name, from, to: segment.size };
    } catch (cause) {
      if (segment) this.#cutBack(segment);
      this.#abandon();
      if (cause instanceof JournalWriteError) throw cause;
      throw new JournalWriteError(`Nothing was saved: ${messageOf(cause)}`, { cause });
    }
  }

  /** Opens a new segment and returns the framed header that has yet to be written. */
  #create(): Buffer {
    const { dir, writer, now, seam } = this.#context;
    makeDir(dir);
    const { generation } = this.#manifests.read(list(dir));
    seam.step?.('append: opening');
    const name = segmentName(writer, this.#count++);
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND;
    const fd = openSync(join(dir, name), flags, 0o600);
    this.#open = { name, fd, generation, size: 0 };
    return frame(headerJson({ generation, pid: process.pid, host: hostname(), started: now() }));
  }

  #confirmed(): boolean {
    try {
      return this.#stands();
    } catch (cause) {
      this.#abandon();
      throw new JournalWriteError(`Not known to be saved: ${messageOf(cause)}`, { cause });
    }
  }

  /**
   * Whether what was just made durable counts: the store is in the generation the segment was opened in, and
   * the segment is still in the folder under its name. The second comes last. Whoever folds a segment away
   * first renames it and then reads it once more: before the rename, our bytes are found by that reading;
   * after it, we find the name gone and append again.
   */
  #stands(): boolean {
    const segment = this.#open;
    if (!segment) return false;
    const { dir, seam } = this.#context;
    if (this.#manifests.read(list(dir)).generation !== segment.generation) return false;
    const named = statSync(join(dir, segment.name), { bigint: true, throwIfNoEntry: false });
    const stands = named !== undefined && named.ino === fstatSync(segment.fd, { bigint: true }).ino;
    seam.step?.('append: checked');
    return stands;
  }

  /** Takes back what was written and never acknowledged, as far as the disk lets us. */
  #cutBack(segment: OpenSegment): void {
    try {
      ftruncateSync(segment.fd, segment.size);
      if (segment.size === 0) removeFile(join(this.#context.dir, segment.name));
    } catch {
      // What stays is at worst a record nobody was told was saved.
    }
  }

  /**
   * Leaves a segment whose last records are to be written elsewhere, in another form perhaps. They were not acknowledged,
   * and whoever has read them here knows them by their ids.
   */
  #takeBack({ from }: Place): void {
    const segment = this.#open;
    if (segment) {
      segment.size = from;
      this.#cutBack(segment);
    }
    this.#abandon();
  }

  #abandon(): void {
    const segment = this.#open;
    this.#open = undefined;
    try {
      if (segment) closeSync(segment.fd);
    } catch {
      // Its bytes are synced or given up already.
    }
  }
}
