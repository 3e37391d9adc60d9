/**
 * Folding of segments into a new base.
 *
 * The order that makes a crash, or a second compaction, harmless at every point:
 *  1. read everything, write the new base, read it back;
 *  2. put the manifest in place that names it and says how much of which segment it holds;
 *  3. for each of those segments: rename it, read once more what it holds beyond that, append those records
 *     through our own segment, and only then remove it;
 *  4. remove the old manifests and bases.
 * A writer looks for its segment's name after its bytes are durable and before it acknowledges them. If it
 * looks before the rename, step 3 reads its bytes; if after, it appends them again elsewhere. So a segment may
 * be folded even when its process turns out to live. Readers read renamed segments like any other.
 */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { BaseWriter } from './base.ts';
import { type Contents, fileContents, type Piece, segmentHeader } from './contents.ts';
import type { JournalContext } from './context.ts';
import { errorCode, removeFile, syncDir, syncFile } from './disk.ts';
import { JournalWriteError, messageOf } from './errors.ts';
import {
  baseName,
  isRetired,
  latestSeq,
  list,
  makeDir,
  manifestName,
  purgeQuarantine,
  retiredName,
} from './folder.ts';
import { fitting } from './form.ts';
import { frame } from './frame.ts';
import { lineKey } from './lines.ts';
import { isEnded } from './liveness.ts';
import { takeLock } from './lock.ts';
import { commitManifest, ManifestReader, type View } from './manifest.ts';
import { quarantine } from './quarantine.ts';
import { isOp, type JournalRecord, openLine } from './record.ts';
import { SeenIds } from './seen.ts';
import type { OwnSegments } from './segment.ts';

export interface CompactOptions {
  /**
   * Whether a record is still needed. Asked for each readable record once, also for such that `refresh` has
   * not delivered yet; must say yes to ops it does not know. Unreadable records are always kept.
   */
  retain(record: JournalRecord): boolean;
  /**
   * Leaves no byte behind of what is not retained: folds the segments of living processes too, and drops
   * damaged bytes with all copies of them.
   */
  newGeneration?: boolean;
  /**
   * With a new generation: damaged bytes are kept, for what moves is only the form in which records stand. They are put
   * aside in the form that counts.
   */
  keepDamage?: boolean;
}

export type CompactResult =
  | { done: true; generation: number; kept: number; dropped: number; folded: number }
  /** `locked`, `moved`: another process compacts. `newer-version`: a newer version's store, left alone. */
  | { done: false; reason: 'locked' | 'moved' | 'newer-version' };

/**
 * Compacts the folder.
 * @throws JournalWriteError when something cannot be read or written; nothing is lost then.
 */
export function compact(context: JournalContext, own: OwnSegments, options: CompactOptions): CompactResult {
  try {
    makeDir(context.dir);
    const release = takeLock(context);
    if (!release) return { done: false, reason: 'locked' };
    try {
      return new Compaction(context, own, options).run();
    } finally {
      release();
    }
  } catch (cause) {
    if (cause instanceof JournalWriteError) throw cause;
    throw new JournalWriteError(`The store was not compacted: ${messageOf(cause)}`, { cause });
  }
}

class Compaction {
  readonly #context: JournalContext;
  readonly #own: OwnSegments;
  readonly #options: CompactOptions;
  readonly #seen = new SeenIds();
  #dropped = 0;

  constructor(context: JournalContext, own: OwnSegments, options: CompactOptions) {
    this.#context = context;
    this.#own = own;
    this.#options = options;
  }

