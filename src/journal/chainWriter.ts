/** The one writer of a hash-chained log: every process, and every instance in it, has a chain of its own. */
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  CHAIN_START,
  type ChainHeader,
  type ChainLine,
  chainFileName,
  hashOf,
  lineJson,
  sealedFields,
} from './chainFile.ts';
import { refitChain } from './chainRefit.ts';
import { removeEndedChains, SILENT_MS } from './chainRetention.ts';
import { removeFile, syncDir, type WriteSome, writeAll } from './disk.ts';
import { JournalWriteError, messageOf } from './errors.ts';
import { makeDir } from './folder.ts';
import { frame } from './frame.ts';
import type { KeyRing } from './keys.ts';
import type { JsonValue } from './record.ts';
import { NONCE_BYTES, seal } from './seal.ts';

const MAX_FILE_BYTES = 256 * 1024;
/** Of one writer: the last 4 MiB. */
const MAX_FILES = 16;

export interface ChainOptions {
  readonly dir: string;
  readonly keys: KeyRing;
  /** Whether records of this level are sealed on disk. */
  sealed(level: string): boolean;
  /** Unix milliseconds. */
  now(): number;
  readonly maxFileBytes?: number | undefined;
  readonly maxFiles?: number | undefined;
  /** Of all writers' files together; the chains of ended writers go first, oldest first. */
  readonly maxTotalBytes?: number | undefined;
  /** Where tests reach in: nothing else sets it. */
  readonly seam?:
    | { readonly write?: WriteSome; readonly alive?: (pid: number) => boolean; step?(name: string): void }
    | undefined;
}

interface Open {
  readonly name: string;
  readonly fd: number;
  size: number;
}

/** Chains that instances of this thread write to. */
const openChains = new Set<string>();

/** Whether an instance of this thread writes to the chain of this writer. */
export function isOpenChain(writer: string): boolean {
  return openChains.has(writer);
}

export class ChainWriter {
  readonly writer = randomBytes(6).toString('hex');
  readonly #options: ChainOptions;
  #open: Open | undefined;
  /** Index of the next file. */
  #next = 0;
  #first = 0;
  #seq = 0;
  #hash = CHAIN_START;
  #lastWrite = 0;
  /** The form in which what is there was written. */
  #isSealed: boolean;

  constructor(options: ChainOptions) {
    this.#options = options;
    this.#isSealed = options.keys.sealsAll();
  }

