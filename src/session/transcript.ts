/**
 * The one writer of a transcript. Records are appended as they come and synced at the end of a turn: what was
 * synced while the lease was held is acknowledged. A writer that failed once stays failed, as it cannot know
 * what of its last write is in the file; whoever opens the transcript next finds out.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fdatasyncSync, fstatSync, openSync, renameSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { readFrom, removeFile, syncDir, type WriteSome, writeAll, writeNewFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { quarantine } from '../journal/quarantine.ts';
import { type Level, maxLevel } from '../policy/level.ts';
import { faultMessage } from './faults.ts';
import { type Lease, type LeaseContext, type LeaseHolder, leaseHolder, takeLease } from './lease.ts';
import { type CodecOptions, LineCodec } from './line.ts';
import { refitLines } from './lineFile.ts';
import { leaseDir, localDir, type SessionPlace, transcriptFile } from './place.ts';
import { type TranscriptDamage, TranscriptReader } from './reader.ts';
import type { Draft, RecordBody, RecordHead, SessionRecord, TodoPhase } from './record.ts';

/** Where tests reach in: nothing else sets it. */
export interface TranscriptSeam {
  /** Called before and after every step that reaches the disk. */
  step?(name: string): void;
  write?: WriteSome;
  alive?(pid: number): boolean;
}

export interface TranscriptOptions extends SessionPlace, CodecOptions {
  /** Unix milliseconds. */
  now(): number;
  /**
   * Makes of what others gave the record that stands for it, on the list as it is then; undefined when nothing is
   * left of it. Without this, records are taken in as they were given.
   */
  given?(draft: Draft, phases: readonly TodoPhase[]): Draft | undefined;
  /** Threads of this process that are gone, and with them the leases they held. */
  readonly deadThreads?: ReadonlySet<number> | undefined;
  readonly seam?: TranscriptSeam | undefined;
}

export interface WriterError {
  /** `lease-lost`: another process took over. `changed`: somebody without the lease wrote to the file. */
  reason: 'lease-lost' | 'changed' | 'write-failed';
  message: string;
}

export type AppendResult = { ok: true; records: SessionRecord[] } | { ok: false; error: WriterError };

export type OpenResult =
  | {
      writer: TranscriptWriter;
      records: SessionRecord[];
      /** What did not verify; it was put aside, and the transcript goes on before it. */
      damage: TranscriptDamage | undefined;
    }
  /** Another process writes to it. */
  | { writer: undefined; holder: LeaseHolder | undefined };

/** A reader of a transcript that somebody else may be writing to; `read` tells what is new. */
export function followTranscript(options: TranscriptOptions): TranscriptReader {
  return new TranscriptReader(transcriptFile(options), new LineCodec(options));
}

/** Who writes to a transcript, if a living process does. */
export function transcriptHolder(options: TranscriptOptions): LeaseHolder | undefined {
  return leaseHolder(leaseContext(options));
}

/**
 * Opens a transcript for writing, or a new one. After this call every byte of it verifies.
 * @throws when it cannot be read, or what does not verify cannot be put aside.
 */
export function openTranscript(options: TranscriptOptions): OpenResult {
  const attempt = takeLease(leaseContext(options));
  if (!attempt.lease) return { writer: undefined, holder: attempt.holder };
  try {
    const file = transcriptFile(options);
    const codec = new LineCodec(options);
    const reader = new TranscriptReader(file, codec);
    options.seam?.step?.('open: leased');
    const { records } = reader.read();
    const { damage } = reader;
    if (damage) putAside(options, file, damage);
    // A former holder that was not seen to let go may still have the file open: it keeps the old one.
    if (damage || (attempt.tookOver && existsSync(file)))
      replace(options, file, attempt.lease, reader.offset);
    return { writer: new TranscriptWriter(options, file, codec, reader, attempt.lease), records, damage };
  } catch (error) {
    if (!attempt.lease.held()) return { writer: undefined, holder: transcriptHolder(options) };
    attempt.lease.release(!attempt.tookOver);
    throw error;
  }
}

function leaseContext(options: TranscriptOptions): LeaseContext {
  const { now, seam, deadThreads } = options;
  return { dir: leaseDir(options), now, deadThreads, alive: seam?.alive };
}

