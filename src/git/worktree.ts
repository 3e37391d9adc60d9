/** Linked work trees: made, filled with a captured state, listed and removed. */
import { copyFileSync, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { lookAt } from '../journal/disk.ts';
import type { Baseline } from './baseline.ts';
import { copyIndex } from './capture.ts';
import { commitTree } from './merge.ts';
import { type Repository, runOn } from './repository.ts';
import { fieldsOf, GitError, joinFields, lineOf, runGit } from './run.ts';
import { type Scratch, withScratch } from './scratch.ts';

/** Keeps the captured trees from being collected; it belongs to the work tree alone and goes with it. */
const KEEPER = 'refs/worktree/lodeline-baseline';

export interface ListedWorktree {
  readonly path: string;
  /** Why it is locked; undefined when it is not. */
  readonly locked: string | undefined;
  /** Full name of the branch that it has checked out; undefined when it has none. */
  readonly branch: string | undefined;
}

/**
 * Adds a work tree without files, detached at a commit and locked.
 * @param path an absolute path: an empty folder, or nothing.
 * @returns its own git folder, below the repository's.
 */
export async function addWorktree(
  repository: Repository,
  path: string,
  commit: string,
  reason: string,
): Promise<string> {
  const how = ['--detach', '--no-checkout', '--lock', '--reason', reason];
  await runOn(repository, ['worktree', 'add', ...how, '--', path, commit]);
  const named = /^gitdir: (.+)$/m.exec(readFileSync(join(path, '.git'), 'utf8'))?.[1] ?? '';
  const adminDir = resolve(path, named);
  if (!isAdminDir(repository, adminDir)) {
    throw new GitError(`git put the work tree's data at an unexpected place: ${adminDir}`, -1);
  }
  return adminDir;
}

/** Whether a folder is where the repository keeps the data of one linked work tree. */
export function isAdminDir(repository: Repository, adminDir: string): boolean {
  const parent = join(repository.commonDir, 'worktrees');
  return (
    dirname(adminDir) === parent &&
    !basename(adminDir).startsWith('.') &&
    lstatSync(adminDir, { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/**
 * Fills a fresh work tree, so that `git status` there shows what is staged, unstaged and untracked in the parent.
 * @param keptIndex where the index that knows every captured file is written; a delta starts from it.
 */
export async function fillWorktree(
  repository: Repository,
  target: { path: string; adminDir: string; keptIndex: string },
  baseline: Baseline,
  signal?: AbortSignal,
): Promise<void> {
  await withScratch(
    repository,
    async (scratch) => {
      const { path: workTree } = target;
      const index = join(scratch.dir, 'index');
      await scratch.git(['read-tree', '-m', '-u', baseline.workTree], { workTree, sparse: true });
      // The person has them although the sparse patterns leave them out.
      const shown = await showHidden(scratch, workTree, repository.workTree);
      if (shown.length > 0) {
        await scratch.git(['checkout-index', '-u', '-z', '--stdin'], { workTree, input: joinFields(shown) });
      }
      copyFileSync(index, target.keptIndex);
      // Keeps what is known of files that are the same in both trees, and leaves the files alone.
      await scratch.git(['read-tree', '-m', baseline.indexTree], { workTree, sparse: true });
      await showHidden(scratch, workTree, workTree);
      if (baseline.intended.length > 0) {
        const input = `${baseline.intended.join('\0')}\0`;
        const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
        await scratch.git(['add', '--force', '--intent-to-add', ...from], { workTree, input });
      }
      await keepTrees(scratch, target.adminDir, baseline);
      copyIndex(index, join(target.adminDir, 'index'));
    },
    signal,
  );
}

/** No longer hides, in the index, the files that are there in a folder; answers their names. */
async function showHidden(scratch: Scratch, workTree: string, folder: string): Promise<Buffer[]> {
  if (!scratch.repository.sparse) return [];
  const entries = fieldsOf((await scratch.git(['ls-files', '-t', '-z'], { workTree })).stdout);
  const hidden = entries
    .filter((entry) => entry.toString('latin1', 0, 2) === 'S ')
    .map((entry) => entry.subarray(2));
  const shown = hidden.filter((name) => {
    const found = lookAt(Buffer.concat([Buffer.from(`${folder}/`), name]));
    return found !== undefined && !found.isDirectory();
  });
  const how = ['update-index', '--no-skip-worktree', '-z', '--stdin'];
  if (shown.length > 0) await scratch.git(how, { workTree, input: joinFields(shown) });
  return shown;
}

async function keepTrees(scratch: Scratch, adminDir: string, baseline: Baseline): Promise<void> {
  const staged = await commitTree(scratch, baseline.indexTree, [baseline.head], 'staged');
  const files = await commitTree(scratch, baseline.workTree, [staged], 'files');
  await runIn(scratch.repository, adminDir, ['update-ref', KEEPER, files]);
}

/** Runs git on one work tree's own data; which repository it belongs to is told, not read there. */
async function runIn(repository: Repository, adminDir: string, args: readonly string[]) {
  return runGit(args, {
    cwd: repository.commonDir,
    env: { GIT_DIR: adminDir, GIT_COMMON_DIR: repository.commonDir },
  });
}

/** The commit that a work tree has checked out; undefined when somebody broke that. */
export async function headOf(repository: Repository, adminDir: string): Promise<string | undefined> {
  try {
    return lineOf(await runIn(repository, adminDir, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']));
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** The repository's work trees, the main one first. */
export async function listWorktrees(repository: Repository): Promise<ListedWorktree[]> {
  const { stdout } = await runOn(repository, ['worktree', 'list', '--porcelain', '-z']);
  const found: { path: string; locked: string | undefined; branch: string | undefined }[] = [];
  for (const field of fieldsOf(stdout).map(String)) {
    const [, key, value = ''] = /^(\S+) ?(.*)$/s.exec(field) ?? [];
    const last = found.at(-1);
    if (key === 'worktree') found.push({ path: normalize(value), locked: undefined, branch: undefined });
    else if (key === 'locked' && last) last.locked = value;
    else if (key === 'branch' && last) last.branch = value;
  }
  return found;
}

/**
 * Makes the repository forget a work tree whose folder is gone already; others that are missing, say on a disk that
 * is not there now, stay known.
 */
export async function forgetWorktree(repository: Repository, path: string, adminDir: string): Promise<void> {
  try {
    await runOn(repository, ['worktree', 'remove', '--force', '--force', '--', path]);
  } catch (error) {
    // Git no longer knows it by this path when somebody changed its data.
    if (!(error instanceof GitError) || error.code === -1) throw error;
  }
  if (existsSync(adminDir) && isAdminDir(repository, adminDir)) rmSync(adminDir, { recursive: true });
}
