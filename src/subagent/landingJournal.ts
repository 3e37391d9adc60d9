/**
 * Writing a set of changes into the person's files so that a death in the middle can be finished or taken back:
 * first what was there and what will be there lie in a folder of the store, then a journal says so, then each file
 * is put in place with one rename. The images stay until the landing is forgotten, so that it can be undone.
 */
import { hash } from 'node:crypto';
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { errorCode, removeFile, syncDir } from '../journal/disk.ts';
import { messageOf } from '../journal/errors.ts';
import { keepCopy, putStored, readStored } from '../journal/storedFile.ts';
import {
  fileImage,
  imageAmong,
  imageAt,
  placeOf,
  putImage,
  removeEmptyFolders,
  sameImage,
  UnsafePathError,
} from './fileImage.ts';

const JOURNAL = 'journal.json';
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

const change = z.object({ path: z.string(), before: fileImage, after: fileImage });

const headMove = z.object({
  /** The checked-out branch in full; empty when HEAD is detached. */
  name: z.string(),
  from: z.string(),
  to: z.string(),
  /** Entries of the index that change with it. */
  index: z.array(z.object({ path: z.string(), before: z.string(), after: z.string() })).readonly(),
  /** The task's own branch, which goes when its commits have landed. */
  branch: z.object({ ref: z.string(), tip: z.string() }).optional(),
});

export type HeadMove = z.infer<typeof headMove>;

const landingJournal = z.object({
  version: z.literal(1),
  id: z.string(),
  /** Top folder of the work tree that is written to. */
  workTree: z.string(),
  /** `writing` and `undoing` are under way, or their process died. */
  state: z.enum(['writing', 'landed', 'undoing']),
  changes: z.array(change).readonly(),
  /** Folders of repositories inside this one that are written to, each with a slash at the end. */
  nested: z.array(z.string()).readonly().default([]),
  /** Tree of the work that landed. */
  tree: z.string().optional(),
  /** The same of its parts in repositories inside. */
  nestedTrees: z.array(z.string()).readonly().default([]),
  /** In branch mode: where HEAD goes, last of all. */
  head: headMove.optional(),
});

export type Change = z.infer<typeof change>;
export type LandingJournal = z.infer<typeof landingJournal>;

/** A file is no longer as it was; whatever had been written was taken back. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

/** Some files are as before and some as after: the journal stays, and the next start goes on from it. */
export class HalfWrittenError extends Error {
  override readonly name = 'HalfWrittenError';
}

/** For tests that die at each step. */
export type Step = (name: string) => void;

/** The folders of landings, in the store. */
export class LandingFolder {
  readonly #dir: string;

  constructor(stateDir: string) {
    this.#dir = join(stateDir, 'landings');
  }

