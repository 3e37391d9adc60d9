/** Taking back what has landed: exactly, or by a merge where the person went on since. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from '../git/capture.ts';
import { changedFiles } from '../git/delta.ts';
import { openNested } from '../git/nested.ts';
import type { Repository } from '../git/repository.ts';
import { lineOf } from '../git/run.ts';
import { type Scratch, withScratch } from '../git/scratch.ts';
import { imageAmong, placeOf, putImage, sameImage, UnsafePathError } from './fileImage.ts';
import { type LandingAnswer, type LandingOptions, landTask } from './landing.ts';
import { finish, isInTheWay } from './landingFinish.ts';
import { type Change, HalfWrittenError, LandingFolder, type LandingJournal } from './landingJournal.ts';
import { headNow, writeLanding } from './landingWrite.ts';
import type { Delta, NestedDelta } from './recovery.ts';
import { withRepositoryLock } from './repositoryLock.ts';

/** A landing cannot be undone; the message says why. */
export class CannotUndoError extends Error {
  override readonly name = 'CannotUndoError';
}

/**
 * Puts back what was there before a landing; in branch mode HEAD goes back too.
 * @throws {CannotUndoError} when it is not there, or a file, the index or HEAD is no longer as it was landed; nothing
 *   is changed.
 */
export async function undoLanding(
  repository: Repository,
  landing: string,
  { signal, step = () => {} }: LandingOptions = {},
): Promise<void> {
  const undo = async () => {
    await finish(repository);
    const folder = new LandingFolder(repository.stateDir);
    const journal = landedJournal(repository, folder, landing);
    const changed = journal.changes.filter((change) => !isLanded(journal, change));
    if (changed.length > 0) {
      const names = changed.map(({ path }) => path).join(', ');
      throw new CannotUndoError(`Changed since it was landed: ${names}. Nothing was put back.`);
    }
    if (journal.head && (await headNow(repository)).commit !== journal.head.to) {
      throw new CannotUndoError('Your branch went on since it was landed. Nothing was put back.');
    }
    const undoing: LandingJournal = { ...journal, state: 'undoing' };
    folder.write(undoing);
    step('journal');
    try {
      await writeLanding(repository, folder, undoing, { step });
    } catch (error) {
      if (!(error instanceof HalfWrittenError)) folder.write(journal);
      if (!isInTheWay(error)) throw error;
      throw new CannotUndoError(`${error.message}. Nothing was put back.`);
    }
    folder.forget(landing);
  };
  await withRepositoryLock(repository, 'landing', undo, signal);
}

function landedJournal(repository: Repository, folder: LandingFolder, landing: string): LandingJournal {
  const journal = folder.read(landing);
  if (
    journal === undefined ||
    journal === 'damaged' ||
    journal.state !== 'landed' ||
    journal.workTree !== repository.workTree
  ) {
    throw new CannotUndoError(`There is no landing ${landing} to undo in ${repository.workTree}.`);
  }
  return journal;
}

function isLanded({ workTree, changes }: LandingJournal, { path, after }: Change): boolean {
  try {
    return sameImage(imageAmong(workTree, path, changes), after);
  } catch (error) {
    if (error instanceof UnsafePathError) return false;
    throw error;
  }
}

/**
 * Takes a landing's changes out of the files as they are now, by a three-way merge: what the person did since stays.
 * Only files change; in branch mode the commits stay in the history. It is a landing of its own, so that it can be
 * undone.
 * @throws {CannotUndoError} when there is no such landing, or the person's changes since lie in the same places.
 */
export async function revertLanding(
  repository: Repository,
  landing: string,
  options: Pick<LandingOptions, 'signal' | 'step'> = {},
): Promise<LandingAnswer> {
  const folder = new LandingFolder(repository.stateDir);
  const journal = landedJournal(repository, folder, landing);
  const delta = await inverse(repository, folder, journal);
  const answer = await landTask(repository, delta, { ...options, keep: false });
  if (answer.status === 'applied' || answer.status === 'no_changes') return answer;
  throw new CannotUndoError(`${answer.reason} Nothing was put back.`);
}

