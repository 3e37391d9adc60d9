/** Landings whose process died: finished, or taken back where somebody changed a file since. */
import type { Repository } from '../git/repository.ts';
import { UnsafePathError } from './fileImage.ts';
import { FileChangedError, LandingFolder, type LandingJournal } from './landingJournal.ts';
import { writeLanding } from './landingWrite.ts';
import { withRepositoryLock } from './repositoryLock.ts';

/** An interrupted landing, and what became of it. */
export interface FinishedLanding {
  readonly id: string;
  readonly outcome: 'finished' | 'taken back';
}

/**
 * Finishes landings whose process died, or takes them back where somebody changed a file since. To be called at
 * each start; every landing does it first.
 */
export async function finishLandings(repository: Repository): Promise<FinishedLanding[]> {
  return withRepositoryLock(repository, 'landing', () => finish(repository));
}

/** The same, for whoever holds the lock and so knows that a landing under way has no living process. */
export async function finish(repository: Repository): Promise<FinishedLanding[]> {
  const folder = new LandingFolder(repository.stateDir);
  const finished: FinishedLanding[] = [];
  for (const id of folder.ids()) {
    const journal = folder.read(id);
    if (journal === undefined) folder.forget(id);
    else if (journal === 'damaged') continue;
    else if (journal.state !== 'landed' && journal.workTree === repository.workTree) {
      finished.push({ id, outcome: await finishOne(repository, folder, journal) });
    }
  }
  return finished;
}

async function finishOne(
  repository: Repository,
  folder: LandingFolder,
  journal: LandingJournal,
): Promise<FinishedLanding['outcome']> {
  folder.clearDrafts(journal);
  const undoing = journal.state === 'undoing';
  try {
    await writeLanding(repository, folder, journal, { resumed: true });
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    if (undoing) folder.write({ ...journal, state: 'landed' });
    else folder.forget(journal.id);
    return 'taken back';
  }
  if (undoing) folder.forget(journal.id);
  else folder.write({ ...journal, state: 'landed' });
  return 'finished';
}

/** A file or a link that somebody put there since the landing was planned. */
export function isInTheWay(error: unknown): error is Error {
  return error instanceof FileChangedError || error instanceof UnsafePathError;
}
