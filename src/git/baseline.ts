/** The state that isolated tasks start from. */
import { join } from 'node:path';
import { type Capture, capture } from './capture.ts';
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
  return { head, ...captured };
}
