/** "Delete everything" of what subagents left: records, patches, worktrees, branches and kept work. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findGit } from '../git/layout.ts';
import { IsolationUnavailableError, openRepository, type Repository } from '../git/repository.ts';
import type { BatchRecord } from './batchRecord.ts';
import { IsolationMovedError, readRecord } from './isolationRecord.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { findLeftovers } from './leftovers.ts';
import { discardRecovery, listRecoveries } from './recovery.ts';
import { removeBranch, taskBranches } from './taskBranch.ts';

/**
 * Removes it all, also what no batch knows of any more. Whoever calls has made sure that nothing runs and that the
 * person agreed: work that never landed is gone with it. What belongs to a living process stays, a branch that is
 * checked out, and a folder of which nothing is written down. Outputs and transcripts lie with their sessions.
 * @param storeDir the store's folder
 * @param mayRunGit whether the person trusts the folder; without, only what batches name is removed
 */
export async function eraseSubagents(
  root: string,
  storeDir: string,
  batches: readonly BatchRecord[],
  mayRunGit = true,
): Promise<void> {
  const isNamed = batches.some(({ isolated }) => isolated);
  if (findGit(root) !== undefined && (isNamed || mayRunGit)) {
    const repository = await openRepository(root).catch((error: unknown) => {
      // Without git no task was ever isolated here.
      if (isNamed || !(error instanceof IsolationUnavailableError)) throw error;
      return undefined;
    });
    if (repository !== undefined) await eraseWork(repository, batches);
  }
  await rm(join(storeDir, 'batches'), { recursive: true, force: true });
}

async function eraseWork(repository: Repository, batches: readonly BatchRecord[]): Promise<void> {
  const { stateDir } = repository;
  const named = batches.flatMap(({ tasks }) =>
    tasks.flatMap(({ worktree }) => (worktree === undefined ? [] : (readRecord(repository, worktree) ?? []))),
  );
  const paths = new Set(named.map(({ path }) => path));
  for (const record of named) await removeIsolation(repository, record);
  for (const { path, record } of await findLeftovers(repository)) {
    if (record === undefined || paths.has(path)) continue;
    try {
      await removeIsolation(repository, record);
    } catch (error) {
      if (!(error instanceof IsolationMovedError)) throw error;
    }
  }
  for (const branch of await taskBranches(repository)) await removeBranch(repository, branch);
  for (const id of await listRecoveries(repository))
    await discardRecovery(repository, { id, patchFile: join(stateDir, 'patches', `${id}.patch`) });
  for (const name of ['landings', 'patches'])
    await rm(join(stateDir, name), { recursive: true, force: true });
}
