/** Puts a landing in place: files alone, or with them the index and HEAD, so that all of it is there or nothing. */
import { type EntryChange, type IndexLock, withIndexLock } from '../git/indexFile.ts';
import { type Repository, runOn } from '../git/repository.ts';
import { GitError, lineOf } from '../git/run.ts';
import { messageOf } from '../journal/errors.ts';
import {
  FileChangedError,
  HalfWrittenError,
  type HeadMove,
  type LandingFolder,
  type LandingJournal,
  type Step,
} from './landingJournal.ts';
import { removeBranch } from './taskBranch.ts';

/**
 * Goes on with a landing or an undoing from wherever it stands. The files come first and HEAD last: once HEAD has
 * moved, everything is there.
 * @param resumed whether another process may have written some of it.
 * @throws {FileChangedError} when something is neither as before nor as after; all was taken back, as it was for any
 *   error but {@link HalfWrittenError}.
 */
export async function writeLanding(
  repository: Repository,
  folder: LandingFolder,
  journal: LandingJournal,
  { step = () => {}, resumed = false }: { step?: Step; resumed?: boolean } = {},
): Promise<void> {
  if (journal.head === undefined) return folder.apply(journal, step);
  const move = directed(journal.head, journal.state);
  await withIndexLock(repository, journal.id, async (lock) => {
    step('locked');
    const takeBack = async () => {
      folder.takeBack(journal);
      await putBack(lock, move);
    };
    const { name, commit } = await headNow(repository);
    if (name === move.name && commit === move.to) return;
    try {
      if (name !== move.name || commit !== move.from) throw new FileChangedError('HEAD was moved meanwhile');
      await refuseChanged(lock, move.index);
    } catch (error) {
      if (resumed) await takeBack();
      throw error;
    }
    await folder.apply(journal, step);
    try {
      await lock.write(move.index);
      step('index');
      const why = `lodeline: ${journal.state === 'undoing' ? 'take back' : 'land'} ${journal.id}`;
      await runOn(repository, ['update-ref', '-m', why, 'HEAD', move.to, move.from]);
      step('head');
    } catch (error) {
      await takeBack();
      throw error;
    }
  });
  if (journal.state !== 'undoing' && move.branch) await removeBranch(repository, move.branch);
}

function directed(head: HeadMove, state: LandingJournal['state']): HeadMove {
  if (state !== 'undoing') return head;
  const index = head.index.map(({ path, before, after }) => ({ path, before: after, after: before }));
  return { ...head, from: head.to, to: head.from, index };
}

async function refuseChanged(lock: IndexLock, index: readonly EntryChange[]): Promise<void> {
  const entries = await lock.entries();
  const changed = index.filter(({ path, before, after }) => {
    const found = entries.get(path) ?? '';
    return found !== before && found !== after;
  });
  if (changed.length === 0) return;
  throw new FileChangedError(`Staged meanwhile: ${changed.map(({ path }) => path).join(', ')}`);
}

/** Entries that are as we wrote them go back; what somebody staged since stays. */
async function putBack(lock: IndexLock, { index }: HeadMove): Promise<void> {
  try {
    const entries = await lock.entries();
    const ours = index.filter(({ path, after }) => (entries.get(path) ?? '') === after);
    if (ours.length > 0) {
      await lock.write(ours.map(({ path, before, after }) => ({ path, before: after, after: before })));
    }
  } catch (cause) {
    throw new HalfWrittenError(`Half staged, and not taken back: ${messageOf(cause)}`, { cause });
  }
}

/** The commit that is checked out, and the branch it is on; an empty name when detached. */
export async function headNow(repository: Repository): Promise<{ name: string; commit: string }> {
  const commit = lineOf(await runOn(repository, ['rev-parse', '--verify', 'HEAD^{commit}']));
  try {
    return { commit, name: lineOf(await runOn(repository, ['symbolic-ref', '--quiet', 'HEAD'])) };
  } catch (error) {
    if (error instanceof GitError && error.code === 1) return { commit, name: '' };
    throw error;
  }
}