function putAside(options: TranscriptOptions, file: string, { offset, length }: TranscriptDamage): void {
  const bytes = readFrom(file, offset, length)?.bytes;
  if (bytes) quarantine(localDir(options), basename(file), offset, bytes, options.keys);
  options.seam?.step?.('open: put aside');
}

/**
 * Puts a copy of the verified part in the file's place. Whoever takes over clears the draft away before reading
 * the file: either they read what was put there, or there is nothing to be put there any more.
 */
function replace(options: TranscriptOptions, file: string, lease: Lease, length: number): void {
  const bytes = readFrom(file, 0, length)?.bytes;
  if (bytes?.length !== length) throw new Error(`${basename(file)} became shorter while it was read.`);
  removeFile(lease.draft);
  writeNewFile(lease.draft, bytes, options.seam?.write);
  options.seam?.step?.('open: copied');
  if (!lease.held()) throw new LeaseLost();
  renameSync(lease.draft, file);
  syncDir(dirname(file));
  options.seam?.step?.('open: replaced');
}

export class TranscriptWriter {
  readonly #options: TranscriptOptions;
  readonly #file: string;
  readonly #codec: LineCodec;
  readonly #reader: TranscriptReader;
  readonly #lease: Lease;
  #fd = -1;
  #isNew: boolean;
  #isSynced = true;
  /** Whether everything in the file is sealed, as far as it was put into the form that counts. */
  #isSealed: boolean;
  #level: Level;
  #error: WriterError | undefined;

  constructor(
    options: TranscriptOptions,
    file: string,
    codec: LineCodec,
    reader: TranscriptReader,
    lease: Lease,
  ) {
    this.#options = options;
    this.#file = file;
    this.#codec = codec;
    this.#reader = reader;
    this.#lease = lease;
    this.#isNew = reader.count === 0;
    this.#level = reader.level;
    const isSealed = options.keys.sealsAll();
    this.#isSealed = reader.hasMisfits(isSealed) ? !isSealed : isSealed;
  }

  /** Whose transcript it is. */
  get place(): Pick<SessionPlace, 'id' | 'agentId'> {
    return this.#options;
  }

  /** The first error; nothing is written after it. */
  get error(): WriterError | undefined {
    return this.#error;
  }

  /** The session's level, which the records written to it have raised. */
  get level(): Level {
    return this.#level;
  }

  get lastUuid(): string | undefined {
    return this.#reader.last?.uuid;
  }

  has(uuid: string): boolean {
    return this.#reader.has(uuid);
  }

