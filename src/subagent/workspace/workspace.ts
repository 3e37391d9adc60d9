/** The folder that a task works in: finds, reads and writes files of it and of nothing else. */
import { createHash, randomBytes } from 'node:crypto';
import {
  close,
  constants,
  fchmod,
  fstat,
  fsync,
  lstatSync,
  readdirSync,
  readFile,
  realpathSync,
  type Stats,
  writeFile,
} from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, lookAt } from '../../journal/disk.ts';
import { formedBytes, isSealedNow, openedAt, SealedAway, settledLater } from '../../journal/sealedPlaces.ts';
import { exclusively } from './exclusive.ts';
import { HeldFolder } from './folder.ts';
import { guardNames, type Purpose, parsePath } from './names.ts';
import { quote, sizeText, WorkspaceError } from './tool.ts';

/** Largest file that is read or written whole. */
const MAX_FILE = 10_000_000;

const files = {
  close: promisify(close),
  stat: promisify<number, Stats>(fstat),
  read: promisify<number, Buffer>(readFile),
  write: promisify<number, Uint8Array>(writeFile),
  sync: promisify(fsync),
  chmod: promisify(fchmod),
};

/** A place below the workspace folder, by its real names: no links, no other spellings. */
export interface Place {
  readonly names: readonly string[];
  /** The names with slashes; `.` for the folder itself. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other' | 'missing';
}

export interface Content {
  readonly bytes: Buffer;
  readonly mode: number;
  /** Names these bytes. */
  readonly hash: string;
}

export class Workspace {
  /** The folder's real path. */
  readonly root: string;
  /** For folders that are held elsewhere; undefined for what the platform has. */
  readonly descriptorPaths: boolean | undefined;
  /** What this task last saw of each file, by its path. */
  readonly #seen = new Map<string, string>();

  /** @throws when there is no such folder. */
  constructor(root: string, descriptorPaths?: boolean) {
    this.root = realpathSync.native(root);
    this.descriptorPaths = descriptorPaths;
  }

  /**
   * Where a path leads. Links are followed as long as they stay inside.
   * @throws WorkspaceError when it leads out, or to what is not open for this purpose.
   */
  locate(path: string, purpose: Purpose): Place {
    const asked = parsePath(path);
    guardNames(asked, purpose);
    let real = this.root;
    let missing: readonly string[] = [];
    for (const [index, name] of asked.entries()) {
      const next = this.#follow(real, name, path);
      if (next === undefined) {
        missing = asked.slice(index);
        break;
      }
      real = next;
    }
    const inside = relative(this.root, real);
    const names = [...(inside === '' ? [] : inside.split(sep)), ...missing];
    guardNames(names, purpose);
    return {
      names,
      path: names.join('/') || '.',
      kind: missing.length > 0 ? 'missing' : kindOf(lstatSync(real)),
    };
  }

  /** Holds a folder of the workspace. */
  hold(names: readonly string[], { make = false } = {}): HeldFolder {
    return HeldFolder.open(this.root, names, { make, descriptorPaths: this.descriptorPaths });
  }

  /**
   * Reads a file whole and remembers that this task has seen it.
   * @throws WorkspaceError when it is no file, or too large.
   */
  async read(place: Place): Promise<Content> {
    if (place.kind === 'missing')
      throw new WorkspaceError(`There is no file ${quote(place.path)}. Look for it with find or list.`);
    if (place.kind === 'folder')
      throw new WorkspaceError(`${quote(place.path)} is a folder. Use list to see what is in it.`);
    const content = await this.#content(place);
    if (content === undefined)
      throw new WorkspaceError(`${quote(place.path)} is gone. Look for it with find or list.`);
    this.#seen.set(place.path, content.hash);
    return content;
  }

  /** Whether this task has read or written the file. */
  hasSeen({ path }: Place): boolean {
    return this.#seen.has(path);
  }