  /** Ids of all landings that are under way, or can be undone. */
  ids(): string[] {
    try {
      return readdirSync(this.#dir).filter((name) => ID.test(name));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Keeps the bytes of a file: `side` is what was there before, or will be after, change number `at`. */
  keep(id: string, side: 'before' | 'after', at: number, file: string): void {
    keepCopy(file, this.image(id, side, at), lstatSync(file).mode & 0o777);
  }

  /** The SHA-256 of what was kept. */
  hashOf(id: string, side: 'before' | 'after', at: number): string {
    return hash('sha256', readStored(this.image(id, side, at)));
  }

  /**
   * Undefined when its process died before it wrote anything; `damaged` is for a person to look at, also where the
   * store is sealed and its key is not here.
   */
  read(id: string): LandingJournal | 'damaged' | undefined {
    if (!ID.test(id)) return undefined;
    try {
      return landingJournal.parse(JSON.parse(readStored(join(this.#dir, id, JOURNAL)).toString('utf8')));
    } catch (error) {
      return errorCode(error) === 'ENOENT' ? undefined : 'damaged';
    }
  }

  write(journal: LandingJournal): void {
    putStored(join(this.#dir, journal.id, JOURNAL), Buffer.from(JSON.stringify(journal)));
  }

  /** Removes what is kept; the landing can no longer be undone. */
  forget(id: string): void {
    if (ID.test(id)) rmSync(join(this.#dir, id), { recursive: true, force: true });
  }

  /**
   * Puts each file in place that is not yet, deletions first: a folder may become a file.
   * Whatever it throws but {@link HalfWrittenError}, everything was taken back.
   * @throws {FileChangedError} when a file is neither as before nor as after. {UnsafePathError}
   */
  async apply(journal: LandingJournal, step: Step = () => {}): Promise<void> {
    const changes = directed(journal);
    try {
      for (const one of changes) {
        this.#put(journal, one, step);
        // Each file waits for the disk; others of this process go on in between.
        await setImmediate();
      }
    } catch (error) {
      this.takeBack(journal);
      throw error;
    }
  }

  /**
   * Puts back what was written; only what is as we wrote it goes back, what somebody changed since stays.
   * @throws {HalfWrittenError}
   */
  takeBack(journal: LandingJournal): void {
    try {
      this.#takeBack(journal, directed(journal));
    } catch (cause) {
      throw new HalfWrittenError(`Half written, and not taken back: ${messageOf(cause)}`, { cause });
    }
  }

  #put(journal: LandingJournal, { path, at, from, to, side }: Directed, step: Step): void {
    const { workTree, changes } = journal;
    const goes = to.kind === 'absent';
    // A process that died may have put already what takes the place of this file, or of its folder.
    const found = goes ? imageAmong(workTree, path, changes) : imageAt(placeOf(workTree, path));
    if (!sameImage(found, to)) {
      if (!sameImage(found, from)) throw new FileChangedError(`${path} was changed meanwhile`);
      const place = placeOf(workTree, path);
      step(`write ${path}`);
      putImage(place, to, this.image(journal.id, side, at), draftOf(journal), () => step(`draft ${path}`));
      step(`written ${path}`);
    }
    if (goes) removeEmptyFolders(workTree, path);
    else syncDir(dirname(join(workTree, path)));
  }

  #takeBack(journal: LandingJournal, changes: readonly Directed[]): void {
    for (const { path, at, from, to, side } of [...changes].reverse()) {
      const place = placeIfSafe(journal.workTree, path);
      if (place === undefined || sameImage(from, to)) continue;
      if (sameImage(imageAt(place), to)) {
        putImage(place, from, this.image(journal.id, OTHER[side], at), draftOf(journal));
      }
      // The folders may be there without the file, and one may lie where a file must go back.
      if (from.kind === 'absent') removeEmptyFolders(journal.workTree, path);
    }
  }

  /** Removes drafts that a dead process left among the person's files. */
  clearDrafts(journal: LandingJournal): void {
    for (const { path } of journal.changes) {
      const place = placeIfSafe(journal.workTree, path);
      if (place === undefined) continue;
      try {
        removeFile(join(dirname(place), draftOf(journal)));
      } catch (error) {
        if (errorCode(error) !== 'ENOTDIR') throw error;
      }
    }
  }

  /** Where the bytes of a change are kept. */
  image(id: string, side: 'before' | 'after', at: number): string {
    return join(this.#dir, id, side, String(at));
  }
}

/** Undefined where somebody put a link in the way since. */
function placeIfSafe(workTree: string, path: string): string | undefined {
  try {
    return placeOf(workTree, path);
  } catch (error) {
    if (error instanceof UnsafePathError) return undefined;
    throw error;
  }
}

const OTHER = { before: 'after', after: 'before' } as const;

/** A change seen in the direction in which it is made now. */
interface Directed {
  readonly path: string;
  readonly at: number;
  readonly from: Change['before'];
  readonly to: Change['before'];
  /** Where the bytes of `to` are kept. */
  readonly side: 'before' | 'after';
}

function directed({ changes, state }: LandingJournal): Directed[] {
  const all = changes.map(({ path, before, after }, at): Directed => {
    const forth = { path, at, from: before, to: after, side: 'after' } as const;
    const back = { path, at, from: after, to: before, side: 'before' } as const;
    return state === 'undoing' ? back : forth;
  });
  return [...all.filter(({ to }) => to.kind === 'absent'), ...all.filter(({ to }) => to.kind !== 'absent')];
}

function draftOf({ id }: LandingJournal): string {
  return `.lodeline-${id}.tmp`;
}