  /**
   * Appends records, in one write. They are in the file then, for others to read, and on disk after `sync`.
   * A draft whose uuid is there already is left out.
   */
  append(drafts: readonly Draft[]): AppendResult {
    return this.#guard((): AppendResult => {
      this.#open();
      this.#follow();
      this.#open();
      const lines = this.#lines(drafts);
      if (lines.length === 0) return { ok: true, records: [] };
      this.#step('append: write');
      this.#isSynced = false;
      writeAll(this.#fd, Buffer.concat(lines.map((line) => line.bytes)), this.#options.seam?.write);
      this.#step('append: written');
      for (const { record, bytes, hash } of lines) this.#reader.advance(record, bytes.length, hash);
      return { ok: true, records: lines.map((line) => line.record) };
    });
  }

  /** Makes everything appended so far durable. It is acknowledged when this returns undefined. */
  sync(): WriterError | undefined {
    const result = this.#guard(() => {
      if (this.#fd < 0) return undefined;
      this.#step('sync');
      if (!this.#isSynced) fdatasyncSync(this.#fd);
      this.#isSynced = true;
      if (this.#isNew) syncDir(dirname(this.#file));
      this.#isNew = false;
      this.#step('synced');
      // What was written while the switch was moved is not acknowledged in the form that no longer counts.
      this.#follow();
      // Whoever took over before this moment has, perhaps, not read what we have just made durable.
      if (!this.#lease.held()) throw new LeaseLost();
      this.#lease.heartbeat();
      return undefined;
    });
    return result?.error;
  }

  /** Puts the transcript into the form that the store's switch wants, if it is not in it. */
  follow(): WriterError | undefined {
    return this.#guard(() => {
      if (this.#reader.count > 0) this.#follow();
      return undefined;
    })?.error;
  }

  /** Shows that this process lives; to be called about once a minute. */
  heartbeat(): void {
    this.#lease.heartbeat();
  }

  /** Whether another process waits for the transcript. */
  readonly isWanted = (): boolean => this.#lease.wanted();

  /** Lets go of the transcript, synced if that is possible. */
  close(): WriterError | undefined {
    const error = this.sync();
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    this.#error ??= { reason: 'lease-lost', message: 'The transcript was closed.' };
    this.#lease.release();
    return error;
  }

  #open(): void {
    if (this.#fd < 0) {
      makeDir(dirname(this.#file));
      this.#fd = openSync(this.#file, 'a', 0o600);
    }
    // In this order: whoever takes over after the file was opened replaces it before writing.
    if (!this.#lease.held()) throw new LeaseLost();
    const open = fstatSync(this.#fd, { bigint: true });
    const named = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    // A file that was deleted or replaced would take what is written to it into nowhere.
    if (named?.ino !== open.ino || Number(open.size) !== this.#reader.offset) throw new FileChanged();
  }

  #follow(): void {
    const { keys } = this.#options;
    for (let wanted = keys.sealsAll(); wanted !== this.#isSealed; wanted = keys.sealsAll()) {
      this.#refit();
      this.#isSealed = wanted;
    }
  }

  /** Puts a copy in another form in the file's place, as `replace` does. */
  #refit(): void {
    const length = this.#reader.offset;
    const bytes = readFrom(this.#file, 0, length)?.bytes ?? Buffer.alloc(0);
    if (bytes.length !== length) throw new FileChanged();
    const fitted = refitLines(bytes, this.#codec);
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
    removeFile(this.#lease.draft);
    writeNewFile(this.#lease.draft, fitted.bytes, this.#options.seam?.write);
    this.#step('refit: copied');
    if (!this.#lease.held()) throw new LeaseLost();
    renameSync(this.#lease.draft, this.#file);
    syncDir(dirname(this.#file));
    this.#step('refit: replaced');
    this.#reader.moved(fitted.bytes.length, fitted.hash);
  }

  #lines(drafts: readonly Draft[]) {
    const { id, agentId, now } = this.#options;
    const fresh = drafts.filter(({ uuid }) => uuid === undefined || !this.#reader.has(uuid));
    const timestamp = new Date(now()).toISOString();
    let { hash, count: seq } = this.#reader;
    let parent = this.lastUuid;
    let level = this.#level;
    const lines = fresh.map((draft) => {
      const {
        uuid = randomUUID(),
        parent_uuid = parent,
        timestamp: at = timestamp,
        level: own,
        ...rest
      } = draft;
      level = own ? maxLevel(level, own) : level;
      const head: RecordHead = {
        uuid,
        ...(parent_uuid === undefined ? {} : { parent_uuid }),
        session_id: id,
        ...(agentId === undefined ? {} : { agent_id: agentId, is_sidechain: true }),
        timestamp: at,
        level,
        seq: seq++,
      };
      const body = rest as RecordBody;
      const line = this.#codec.encode(head, body, hash);
      hash = line.hash;
      parent = uuid;
      return { record: { ...head, ...body } as SessionRecord, ...line };
    });
    this.#level = level;
    return lines;
  }

  /** Remembers what goes wrong, and says it again instead of doing anything further. */
  #guard<T>(action: () => T): T | { ok: false; error: WriterError } {
    if (!this.#error) {
      try {
        return action();
      } catch (error) {
        this.#error = writerError(error);
      }
    }
    return { ok: false, error: this.#error };
  }

  #step(name: string): void {
    this.#options.seam?.step?.(name);
  }
}

class LeaseLost extends Error {
  override readonly message = 'Another process has taken over the transcript.';
}

class FileChanged extends Error {
  override readonly message = 'The transcript was changed by somebody who does not hold its lease.';
}

function writerError(error: unknown): WriterError {
  if (error instanceof LeaseLost) return { reason: 'lease-lost', message: error.message };
  if (error instanceof FileChanged) return { reason: 'changed', message: error.message };
  return { reason: 'write-failed', message: faultMessage(error) };
}
