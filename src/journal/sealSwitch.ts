/**
 * Whether a store is sealed as a whole, beside what the level of a record asks for. One small file says so, replaced
 * whole; every writer asks before it writes and again before it acknowledges.
 *
 *     sealing.json    {"v":1,"state":"sealed","key":"<key id>"}
 *
 * A store without the file was never sealed. A file that is gone or cannot be read is no such word: the journal's
 * manifest names the key, too, and so does each record that was sealed because of the switch.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readFrom, removeFile, syncDir, type WriteSome, writeNewFile } from './disk.ts';
import { list, makeDir } from './folder.ts';
import { KeyRing } from './keys.ts';
import { ManifestReader } from './manifest.ts';
import { type Seals, type SealWord, STATES } from './sealWord.ts';

const FILE = 'sealing.json';
const KEY_ID = /^[0-9a-f]{8}$/;
/** Where memory's journal lies in a store. */
const JOURNAL = ['memory', 'journal'];

const NEVER: SealWord = { state: 'plain', key: '' };

/** Where the switch and the keys of a store are; a thread can be given it. */
export interface StoreKeys {
  /** The store's folder. */
  readonly store: string;
  readonly keysDir: string;
  /** See `KeyRingOptions`. */
  readonly value?: string | undefined;
}

/** The keys of a store, which seal all of it where its switch says so. @throws KeyError for a value that is no key */
export function openKeys({ store, keysDir: dir, value }: StoreKeys): KeyRing {
  return new KeyRing({ dir, value, seals: new SealSwitch(store) });
}

export class SealSwitch implements Seals {
  readonly #store: string;
  /** The file as it was last read. */
  #seen: string | undefined;
  #word = NEVER;

  /** @param store the store's folder */
  constructor(store: string) {
    this.#store = store;
  }

  /** What counts at this moment. */
  read(): SealWord {
    const seen = this.#look();
    if (seen === this.#seen) return this.#word;
    this.#word =
      this.#parsed() ?? (seen === '' && this.#seen === undefined ? this.#elsewhere() : this.#kept());
    this.#seen = seen;
    return this.#word;
  }

  /** Whether everything that is written has to be sealed. */
  sealsAll(): boolean {
    const { state } = this.read();
    return state === 'sealing' || state === 'sealed';
  }

  /** A record was met that only the switch can have sealed: a word that is missing, or cannot be read, was that. */
  found(key: string): void {
    if (this.read().key !== '' || this.#parsed() !== undefined) return;
    this.#word = { state: 'sealed', key };
  }

  /**
   * Puts a word in place, on disk when this returns.
   * @throws what the system says; the word before it counts then.
   */
  put(word: SealWord, write?: WriteSome): void {
    makeDir(this.#store);
    const file = join(this.#store, FILE);
    const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
    try {
      writeNewFile(draft, Buffer.from(`${JSON.stringify({ v: 1, ...word })}\n`), write);
      renameSync(draft, file);
    } catch (error) {
      removeFile(draft);
      throw error;
    }
    syncDir(this.#store);
    this.#seen = undefined;
    this.read();
  }

  /** Whether the file says what counts; else it is to be put there again. */
  isWritten(): boolean {
    return this.#look() === '' ? this.read().key === '' : this.#parsed() !== undefined;
  }

  /** Names the file as it is; empty when there is none. A folder that cannot be looked into says nothing new. */
  #look(): string {
    try {
      const stat = statSync(join(this.#store, FILE), { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    } catch {
      return this.#seen ?? '';
    }
  }

  #parsed(): SealWord | undefined {
    try {
      const text = readFrom(join(this.#store, FILE), 0)?.bytes.toString('utf8') ?? '';
      const { state, key } = JSON.parse(text) as Record<string, unknown>;
      const known = STATES.find((each) => each === state);
      if (known === undefined || typeof key !== 'string' || !KEY_ID.test(key)) return undefined;
      return { state: known, key };
    } catch {
      return undefined;
    }
  }

  /** A file that went away, or is no longer to be read, takes nothing back. */
  #kept(): SealWord {
    const known = this.#word.key === '' ? this.#elsewhere() : this.#word;
    if (known.key === '') return { state: 'sealed', key: '' };
    return known;
  }

  /** What the journal's manifest says. */
  #elsewhere(): SealWord {
    const dir = join(this.#store, ...JOURNAL);
    try {
      const { sealed } = new ManifestReader(dir).read(list(dir));
      return sealed === undefined ? NEVER : { state: 'sealed', key: sealed };
    } catch {
      // A folder that cannot be read cannot be written to unnoticed either: its journal says why.
      return NEVER;
    }
  }
}
