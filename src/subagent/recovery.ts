/** A task's work, kept where neither a removed work tree nor a failed landing loses it. */
import { dirname, join } from 'node:path';
import { type ChangedFile, changedFiles, writePatch } from '../git/delta.ts';
import { commitTree } from '../git/merge.ts';
import { type Repository, runOn } from '../git/repository.ts';
import { GitError, lineOf } from '../git/run.ts';
import { withScratch } from '../git/scratch.ts';
import { removeFile } from '../journal/disk.ts';
import { makeDir } from '../journal/folder.ts';
import { withRepositoryLock } from './repositoryLock.ts';

const REFS = 'refs/lodeline/recovery/';
const ID = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** What one task changed. */
export interface Delta {
  /** The isolation's id: unique to one attempt at a task. */
  readonly id: string;
  /** The commit that was checked out when the task began. */
  readonly head: string;
  /** Tree of the files that the task found, and of those it left. */
  readonly base: string;
  readonly tree: string;
  /** The last commit that the task made itself. */
  readonly commits: string | undefined;
  readonly files: readonly ChangedFile[];
  readonly patchFile: string;
  /** Changed, but not carried: repositories inside the work tree, unreadable files, left locks. */
  readonly skipped: readonly string[];
}

export interface Recovery {
  readonly id: string;
  /** A reference to a commit with the task's files; its first parent has the files the task found. */
  readonly ref: string;
  readonly patchFile: string;
}

/** There is no such recovery. */
export class NoRecoveryError extends Error {
  override readonly name = 'NoRecoveryError';
}

/** Makes the work reachable under a reference of its own, with the commits the task made. */
export async function keepRecovery(repository: Repository, delta: Delta): Promise<Recovery> {
  const ref = refOf(delta.id);
  await withScratch(repository, async (scratch) => {
    const base = await commitTree(scratch, delta.base, [delta.head], `Files before task ${delta.id}`);
    const parents = delta.commits === undefined ? [base] : [base, delta.commits];
    const work = await commitTree(scratch, delta.tree, parents, `Work of task ${delta.id}`);
    await withRepositoryLock(repository, 'metadata', () => runOn(repository, ['update-ref', ref, work]));
  });
  return { id: delta.id, ref, patchFile: delta.patchFile };
}

/**
 * The kept work as a delta, ready to land again. The patch is written anew.
 * @throws {NoRecoveryError}
 */
export async function readRecovery(repository: Repository, id: string): Promise<Delta> {
  const ref = refOf(id);
  const resolve = async (what: string) => {
    try {
      return lineOf(await runOn(repository, ['rev-parse', '--verify', '--quiet', `${ref}${what}`]));
    } catch (error) {
      if (error instanceof GitError) return undefined;
      throw error;
    }
  };
  const tree = await resolve('^{tree}');
  const base = await resolve('^1^{tree}');
  const head = await resolve('^1^1^{commit}');
  if (tree === undefined || base === undefined || head === undefined) {
    throw new NoRecoveryError(`There is no kept work called ${id}; ${REFS} holds what there is.`);
  }
  const commits = await resolve('^2^{commit}');
  const patchFile = join(repository.stateDir, 'patches', `${id}.patch`);
  makeDir(dirname(patchFile));
  return withScratch(repository, async (scratch) => {
    await writePatch(scratch, base, tree, patchFile);
    const files = await changedFiles(scratch, base, tree);
    return { id, head, base, tree, commits, files, patchFile, skipped: [] };
  });
}

/** Ids of all kept work. */
export async function listRecoveries(repository: Repository): Promise<string[]> {
  const { stdout } = await runOn(repository, ['for-each-ref', '--format=%(refname)', REFS]);
  return stdout
    .toString()
    .split('\n')
    .filter((ref) => ref !== '')
    .map((ref) => ref.slice(REFS.length));
}

/** Forgets kept work and its patch; what is not there is fine. */
export async function discardRecovery(
  repository: Repository,
  recovery: Pick<Recovery, 'id' | 'patchFile'>,
): Promise<void> {
  const ref = refOf(recovery.id);
  await withRepositoryLock(repository, 'metadata', () => runOn(repository, ['update-ref', '-d', ref]));
  removeFile(recovery.patchFile);
}

function refOf(id: string): string {
  if (!ID.test(id) || id.endsWith('.lock')) throw new NoRecoveryError(`Not an id: ${JSON.stringify(id)}`);
  return REFS + id;
}