  /**
   * Puts `bytes` in the place of a file, or creates it with its folders; all of it or nothing.
   * @param from what was read of the file; undefined when it is to be new
   * @throws WorkspaceError when the file is not what this task last saw.
   */
  async write(place: Place, bytes: Uint8Array, from: Content | undefined): Promise<void> {
    if (bytes.length > MAX_FILE)
      throw new WorkspaceError(
        `${quote(place.path)} would have ${sizeText(bytes.length)}; at most ${sizeText(MAX_FILE)} are written. Split it.`,
      );
    const name = place.names.at(-1);
    if (name === undefined) throw new WorkspaceError('The workspace folder itself cannot be written.');
    // Two subagents in one folder take turns, so that neither overwrites what the other has just saved.
    await exclusively(this.root, async () => {
      const folder = this.hold(place.names.slice(0, -1), { make: true });
      let before = from?.hash;
      try {
        await settledLater(this.#file(place), async () => {
          before = await this.#put(folder, name, bytes, { place, from, before });
        });
      } finally {
        folder.close();
      }
    });
    this.#seen.set(place.path, hashOf(bytes));
  }

  /** @returns the hash of what stands there then. */
  async #put(
    folder: HeldFolder,
    name: string,
    bytes: Uint8Array,
    { place, from, before }: { place: Place; from: Content | undefined; before: string | undefined },
  ): Promise<string> {
    const temporary = `.${randomBytes(12).toString('hex')}.tmp`;
    let made = false;
    try {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
      const formed = formedBytes(this.#file(place), bytes);
      const fd = folder.openFile(temporary, flags, from === undefined ? 0o666 : 0o600);
      made = true;
      try {
        await files.write(fd, formed);
        if (from !== undefined) await files.chmod(fd, from.mode & 0o777);
        await files.sync(fd);
      } finally {
        await files.close(fd);
      }
      const now = await this.#contentIn(folder, name, place);
      if (now?.hash !== before) throw changed(place);
      folder.replace(temporary, name);
      made = false;
      return hashOf(bytes);
    } finally {
      if (made) folder.remove(temporary);
    }
  }

  #file({ names }: Place): string {
    return join(this.root, ...names);
  }

  /** Throws unless the file is as this task last saw it; fine when it never looked. */
  checkSeen(place: Place, content: Content): void {
    const seen = this.#seen.get(place.path);
    if (seen !== undefined && seen !== content.hash) throw changed(place);
  }

  /** What a file holds now, without counting as seen; undefined when it is missing. */
  peek(place: Place): Promise<Content | undefined> {
    return place.kind === 'missing' ? Promise.resolve(undefined) : this.#content(place);
  }

  async #content(place: Place): Promise<Content | undefined> {
    const folder = this.hold(place.names.slice(0, -1));
    try {
      return await this.#contentIn(folder, place.names.at(-1) ?? '.', place);
    } finally {
      folder.close();
    }
  }

  async #contentIn(folder: HeldFolder, name: string, place: Place): Promise<Content | undefined> {
    let fd: number;
    try {
      fd = folder.openFile(name, constants.O_RDONLY);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const stats = await files.stat(fd);
      if (!stats.isFile())
        throw new WorkspaceError(`${quote(place.path)} is not a regular file. Choose another.`);
      // A sealed file is longer than what it says.
      if (stats.size > (isSealedNow(this.#file(place)) ? 2 * MAX_FILE : MAX_FILE))
        throw new WorkspaceError(
          `${quote(place.path)} has ${sizeText(stats.size)}; files up to ${sizeText(MAX_FILE)} can be opened. Choose a smaller one.`,
        );
      const bytes = this.#opened(place, await files.read(fd));
      return { bytes, mode: stats.mode, hash: hashOf(bytes) };
    } finally {
      await files.close(fd);
    }
  }

  #opened(place: Place, bytes: Buffer): Buffer {
    try {
      return openedAt(this.#file(place), bytes);
    } catch (error) {
      if (error instanceof SealedAway)
        throw new WorkspaceError(`${quote(place.path)} cannot be read: ${error.message}`);
      throw error;
    }
  }

  /** The real path of `name` in the real folder `real`; undefined when there is nothing. */
  #follow(real: string, name: string, path: string): string | undefined {
    const next = join(real, name);
    let found: string;
    try {
      found = realpathSync.native(next);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOTDIR')
        throw new WorkspaceError(
          `${quote(path)} goes through a file as if it were a folder. List the folder.`,
        );
      if (code !== 'ENOENT' && code !== 'ELOOP') throw error;
      if (isThere(next))
        throw new WorkspaceError(`${quote(path)} goes through a symbolic link that leads nowhere.`);
      const twin = sameName(real, name);
      return twin === undefined ? undefined : this.#follow(real, twin, path);
    }
    const inside = relative(this.root, found);
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      throw new WorkspaceError(
        `${quote(path)} leads out of the workspace folder through a symbolic link. Work with files inside it.`,
      );
    return found;
  }
}

/** SHA-256 in base64. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

function changed(place: Place): WorkspaceError {
  return new WorkspaceError(
    `${quote(place.path)} changed on disk since you last read it. Nothing was written. Read it again, then repeat your change on what it holds now.`,
  );
}

function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
}

/** The entry whose name is the same text in another Unicode form, as macOS writes Hangul and accents. */
function sameName(folder: string, name: string): string | undefined {
  const composed = name.normalize('NFC');
  if (composed === name.normalize('NFD')) return undefined;
  try {
    return readdirSync(folder).find((each) => each !== name && each.normalize('NFC') === composed);
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function kindOf(stats: Stats): Place['kind'] {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}
