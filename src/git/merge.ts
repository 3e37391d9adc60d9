/** Three trees into one. */
import { fieldsOf, lineOf } from './run.ts';
import type { Scratch } from './scratch.ts';

export type Merge =
  | { readonly clean: true; readonly tree: string }
  /** The paths that a person must decide on. */
  | { readonly clean: false; readonly conflicts: readonly string[] };

/**
 * Git's own three-way merge of trees (`merge-tree --write-tree`), which needs neither index nor work tree. It takes
 * the base from history, so each tree becomes a commit nobody refers to: `--merge-base` came only with git 2.40,
 * and takes no trees before 2.45.
 * @param base,ours,theirs ids of trees.
 */
export async function mergeTrees(
  scratch: Scratch,
  base: string,
  ours: string,
  theirs: string,
): Promise<Merge> {
  const root = await commitTree(scratch, base, [], 'base');
  const sides = [
    await commitTree(scratch, ours, [root], 'ours'),
    await commitTree(scratch, theirs, [root], 'theirs'),
  ];
  // The work tree is there for the merge attributes that its owner chose; drivers are not run.
  const { code, stdout } = await scratch.git(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides],
    { workTree: scratch.repository.workTree, accept: [1] },
  );
  const [tree, ...conflicts] = fieldsOf(stdout).map(String);
  if (code === 0 && tree !== undefined) return { clean: true, tree };
  return { clean: false, conflicts: [...new Set(conflicts.filter((path) => path !== ''))] };
}

/**
 * A commit of a tree that no reference names yet.
 * @param env whose it is, as git's `GIT_AUTHOR_*` and `GIT_COMMITTER_*`; ours unless given.
 */
export async function commitTree(
  scratch: Scratch,
  tree: string,
  parents: readonly string[],
  message: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const args = parents.flatMap((parent) => ['-p', parent]);
  return lineOf(await scratch.git(['commit-tree', ...args, tree], { input: message, env }));
}
