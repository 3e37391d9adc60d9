/** What a process left behind that died while its tasks ran: landings are finished, and work is kept. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findGit } from '../git/layout.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { messageOf } from '../journal/errors.ts';
import { missingKeyOf } from '../journal/sealedPlaces.ts';
import { putStored, readStored } from '../journal/storedFile.ts';
import type { Log } from '../ports.ts';
import type { BatchFiles } from './batchFiles.ts';
import type { BatchRecord, TaskRecord } from './batchRecord.ts';
import { fileOf, landingOf } from './isolatedWork.ts';
import type { IsolationRecord } from './isolationRecord.ts';
import { finishLandings } from './landingFinish.ts';
import { findLeftovers, type Recovered, recoverLeftover } from './leftovers.ts';
import { withRepositoryLock } from './repositoryLock.ts';

export interface InterruptedParts {
  /** The workspace folder. */
  readonly root: string;
  /** The store's folder. */
  readonly storeDir: string;
  readonly files: BatchFiles;
  readonly log: Log;
}

/**
 * To be called once at the start, where the folder is trusted. Never throws; what it cannot do it leaves alone.
 * @returns false where the store is sealed and its key is not here: nothing can be told of what was left.
 */
export async function recoverInterrupted(parts: InterruptedParts): Promise<boolean> {
  const { root, storeDir, log } = parts;
  if (missingKeyOf(storeDir) !== undefined) return false;
  const git = findGit(root);
  // Most folders have nothing to look for, and git is not started for them.
  const left = (name: string) => git !== undefined && existsSync(join(git.commonDir, 'lodeline', name));
  if (!left('landings') && !left('worktrees')) return true;
  try {
    const repository = await openRepository(root);
    for (const { id, outcome } of await finishLandings(repository))
      log.info(`The landing ${id} was interrupted and has been ${outcome}.`);
    // One process at a time: two that start together must not take the same worktree apart.
    await withRepositoryLock(repository, 'leftovers', () => recoverAll(repository, parts));
  } catch (error) {
    log.warn(`What interrupted subagents left could not be looked at: ${messageOf(error)}`);
  }
  return true;
}

async function recoverAll(repository: Repository, parts: InterruptedParts): Promise<void> {
  for (const { path, record } of await findLeftovers(repository)) {
    const batch = record && (await batchOf(parts.files, record));
    const task = batch?.tasks.find(({ id }) => id === record?.task);
    // A person may be looking at one whose work waits; it is theirs to apply or discard.
    if (record === undefined || task?.landing !== undefined) continue;
    try {
      const recovered = await recoverLeftover(repository, record);
      if (batch && task) await parts.files.save(await settled(batch, task, recovered, parts.storeDir), true);
    } catch (error) {
      parts.log.warn(
        `The worktree ${path} of an interrupted subagent was left as it is: ${messageOf(error)}`,
      );
    }
  }
}

async function batchOf(files: BatchFiles, record: IsolationRecord): Promise<BatchRecord | undefined> {
  const batches = await files.list();
  return batches.find(
    ({ session, tasks }) => session === record.session && tasks.some(({ id }) => id === record.task),
  );
}

/** The batch with what was found of one of its tasks. */
async function settled(
  batch: BatchRecord,
  task: TaskRecord,
  { delta, recovery, landing }: Recovered,
  storeDir: string,
): Promise<BatchRecord> {
  const { worktree: _, ...rest } = task;
  let after: TaskRecord = rest;
  if (delta && recovery) {
    const patch = join(storeDir, 'sessions', batch.session, 'artifacts', `${task.id}.patch`);
    putStored(patch, readStored(recovery.patchFile));
    const reason = 'The process that ran it ended before it was done.';
    const answer = {
      id: delta.id,
      status: 'recovery_available',
      files: delta.files,
      recovery,
      reason,
    } as const;
    after = { ...rest, files: delta.files.map(fileOf), landing: landingOf(answer, delta, task.id) };
  } else if (delta && landing !== undefined) {
    const reason = 'It landed just before the process that ran it ended.';
    const answer = { id: delta.id, status: 'applied', files: delta.files, landing, reason } as const;
    after = { ...rest, files: delta.files.map(fileOf), landing: landingOf(answer, delta, task.id) };
  }
  return { ...batch, tasks: batch.tasks.map((one) => (one.id === task.id ? after : one)) };
}