  /**
   * Appends a record; it is in the file when this returns, and with `durable` on disk.
   * @returns its number in this writer's chain.
   * @throws JournalWriteError when it is not saved, KeyError when it cannot be sealed; the chain is as it was then.
   */
  append(payload: JsonValue, level: string, durable: boolean): number {
    const { maxFileBytes = MAX_FILE_BYTES, now } = this.#options;
    this.follow();
    if (this.#open !== undefined && (this.#open.size > maxFileBytes || !this.#stands())) this.#leave();
    const at = now();
    const seq = this.#open === undefined ? this.#seq + 1 : this.#seq;
    // Before anything is written: sealing may fail.
    const content = this.#content(payload, level, seq, at);
    try {
      const header = this.#open === undefined ? this.#create(at) : undefined;
      const record: ChainLine = { ...content, seq, prev: header?.hash ?? this.#hash, at };
      this.#write(header?.json, lineJson(record), durable);
      this.#seq = seq + 1;
      this.#hash = hashOf(lineJson(record));
      this.#lastWrite = at;
      if (header !== undefined) this.#dropOld();
      this.follow();
      return seq;
    } catch (cause) {
      throw new JournalWriteError(`Not recorded: ${messageOf(cause)}`, { cause });
    }
  }

  /**
   * Puts what this writer has written into the form that the store's switch wants, if it is not in it.
   * @throws what the disk says, KeyError
   */
  follow(): void {
    const { dir, keys, sealed, seam } = this.#options;
    for (let wanted = keys.sealsAll(); wanted !== this.#isSealed; wanted = keys.sealsAll()) {
      this.#leave();
      const hash = refitChain({ dir, keys, sealed, writer: this.writer, step: seam?.step });
      if (hash !== undefined) this.#hash = hash;
      this.#isSealed = wanted;
    }
  }

  /** Lets go of the file. What is appended later begins another one. */
  close(): void {
    this.#leave();
    openChains.delete(this.writer);
  }

  #content(payload: JsonValue, level: string, seq: number, at: number) {
    const { keys, sealed } = this.#options;
    if (!sealed(level)) return { kind: 'plain', level, payload } as const;
    const { id: keyId, bytes } = keys.sealingKey();
    const fields = sealedFields(this.writer, level, { seq, at });
    const box = seal(bytes, randomBytes(NONCE_BYTES), fields, JSON.stringify(payload));
    return { kind: 'sealed', level, keyId, box } as const;
  }

  #create(at: number): { readonly json: string; readonly hash: string } {
    const { dir, maxFiles = MAX_FILES, maxTotalBytes, seam } = this.#options;
    makeDir(dir);
    openChains.add(this.writer);
    const dropped = this.#next === 0 ? removeEndedChains(dir, at, maxTotalBytes, seam?.alive) : [];
    this.#first = Math.max(this.#first, this.#next - maxFiles + 1);
    const header: ChainHeader = { pid: process.pid, host: hostname(), first: this.#first, dropped };
    const name = chainFileName(this.writer, this.#next);
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND;
    this.#open = { name, fd: openSync(join(dir, name), flags, 0o600), size: 0 };
    const json = lineJson({ kind: 'header', seq: this.#seq, prev: this.#hash, at, header });
    return { json, hash: hashOf(json) };
  }

  #write(header: string | undefined, record: string, durable: boolean): void {
    const open = this.#open as Open;
    const { dir, seam } = this.#options;
    const bytes = Buffer.concat([...(header === undefined ? [] : [frame(header)]), frame(record)]);
    try {
      seam?.step?.('chain: open');
      writeAll(open.fd, bytes, seam?.write);
      seam?.step?.('chain: written');
      if (durable) fdatasyncSync(open.fd);
      if (durable && header !== undefined) syncDir(dir);
    } catch (error) {
      this.#cutBack(open);
      throw error;
    }
    open.size += bytes.length;
    if (header !== undefined) this.#next++;
  }

  /** Takes back what was not acknowledged, as far as the disk lets us; what stays is a torn end. */
  #cutBack(open: Open): void {
    try {
      ftruncateSync(open.fd, open.size);
      if (open.size === 0) removeFile(join(this.#options.dir, open.name));
    } catch {
      // The next record begins another file, whose header names the last one that counts.
      if (open.size === 0) this.#next++;
    }
    this.#leave();
  }

  /** Whether the file is still the one in the folder under its name. */
  #stands(): boolean {
    const open = this.#open as Open;
    const named = statSync(join(this.#options.dir, open.name), { bigint: true, throwIfNoEntry: false });
    if (named !== undefined && named.ino === fstatSync(open.fd, { bigint: true }).ino) return true;
    // After so long a silence others may have taken this process for ended. Earlier, somebody else removed it.
    if (this.#options.now() - this.#lastWrite > SILENT_MS) this.#first = this.#next;
    return false;
  }

  #leave(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) closeSync(open.fd);
  }

  #dropOld(): void {
    const { dir } = this.#options;
    for (let index = this.#first - 1; index >= 0; index--) {
      const file = join(dir, chainFileName(this.writer, index));
      if (statSync(file, { throwIfNoEntry: false }) === undefined) return;
      try {
        removeFile(file);
      } catch {
        // It is tried again at the next rotation; meanwhile it verifies like the others.
        return;
      }
    }
  }
}
