import type { GitLayout } from './layout.ts';
import { fieldsOf, runGit } from './run.ts';

/** How long git may take before the history is left out, milliseconds. */
const PATIENCE = 5_000;
const MOST_COMMITS = 50;
const MOST_FILES = 200;
/** Where some are left out, as many are looked at as make no difference to how many of the others are there. */
const MOST_LOOKED_AT = 1_000;
/** No file's name begins so. */
const MARK = '//';
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
 * @param shown leaves out names, from the top of the work tree, that may not be told: with them go the commits that
 *   changed nothing else, before any are counted
 */
export async function historySince(
  git: GitLayout | undefined,
  since: number,
  shown?: (names: readonly string[]) => Promise<readonly string[]>,
): Promise<History> {
  if (git === undefined) return NOTHING;
  const log = async (...format: string[]): Promise<string[]> => {
    const range = [
      `--since=@${Math.max(FIRST_MOMENT, Math.floor(since / 1000))}`,
      `--max-count=${shown === undefined ? MOST_COMMITS : MOST_LOOKED_AT}`,
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
    if (commits.length === 0) return NOTHING;
    const changed = changesIn(await log(`--format=tformat:${MARK}%h`, '--name-only', '--no-renames'));
    const all = [...new Set([...changed.values()].flat())];
    const told = new Set(await (shown?.(all) ?? all));
    const open = commits.filter(({ hash }) => {
      const files = changed.get(hash) ?? [];
      return files.length === 0 || files.some((file) => told.has(file));
    });
    const listed = open.slice(0, MOST_COMMITS);
    const files = listed.flatMap(({ hash }) => changed.get(hash) ?? []).filter((file) => told.has(file));
    return { commits: listed, files: [...new Set(files)].slice(0, MOST_FILES) };
  } catch {
    return NOTHING;
  }
}

/** The files that each commit changed, by its hash, from a log in which each commit begins with the mark. */
function changesIn(fields: readonly string[]): Map<string, string[]> {
  const changes = new Map<string, string[]>();
  let files: string[] = [];
  for (const field of fields.map((each) => each.trim())) {
    if (field.startsWith(MARK)) {
      files = [];
      changes.set(field.slice(MARK.length), files);
    } else if (field !== '') files.push(field);
  }
  return changes;
}
