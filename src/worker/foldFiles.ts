/**
 * The folds of one session on disk.
 *
 *     tier1/b3_m00004-m00020.md    the original of a block
 *     state.json                   what was folded, and what is known of the model's tokens
 *     manifest.json                the hash of each of these files, bound to the session
 *
 * What is above the folder's default level is sealed. Everything follows from the transcript, except the density: what does not verify is made again.
 */
import { hash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readFrom, removeFile, syncDir } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { type Level, maxLevel } from '../policy/level.ts';
import { MOST_DENSE } from '../session/folding/nudge.ts';
import { StoreError } from './api.ts';
import { boxIn, decoded, encoded, type FoldBox, type FoldForm, isMisfit, parsed } from './foldBox.ts';
import { type FoldSeam, namesIn, pathsIn, put, putBack, type Written } from './foldDisk.ts';

const STATE = 'state.json';
const MANIFEST = 'manifest.json';
const VERSION = 1;
/** What is built beside the folder, to take its place. */
const DRAFT = '.new';
const OLD = '.old';

/** Names of files that are ours: what a manifest names else is not looked for, and not told to anybody. */
const OURS = /^(?:state\.json|tier[123]\/b\d{1,7}_m\d{5,7}-m\d{5,7}\.md)$/;

const stateSchema = z.object({
  version: z.literal(VERSION),
  session: z.string(),
  density: z.number().min(1).max(MOST_DENSE),
  blocks: z.array(z.unknown()),
  check: z.string(),
});
const fileSchema = z.object({ sha256: z.string(), block: z.string() });
const manifestSchema = z.object({
  version: z.literal(VERSION),
  session: z.string(),
  files: z.record(z.string().regex(OURS), fileSchema),
  check: z.string(),
});

export interface FoldFilesOptions extends FoldForm {
  readonly dir: string;
  readonly seam?: FoldSeam | undefined;
}

/** The original of a block, and what tells the block from others of its name. */
export interface Archive {
  /** From the folder, with slashes. */
  readonly path: string;
  readonly block: string;
  readonly text: string;
}

export interface FoldState {
  readonly density: number;
  readonly blocks: readonly unknown[];
}

/** A file that is not as it was written. */
export interface FileProblem {
  readonly path: string;
  readonly problem: 'altered' | 'missing';
}

type Files = z.output<typeof manifestSchema>['files'];

export class FoldFiles {
  readonly #options: FoldFilesOptions;
  readonly #dir: string;

  constructor(options: FoldFilesOptions) {
    this.#options = options;
    this.#dir = options.dir;
  }

