/** The folder of Markdown files in a work tree, as far as it may be touched: nothing here goes through a link. */
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, lookAt, removeFile, syncDir } from '../journal/disk.ts';
import { namesIn } from '../journal/folder.ts';
import { foldName, INDEX_FILE, isEntryFile } from '../memory/markdownName.ts';
import { putFile } from '../memory/newFile.ts';

/** A content has at most a million characters (see tools/fields.ts). */
const MAX_BYTES = 4 * 1024 * 1024;
/** What an interrupted writer leaves (see newFile.ts), once it is this old. */
const DRAFT = /^\..+\.\d+\.[0-9a-f]{8}\.tmp$/;
const DRAFT_AGE = 60 * 60 * 1000;
/** The index is made of the files, so lines of both sides are as good as any; drafts are nobody's. */
const GIT_FILES = { '.gitattributes': `${INDEX_FILE} merge=union\n`, '.gitignore': '/.*.tmp\n' };

export interface DiskFile {
  readonly name: string;
  /** Undefined where `problem` says why. */
  readonly text: string | undefined;
  readonly hash: string;
  readonly problem?: 'link' | 'unreadable' | 'too-long' | undefined;
}

/** A file changed since it was looked at. */
export class FileMoved extends Error {}
/** A file would be longer than what is read. */
export class FileTooLong extends Error {}
/** The store was sealed: nothing of it may be written in the clear any more. */
export class StoreSealed extends Error {}

export class FilesFolder {
  /** Below the work tree. */
  static readonly path = '.lodeline/memory';
  readonly dir: string;
  readonly #parents: readonly string[];
  readonly #isSealed: () => boolean;

  /** @param workTree its top folder */
  constructor(workTree: string, isSealed: () => boolean) {
    const parent = join(workTree, '.lodeline');
    this.dir = join(parent, 'memory');
    this.#parents = [parent, this.dir];
    this.#isSealed = isSealed;
  }

  /** `link`: something else than a folder of its own is in its place. */
  look(): 'there' | 'missing' | 'link' {
    for (const folder of this.#parents) {
      const found = lookAt(folder);
      if (found === undefined) return 'missing';
      if (!found.isDirectory()) return 'link';
    }
    return 'there';
  }

  /** Every entry's file, by name. */
  read(): DiskFile[] {
    return namesIn(this.dir)
      .filter(isEntryFile)
      .map((name) => this.#file(name));
  }

  /** The index that is there, whatever case its name has. */
  index(): DiskFile | undefined {
    const name = namesIn(this.dir).find((each) => foldName(each) === foldName(INDEX_FILE));
    return name === undefined ? undefined : this.#file(name);
  }

  /** The names that something has already, of whatever kind, as `foldName` has them. */
  names(): Set<string> {
    return new Set(namesIn(this.dir).map(foldName));
  }

  /**
   * Puts a text in a file's place.
   * @param before the hash of what stood there when it was looked at; undefined for a new file
   * @throws FileMoved when something else stands there by now; FileTooLong; StoreSealed
   */
  put(name: string, text: string, before: string | undefined): void {
    if (Buffer.byteLength(text) > MAX_BYTES) throw new FileTooLong(name);
    this.#requireOwn();
    putFile(join(this.dir, name), text, () => this.#requireSame(name, before));
  }

  /** Removes a file. @throws FileMoved as `put` does */
  remove(name: string, before: string): void {
    this.#requireSame(name, before);
    removeFile(join(this.dir, name));
    syncDir(this.dir);
  }

  /** What git is told about the folder; a person's own files stay. */
  prepare(): void {
    for (const [name, text] of Object.entries(GIT_FILES))
      if (lookAt(join(this.dir, name)) === undefined) this.put(name, text, undefined);
  }

  /** Removes drafts of writers that are gone. @param now epoch milliseconds of the system's clock */
  sweep(now: number): void {
    if (this.look() === 'there') sweep(this.dir, DRAFT, now);
  }

  #requireOwn(): void {
    if (this.#isSealed()) throw new StoreSealed();
    if (this.look() === 'link') throw new FileMoved(this.dir);
  }

  #requireSame(name: string, before: string | undefined): void {
    this.#requireOwn();
    const found = lookAt(join(this.dir, name));
    const isSame =
      before === undefined ? found === undefined : found !== undefined && this.#file(name).hash === before;
    if (!isSame) throw new FileMoved(name);
  }

  #file(name: string): DiskFile {
    try {
      // Where a link stands, opening fails: what it leads to is not ours to read or to change.
      const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
      if (lookAt(join(this.dir, name))?.isFile() !== true)
        return { name, text: undefined, hash: '', problem: 'link' };
      const fd = openSync(join(this.dir, name), flags);
      try {
        const { size } = fstatSync(fd);
        if (size > MAX_BYTES) return { name, text: undefined, hash: `${size}`, problem: 'too-long' };
        const bytes = readFileSync(fd);
        return { name, hash: hashOf(bytes), ...textOf(bytes) };
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      const isLink = ['ELOOP', 'EMLINK'].includes(errorCode(error) ?? '');
      return { name, text: undefined, hash: '', problem: isLink ? 'link' : 'unreadable' };
    }
  }
}

/** Removes what has such a name and was not touched for an hour. @param now epoch milliseconds of the system's clock */
export function sweep(dir: string, leftOver: RegExp, now: number): void {
  for (const name of readdirSync(dir)) {
    const file = join(dir, name);
    if (leftOver.test(name) && now - (lookAt(file)?.mtimeMs ?? now) > DRAFT_AGE)
      rmSync(file, { force: true });
  }
}

function textOf(bytes: Buffer): Pick<DiskFile, 'text' | 'problem'> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: undefined, problem: 'unreadable' };
  }
}

/** Tells contents apart; 27 letters, digits, `-` and `_` of their SHA-256. */
export function hashOf(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('base64url').slice(0, 27);
}
