/** What a landing would write: the merge, and images of every file before and after. */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Capture, capture } from '../git/capture.ts';
import { type TreeChange, treeChanges } from '../git/delta.ts';
import { mergeTrees } from '../git/merge.ts';
import type { Repository } from '../git/repository.ts';
import { type Scratch, withScratch } from '../git/scratch.ts';
import {
  type FileImage,
  imageAmong,
  imageAt,
  isExecutable,
  modeLike,
  placeOf,
  UnsafePathError,
} from './fileImage.ts';
import type { Change, HeadMove, LandingFolder, Step } from './landingJournal.ts';

/** What one part of a landing writes. Its images are in the landing's folder. */
export interface PartPlan {
  readonly blocked: undefined;
  readonly changes: readonly Change[];
  readonly head: HeadMove | undefined;
  /** What will be there afterwards. */
  readonly tree: string;
}

/** What is to be in the person's files: a tree, and in branch mode where HEAD goes with it. */
export type Decision =
  | { readonly blocked: string }
  | { readonly blocked: undefined; readonly tree: string; readonly head?: HeadMove };

/** The work in one repository: a task's own, or one that lies inside it. */
export interface Part {
  /** Its folder relative to the work tree that is landed in, with a slash at the end; empty for that work tree. */
  readonly prefix: string;
  /** Paths that the work changes, relative to this repository. */
  readonly touched: ReadonlySet<string>;
  /** Merges the work with the person's files. */
  decide(scratch: Scratch, now: Capture): Promise<Decision>;
}

/** Where a plan's images go. */
export interface PlanTarget {
  /** The work tree that is landed in. */
  readonly workTree: string;
  readonly folder: LandingFolder;
  readonly landing: string;
  readonly step: Step;
}

/**
 * Merges a task's work with the files as they are and keeps images of what changes. The files are captured before
 * and after the images are taken: what was changed in between is noticed, and blocks.
 * @param first number of the first image.
 */
export async function planPart(
  scratch: Scratch,
  part: Part,
  target: PlanTarget,
  first: number,
): Promise<{ readonly blocked: string } | PartPlan> {
  const { prefix } = part;
  const now = await filesNow(scratch, part);
  const decision = await part.decide(scratch, now);
  if (decision.blocked !== undefined) return decision;
  target.step('merged');
  const { tree, head } = decision;
  const changed = await treeChanges(scratch, now.workTree, tree);
  if (changed.length === 0) return { blocked: undefined, changes: [], head, tree };

  const exported = await exportFiles(scratch, tree, changed);
  const prefixed = changed.map(({ path, status }) => ({ path: prefix + path, status }));
  const changes: Change[] = [];
  try {
    for (const [at, one] of prefixed.entries()) {
      const source = join(exported, changed[at]?.path ?? '');
      changes.push(imagesOf(target, one, first + at, prefixed, source));
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof InTheWayError || error instanceof UnsafePathError) {
      return { blocked: `${error.message}.` };
    }
    throw error;
  }
  target.step('images');

  const before = join(scratch.dir, 'first.index');
  renameSync(join(scratch.dir, 'index'), before);
  const { workTree: after } = await filesNow(scratch, part, before);
  const ours = new Set(changed.map(({ path }) => path));
  const meanwhile = (await treeChanges(scratch, now.workTree, after)).filter(({ path }) => ours.has(path));
  if (meanwhile.length > 0) {
    return { blocked: `Changed meanwhile: ${meanwhile.map(({ path }) => path).join(', ')}.` };
  }
  return { blocked: undefined, changes, head, tree };
}

/** The files that count for a part, as they are now. */
function filesNow(
  scratch: Scratch,
  { touched }: Part,
  index = join(scratch.repository.gitDir, 'index'),
): Promise<Capture> {
  const limit = Number.POSITIVE_INFINITY;
  return capture(scratch, { index, limit, leaveOut: (path) => !touched.has(path) });
}

/** Paths whose files are not what was planned for them. */
export async function proveParts(
  plans: readonly PartPlan[],
  parts: readonly (Part & { repository: Repository })[],
): Promise<string[]> {
  const differ: string[] = [];
  for (const [at, { repository, ...part }] of parts.entries()) {
    const plan = plans[at];
    if (plan === undefined || plan.changes.length === 0) continue;
    const written = new Set(plan.changes.map(({ path }) => path));
    const changes = await withScratch(repository, async (scratch) =>
      treeChanges(scratch, plan.tree, (await filesNow(scratch, part)).workTree),
    );
    const paths = changes.map(({ path }) => part.prefix + path);
    differ.push(...paths.filter((path) => written.has(path)));
  }
  return differ;
}

/** Merges a task's work with the person's files, however they stand to any commit. */
export async function decideFiles(
  scratch: Scratch,
  work: { base: string; tree: string },
  now: Capture,
): Promise<Decision> {
  const merge = await mergeTrees(scratch, work.base, now.workTree, work.tree);
  if (merge.clean) return { blocked: undefined, tree: merge.tree };
  return { blocked: `Your files and the task's differ in the same places: ${merge.conflicts.join(', ')}.` };
}

/** Writes the changed files as git would check them out, into a folder of their own. */
async function exportFiles(scratch: Scratch, tree: string, changed: readonly TreeChange[]): Promise<string> {
  const workTree = join(scratch.dir, 'after');
  const index = join(scratch.dir, 'merged.index');
  mkdirSync(workTree);
  await scratch.git(['read-tree', tree], { index });
  const there = changed.filter(({ status }) => status !== 'deleted').map(({ path }) => `${path}\0`);
  await scratch.git(['checkout-index', '-z', '--stdin'], { workTree, index, input: there.join('') });
  return workTree;
}

/** Something that git does not know of is where a file must go. */
class InTheWayError extends Error {
  override readonly name = 'InTheWayError';
}

function imagesOf(
  { workTree, folder, landing }: PlanTarget,
  { path, status }: TreeChange,
  at: number,
  changed: readonly TreeChange[],
  source: string,
): Change {
  refuseFileAsFolder(workTree, path, changed);
  let before: FileImage = imageAmong(workTree, path, changed);
  if ((before.kind === 'absent') !== (status === 'added') || before.kind === 'other') {
    throw new InTheWayError(`${path} is not what git takes it for`);
  }
  if (before.kind === 'file') {
    folder.keep(landing, 'before', at, placeOf(workTree, path));
    // What counts is what was kept, should the file change right now.
    before = { ...before, hash: folder.hashOf(landing, 'before', at) };
  }
  if (status === 'deleted') return { path, before, after: { kind: 'absent' } };
  const after = imageAt(source);
  if (after.kind !== 'file') return { path, before, after };
  folder.keep(landing, 'after', at, source);
  return { path, before, after: { ...after, mode: modeLike(before, isExecutable(after)) } };
}

/** A file of the person's where the way to a new file must be a folder; one that the task deletes makes room. */
function refuseFileAsFolder(workTree: string, path: string, changed: readonly TreeChange[]): void {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const { kind } = imageAt(join(workTree, folder));
    const goes = changed.some((other) => other.status === 'deleted' && other.path === folder);
    if (kind === 'file' && !goes)
      throw new InTheWayError(`${folder} is a file, and ${path} needs a folder there`);
  }
}
