/** Commits that a task made, and whose name stands on those that are made for it. */
import { type Repository, runOn } from './repository.ts';
import { fieldsOf, GitError, lineOf } from './run.ts';

export interface OwnCommit {
  readonly tree: string;
  readonly message: string;
  /** `GIT_AUTHOR_*`, for a commit that says the same. */
  readonly author: Readonly<Record<string, string>>;
}

const FIELDS = ['%T', '%an', '%ae', '%ad', '%B'];

/**
 * The commits between two, the oldest first; a merge counts as one. Empty when the later one does not come from the
 * earlier one: somebody checked out something else.
 */
export async function ownCommits(repository: Repository, from: string, to: string): Promise<OwnCommit[]> {
  const { code } = await runGitAccepting(repository, ['merge-base', '--is-ancestor', from, to]);
  if (code !== 0) return [];
  const format = `--format=tformat:${FIELDS.join('%x00')}`;
  // The person's settings must neither run a program (signatures) nor change what is written.
  const how = ['-z', '--first-parent', '--reverse', '--no-show-signature', '--date=raw', '--encoding=UTF-8'];
  const fields = fieldsOf((await runOn(repository, ['log', ...how, format, `${from}..${to}`])).stdout);
  const commits: OwnCommit[] = [];
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length) {
    const [tree = '', name = '', email = '', date = '', message = ''] = fields
      .slice(at, at + FIELDS.length)
      .map(String);
    const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: `@${date}` };
    // A commit without a name cannot be made again; it gets the person's.
    commits.push({ tree, message, author: name.trim() === '' ? {} : author });
  }
  return commits;
}

async function runGitAccepting(repository: Repository, args: readonly string[]): Promise<{ code: number }> {
  try {
    return await runOn(repository, args);
  } catch (error) {
    if (error instanceof GitError && error.code > 0) return { code: error.code };
    throw error;
  }
}

/** Whose name the person's settings put on a commit, as `GIT_AUTHOR_*` and `GIT_COMMITTER_*`; empty without one. */
export async function personOf(repository: Repository): Promise<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const role of ['AUTHOR', 'COMMITTER']) {
    try {
      const ident = lineOf(await runOn(repository, ['var', `GIT_${role}_IDENT`]));
      const [, name, email] = /^(.+) <(.*)> \d+ [+-]\d{4}$/.exec(ident) ?? [];
      if (name === undefined || email === undefined) continue;
      Object.assign(env, { [`GIT_${role}_NAME`]: name, [`GIT_${role}_EMAIL`]: email });
    } catch (error) {
      // Nobody has told git who they are.
      if (!(error instanceof GitError) || error.code === -1) throw error;
    }
  }
  return env;
}
