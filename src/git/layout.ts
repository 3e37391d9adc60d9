import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Where a work tree's git data lies. Read from files: no git process runs, so untrusted folders are safe. */
export interface GitLayout {
  /** Top folder of the work tree. */
  readonly workTree: string;
  /** The work tree's own git folder. */
  readonly gitDir: string;
  /** The git folder that all work trees of the repository share. */
  readonly commonDir: string;
}

/** The repository that `folder` lies in, or undefined. */
export function findGit(folder: string): GitLayout | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    const gitDir = gitDirOf(join(current, '.git'), current);
    if (gitDir !== undefined) return { workTree: current, gitDir, commonDir: commonDirOf(gitDir) };
    if (dirname(current) === current) return undefined;
  }
}

/** `.git` is a folder, or in linked work trees and submodules a file that names one. */
function gitDirOf(path: string, base: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return existsSync(join(path, 'HEAD')) ? path : undefined;
    const target = /^gitdir:\s*(.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.trim();
    if (target === undefined) return undefined;
    const gitDir = isAbsolute(target) ? target : resolve(base, target);
    return existsSync(join(gitDir, 'HEAD')) ? gitDir : undefined;
  } catch {
    return undefined;
  }
}

function commonDirOf(gitDir: string): string {
  try {
    const common = readFileSync(join(gitDir, 'commondir'), 'utf8').trim();
    return isAbsolute(common) ? common : resolve(gitDir, common);
  } catch {
    return gitDir;
  }
}

/** Name of the checked-out branch, such as `feature/login`; empty when detached or outside a repository. */
export function currentBranch(git: GitLayout | undefined): string {
  if (git === undefined) return '';
  try {
    return (
      /^ref: refs\/heads\/(.+)$/m.exec(readFileSync(join(git.gitDir, 'HEAD'), 'utf8'))?.[1]?.trim() ?? ''
    );
  } catch {
    return '';
  }
}
