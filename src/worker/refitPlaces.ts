/**
 * Files that are written outside the store's thread, by whoever runs subagents, spawns sessions or is a hook, in the
 * form that the store's switch wants. Their writers may be at work at the same moment, in any process.
 *
 * What stays in the clear, because another program has to read it: the work trees of isolated subagents, git's own
 * index of them, and git's objects. Names of files say ids of sessions and tasks, and whose process wrote them.
 */
import { type Dirent, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errorCode, readFrom, removeFile } from '../journal/disk.ts';
import type { KeyRing } from '../journal/keys.ts';
import { isAlive } from '../journal/liveness.ts';
import { asideOf, refitFile } from '../journal/refitFile.ts';
import { isSealedFile, refitted } from '../journal/sealedFile.ts';
import { type SealedPlace, sealedName } from '../journal/sealedPlaces.ts';
import { ATTACHED_FOLDER, ATTACHMENTS } from '../session/attachedFolders.ts';
import { WARNED_FOLDER } from '../session/toldHolders.ts';

/** Deeper than anything that is kept. */
const DEEPEST = 32;
const HEAD_BYTES = 64;
/** As those who write here name what they have not finished. */
const DRAFT = /^\.[0-9a-f]{16,24}\.tmp$|\.(?:put|lodeline-refit)\.tmp$|^[^.].*\.json(?:\.\d+)?\.tmp$/;
/** Nobody writes on one small file for so long, in milliseconds: its process was ended. */
const ABANDONED = 10_000;

export interface PlacesOptions {
  /** The store's folder. */
  readonly dir: string;
  /** The work tree's top folder, where spawned sessions may have been given files; see `attachedFolders`. */
  readonly root?: string | undefined;
  readonly keys: KeyRing;
}

/**
 * @returns how many files are being written right now, of which it is not known in which form
 * @throws what the disk says, KeyError
 */
export function refitPlaces({ dir, root, keys }: PlacesOptions): number {
  const store = { dir, name: '' };
  let fresh = 0;
  clearDrafts(join(dir, 'git-drafts'));
  const refit = (place: Pick<SealedPlace, 'dir' | 'name'>, folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      const file = join(folder, entry.name);
      if (entry.isDirectory() && depth > 0) refit(place, file, depth - 1);
      if (!entry.isFile()) continue;
      if (DRAFT.test(entry.name)) fresh += isLeft(file) ? 0 : 1;
      else fitOne(place, asideOf(file) ?? file, keys);
    }
  };
  for (const name of ['batches', 'patches', WARNED_FOLDER]) refit(store, join(dir, name), 0);
  refit(store, join(dir, 'landings'), 2);
  for (const session of foldersIn(join(dir, 'worktrees'))) {
    for (const { name } of entriesOf(session).filter((entry) => entry.isFile())) {
      const file = join(session, asideOf(name) ?? name);
      if (file.endsWith('.json')) fitOne(store, file, keys);
      else if (DRAFT.test(name) && !isLeft(file)) fresh++;
    }
  }
  for (const session of foldersIn(join(dir, 'sessions'))) {
    refit(store, join(session, 'artifacts'), 0);
    refit(store, join(session, 'local', 'files'), DEEPEST);
  }
  for (const folder of attachedTo(dir, root)) {
    const place = { dir: join(folder, ...ATTACHMENTS), name: ATTACHED_FOLDER };
    if (!isReal(place.dir)) continue;
    for (const given of foldersIn(place.dir)) refit(place, given, 0);
  }
  return fresh;
}

function fitOne(place: Pick<SealedPlace, 'dir' | 'name'>, file: string, keys: KeyRing): void {
  const head = readFrom(file, 0, HEAD_BYTES)?.bytes;
  // One that is not there may be aside.
  if (head !== undefined && isSealedFile(head) === keys.sealsAll()) return;
  refitFile(file, (bytes) => refitted(keys, sealedName(place, file), bytes));
}

/** What git wrote for a process that has ended. */
function clearDrafts(dir: string): void {
  for (const folder of foldersIn(dir)) {
    const pid = Number(/^(\d+)-/.exec(basename(folder))?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes a draft that nobody writes on any more. @returns whether it was one */
function isLeft(file: string): boolean {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  // By the disk's clock, which is the one that its files have.
  if (written !== undefined && Date.now() - written < ABANDONED) return false;
  removeFile(file);
  return true;
}

/** Workspace folders in which files were laid down for spawned sessions of this store. */
function attachedTo(dir: string, root: string | undefined): ReadonlySet<string> {
  const noted = entriesOf(join(dir, ATTACHED_FOLDER))
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(dir, ATTACHED_FOLDER, name), 'utf8'));
  return new Set([...noted, ...(root === undefined ? [] : [root])]);
}

/** Whether a folder is there and no link leads to it: the work tree is anybody's. */
function isReal(dir: string): boolean {
  try {
    return realpathSync.native(dir).normalize('NFC') === dir.normalize('NFC');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function foldersIn(dir: string): string[] {
  return entriesOf(dir)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(dir, name));
}

/** Links are none of these. */
function entriesOf(dir: string): Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}
