/** The keys that sealed records are sealed with: one file each, outside every workspace. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, removeFile, syncDir, writeNewFile } from './disk.ts';
import { makeDir } from './folder.ts';
import type { Seals, SealWord } from './sealWord.ts';

const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}$/i;
const KEY_ID = /^[0-9a-f]{8}$/;
const SUFFIX = '.key';

export interface SealingKey {
  /** First 8 hex digits of the SHA-256 of the key bytes; stands in every record sealed with it. */
  id: string;
  bytes: Uint8Array;
}

/** A key file that could not be used. */
export interface KeyProblem {
  file: string;
  reason: 'malformed' | 'unreadable';
}

export class KeyError extends Error {
  override readonly name = 'KeyError';
}

export interface KeyRingOptions {
  /** Folder of `<keyId>.key` files; created (0700) with the first key. */
  dir: string;
  /** A key given from outside (`LODELINE_KEY`), 64 hex digits; then nothing else is sealed with. */
  value?: string | undefined;
  /** Says whether a store is sealed as a whole; without it none is. */
  seals?: Seals | undefined;
}

export class KeyRing {
  readonly #dir: string;
  readonly #given: SealingKey | undefined;
  readonly #seals: Seals | undefined;
  readonly #found = new Map<string, SealingKey>();
  readonly #missing = new Set<string>();
  readonly #problems = new Map<string, KeyProblem>();

  /** @throws KeyError when a given value is not 64 hex digits: sealing with another key would surprise. */
  constructor(options: KeyRingOptions) {
    this.#dir = options.dir;
    this.#seals = options.seals;
    if (options.value !== undefined) {
      this.#given = parseKey(options.value);
      if (!this.#given) throw new KeyError('The given key must be 64 hexadecimal digits.');
      this.#found.set(this.#given.id, this.#given);
    }
  }

  /**
   * The key to seal with: the store's where it is sealed as a whole, else the given one, else the lowest-named of the
   * folder, else a new one that is on disk when this returns.
   * @throws KeyError when a new key cannot be stored, or the store's is not here.
   */
  sealingKey(): SealingKey {
    if (this.sealsAll()) return this.#storeKey();
    return this.newStoreKey();
  }

  /** The key that a store which is not sealed yet gets. @throws KeyError when a new one cannot be stored. */
  newStoreKey(): SealingKey {
    const key = this.#given ?? this.#lowest();
    if (key) return key;
    this.#create();
    // Another process may have made one at the same time: both settle on the lower name.
    const made = this.#lowest();
    if (!made) throw new KeyError(`No usable key in ${this.#dir}.`);
    return made;
  }

  /** Whether everything that is written to the store has to be sealed, whatever its level. */
  sealsAll(): boolean {
    return this.#seals?.sealsAll() ?? false;
  }

  /** Whether the store is sealed as a whole, and with which key. */
  word(): SealWord {
    return this.#seals?.read() ?? { state: 'plain', key: '' };
  }

  /** Tells the switch of a record that only it can have sealed. */
  foundSealed(keyId: string): void {
    this.#seals?.found(keyId);
  }

  /** What a person has to do before a store that is sealed can be read; undefined when nothing. */
  missingKey(): string | undefined {
    const { state, key } = this.word();
    // Half open, the rest is still sealed: without its key it would look as if it were not there.
    if (state === 'plain') return undefined;
    if (key === '')
      return 'This store is sealed, and its sealing.json cannot be read. Put the file back, or restore the store from a backup.';
    if (this.find(key) !== undefined) return undefined;
    const given =
      this.#given === undefined
        ? ''
        : ` LODELINE_KEY holds another key (${this.#given.id}): correct or unset it.`;
    const unusable = this.#problems.has(key + SUFFIX)
      ? ` The file ${key}.key is there, but it does not hold this key or cannot be read.`
      : '';
    return `This store is sealed with the key ${key}, which is not here.${given}${unusable} Set LODELINE_KEY to its 64 hexadecimal digits, or put the file ${key}.key back into ${this.#dir}.`;
  }

  /**
   * Runs a write that asks `sealsAll`, and once more when the switch was moved while it ran: nothing may be acknowledged
   * in the form that no longer counts.
   */
  settled<T>(write: () => T): T {
    for (;;) {
      const before = this.sealsAll();
      const result = write();
      if (this.sealsAll() === before) return result;
    }
  }

  #storeKey(): SealingKey {
    const { key } = this.word();
    const found = this.find(key);
    if (found !== undefined) return found;
    this.lookAgain();
    const again = this.find(key);
    if (again !== undefined) return again;
    throw new KeyError(this.missingKey() ?? 'The key of this store is not here.');
  }

  /** The key with this id, or undefined when it is not here. */
  find(keyId: string): SealingKey | undefined {
    const known = this.#found.get(keyId);
    if (known || this.#missing.has(keyId) || !KEY_ID.test(keyId)) return known;
    const key = this.#read(keyId + SUFFIX);
    if (!key) this.#missing.add(keyId);
    return key;
  }

  /** Lets `find` look again for keys it did not find: someone may have put them back. */
  lookAgain(): void {
    this.#missing.clear();
  }

  /** Key files met so far that could not be used. */
  problems(): KeyProblem[] {
    return [...this.#problems.values()];
  }

  #lowest(): SealingKey | undefined {
    let names: string[];
    try {
      names = readdirSync(this.#dir);
    } catch {
      return undefined;
    }
    for (const name of names.filter((name) => name.endsWith(SUFFIX)).sort()) {
      const key = this.#found.get(name.slice(0, -SUFFIX.length)) ?? this.#read(name);
      if (key) return key;
    }
    return undefined;
  }

  #read(name: string): SealingKey | undefined {
    const file = join(this.#dir, name);
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#problems.delete(name);
      else this.#problems.set(name, { file, reason: 'unreadable' });
      return undefined;
    }
    const key = parseKey(text);
    if (!key || key.id + SUFFIX !== name) {
      this.#problems.set(name, { file, reason: 'malformed' });
      return undefined;
    }
    this.#problems.delete(name);
    this.#found.set(key.id, key);
    return key;
  }

  #create(): void {
    const bytes = randomBytes(KEY_BYTES);
    const file = join(this.#dir, keyIdOf(bytes) + SUFFIX);
    const draft = `${file}.${process.pid}.tmp`;
    try {
      makeDir(this.#dir);
      writeNewFile(draft, Buffer.from(`${bytes.toString('hex')}\n`));
      renameSync(draft, file);
      syncDir(this.#dir);
    } catch (cause) {
      discard(draft);
      throw new KeyError(`Cannot store a new key in ${this.#dir}.`, { cause });
    }
  }
}

/** What fails here failed before, and is told. */
function discard(draft: string): void {
  try {
    removeFile(draft);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** The key that 64 hex digits are, with white space around them or not; undefined for any other text. */
export function parseKey(text: string): SealingKey | undefined {
  const trimmed = text.trim();
  if (!KEY_TEXT.test(trimmed)) return undefined;
  const bytes = Buffer.from(trimmed, 'hex');
  return { id: keyIdOf(bytes), bytes };
}

function keyIdOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 8);
}
