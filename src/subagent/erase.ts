/** "Delete everything" of what subagents left: records, patches, worktrees and kept work. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findGit } from '../git/layout.ts';
import { openRepository } from '../git/repository.ts';
import type { BatchRecord } from './batchRecord.ts';
import { readRecord } from './isolationRecord.ts';
import { removeIsolation } from './isolationRemoval.ts';
import { discardRecovery, listRecoveries } from './recovery.ts';

/**
 * Removes it all. Whoever calls has made sure that nothing runs and that the person agreed: work that never landed is
 * gone with it. Outputs and transcripts lie with their sessions.
 * @param storeDir the store's folder
 */
export async function eraseSubagents(
  root: string,
  storeDir: string,
  batches: readonly BatchRecord[],
): Promise<void> {
  const git = findGit(root);
  if (git !== undefined && batches.some(({ isolated }) => isolated)) {
    const repository = await openRepository(root);
    const { stateDir } = repository;
    for (const { worktree } of batches.flatMap(({ tasks }) => tasks)) {
      const record = worktree === undefined ? undefined : readRecord(repository, worktree);
      if (record !== undefined) await removeIsolation(repository, record);
    }
    for (const id of await listRecoveries(repository))
      await discardRecovery(repository, { id, patchFile: join(stateDir, 'patches', `${id}.patch`) });
    for (const name of ['landings', 'patches'])
      await rm(join(stateDir, name), { recursive: true, force: true });
  }
  await rm(join(storeDir, 'batches'), { recursive: true, force: true });
}
