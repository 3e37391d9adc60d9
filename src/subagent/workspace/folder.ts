/**
 * A folder below the workspace, held so that nobody can put a symbolic link in its place between a check and the
 * use. Node has no `openat`. On Linux the folder's descriptor is a path (`/proc/self/fd/N`), which every step goes
 * through without following links. Elsewhere each step is checked after it was made and before its result is used:
 * what was opened must be what now stands at the real path. A new file is then created under a random name, checked,
 * and only afterwards filled; all that an attack can get there is an empty file or folder outside.
 */
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../journal/disk.ts';
import { WorkspaceError } from './tool.ts';

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const ONLY_FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NO_FOLLOW;
const NO_WAIT = constants.O_NONBLOCK ?? 0;

const HAS_DESCRIPTOR_PATHS = process.platform === 'linux' && existsSync('/proc/self/fd');

export interface HoldOptions {
  /** Make the folders that are missing. */
  readonly make?: boolean;
  /** Whether descriptors are used as paths; what the platform has, unless given. */
  readonly descriptorPaths?: boolean | undefined;
}

export class HeldFolder {
  readonly #real: string;
  readonly #fd: number | undefined;

  private constructor(real: string, fd: number | undefined) {
    this.#real = real;
    this.#fd = fd;
  }

  /**
   * Holds the folder `names` below `root`, which must be a real path.
   * @throws WorkspaceError when a link or a file stands on the way; ENOENT when it is missing.
   */
  static open(
    root: string,
    names: readonly string[],
    { make = false, descriptorPaths = HAS_DESCRIPTOR_PATHS }: HoldOptions = {},
  ): HeldFolder {
    const fd = descriptorPaths ? openFolder(root) : undefined;
    let held = new HeldFolder(root, fd);
    for (const name of names) {
      try {
        const next = held.enter(name, make);
        held.close();
        held = next;
      } catch (error) {
        held.close();
        throw error;
      }
    }
    return held;
  }

  /** The path that leads to `name` in this folder while it is held. */
  at(name: string): string {
    return this.#fd === undefined ? join(this.#real, name) : `/proc/self/fd/${this.#fd}/${name}`;
  }

  /** Holds a folder in this one; both must be closed. */
  enter(name: string, make = false): HeldFolder {
    if (make) makeFolder(this.at(name));
    const real = join(this.#real, name);
    if (this.#fd !== undefined) return new HeldFolder(real, openFolder(this.at(name)));
    const next = new HeldFolder(real, undefined);
    next.#check();
    return next;
  }

  /**
   * Opens a file here, never a link, and without waiting for the other end of a pipe.
   * @throws WorkspaceError when a link stands there; ENOENT, EEXIST and the like.
   */
  openFile(name: string, flags: number, mode?: number): number {
    const path = this.at(name);
    const fd = withoutLinks(() => openSync(path, flags | NO_FOLLOW | NO_WAIT, mode));
    if (this.#fd !== undefined) return fd;
    try {
      this.#check();
      const there = lstatSync(path, { bigint: true });
      const opened = fstatSync(fd, { bigint: true });
      if (there.isSymbolicLink() || there.ino !== opened.ino || there.dev !== opened.dev) throw moved();
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Entries of the folder, at most so many, in no order; the thread goes on meanwhile. */
  async someEntries(most: number): Promise<Dirent[]> {
    const found: Dirent[] = [];
    for await (const entry of await opendir(this.at('.'), { bufferSize: 256 })) {
      found.push(entry);
      if (found.length === most) break;
    }
    if (this.#fd === undefined) this.#check();
    return found;
  }

  /** What is in the folder, in no order. */
  entries(): Dirent[] {
    const found = readdirSync(this.at('.'), { withFileTypes: true });
    if (this.#fd === undefined) this.#check();
    return found;
  }

  /** Puts a file of this folder in the place of another. */
  replace(from: string, to: string): void {
    if (this.#fd === undefined) this.#check();
    renameSync(this.at(from), this.at(to));
  }

  remove(name: string): void {
    unlinkSync(this.at(name));
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  /** The folder's own path is still real: no link on its way. */
  #check(): void {
    if (!lstatSync(this.#real).isDirectory()) throw moved();
    if (realpathSync.native(this.#real).normalize('NFC') !== this.#real.normalize('NFC')) throw moved();
  }
}

function openFolder(path: string): number {
  return withoutLinks(() => openSync(path, ONLY_FOLDER));
}

/** Runs `open`; what the system says of a link, or of a file where a folder was, becomes an error to act on. */
function withoutLinks(open: () => number): number {
  try {
    return open();
  } catch (error) {
    const code = errorCode(error);
    throw code === 'ELOOP' || code === 'ENOTDIR' || code === 'EMLINK' ? moved() : error;
  }
}

function moved(): WorkspaceError {
  return new WorkspaceError(
    'The path changed while it was opened: a link or a file stands where a folder or a file was. List the folder and try again.',
  );
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