/** The work that leads from what a landing wrote to what was there before. */
async function inverse(repository: Repository, folder: LandingFolder, journal: LandingJournal) {
  const { id, nested } = journal;
  const ofMain = ({ path }: Change) => !nested.some((prefix) => path.startsWith(prefix));
  const main = await inversePart(repository, folder, journal, '', ofMain);
  const parts: (NestedDelta & Pick<Delta, 'files'>)[] = [];
  for (const prefix of nested) {
    const inner = await openNested(repository, prefix);
    const part = await inversePart(inner, folder, journal, prefix, ({ path }) => path.startsWith(prefix));
    parts.push({ ...part, prefix, commits: undefined });
  }
  const files = [
    ...main.files,
    ...parts.flatMap((part) => part.files.map((file) => ({ ...file, path: part.prefix + file.path }))),
  ];
  const patchFile = join(repository.stateDir, 'patches', `${id}.revert.patch`);
  const delta = { id: `${id}.revert`, ...main, files, nested: parts, commits: undefined };
  return { ...delta, patchFile, skipped: [] } satisfies Delta;
}

async function inversePart(
  repository: Repository,
  folder: LandingFolder,
  journal: LandingJournal,
  prefix: string,
  belongs: (change: Change) => boolean,
): Promise<Pick<Delta, 'head' | 'base' | 'tree' | 'files'>> {
  const changes = journal.changes.flatMap((change, at) => (belongs(change) ? [{ change, at }] : []));
  return withScratch(repository, async (scratch) => {
    const touched = new Set(changes.map(({ change }) => change.path.slice(prefix.length)));
    await capture(scratch, {
      index: join(repository.gitDir, 'index'),
      limit: Number.POSITIVE_INFINITY,
      leaveOut: (path) => !touched.has(path),
    });
    const treeWith = async (side: 'before' | 'after') => {
      const workTree = join(scratch.dir, side);
      mkdirSync(workTree);
      const there = changes.filter(({ change }) => change[side].kind !== 'absent');
      const names = there.map(({ change }) => change.path.slice(prefix.length));
      for (const [nth, { change, at }] of there.entries()) {
        const place = placeOf(workTree, names[nth] ?? '');
        putImage(place, change[side], folder.image(journal.id, side, at), '.draft');
      }
      return treeOfFiles(scratch, workTree, touched, names);
    };
    const base = await treeWith('after');
    const tree = await treeWith('before');
    const { commit: head } = await headNow(repository);
    return { head, base, tree, files: await changedFiles(scratch, base, tree) };
  });
}

/** The captured tree without these paths, but with the `names` among them that are in a folder. */
async function treeOfFiles(
  scratch: Scratch,
  workTree: string,
  paths: ReadonlySet<string>,
  names: readonly string[],
): Promise<string> {
  const listed = (list: Iterable<string>) => [...list].map((path) => `${path}\0`).join('');
  await scratch.git(['update-index', '--force-remove', '-z', '--stdin'], { input: listed(paths) });
  const add = ['update-index', '--add', '--replace', '-z', '--stdin'];
  await scratch.git(add, { workTree, input: listed(names) });
  return lineOf(await scratch.git(['write-tree', '--missing-ok']));
}

/** Gives up the possibility to undo a landing, and the room its images take; with them what took it back. */
export function forgetLanding(repository: Repository, landing: string): void {
  const folder = new LandingFolder(repository.stateDir);
  for (const id of folder.ids()) if (id.startsWith(`${landing}.revert.`)) folder.forget(id);
  folder.forget(landing);
}

/** Whether anything is known of a landing: one that was taken back is forgotten. */
export function knowsLanding(repository: Repository, landing: string): boolean {
  return new LandingFolder(repository.stateDir).read(landing) !== undefined;
}

/** The landing that brought exactly this work into the person's files, if its process died before it said so. */
export function landingOfWork(
  repository: Repository,
  { id, tree, nested }: Pick<Delta, 'id' | 'tree' | 'nested'>,
  known: ReadonlySet<string> = new Set(),
): string | undefined {
  const folder = new LandingFolder(repository.stateDir);
  return folder.ids().find((landing) => {
    const journal = landing.startsWith(`${id}.`) && !known.has(landing) ? folder.read(landing) : undefined;
    if (journal === undefined || journal === 'damaged' || journal.workTree !== repository.workTree)
      return false;
    const trees = nested.map((part) => part.tree).join();
    return journal.state === 'landed' && journal.tree === tree && journal.nestedTrees.join() === trees;
  });
}
