/** Writing of a base: the records of many segments, verbatim, in one file that says how many they are. */
import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalContext } from './context.ts';
import { readFrom, removeFile, syncDir, writeAll } from './disk.ts';
import { JournalWriteError } from './errors.ts';
import { frame } from './frame.ts';
import { readLines } from './lines.ts';
import { endJson } from './record.ts';

/** Records are gathered to writes of about this many bytes. */
const CHUNK_BYTES = 1 << 20;

export class BaseWriter {
  readonly name: string;
  readonly #context: JournalContext;
  readonly #draft: string;
  #fd: number;
  #chunks: Buffer[] = [];
  #pending = 0;
  #count = 0;

  constructor(context: JournalContext, name: string) {
    this.name = name;
    this.#context = context;
    this.#draft = join(context.dir, `${name}.tmp`);
    removeFile(this.#draft);
    this.#fd = openSync(this.#draft, 'wx', 0o600);
  }

  get count(): number {
    return this.#count;
  }

  /** Adds one record by its JSON as it stood in the file it came from. */
  add(body: Buffer): void {
    this.#push(frame(body));
    this.#count++;
  }

  /** Completes the base under its name, durably, and reads it back. */
  finish(): void {
    const { dir, seam } = this.#context;
    this.#push(frame(endJson(this.#count)));
    this.#flush();
    fsyncSync(this.#fd);
    this.#close();
    seam.step?.('base written');
    renameSync(this.#draft, join(dir, this.name));
    syncDir(dir);
    seam.step?.('base in place');
    if (!this.#reads()) throw new JournalWriteError(`The new base ${this.name} does not read back.`);
  }

  /** Removes what there is of it. */
  discard(): void {
    this.#close();
    removeFile(this.#draft);
    removeFile(join(this.#context.dir, this.name));
  }

  #push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#pending += bytes.length;
    if (this.#pending >= CHUNK_BYTES) this.#flush();
  }

  #flush(): void {
    writeAll(this.#fd, Buffer.concat(this.#chunks), this.#context.seam.write);
    this.#chunks = [];
    this.#pending = 0;
  }

  #close(): void {
    if (this.#fd >= 0) closeSync(this.#fd);
    this.#fd = -1;
  }

  #reads(): boolean {
    const bytes = readFrom(join(this.#context.dir, this.name), 0)?.bytes;
    if (!bytes) return false;
    let whole = true;
    let count = 0;
    let expected = -1;
    const consumed = readLines(bytes, 0, {
      line(line) {
        if (line.kind === 'end') expected = line.count;
        else count++;
      },
      damage() {
        whole = false;
      },
    });
    return whole && consumed === bytes.length && count === this.#count && expected === count;
  }
}
