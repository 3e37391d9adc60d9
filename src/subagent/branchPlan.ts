/** Branch mode: what HEAD, the index and the files will be once a task's commits are on the person's branch. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Capture } from '../git/capture.ts';
import { entryChanges } from '../git/delta.ts';
import { mergeTrees } from '../git/merge.ts';
import type { Repository } from '../git/repository.ts';
import { type Scratch, withScratch } from '../git/scratch.ts';
import { type Decision, decideFiles } from './landingPlan.ts';
import { headNow } from './landingWrite.ts';
import { type Delta, keepRecovery } from './recovery.ts';
import { makeBranch, type Pick, pickOnto, picksOf, type TaskBranch, treeOf } from './taskBranch.ts';

/** What git leaves in its folder while a command waits for the person, and what that command is. */
const UNDER_WAY: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'A merge'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick'],
  ['REVERT_HEAD', 'A revert'],
  ['rebase-merge', 'A rebase'],
  ['rebase-apply', 'A rebase'],
  ['BISECT_LOG', 'A bisect'],
];

/** Why HEAD must not move now; undefined when it may. */
function headProblem({ gitDir }: Repository): string | undefined {
  const found = UNDER_WAY.find(([file]) => existsSync(join(gitDir, file)));
  return (
    found && `${found[1]} is under way in your repository: finish or abort it, then apply the task's work.`
  );
}

/** A task's work as a branch, made before anything else is tried: whatever happens then, it is there. */
export interface Branched {
  /** Undefined where the work cannot be told from what the person had not committed. */
  readonly picks: readonly Pick[] | undefined;
  /** Undefined where nothing is left to commit, and where none was wanted. */
  readonly branch: TaskBranch | undefined;
}

/**
 * Makes a task's branch, with its own commits and one more of what it left.
 * @param makes whether there is to be a branch, or the commits alone.
 */
export async function branchOf(
  repository: Repository,
  delta: Delta,
  message = '',
  makes = true,
): Promise<Branched> {
  const text = message.trim() === '' ? `Task ${delta.id}` : message;
  const picks = await withScratch(repository, (scratch) => picksOf(scratch, delta, text));
  if (!makes) return { picks, branch: undefined };
  // Work that rests on what the person had not committed rests on a commit of that.
  const tip = picks === undefined ? (await keepRecovery(repository, delta)).commit : picks.at(-1)?.id;
  return { picks, branch: tip === undefined ? undefined : await makeBranch(repository, delta.id, tip) };
}

/**
 * Puts the task's commits on HEAD and carries what the person has staged and changed over to it. The files are
 * reckoned in two ways, from the task's start and from HEAD: where they differ, the person's changes and the task's
 * overlap.
 */
export async function decideBranch(
  scratch: Scratch,
  delta: Delta,
  { picks, branch }: Branched,
  now: Capture,
): Promise<Decision> {
  const { repository } = scratch;
  const problem = headProblem(repository);
  if (problem !== undefined) return { blocked: problem };
  if (picks === undefined) {
    return { blocked: 'It changed the same lines as what you had not committed when it began.' };
  }
  const { name, commit: from } = await headNow(repository);
  const picked = await pickOnto(scratch, picks, from);
  if (picked.blocked !== undefined) return picked;
  const files = await decideFiles(scratch, delta, now);
  if (files.blocked !== undefined) return files;
  // The commits are in the history already, and what is missing in the files was taken out of them there.
  if (picked.commit === from) return files;
  const head = await treeOf(repository, from);
  const ours = await mergeTrees(scratch, head, now.workTree, picked.tree);
  if (!ours.clean) return { blocked: overlap(ours.conflicts) };
  if (ours.tree !== files.tree) {
    const differ = await entryChanges(scratch, ours.tree, files.tree);
    return { blocked: overlap(differ.map(({ path }) => path)) };
  }
  const staged = await mergeTrees(scratch, head, now.indexTree, picked.tree);
  if (!staged.clean) return { blocked: overlap(staged.conflicts) };
  const index = await entryChanges(scratch, now.indexTree, staged.tree);
  return {
    blocked: undefined,
    tree: files.tree,
    head: { name, from, to: picked.commit, index, ...(branch && { branch }) },
  };
}

function overlap(paths: readonly string[]): string {
  return `What you have not committed overlaps with the task's work: ${paths.join(', ')}.`;
}
