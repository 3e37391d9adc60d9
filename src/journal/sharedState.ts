/**
 * State that processes share without a lock: each writes one file of its own, which is put in place whole, and the
 * state is what all files say together. A process that writes takes in what ended processes left and removes their
 * files after its own is in place, so nothing is lost when it is killed in between: what stands in two files counts
 * once. For what may be lost with a power cut, since nothing is synced.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode, readFrom, removeFile } from './disk.ts';
import type { KeyRing } from './keys.ts';
import { isAlive } from './liveness.ts';
import { openedBytes, refitted, sealedBytes } from './sealedFile.ts';

/** `<host>-<pid>-<random>.json`; with `.tmp` while it is written. */
const NAME = /^([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.json(\.tmp)?$/;
/** Of a process on another machine nobody can ask whether it lives: silence of a day says that it does not. */
const SILENT_MS = 24 * 60 * 60 * 1000;
/** Nothing that is written here comes near it; what is larger is not ours. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Between the list of files and their reading others may have moved what they say into files of their own. */
const LOOKS = 5;

export interface SharedStateOptions<T> {
  readonly dir: string;
  /** Unix milliseconds. */
  now(): number;
  /** What a file says, or undefined when that is not what it should be. */
  parse(value: unknown): T | undefined;
  /** Both together. In any order and any number of times it must come to the same. */
  merge(a: T, b: T): T;
  readonly empty: T;
  /** Where what files say may be no more than others may read: they are sealed where the store is. */
  readonly keys?: KeyRing | undefined;
  /** Whether a process of this machine lives; tests put another in its place. */
  readonly alive?: ((pid: number) => boolean) | undefined;
}

interface Found {
  readonly name: string;
  readonly isDraft: boolean;
  readonly hasEnded: boolean;
}

export class SharedState<T> {
  readonly #options: SharedStateOptions<T>;
  readonly #name = `${HOST}-${process.pid}-${randomBytes(4).toString('hex')}.json`;
  #own: T;

  constructor(options: SharedStateOptions<T>) {
    this.#options = options;
    this.#own = options.empty;
  }

  /** What all files say together; a damaged file says nothing. @throws when the folder cannot be read. */
  read(): T {
    for (let look = 0; ; look++) {
      const found = this.#list();
      const said = found
        .filter(({ name, isDraft }) => !isDraft && name !== this.#name)
        .map(({ name }) => this.#said(name));
      // Moved into a file that may not be in the list: look again.
      if (said.includes('gone') && look < LOOKS) continue;
      return this.#merged(this.#mine(found), said);
    }
  }

  /**
   * Changes what this process says, after it has taken in what ended processes said. It is in place, for others to
   * read, when this returns.
   * @param change makes of what this process says what it says from now on; `all` is what everybody says
   * @throws when it cannot be written; then nothing has changed.
   */
  write(change: (own: T, all: T) => T): void {
    const { dir, empty } = this.#options;
    const found = this.#list();
    const ended = found.filter(({ hasEnded, name }) => hasEnded && name !== this.#name);
    const said = ended.map(({ name, isDraft }) => (isDraft ? empty : this.#said(name)));
    const own = change(this.#merged(this.#mine(found), said), this.read());
    this.#put(own);
    this.#own = own;
    // What cannot be opened here was not taken in, and waits for a process that has the key.
    for (const [at, { name }] of ended.entries()) if (said[at] !== 'locked') removeFile(join(dir, name));
  }

  /**
   * Puts every file into the form that the store's switch wants, those of other processes, too: one of them may be no
   * longer at work here and yet live. What such a one writes at the very same moment counts again with its next word.
   * @throws what the disk says, KeyError
   */
  refit(): void {
    const { dir, keys } = this.#options;
    if (keys === undefined) return;
    for (const { name, isDraft, hasEnded } of this.#list()) {
      const file = join(dir, name);
      if (isDraft && hasEnded) removeFile(file);
      if (isDraft) continue;
      const bytes = readFrom(file, 0, MAX_BYTES)?.bytes;
      const fitted = bytes && refitted(keys, name, bytes);
      if (fitted === undefined) continue;
      if (name === this.#name) this.#put(this.#own);
      else this.#place(name, fitted);
    }
  }

  /** What this process said. Nothing where others deleted its file, or took in what it said: it must not come back. */
  #mine(found: readonly Found[]): T {
    return found.some(({ name }) => name === this.#name) ? this.#own : this.#options.empty;
  }

  #merged(own: T, said: readonly (T | 'gone' | 'locked')[]): T {
    return said.reduce<T>(
      (all, each) => (each === 'gone' || each === 'locked' ? all : this.#options.merge(all, each)),
      own,
    );
  }

  #put(own: T): void {
    const { keys } = this.#options;
    const bytes = Buffer.from(JSON.stringify(own), 'utf8');
    if (keys === undefined) this.#place(this.#name, bytes);
    else
      keys.settled(() =>
        this.#place(this.#name, keys.sealsAll() ? sealedBytes(keys, this.#name, bytes) : bytes),
      );
  }

  #place(name: string, bytes: Uint8Array): void {
    const { dir } = this.#options;
    // A file of an ended process may be rewritten by several: each has a draft of its own.
    const draft = join(dir, `${this.#name}.tmp`);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(draft, bytes, { mode: 0o600 });
      renameSync(draft, join(dir, name));
    } catch (error) {
      removeFile(draft);
      throw error;
    }
  }

  #said(name: string): T | 'gone' | 'locked' {
    const { dir, parse, empty, keys } = this.#options;
    const file = join(dir, name);
    try {
      if (statSync(file).size > MAX_BYTES) return empty;
      const bytes = readFileSync(file);
      const text = keys === undefined ? bytes : openedBytes(keys, name, bytes);
      return text === undefined ? 'locked' : (parse(JSON.parse(text.toString('utf8'))) ?? empty);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 'gone';
      // One file that is damaged or not to be read must not hide the others.
      return empty;
    }
  }

  #list(): Found[] {
    let names: string[];
    try {
      names = readdirSync(this.#options.dir);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
    return names.flatMap((name) => {
      const [, host, pid, draft] = NAME.exec(name) ?? [];
      if (host === undefined) return [];
      return [{ name, isDraft: draft !== undefined, hasEnded: this.#hasEnded(name, host, Number(pid)) }];
    });
  }

  #hasEnded(name: string, host: string, pid: number): boolean {
    const { dir, now, alive = isAlive } = this.#options;
    if (host === HOST && !alive(pid)) return true;
    const time = statSync(join(dir, name), { throwIfNoEntry: false })?.mtimeMs ?? now();
    return now() - time > SILENT_MS;
  }
}

const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
