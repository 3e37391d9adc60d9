/** Everything of tasks that has not landed and can be had again: for a person to look at, land or throw away. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../git/repository.ts';
import { hasEnded, type IsolationRecord } from './isolationRecord.ts';
import { findLeftovers } from './leftovers.ts';
import { listRecoveries } from './recovery.ts';
import { taskBranches } from './taskBranch.ts';

export type Recoverable =
  /** Work kept under a reference, with its patch while that is there. `readRecovery` takes the id. */
  | { readonly kind: 'kept'; readonly id: string; readonly patchFile: string | undefined }
  /** A branch of a task that did not land. */
  | { readonly kind: 'branch'; readonly ref: string; readonly tip: string }
  /** A work tree whose process died. `recoverLeftover` takes its record; without one, a person must look. */
  | {
      readonly kind: 'worktree';
      readonly path: string;
      readonly record: IsolationRecord | undefined;
      /** A link where a folder was: nobody reads or removes it. */
      readonly isLink: boolean;
    };

/** Looks it all up; nothing is changed. What belongs to a living process is left out. */
export async function recoverables(repository: Repository): Promise<Recoverable[]> {
  const kept = (await listRecoveries(repository)).map((id): Recoverable => {
    const patchFile = join(repository.stateDir, 'patches', `${id}.patch`);
    return { kind: 'kept', id, patchFile: existsSync(patchFile) ? patchFile : undefined };
  });
  const branches = (await taskBranches(repository)).map(
    (branch): Recoverable => ({ kind: 'branch', ...branch }),
  );
  const leftovers = await findLeftovers(repository);
  const worktrees = leftovers
    .filter(({ record }) => record === undefined || (record.state === 'ready' && hasEnded(record)))
    .map(({ path, record }): Recoverable => {
      const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
      return { kind: 'worktree', path, record, isLink };
    });
  return [...kept, ...branches, ...worktrees];
}
