/** What a landing would write: the merge, and images of every file before and after. */
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { capture } from '../git/capture.ts';
import { type TreeChange, treeChanges } from '../git/delta.ts';
import { mergeTrees } from '../git/merge.ts';
import type { Scratch } from '../git/scratch.ts';
import {
  type FileImage,
  imageAmong,
  imageAt,
  isExecutable,
  modeLike,
  placeOf,
  UnsafePathError,
} from './fileImage.ts';
import type { Change, LandingFolder, Step } from './landingJournal.ts';
import type { Delta } from './recovery.ts';

export type Plan =
  | { readonly blocked: string }
  /** The images are in the landing's folder. */
  | { readonly blocked: undefined; readonly changes: readonly Change[] };

/**
 * Merges a task's work with the files as they are and keeps images of what changes. The files are captured before
 * and after the images are taken: what was changed in between is noticed, and blocks.
 */
export async function planLanding(
  scratch: Scratch,
  delta: Delta,
  folder: LandingFolder,
  landing: string,
  step: Step,
): Promise<Plan> {
  const { gitDir } = scratch.repository;
  const touched = new Set(delta.files.map(({ path }) => path));
  const files = (index: string) =>
    capture(scratch, {
      index,
      limit: Number.POSITIVE_INFINITY,
      leaveOut: (path) => !touched.has(path),
    });
  const { workTree: ours } = await files(join(gitDir, 'index'));
  const merge = await mergeTrees(scratch, delta.base, ours, delta.tree);
  if (!merge.clean) {
    return { blocked: `Your files and the task's differ in the same places: ${merge.conflicts.join(', ')}.` };
  }
  step('merged');
  const changed = await treeChanges(scratch, ours, merge.tree);
  if (changed.length === 0) return { blocked: undefined, changes: [] };

  const exported = await exportFiles(scratch, merge.tree, changed);
  const changes: Change[] = [];
  try {
    for (const [at, one] of changed.entries()) {
      changes.push(imagesOf(scratch, one, at, changed, exported, folder, landing));
      await setImmediate();
    }
  } catch (error) {
    if (error instanceof InTheWayError || error instanceof UnsafePathError) {
      return { blocked: `${error.message}.` };
    }
    throw error;
  }
  step('images');

  const first = join(scratch.dir, 'first.index');
  renameSync(join(scratch.dir, 'index'), first);
  const { workTree: now } = await files(first);
  const ourChanges = new Set(changed.map(({ path }) => path));
  const meanwhile = (await treeChanges(scratch, ours, now)).filter(({ path }) => ourChanges.has(path));
  if (meanwhile.length > 0) {
    return { blocked: `Changed meanwhile: ${meanwhile.map(({ path }) => path).join(', ')}.` };
  }
  return { blocked: undefined, changes };
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
  scratch: Scratch,
  { path, status }: TreeChange,
  at: number,
  changed: readonly TreeChange[],
  exported: string,
  folder: LandingFolder,
  landing: string,
): Change {
  const place = placeOf(scratch.repository.workTree, path);
  refuseFileAsFolder(scratch.repository.workTree, path, changed);
  let before: FileImage = imageAmong(place, path, changed);
  if ((before.kind === 'absent') !== (status === 'added') || before.kind === 'other') {
    throw new InTheWayError(`${path} is not what git takes it for`);
  }
  if (before.kind === 'file') {
    const kept = imageAt(folder.keep(landing, 'before', at, place));
    // What counts is what was kept, should the file change right now.
    before = { ...before, hash: kept.kind === 'file' ? kept.hash : '' };
  }
  if (status === 'deleted') return { path, before, after: { kind: 'absent' } };
  const source = join(exported, path);
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
