/** Where the store of a folder lies. */
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GitLayout } from './git/layout.ts';
import type { Log } from './ports.ts';

/**
 * In a repository the git folder, which all work trees share and `git clean` leaves alone; elsewhere
 * `.lodeline/store`, whose `.gitignore` keeps it out of a repository that is made later.
 */
export function locateStore(root: string, git: GitLayout | undefined): string {
  if (git !== undefined) return join(git.commonDir, 'lodeline');
  return join(root, '.lodeline', 'store');
}

/**
 * The folder that names of files begin at when sessions tell each other of them: the same for each way to it, and for
 * every folder in one work tree.
 */
export function workTreeOf(root: string, git: GitLayout | undefined): string {
  const folder = git?.workTree ?? root;
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/**
 * Leaves git, should the folder become a repository, only what a team shares on purpose. Never over a person's
 * own file.
 */
export function protectFolder(root: string, log: Log): void {
  const file = join(root, '.lodeline', '.gitignore');
  if (existsSync(file)) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, '/*\n!/.gitignore\n!/memory/\n!/agents/\n!/config.json\n', { flag: 'wx' });
  } catch (error) {
    log.warn(
      `.lodeline/.gitignore was not written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
