/**
 * The folds of one session on disk.
 *
 *     tier1/b3_m00004-m00020.md    the original of a block
 *     state.json                   what was folded, and what is known of the model's tokens
 *     manifest.json                the hash of each of these files, bound to the session
 *
 * What is above the folder's default level is sealed. Everything follows from the transcript, except the density: what does not verify is made again.
 */
import { hash, randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errorCode, readFrom, removeFile, syncDir, type WriteSome, writeNewFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import type { KeyRing } from '../journal/keys.ts';
import { NONCE_BYTES, seal, unseal } from '../journal/seal.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { MOST_DENSE } from '../session/folding/nudge.ts';
import { StoreError } from './api.ts';

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
const boxSchema = z.object({ level: z.enum(LEVELS), key: z.string(), box: z.string() });

export interface FoldFilesOptions {
  readonly dir: string;
  /** What the files are bound to: the session's id, a slash and the subagent's. */
  readonly session: string;
  readonly keys: KeyRing;
  readonly defaultLevel: Level;
  readonly seam?: { step?(name: string): void; readonly write?: WriteSome | undefined } | undefined;
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

interface Written {
  readonly file: string;
  readonly before: Buffer | undefined;
}

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
      const isSaid = archive?.block !== block || this.#decoded(path, bytes) === archive.text.toWellFormed();
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
    const written: Written[] = [];
    try {
      makeDir(this.#dir);
      const files: Files = { ...this.#manifest() };
      for (const { path, block, text } of archives) {
        const bytes = this.#encoded(path, text, level);
        written.push(this.#put(path, bytes));
        files[path] = { sha256: hash('sha256', bytes), block };
      }
      const bytes = this.#encoded(STATE, this.#stateText(state), level);
      files[STATE] = { sha256: hash('sha256', bytes), block: '' };
      written.push(this.#put(STATE, bytes));
      written.push(this.#put(MANIFEST, this.#manifestBytes(files)));
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

  /** The bytes of a file, sealed where its level is above the folder's. @throws KeyError */
  #encoded(path: string, text: string, level: Level): Buffer {
    const { keys, defaultLevel, session } = this.#options;
    if (canFlowTo(level, defaultLevel)) return Buffer.from(text.toWellFormed(), 'utf8');
    const key = keys.sealingKey();
    const box = seal(
      key.bytes,
      randomBytes(NONCE_BYTES),
      sealedFields(session, path, level),
      text.toWellFormed(),
    );
    return Buffer.from(`${JSON.stringify({ level, key: key.id, box })}\n`, 'utf8');
  }

  #text(path: string): string | undefined {
    const bytes = this.#bytes(path);
    return bytes && this.#decoded(path, bytes);
  }

  #decoded(path: string, bytes: Buffer): string | undefined {
    const text = bytes.toString('utf8');
    const sealed = boxSchema.safeParse(text.startsWith('{') ? parsed(text) : undefined).data;
    if (sealed === undefined) return text;
    const key = this.#options.keys.find(sealed.key);
    const fields = sealedFields(this.#options.session, path, sealed.level);
    return key && unseal(key.bytes, fields, sealed.box);
  }

  #bytes(path: string): Buffer | undefined {
    return readFrom(join(this.#dir, path), 0)?.bytes;
  }

  /** Puts a file in place whole, and answers what was there. */
  #put(path: string, bytes: Buffer): Written {
    const file = join(this.#dir, path);
    const before = readFrom(file, 0)?.bytes;
    makeDir(dirname(file));
    removeFile(`${file}.tmp`);
    this.#step(`folds: write ${path}`);
    try {
      writeNewFile(`${file}.tmp`, bytes, this.#options.seam?.write);
      this.#step(`folds: written ${path}`);
      renameSync(`${file}.tmp`, file);
    } catch (error) {
      removeFile(`${file}.tmp`);
      throw error;
    }
    syncDir(dirname(file));
    this.#step(`folds: placed ${path}`);
    return { file, before };
  }

  #step(name: string): void {
    this.#options.seam?.step?.(name);
  }
}

/** As well as it can be done: what could not be put back no longer fits to the manifest, and is made again. */
function putBack({ file, before }: Written): void {
  try {
    removeFile(file);
    if (before !== undefined) writeNewFile(file, before);
  } catch {}
}

function sealedFields(session: string, path: string, level: Level) {
  return { id: session, stamp: path, writer: 'folds', level };
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function namesIn(dir: string): string[] | undefined {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
