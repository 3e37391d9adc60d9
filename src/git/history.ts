import type { GitLayout } from './layout.ts';
import { fieldsOf, runGit } from './run.ts';

/** How long git may take before the history is left out, milliseconds. */
const PATIENCE = 5_000;
const MOST_COMMITS = 50;
const MOST_FILES = 200;
/** Fewer seconds than these (March 1973) git does not take for a moment: it means now. */
const FIRST_MOMENT = 100_000_000;

export interface CommitLine {
  readonly hash: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly subject: string;
}

export interface History {
  /** Newest first, at most fifty. */
  readonly commits: readonly CommitLine[];
  /** Files that they changed, each once. */
  readonly files: readonly string[];
}

const NOTHING: History = { commits: [], files: [] };

/**
 * The commits of the current branch since a moment (epoch milliseconds), also where the repository is packed. Only
 * for trusted folders. Empty when git fails or there is no commit.
 */
export async function historySince(git: GitLayout | undefined, since: number): Promise<History> {
  if (git === undefined) return NOTHING;
  const log = async (...format: string[]): Promise<string[]> => {
    const range = [
      `--since=@${Math.max(FIRST_MOMENT, Math.floor(since / 1000))}`,
      `--max-count=${MOST_COMMITS}`,
    ];
    const args = ['log', '-z', '--no-show-signature', '--encoding=UTF-8', ...range, ...format, 'HEAD', '--'];
    const { stdout } = await runGit(args, { cwd: git.workTree, signal: AbortSignal.timeout(PATIENCE) });
    return fieldsOf(stdout).map(String);
  };
  try {
    const fields = await log('--format=tformat:%h%x00%ct%x00%s');
    const commits: CommitLine[] = [];
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [hash = '', seconds = '', subject = ''] = fields.slice(at, at + 3);
      commits.push({ hash, at: Number(seconds) * 1000, subject });
    }
    const files = commits.length === 0 ? [] : await log('--format=', '--name-only', '--no-renames');
    const named = files.map((file) => file.trim()).filter((file) => file !== '');
    return { commits, files: [...new Set(named)].slice(0, MOST_FILES) };
  } catch {
    return NOTHING;
  }
}
