/** Repositories inside the person's, carried into a task's work tree and out of it: each as a work tree of its own. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Baseline } from '../git/baseline.ts';
import { capture } from '../git/capture.ts';
import { openNested } from '../git/nested.ts';
import { IsolationUnavailableError, openRepository, type Repository } from '../git/repository.ts';
import { withScratch } from '../git/scratch.ts';
import { addWorktree, fillWorktree, forgetWorktree, headOf } from '../git/worktree.ts';
import { type IsolationRecord, nestedIndex } from './isolationRecord.ts';
import type { NestedDelta } from './recovery.ts';
import { withRepositoryLock } from './repositoryLock.ts';

type NestedRecord = IsolationRecord['nested'][number];

/**
 * Makes the work trees of the repositories inside.
 * @param known told of each as soon as git knows it, so that a dying process leaves none that nobody knows.
 */
export async function createNested(
  repository: Repository,
  baseline: Baseline,
  path: string,
  reason: string,
  known: (nested: readonly NestedRecord[]) => void,
): Promise<void> {
  const made: NestedRecord[] = [];
  for (const [at, { prefix, ...start }] of baseline.nested.entries()) {
    const inner = await openNested(repository, prefix);
    const place = join(path, prefix);
    mkdirSync(dirname(place), { recursive: true });
    const adminDir = await withRepositoryLock(inner, 'metadata', () =>
      addWorktree(inner, place, start.head, reason),
    );
    made.push({ prefix, root: inner.workTree, adminDir, baseline: start });
    known(made);
    const target = { path: place, adminDir, keptIndex: nestedIndex(path, at) };
    await fillWorktree(inner, target, { ...start, nested: [] });
  }
}

/**
 * What the task changed in them.
 * @returns `skipped`: what is not carried, among it a repository that the task removed as a whole.
 */
export async function nestedDeltas(
  repository: Repository,
  { path, nested }: IsolationRecord,
  limit: number | undefined,
): Promise<{ deltas: NestedDelta[]; skipped: string[] }> {
  const deltas: NestedDelta[] = [];
  const skipped: string[] = [];
  for (const [at, { prefix, adminDir, baseline }] of nested.entries()) {
    const workTree = join(path, prefix);
    if (!existsSync(join(workTree, '.git'))) {
      skipped.push(prefix);
      continue;
    }
    const inner = await openNested(repository, prefix);
    const captured = await withScratch(inner, (scratch) =>
      capture(scratch, {
        workTree,
        index: nestedIndex(path, at),
        alsoTracked: join(adminDir, 'index'),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
    const head = await headOf(inner, adminDir);
    deltas.push({
      prefix,
      head: baseline.head,
      base: baseline.workTree,
      tree: captured.workTree,
      commits: head === baseline.head ? undefined : head,
    });
    skipped.push(...captured.skipped.map((name) => prefix + name));
  }
  return { deltas, skipped };
}

/** Makes their repositories forget the work trees, whose folders are gone. A repository that is gone is fine. */
export async function forgetNested(repository: Repository, { path, nested }: IsolationRecord): Promise<void> {
  for (const { prefix, root, adminDir } of nested) {
    try {
      const inner = await openRepository(root, repository.stateDir);
      await withRepositoryLock(inner, 'metadata', () => forgetWorktree(inner, join(path, prefix), adminDir));
    } catch (error) {
      if (!(error instanceof IsolationUnavailableError)) throw error;
    }
  }
}
