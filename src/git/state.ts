import { simpleGit } from 'simple-git';
import type { GitLayout } from './layout.ts';

/** How long git may take before the state is left out, milliseconds. */
const PATIENCE = 3_000;
const LISTED = 8;

/**
 * The state of a work tree in one line: changed files and the last commit. Configuration that could run a program
 * (fsmonitor, hooks) is switched off, and nothing is written. Only for trusted folders. Empty when git fails.
 */
export async function describeState(git: GitLayout | undefined): Promise<string> {
  if (git === undefined) return '';
  try {
    const client = simpleGit({
      baseDir: git.workTree,
      config: ['core.fsmonitor=false', 'core.hooksPath='],
      timeout: { block: PATIENCE },
      unsafe: { allowUnsafeFsMonitor: true, allowUnsafeHooksPath: true },
    }).env({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', GIT_OPTIONAL_LOCKS: '0' });
    const status = await client.status();
    const changed = status.files.map(({ path }) => path);
    const shown = changed.slice(0, LISTED).join(', ');
    const more = changed.length > LISTED ? ` and ${changed.length - LISTED} more` : '';
    return changed.length === 0 ? 'work tree clean' : `${changed.length} changed: ${shown}${more}`;
  } catch {
    return '';
  }
}
