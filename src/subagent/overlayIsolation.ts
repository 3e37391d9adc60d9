/** Work trees that share one set of files: the first of a batch is copied out, the others are mounts over it. */
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyIndex } from '../git/capture.ts';
import { mountOverlay } from '../git/overlay.ts';
import type { Repository } from '../git/repository.ts';
import { addWorktree } from '../git/worktree.ts';
import { OWNER } from './batchFiles.ts';
import { reasonOf } from './isolation.ts';
import { type IsolationRecord, keptIndex, readRecord, writeRecord } from './isolationRecord.ts';
import { removeIsolation, removeUnused } from './isolationRemoval.ts';
import { withRepositoryLock } from './repositoryLock.ts';

/** Marks a fresh work tree as the one that others will lie over. */
export function shareIsolation(isolation: IsolationRecord): IsolationRecord {
  const shared: IsolationRecord = { ...isolation, state: 'shared' };
  writeRecord(shared);
  return shared;
}

/**
 * Makes a task's work tree as a mount over a shared one: the same files and index, and whatever it writes its own.
 * The person's own files are never below a mount: they change while tasks run.
 * @throws {OverlayError} {GitError}
 */
export async function createOverlay(
  repository: Repository,
  shared: IsolationRecord,
  task: string,
): Promise<IsolationRecord> {
  const path = join(dirname(shared.path), `${task}-${randomBytes(4).toString('hex')}`);
  const overlay = { lower: shared.path, upper: `${path}.upper`, work: `${path}.work` };
  const draft: IsolationRecord = {
    ...shared,
    ...{ state: 'preparing', id: basename(path), task, path, adminDir: '', overlay },
    owner: OWNER,
    created: Date.now(),
  };
  writeRecord(draft);
  try {
    for (const folder of [path, overlay.upper, overlay.work]) mkdirSync(folder, { mode: 0o700 });
    const adminDir = await withRepositoryLock(repository, 'metadata', () =>
      addWorktree(repository, path, shared.baseline.head, reasonOf(draft)),
    );
    const known = { ...draft, adminDir };
    writeRecord(known);
    // Its own link to git lies over the shared one's.
    renameSync(join(path, '.git'), join(overlay.upper, '.git'));
    await mountOverlay({ path, ...overlay });
    copyIndex(join(shared.adminDir, 'index'), join(adminDir, 'index'));
    copyFileSync(keptIndex(shared.path), keptIndex(path));
    const ready: IsolationRecord = { ...known, state: 'ready' };
    writeRecord(ready);
    return ready;
  } catch (error) {
    await removeIsolation(repository, draft);
    throw error;
  }
}

/** No more tasks will lie over a shared work tree: it goes with the last of those that do. */
export async function endSharing(repository: Repository, shared: IsolationRecord): Promise<void> {
  const now = readRecord(repository, shared.path);
  if (now === undefined) return;
  writeRecord({ ...now, state: 'ready' });
  await removeUnused(repository, shared.path);
}