  /** Whether anything was ever folded here; what a crash left in the middle of a swap counts. */
  get exists(): boolean {
    return [this.#dir, this.#dir + DRAFT, this.#dir + OLD].some((dir) => namesIn(dir) !== undefined);
  }

  /** The state as it was saved last; undefined when it is not there or not what was written. */
  state(): FoldState | undefined {
    const text = this.#text(STATE);
    const state = stateSchema.safeParse(parsed(text)).data;
    if (state === undefined || state.session !== this.#options.session) return undefined;
    const { density, blocks } = state;
    return state.check === this.#check({ density, blocks }) ? { density, blocks } : undefined;
  }

  /**
   * What does not fit to the manifest, or, of these archives, to what they say: `altered` where a file is not what was
   * written, `missing` where it is gone.
   */
  verify(archives: readonly Archive[]): FileProblem[] {
    const files = this.#manifest();
    if (files === undefined)
      return this.#bytes(MANIFEST) === undefined ? [] : [{ path: MANIFEST, problem: 'altered' }];
    const known = new Map(archives.map((archive) => [archive.path, archive]));
    return Object.entries(files).flatMap(([path, { sha256, block }]): FileProblem[] => {
      const bytes = this.#bytes(path);
      if (bytes === undefined) return [{ path, problem: 'missing' }];
      const archive = known.get(path);
      // The manifest keeps nobody from writing another text with its hash.
      const isSaid =
        archive?.block !== block || decoded(this.#options, path, bytes) === archive.text.toWellFormed();
      // A state that was saved before its manifest says itself that it is whole.
      const isWhole = path === STATE ? this.state() !== undefined : hash('sha256', bytes) === sha256;
      return isWhole && isSaid ? [] : [{ path, problem: 'altered' }];
    });
  }

  /** Whether the manifest knows these archives, and nothing else. */
  holds(archives: readonly Archive[]): boolean {
    const { [STATE]: state, ...files } = this.#manifest() ?? {};
    const isKnown = ({ path, block }: Archive) => files[path]?.block === block;
    return state !== undefined && Object.keys(files).length === archives.length && archives.every(isKnown);
  }

  /**
   * Writes the originals of new blocks, and then the state. When something fails, everything is as it was.
   * @throws what the disk says
   */
  commit(level: Level, archives: readonly Archive[], state: FoldState): void {
    this.#options.keys.settled(() => this.#commit(level, archives, state));
  }

  #commit(level: Level, archives: readonly Archive[], state: FoldState): void {
    const written: Written[] = [];
    try {
      makeDir(this.#dir);
      const files: Files = { ...this.#manifest() };
      for (const { path, block, text } of archives) {
        const bytes = encoded(this.#options, path, text, level);
        written.push(put(this.#dir, path, bytes, this.#options.seam));
        files[path] = { sha256: hash('sha256', bytes), block };
      }
      const bytes = encoded(this.#options, STATE, this.#stateText(state), level);
      files[STATE] = { sha256: hash('sha256', bytes), block: '' };
      written.push(put(this.#dir, STATE, bytes, this.#options.seam));
      written.push(put(this.#dir, MANIFEST, this.#manifestBytes(files), this.#options.seam));
      syncDir(this.#dir);
    } catch (error) {
      for (const each of written.reverse()) putBack(each);
      throw error;
    }
  }

  /**
   * Puts what follows from the transcript in the place of what is there: it is built beside it, read back and compared
   * before it takes the place.
   * @throws what the disk says; then what was there is there
   */
  replace(level: Level, archives: readonly Archive[], state: FoldState): void {
    const draft = new FoldFiles({ ...this.#options, dir: this.#dir + DRAFT });
    this.clear();
    draft.commit(level, archives, state);
    if (draft.verify(archives).length > 0 || !draft.holds(archives))
      throw new StoreError('What was written could not be read back. Check the disk.');
    this.#step('folds: built');
    if (namesIn(this.#dir) !== undefined) renameSync(this.#dir, this.#dir + OLD);
    this.#step('folds: moved away');
    renameSync(this.#dir + DRAFT, this.#dir);
    syncDir(dirname(this.#dir));
    this.#step('folds: swapped');
    this.clear();
  }

  /**
   * Puts the files into the form that the store's switch wants. What does not verify goes: it is made again.
   * @param isOurs whether nobody else writes to the session
   * @returns whether somebody else has to do it
   * @throws what the disk says, KeyError
   */
  refit(isOurs: boolean): boolean {
    if (!this.exists) return false;
    const paths = pathsIn(this.#dir);
    const left = [DRAFT, OLD].some((end) => namesIn(this.#dir + end) !== undefined);
    if (!left && !paths.some((path) => this.#isMisfit(path))) return false;
    if (!isOurs) return true;
    if (this.#isLocked()) return false;
    const state = this.state();
    const level = this.#level();
    const archives = Object.entries(this.#manifest() ?? {}).flatMap(([path, { sha256, block }]) => {
      const bytes = path === STATE ? undefined : this.#bytes(path);
      const isWhole = bytes !== undefined && hash('sha256', bytes) === sha256;
      const text = isWhole ? decoded(this.#options, path, bytes) : undefined;
      return text === undefined ? [] : [{ path, block, text }];
    });
    if (state === undefined) rmSync(this.#dir, { recursive: true, force: true });
    else {
      const known = new Set([STATE, MANIFEST, ...archives.map(({ path }) => path)]);
      this.commit(level, archives, state);
      for (const path of paths) if (!known.has(path)) removeFile(join(this.#dir, path));
    }
    this.clear();
    return false;
  }

  #isMisfit(path: string): boolean {
    const bytes = path === MANIFEST ? undefined : this.#bytes(path);
    return bytes !== undefined && isMisfit(this.#options, bytes);
  }

  /** Whether a key of it is not here, without which nothing can be said of it. */
  #isLocked(): boolean {
    return pathsIn(this.#dir).some((path) => {
      const sealed = this.#sealed(path);
      return sealed !== undefined && this.#options.keys.find(sealed.key) === undefined;
    });
  }

  #level(): Level {
    const levels = pathsIn(this.#dir).flatMap((path) => this.#sealed(path)?.level ?? []);
    return levels.reduce(maxLevel, this.#options.defaultLevel);
  }

  #sealed(path: string): FoldBox | undefined {
    const bytes = this.#bytes(path);
    return bytes && boxIn(bytes);
  }

  /** Removes what a swap that was interrupted left. */
  clear(): void {
    for (const end of [DRAFT, OLD]) rmSync(this.#dir + end, { recursive: true, force: true });
  }

  #manifest(): Files | undefined {
    const manifest = manifestSchema.safeParse(parsed(this.#bytes(MANIFEST)?.toString('utf8'))).data;
    if (manifest === undefined || manifest.session !== this.#options.session) return undefined;
    return manifest.check === this.#check(manifest.files) ? manifest.files : undefined;
  }

  #manifestBytes(files: Files): Buffer {
    const { session } = this.#options;
    return Buffer.from(
      `${JSON.stringify({ version: VERSION, session, files, check: this.#check(files) })}\n`,
    );
  }

  #stateText(state: FoldState): string {
    const { session } = this.#options;
    const { density, blocks } = state;
    const check = this.#check({ density, blocks });
    return `${JSON.stringify({ version: VERSION, session, density, blocks, check })}\n`;
  }

  /** Binds a value to the session. */
  #check(value: unknown): string {
    return hash('sha256', `${this.#options.session}\n${JSON.stringify(value)}`);
  }

  #text(path: string): string | undefined {
    const bytes = this.#bytes(path);
    return bytes && decoded(this.#options, path, bytes);
  }

  #bytes(path: string): Buffer | undefined {
    return readFrom(join(this.#dir, path), 0)?.bytes;
  }

  #step(name: string): void {
    this.#options.seam?.step?.(name);
  }
}
