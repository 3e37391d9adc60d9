/** The repository that isolated tasks start from, checked before anything is done. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findGit } from './layout.ts';
import { fieldsOf, GitError, type GitSetting, lineOf, runGit } from './run.ts';

/** `git merge-tree --write-tree` came with this version; it merges trees without a work tree or an index. */
const OLDEST: readonly [number, number] = [2, 38];

/** Settings that decide how bytes in files and blobs relate, and which names git accepts; none runs a program. */
const KEPT = new Set([
  'core.autocrlf',
  'core.eol',
  'core.excludesfile',
  'core.attributesfile',
  'core.filemode',
  'core.ignorecase',
  'core.longpaths',
  'core.precomposeunicode',
  'core.symlinks',
]);

export interface Repository {
  /** Top folder of the work tree. */
  readonly workTree: string;
  /** The work tree's own git folder. */
  readonly gitDir: string;
  /** The git folder that all work trees of the repository share. */
  readonly commonDir: string;
  /** Where we keep locks, drafts, landings and recoveries: the store's folder. */
  readonly stateDir: string;
  /** The person's settings about bytes and names. */
  readonly settings: readonly GitSetting[];
  /** `sha1` or `sha256`. */
  readonly objectFormat: string;
  /** Whether only part of the tree is checked out, and by folders. */
  readonly sparse: { readonly cone: boolean } | undefined;
}

/** Isolation cannot work here; the message says why and what to do. */
export class IsolationUnavailableError extends Error {
  override readonly name = 'IsolationUnavailableError';
}

/**
 * Opens the repository that `folder` lies in.
 * @param stateDir the store's folder; the shared git folder's `lodeline` unless given.
 * @throws {IsolationUnavailableError} outside a repository, without a commit, or with a git that is too old.
 */
export async function openRepository(folder: string, stateDir?: string): Promise<Repository> {
  await checkVersion(folder);
  try {
    await runGit(['rev-parse', '--git-dir'], { cwd: folder });
  } catch (error) {
    throw unavailable(error instanceof GitError ? error.message : String(error));
  }
  const layout = findGit(folder);
  if (layout === undefined) throw unavailable('This repository has no work tree.');
  const workTree = realpathSync(layout.workTree);
  const gitDir = realpathSync(layout.gitDir);
  const commonDir = realpathSync(layout.commonDir);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: workTree };
  const head = await runGit(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    cwd: workTree,
    env,
    accept: [1, 128],
  });
  if (head.code !== 0) {
    throw unavailable('It has no commit yet: make the first commit, then try again.');
  }
  const config = await settingsOf(workTree, env);
  return {
    workTree,
    gitDir,
    commonDir,
    stateDir: stateDir ?? join(commonDir, 'lodeline'),
    settings: [...config].filter(([key]) => KEPT.has(key)),
    objectFormat: config.get('extensions.objectformat') ?? 'sha1',
    sparse: isTrue(config.get('core.sparsecheckout'))
      ? { cone: isTrue(config.get('core.sparsecheckoutcone')) }
      : undefined,
  };
}

/** Runs git on the repository itself, for its references and its list of work trees; hooks stay off. */
export async function runOn(repository: Repository, args: readonly string[], signal?: AbortSignal) {
  return runGit(args, {
    cwd: repository.workTree,
    env: { GIT_DIR: repository.gitDir, GIT_WORK_TREE: repository.workTree },
    signal,
  });
}

async function checkVersion(folder: string): Promise<void> {
  let version: string;
  try {
    version = lineOf(await runGit(['version'], { cwd: folder }));
  } catch (error) {
    throw unavailable(`Git cannot be run: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const [needMajor, needMinor] = OLDEST;
  const is = Number(major) * 1000 + Number(minor);
  if (!(is >= needMajor * 1000 + needMinor)) {
    throw new IsolationUnavailableError(
      `Isolated task execution requires git ${OLDEST.join('.')} or later, and this is "${version}". Update git, or run the task without isolation.`,
    );
  }
}

function unavailable(cause: string): IsolationUnavailableError {
  return new IsolationUnavailableError(`Isolated task execution requires a git repository. ${cause}`);
}

/** All settings, the last value of each; reading them runs nothing. */
async function settingsOf(cwd: string, env: Record<string, string>): Promise<Map<string, string>> {
  const { stdout } = await runGit(['config', '--list', '-z', '--includes'], { cwd, env });
  return new Map(
    fieldsOf(stdout).map((field) => {
      const [key = '', ...value] = field.toString().split('\n');
      // A key without a value is a true one.
      return [key, value.length === 0 ? 'true' : value.join('\n')] as const;
    }),
  );
}

function isTrue(value: string | undefined): boolean {
  return value !== undefined && /^(true|yes|on|1)$/i.test(value);
}
