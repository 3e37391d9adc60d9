/** A task's work as commits of its own on the commit that it began at, without what the person had not committed. */
import { ownCommits, personOf } from '../git/commits.ts';
import { commitTree, mergeTrees } from '../git/merge.ts';
import { type Repository, runOn } from '../git/repository.ts';
import { GitError, lineOf } from '../git/run.ts';
import type { Scratch } from '../git/scratch.ts';
import { listWorktrees } from '../git/worktree.ts';
import type { Delta } from './recovery.ts';

const BRANCHES = 'refs/heads/lodeline/task/';
/** Attempts at a task have names of their own; a branch that is there was left by an earlier landing of the same. */
const NAMES = 20;

/** One commit, and the tree that it changes. */
export interface Pick {
  readonly id: string;
  readonly parent: string;
  readonly from: string;
  readonly tree: string;
  readonly message: string;
  readonly author: Readonly<Record<string, string>>;
}

/** Trees and commits of a task's own changes; undefined when they cannot be told from the person's. */
export async function picksOf(
  scratch: Scratch,
  delta: Delta,
  message: string,
): Promise<readonly Pick[] | undefined> {
  const { repository } = scratch;
  const { head, base } = delta;
  const start = await treeOf(repository, head);
  // The person's uncommitted changes lead from `start` to `base`; merged with the way back, they cancel out.
  const own = (tree: string) => mergeTrees(scratch, base, start, tree);
  const all = await own(delta.tree);
  if (!all.clean) return undefined;
  const person = await personOf(repository);
  const picks: Pick[] = [];
  const add = async (tree: string, text: string, author: Pick['author']) => {
    const last = picks.at(-1);
    const [parent, from] = [last?.id ?? head, last?.tree ?? start];
    if (tree === from) return;
    const id = await commitTree(scratch, tree, [parent], text, { ...person, ...author });
    picks.push({ id, parent, from, tree, message: text, author });
  };
  const commits = delta.commits === undefined ? [] : await ownCommits(repository, head, delta.commits);
  for (const commit of commits) {
    const part = await own(commit.tree);
    // What cannot be told apart at this commit comes with the next that can.
    if (part.clean) await add(part.tree, commit.message, commit.author);
  }
  await add(all.tree, message, {});
  return picks;
}

export type Picked =
  | { readonly blocked: string }
  | { readonly blocked: undefined; readonly commit: string; readonly tree: string };

/**
 * Makes the commits again on top of another one, each by a three-way merge of trees; what is there already is
 * skipped. Nothing refers to the new commits.
 */
export async function pickOnto(scratch: Scratch, picks: readonly Pick[], onto: string): Promise<Picked> {
  const person = await personOf(scratch.repository);
  let [commit, tree] = [onto, await treeOf(scratch.repository, onto)];
  for (const pick of picks) {
    if (pick.parent === commit) {
      [commit, tree] = [pick.id, pick.tree];
      continue;
    }
    const merge = await mergeTrees(scratch, pick.from, tree, pick.tree);
    if (!merge.clean) {
      const [subject = ''] = pick.message.split('\n');
      return { blocked: `"${subject}" does not go onto your branch: ${merge.conflicts.join(', ')}.` };
    }
    if (merge.tree === tree) continue;
    commit = await commitTree(scratch, merge.tree, [commit], pick.message, { ...person, ...pick.author });
    tree = merge.tree;
  }
  return { blocked: undefined, commit, tree };
}

export interface TaskBranch {
  /** Full name of the reference. */
  readonly ref: string;
  readonly tip: string;
}

/** Makes `lodeline/task/<id>`. One of that name with the same files will do; any other stays, and ours gets a number. */
export async function makeBranch(repository: Repository, id: string, tip: string): Promise<TaskBranch> {
  const tree = await treeOf(repository, tip);
  for (let at = 1; at <= NAMES; at++) {
    const ref = `${BRANCHES}${id}${at === 1 ? '' : `-${at}`}`;
    const there = await tipOf(repository, ref);
    if (there !== undefined && (await treeOf(repository, there)) === tree) return { ref, tip: there };
    if (there !== undefined) continue;
    try {
      // Zeros: it must not be there yet.
      await runOn(repository, ['update-ref', ref, tip, '0'.repeat(tip.length)]);
      return { ref, tip };
    } catch (error) {
      if (!(error instanceof GitError) || (await tipOf(repository, ref)) === undefined) throw error;
    }
  }
  throw new Error(`There are too many branches called lodeline/task/${id}; remove those you do not need.`);
}

/** Removes a branch, unless somebody went on with it or has it checked out. */
export async function removeBranch(repository: Repository, { ref, tip }: TaskBranch): Promise<void> {
  const worktrees = await listWorktrees(repository);
  if (worktrees.some(({ branch }) => branch === ref)) return;
  try {
    await runOn(repository, ['update-ref', '-d', ref, tip]);
  } catch (error) {
    if (!(error instanceof GitError) || error.code === -1) throw error;
  }
}

/** The branches of tasks that are there. */
export async function taskBranches(repository: Repository): Promise<TaskBranch[]> {
  const { stdout } = await runOn(repository, ['for-each-ref', '--format=%(refname) %(objectname)', BRANCHES]);
  return stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', tip = ''] = line.split(' ');
      return { ref, tip };
    });
}

/** Id of a commit's tree. */
export async function treeOf(repository: Repository, commit: string): Promise<string> {
  return lineOf(await runOn(repository, ['rev-parse', '--verify', `${commit}^{tree}`]));
}

async function tipOf(repository: Repository, ref: string): Promise<string | undefined> {
  try {
    return lineOf(await runOn(repository, ['rev-parse', '--verify', '--quiet', ref]));
  } catch (error) {
    if (error instanceof GitError && error.code !== -1) return undefined;
    throw error;
  }
}
