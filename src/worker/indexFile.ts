/** The file that keeps the words of the index from one start to the next. It can be deleted at any time. */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { removeFile, writeAll } from '../journal/disk.ts';
import type { Level } from '../policy/level.ts';
import { decodeIndex, encodeIndex, type SavedIndex } from '../recall/indexBytes.ts';

const NAME = 'index.bin';
const DRAFT = /^index-[0-9a-f]+\.tmp$/;
const DRAFT_BYTES = 8;

export class IndexFile {
  readonly #dir: string;
  /** Whether entries of a level are sealed on disk, so that their words must not be here. */
  readonly sealed: (level: Level) => boolean;
  readonly #settled: <T>(write: () => T) => T;

  /** `dir`: memory's folder, which may not be there yet; `settled`: see `KeyRing`. */
  constructor(
    dir: string,
    sealed: (level: Level) => boolean,
    settled: <T>(write: () => T) => T = (write) => write(),
  ) {
    this.#dir = dir;
    this.sealed = sealed;
    this.#settled = settled;
  }

  /**
   * The index as it was saved, or undefined. A file that is damaged, of another version, or that holds what has to be
   * gone (words of a level that is sealed, or of another generation than the store's) is removed, with all drafts.
   * `position`: the store's.
   */
  read(position: string): SavedIndex | undefined {
    let saved: SavedIndex | undefined;
    try {
      saved = decodeIndex(readFileSync(join(this.#dir, NAME)));
    } catch {
      // Missing or not to be understood: the journal has everything.
    }
    const usable =
      saved !== undefined &&
      generationOf(saved.position) === generationOf(position) &&
      !saved.shelves.some(({ level }) => this.sealed(level));
    if (usable) return saved;
    try {
      this.discard();
    } catch {
      // A read-only folder.
    }
    return undefined;
  }

  /**
   * Puts an index in place of what is there, all of it or nothing. `make` must look at the journal first: whoever deletes
   * for good writes so there and then removes every draft and the file, so either `make` sees it, or the draft is gone.
   * @returns whether it is there. A full or read-only disk is no error: the next start builds the index.
   */
  write(make: () => SavedIndex): boolean {
    return this.#settled(() => this.#write(make));
  }

  #write(make: () => SavedIndex): boolean {
    const draft = join(this.#dir, `index-${randomBytes(DRAFT_BYTES).toString('hex')}.tmp`);
    try {
      this.#removeDrafts();
      const fd = openSync(draft, 'wx', 0o600);
      try {
        writeAll(fd, encodeIndex(make()));
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(draft, join(this.#dir, NAME));
      return true;
    } catch {
      try {
        removeFile(draft);
      } catch {
        // Whoever writes next removes it.
      }
      return false;
    }
  }

  /** After a hard delete: removes the file and every draft of it, which another process may be writing. */
  discard(): void {
    // A draft may become the file while this runs, so the file is last.
    this.#removeDrafts();
    removeFile(join(this.#dir, NAME));
  }

  #removeDrafts(): void {
    let names: string[];
    try {
      names = readdirSync(this.#dir);
    } catch {
      return;
    }
    for (const name of names) if (DRAFT.test(name)) removeFile(join(this.#dir, name));
  }
}

/** The part of a position that changes when something is deleted for good. */
function generationOf(position: string): string {
  return position.slice(0, position.indexOf('.'));
}