  run(): CompactResult {
    const { dir, writer, keys } = this.#context;
    keys.lookAgain();
    // Our own segment would otherwise never be folded while we live.
    this.#own.rotate();
    const listing = list(dir);
    const view = new ManifestReader(dir).read(listing);
    if (view.problem?.reason === 'newer-version') return { done: false, reason: 'newer-version' };
    const seq = view.seq + 1;
    const generation = view.generation + (this.#options.newGeneration ? 1 : 0);
    // What is rewritten is in the form that counts now; a switch that moves meanwhile has it rewritten again.
    const sealed = keys.sealsAll() ? keys.word().key : undefined;
    const base = new BaseWriter(this.#context, baseName(generation, seq, writer));
    let folded: Record<string, number> = {};
    let committed = false;
    try {
      const whole = this.#foldBases(view, base);
      folded = this.#foldSegments(listing.segments, whole ? view : { ...view, folded: {} }, base);
      this.#step('read');
      base.finish();
      const manifest = { generation, base: base.name, folded, ...(sealed && { sealed }) };
      committed = commitManifest(dir, seq, writer, manifest, this.#step);
    } catch (error) {
      base.discard();
      // A compaction that was faster clears away what we were working on.
      if (latestSeq(list(dir)) < seq) throw error;
    }
    if (!committed) {
      base.discard();
      return { done: false, reason: 'moved' };
    }
    // From here on the new base must stay, whatever fails.
    this.#step('manifest in place');
    syncDir(dir);
    this.#step('committed');
    // Here too, lest a crash before the end leaves copies that no later folding would look for.
    if (this.#dropsDamage) purgeQuarantine(dir);
    this.#retire(folded, generation);
    this.#clean(seq, base.name);
    const kept = base.count;
    return { done: true, generation, kept, dropped: this.#dropped, folded: Object.keys(folded).length };
  }

  readonly #step = (name: string): void => this.#context.seam.step?.(`compact: ${name}`);

  /** Takes over the old base. False when it is not whole, so that its segments must be read from the start. */
  #foldBases(view: View, base: BaseWriter): boolean {
    let whole = true;
    for (const name of view.bases) {
      const contents = fileContents(join(this.#context.dir, name), 0);
      if (!contents) {
        whole = false;
        continue;
      }
      const end = contents.pieces.find((piece) => piece.line.kind === 'end')?.line;
      if (end?.kind !== 'end' || end.count !== contents.pieces.length - 1) whole = false;
      this.#putAside(name, contents);
      this.#putTailAside(name, contents);
      for (const piece of contents.pieces) if (this.#wanted(piece)) base.add(this.#fitting(piece));
    }
    return whole;
  }

  /** Takes over segments, and says how much of each. */
  #foldSegments(segments: Map<string, string>, view: View, base: BaseWriter): Record<string, number> {
    const { dir } = this.#context;
    const folded: Record<string, number> = {};
    for (const [name, file] of segments) {
      const contents = this.#readable(file, view.folded[name] ?? 0);
      if (!contents) continue;
      const closed = contents.pieces.some((piece) => piece.line.kind === 'close');
      const state = { header: segmentHeader(join(dir, file)), closed, mtimeMs: contents.mtimeMs };
      const ended = isRetired(file) || isEnded(this.#context, state, view.generation);
      if (!ended && !this.#options.newGeneration) {
        // What is dropped may rest on what stands here: that must not be lost to a power cut either.
        syncFile(join(dir, file));
        continue;
      }
      this.#putAside(name, contents);
      for (const piece of contents.pieces) if (this.#wanted(piece)) base.add(this.#fitting(piece));
      folded[name] = contents.consumed;
    }
    return folded;
  }

  /** Removes the folded segments, and those that were opened in an older generation meanwhile. */
  #retire(folded: Record<string, number>, generation: number): void {
    const { dir } = this.#context;
    for (const [name, file] of list(dir).segments) {
      const offset = folded[name];
      const opened = segmentHeader(join(dir, file))?.generation ?? generation;
      if (offset === undefined && opened >= generation) continue;
      const retired = join(dir, retiredName(name));
      if (!isRetired(file) && !rename(join(dir, file), retired)) continue;
      this.#step('segment renamed');
      const contents = fileContents(retired, offset ?? 0);
      if (!contents) continue;
      const rest = contents.pieces.filter((piece) => this.#wanted(piece));
      if (rest.length > 0)
        this.#own.append(() => Buffer.concat(rest.map((piece) => frame(this.#fitting(piece)))));
      this.#putAside(name, contents);
      this.#putTailAside(name, contents);
      this.#step('rest appended');
      removeFile(retired);
      this.#step('segment removed');
    }
  }

  /**
   * Removes what older compactions left. Only what has a sequence number up to ours: a compaction that runs
   * beside this one has a higher one, or will fail to put its manifest in place.
   */
  #clean(seq: number, base: string): void {
    const { dir } = this.#context;
    const listing = list(dir);
    for (const old of listing.manifests.filter((n) => n < seq)) removeFile(join(dir, manifestName(old)));
    this.#step('old manifest removed');
    for (const draft of listing.drafts) if (draft.seq <= seq) removeFile(join(dir, draft.name));
    for (const old of listing.bases) {
      if (old.seq <= seq && old.name !== base) removeFile(join(dir, old.name));
    }
    this.#step('old base removed');
    if (this.#dropsDamage) purgeQuarantine(dir);
    syncDir(dir);
    this.#step('cleaned');
  }

  /** Whether a piece is a record that is to live on and has not been taken over yet. */
  #wanted({ line, body, crc }: Piece): boolean {
    if (!isOp(line) || !this.#seen.add(lineKey(line, body, crc))) return false;
    const record = openLine(line, this.#context.keys);
    const wanted = typeof record === 'string' || this.#options.retain(record);
    if (!wanted) this.#dropped++;
    return wanted;
  }

  get #dropsDamage(): boolean {
    return this.#options.newGeneration === true && this.#options.keepDamage !== true;
  }

  #fitting({ line, body, crc }: Piece): Buffer {
    return isOp(line) ? fitting(line, body, lineKey(line, body, crc), this.#context) : body;
  }

  /** The contents of a segment; none when it cannot be read and may stay as it is. */
  #readable(file: string, offset: number): Contents | undefined {
    try {
      return fileContents(join(this.#context.dir, file), offset);
    } catch (error) {
      if (this.#options.newGeneration) throw error;
      return undefined;
    }
  }

  /** Keeps damaged bytes where a person can look at them; not when every dropped byte has to go. */
  #putAside(name: string, contents: Contents): void {
    if (this.#dropsDamage) return;
    for (const { offset, bytes } of contents.damaged)
      quarantine(this.#context.dir, name, offset, bytes, this.#context.keys);
  }

  #putTailAside(name: string, { consumed, tail }: Contents): void {
    if (this.#dropsDamage || tail.length === 0) return;
    quarantine(this.#context.dir, name, consumed, tail, this.#context.keys);
  }
}

/** False when another compaction was faster. */
function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
