/**
 * What is still to be done between sessions, so that it outlives the process that was asked for it.
 *
 *     <dir>/<run>.json      the run as it stands, one line as in a transcript, sealed above the default level
 *     <dir>/<run>.lease/    who does what is left of it (see lease.ts)
 *
 * A run is created once, whoever asks for it how often. Its file is replaced whole.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readFrom, removeFile, syncDir, writeNewFile } from '../journal/disk.ts';
import { makeDir, namesIn } from '../journal/folder.ts';
import { firstOfEach } from '../policy/level.ts';
import { type Lease, leaseHolder, takeLease } from './lease.ts';
import { type CodecOptions, LineCodec } from './line.ts';
import { isMisfitLine, putRefitted, removeLeftDrafts } from './lineFile.ts';
import type { RunRecord } from './record.ts';
import type { TranscriptSeam } from './transcript.ts';

const ID = /^[A-Za-z0-9_-]{1,80}$/;
const SUFFIX = '.json';
const DRAFT = `${SUFFIX}.tmp`;
/** What has ended is kept so long, for retries and for whoever looks what was sent. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
/** Of each level. */
const MOST_KEPT = 500;
/** Shows that the process lives, so that others do not take its runs over. */
const HEARTBEAT_MS = 60_000;

export interface OutboxOptions extends CodecOptions {
  readonly dir: string;
  /** Unix milliseconds. */
  now(): number;
  readonly deadThreads?: ReadonlySet<number> | undefined;
  readonly seam?: TranscriptSeam | undefined;
}

/** A run that somebody else does by now, or nobody may write to. */
class RunNotHeld extends Error {
  override readonly name = 'RunNotHeld';
}

