import type { GitLayout } from './layout.ts';
import { fieldsOf, runGit } from './run.ts';

/** How long git may take before the state is left out, milliseconds. */
const PATIENCE = 3_000;
const LISTED = 8;
/** `XY ` before each name in git's short format. */
const CODES = 3;

/**
 * The state of a work tree in one line: changed files and whether it is clean. Configuration that could run a
 * program (fsmonitor, hooks) is switched off, and nothing is written. Only for trusted folders. Empty when git fails.
 * @param shown leaves out names, from the top of the work tree, that may not be told; they are not counted either
 */
export async function describeState(
  git: GitLayout | undefined,
  shown: (names: readonly string[]) => Promise<readonly string[]> = async (names) => names,
): Promise<string> {
  if (git === undefined) return '';
  try {
    const { stdout } = await runGit(
      ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'],
      {
        cwd: git.workTree,
        signal: AbortSignal.timeout(PATIENCE),
      },
    );
    const changed = await shown(fieldsOf(stdout).map((field) => field.toString('utf8', CODES)));
    const listed = changed.slice(0, LISTED).join(', ');
    const more = changed.length > LISTED ? ` and ${changed.length - LISTED} more` : '';
    return changed.length === 0 ? 'work tree clean' : `${changed.length} changed: ${listed}${more}`;
  } catch {
    return '';
  }
}
