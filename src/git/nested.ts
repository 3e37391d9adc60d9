/** Repositories that lie inside the person's: untracked there, with a git folder of their own. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { IsolationUnavailableError, openRepository, type Repository } from './repository.ts';

/**
 * The repository in a folder of the work tree; it shares our locks and drafts.
 * @param prefix its folder relative to the work tree, with a slash at the end.
 * @throws {IsolationUnavailableError}
 */
export function openNested(repository: Repository, prefix: string): Promise<Repository> {
  return openRepository(join(repository.workTree, prefix), repository.stateDir);
}

/**
 * The same for a folder that git listed; undefined where tasks cannot work in it: it has no commit yet, or its git
 * folder is elsewhere, as with work trees of this very repository that a person keeps inside it.
 */
export async function findNested(repository: Repository, prefix: string): Promise<Repository | undefined> {
  const gitDir = join(repository.workTree, prefix, '.git');
  if (!lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  try {
    const nested = await openNested(repository, prefix);
    return nested.gitDir === gitDir && nested.commonDir === gitDir ? nested : undefined;
  } catch (error) {
    if (error instanceof IsolationUnavailableError) return undefined;
    throw error;
  }
}