interface HeldRun {
  readonly lease: Lease;
  heartbeat: number;
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #codec: LineCodec;
  readonly #held = new Map<string, HeldRun>();
  /** Files do not change any more once they say that the run has ended. */
  readonly #ended = new Map<string, RunRecord>();

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#codec = new LineCodec(options);
  }

  /** Creates a run that this process holds, unless there is one of its id. @throws when it cannot be written. */
  put(run: RunRecord): { run: RunRecord; isNew: boolean } {
    const known = this.read(run.id);
    if (known !== undefined) return { run: known, isNew: false };
    makeDir(this.#options.dir);
    // Before anybody can see the run: else another process would take it for one that was left.
    const lease = takeLease(this.#leaseContext(run.id)).lease;
    if (!lease) return { run: this.read(run.id) ?? run, isNew: false };
    this.#held.set(run.id, { lease, heartbeat: this.#options.now() });
    const before = this.read(run.id);
    if (before !== undefined) {
      if (before.ended !== undefined) this.release(run.id);
      return { run: before, isNew: false };
    }
    try {
      this.#write(run);
    } catch (error) {
      this.release(run.id);
      throw error;
    }
    return { run, isNew: true };
  }

  /** Takes over a run that nobody holds and that has not ended. */
  take(id: string): RunRecord | undefined {
    if (this.#held.has(id)) return undefined;
    const run = this.read(id);
    if (run === undefined || run.ended !== undefined) return undefined;
    const { lease } = takeLease(this.#leaseContext(id));
    if (!lease) return undefined;
    this.#held.set(id, { lease, heartbeat: this.#options.now() });
    // Whoever had it may have ended it in between.
    const now = this.read(id);
    if (now !== undefined && now.ended === undefined) return now;
    this.release(id);
    return undefined;
  }

  /** Replaces a run that this process holds. @throws RunNotHeld */
  save(run: RunRecord): void {
    if (this.#held.get(run.id)?.lease.held() !== true) throw new RunNotHeld('Another process does this run.');
    this.#write(run);
    if (run.ended === undefined) return;
    this.release(run.id);
    this.#prune();
  }

  release(id: string): void {
    this.#held.get(id)?.lease.release();
    this.#held.delete(id);
  }

  /** The run with this id; undefined where there is none that can be read here. */
  read(id: string): RunRecord | undefined {
    const known = this.#ended.get(id);
    if (known !== undefined) return known;
    const bytes = readFrom(this.#file(id), 0)?.bytes;
    const record = bytes && this.#codec.decode(bytes, 0, bytes.length - 1, 0)?.record;
    if (record?.type !== 'run' || record.run.id !== id) return undefined;
    const run = { ...record.run, level: record.level };
    if (run.ended !== undefined) this.#ended.set(id, run);
    return run;
  }

  isHeld(id: string): boolean {
    return this.#held.has(id) || leaseHolder(this.#leaseContext(id)) !== undefined;
  }

  /** All that can be read here, newest first. */
  list(): RunRecord[] {
    return this.#ids()
      .flatMap((id) => this.#readable(id) ?? [])
      .sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1));
  }

  /** One that cannot be read must not hide the others. */
  #readable(id: string): RunRecord | undefined {
    try {
      return this.read(id);
    } catch {
      return undefined;
    }
  }

  /** To be called some times a minute. */
  tend(): void {
    const now = this.#options.now();
    for (const held of this.#held.values()) {
      if (now - held.heartbeat < HEARTBEAT_MS) continue;
      held.heartbeat = now;
      held.lease.heartbeat();
    }
    for (const id of this.#held.keys()) this.#refit(id);
  }

  /**
   * Puts what nobody else is at work on into the form that the store's switch wants, and clears drafts of others away.
   * @returns how many runs others still have to put into it
   * @throws what the disk says, KeyError
   */
  refit(): number {
    let others = 0;
    for (const id of this.#ids()) {
      const bytes = readFrom(this.#file(id), 0)?.bytes;
      if (bytes === undefined || !this.#isMisfit(bytes)) continue;
      const isEnded = this.#readable(id)?.ended !== undefined;
      if (this.#held.has(id) || isEnded) this.#refit(id);
      else if (this.#readable(id) !== undefined && this.take(id) !== undefined) {
        this.#refit(id);
        this.release(id);
      } else if (leaseHolder(this.#leaseContext(id)) !== undefined) others++;
    }
    for (const name of namesIn(this.#options.dir)) {
      const id = name.endsWith(DRAFT) ? name.slice(0, -DRAFT.length) : '';
      if (ID.test(id) && !this.isHeld(id)) removeFile(join(this.#options.dir, name));
    }
    return others + removeLeftDrafts(this.#options.dir);
  }

  #refit(id: string): void {
    const file = this.#file(id);
    const bytes = readFrom(file, 0)?.bytes;
    if (bytes === undefined || !this.#isMisfit(bytes)) return;
    putRefitted(file, bytes, this.#codec, this.#options.seam?.write);
  }

  #isMisfit(bytes: Buffer): boolean {
    return isMisfitLine(bytes, this.#codec, this.#options.keys.sealsAll());
  }

  close(): void {
    for (const id of [...this.#held.keys()]) this.release(id);
  }

  erase(): void {
    this.close();
    this.#ended.clear();
    rmSync(this.#options.dir, { recursive: true, force: true });
  }

  #write(run: RunRecord): void {
    this.#options.keys.settled(() => this.#put(run));
  }

  #put(run: RunRecord): void {
    const { dir, seam, now } = this.#options;
    const { level } = run;
    const head = {
      uuid: run.id,
      session_id: 'outbox',
      timestamp: new Date(now()).toISOString(),
      level,
      seq: 0,
    };
    const { bytes } = this.#codec.encode(head, { type: 'run', run }, '');
    const file = this.#file(run.id);
    // Only the one who holds the run has a draft of it.
    removeFile(`${file}.tmp`);
    seam?.step?.('outbox: write');
    writeNewFile(`${file}.tmp`, bytes, seam?.write);
    seam?.step?.('outbox: written');
    renameSync(`${file}.tmp`, file);
    syncDir(dir);
    seam?.step?.('outbox: saved');
  }

  /** Removes what ended long ago. */
  #prune(): void {
    const ended = this.list().filter((run) => run.ended !== undefined);
    const before = this.#options.now() - KEPT_MS;
    const kept = new Set(firstOfEach(ended, ({ level }) => level, MOST_KEPT));
    for (const run of ended) {
      if (kept.has(run) && (run.ended ?? 0) >= before) continue;
      this.#ended.delete(run.id);
      removeFile(this.#file(run.id));
      rmSync(this.#leaseDir(run.id), { recursive: true, force: true });
    }
  }

  #ids(): string[] {
    return namesIn(this.#options.dir)
      .filter((name) => name.endsWith(SUFFIX))
      .map((name) => name.slice(0, -SUFFIX.length))
      .filter((id) => ID.test(id));
  }

  #file(id: string): string {
    return join(this.#options.dir, checked(id) + SUFFIX);
  }

  #leaseDir(id: string): string {
    return join(this.#options.dir, `${checked(id)}.lease`);
  }

  #leaseContext(id: string) {
    const { now, seam, deadThreads } = this.#options;
    return { dir: this.#leaseDir(id), now, deadThreads, alive: seam?.alive };
  }
}

function checked(id: string): string {
  if (!ID.test(id)) throw new Error('invalid run id');
  return id;
}
