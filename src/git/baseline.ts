/** The state that isolated tasks start from. */
import { join } from 'node:path';
import { type Capture, capture, UnmergedError } from './capture.ts';
import { isSafePath } from './names.ts';
import { findNested } from './nested.ts';
import { type Repository, runOn } from './repository.ts';
import { lineOf } from './run.ts';
import { withScratch } from './scratch.ts';

/** Ids of git objects: a commit and two trees. Nothing refers to the trees until an isolation keeps them. */
export interface Baseline {
  /** The commit that is checked out. */
  readonly head: string;
  /** What is staged. */
  readonly indexTree: string;
  /** The files: tracked as they are now, and untracked that are not ignored. */
  readonly workTree: string;
  /** Paths that `git add --intent-to-add` announced. */
  readonly intended: readonly string[];
  /** What tasks will not find in their work tree. */
  readonly skipped: readonly string[];
  /** Repositories that lie inside this one, each with its folder: relative, a slash at the end. */
  readonly nested: readonly NestedBaseline[];
}

export interface NestedBaseline extends Omit<Baseline, 'nested'> {
  readonly prefix: string;
}

/**
 * Captures the staged, unstaged and untracked state of the repository's work tree and changes none of it.
 * @param options.limit how many bytes untracked files may hold together.
 * @throws {UntrackedTooLargeError} {UnmergedError} {GitError}
 */
export async function captureBaseline(
  repository: Repository,
  options: { limit?: number; signal?: AbortSignal } = {},
): Promise<Baseline> {
  const head = lineOf(await runOn(repository, ['rev-parse', '--verify', 'HEAD^{commit}'], options.signal));
  const captured: Capture = await withScratch(
    repository,
    (scratch) =>
      capture(scratch, {
        index: join(repository.gitDir, 'index'),
        ...(options.limit === undefined ? {} : { limit: options.limit }),
      }),
    options.signal,
  );
  const nested: NestedBaseline[] = [];
  const skipped: string[] = [];
  for (const name of captured.skipped) {
    const found =
      name.endsWith('/') && isSafePath(name.slice(0, -1)) && (await insideOf(repository, name, options));
    if (found) nested.push(found);
    else skipped.push(name);
  }
  return { head, ...captured, nested, skipped: [...skipped, ...nested.flatMap(skippedIn)] };
}

/** A repository in a folder, as tasks will find it; what lies inside it in turn stays out. */
async function insideOf(
  repository: Repository,
  prefix: string,
  options: { limit?: number; signal?: AbortSignal },
): Promise<NestedBaseline | undefined> {
  const inner = await findNested(repository, prefix);
  if (inner === undefined) return undefined;
  try {
    const { nested, ...baseline } = await captureBaseline(inner, options);
    return { ...baseline, prefix, skipped: [...baseline.skipped, ...nested.map((one) => one.prefix)] };
  } catch (error) {
    if (error instanceof UnmergedError) return undefined;
    throw error;
  }
}

function skippedIn({ prefix, skipped }: NestedBaseline): string[] {
  return skipped.map((name) => prefix + name);
}
