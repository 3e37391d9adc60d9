/**
 * A git folder of our own, for one piece of work. It shares nothing with the repository but its objects, so hooks,
 * filters, drivers and settings that somebody planted in the repository or a work tree are not there to be run,
 * and the repository's index, references and stash cannot be touched. Line endings are converted as the person's
 * settings say; filters that are programs (such as LFS) are not run: an unchanged file keeps the blob it has, a
 * changed one is taken as it is.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { makeDir } from '../journal/folder.ts';
import { isAlive } from '../journal/liveness.ts';
import type { Repository } from './repository.ts';
import { type GitAnswer, type GitSetting, runGit } from './run.ts';

const DRAFTS = 'git-drafts';
const OWNED = /^(\d+)-/;

/** Whoever commits for the merge: nobody sees these commits but in a recovery's log. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Lodeline',
  GIT_AUTHOR_EMAIL: 'lodeline@localhost',
  GIT_COMMITTER_NAME: 'Lodeline',
  GIT_COMMITTER_EMAIL: 'lodeline@localhost',
};

/** Where a call works. */
export interface ScratchCall {
  /** The work tree; an empty one unless given. */
  readonly workTree?: string;
  /** The index file; `index` in the scratch folder unless given. */
  readonly index?: string;
  readonly input?: Buffer | string;
  readonly accept?: readonly number[];
  /** Who commits, where it is not us. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether only what the repository's sparse patterns name is checked out. */
  readonly sparse?: boolean;
}

export interface Scratch {
  readonly repository: Repository;
  /** A folder for drafts, removed at the end. */
  readonly dir: string;
  git(args: readonly string[], call?: ScratchCall): Promise<GitAnswer>;
}

/** Makes a scratch folder, does the work and removes it. */
export async function withScratch<T>(
  repository: Repository,
  work: (scratch: Scratch) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const parent = join(repository.stateDir, DRAFTS);
  makeDir(parent);
  const dir = mkdtempSync(join(parent, `${process.pid}-`));
  try {
    prepare(repository, dir);
    return await work({
      repository,
      dir,
      git: (args, call = {}) => run(repository, dir, args, call, signal),
    });
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Removes what processes left that died in the middle of their work. */
export function clearScratches(repository: Repository): void {
  const parent = join(repository.stateDir, DRAFTS);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const pid = Number(OWNED.exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function prepare(repository: Repository, dir: string): void {
  const { gitDir, commonDir, objectFormat } = repository;
  const git = join(dir, 'git');
  for (const name of ['refs', 'objects', 'info', '../empty']) mkdirSync(join(git, name), { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(
    join(git, 'config'),
    objectFormat === 'sha1'
      ? '[core]\n\trepositoryFormatVersion = 0\n'
      : `[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = ${objectFormat}\n`,
  );
  copyIfThere(join(commonDir, 'info', 'exclude'), join(git, 'info', 'exclude'));
  copyIfThere(join(commonDir, 'info', 'attributes'), join(git, 'info', 'attributes'));
  copyIfThere(join(gitDir, 'info', 'sparse-checkout'), join(git, 'info', 'sparse-checkout'));
  for (const name of readdirSync(gitDir)) {
    // The other half of a split index.
    if (name.startsWith('sharedindex.')) copyIfThere(join(gitDir, name), join(git, name));
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to);
}

async function run(
  repository: Repository,
  dir: string,
  args: readonly string[],
  call: ScratchCall,
  signal: AbortSignal | undefined,
): Promise<GitAnswer> {
  const workTree = call.workTree ?? join(dir, 'empty');
  const sparse: GitSetting[] =
    call.sparse && repository.sparse
      ? [
          ['core.sparseCheckout', 'true'],
          ['core.sparseCheckoutCone', String(repository.sparse.cone)],
        ]
      : [];
  return runGit(args, {
    cwd: workTree,
    env: {
      ...IDENTITY,
      ...call.env,
      GIT_DIR: join(dir, 'git'),
      GIT_OBJECT_DIRECTORY: join(repository.commonDir, 'objects'),
      GIT_WORK_TREE: workTree,
      GIT_INDEX_FILE: call.index ?? join(dir, 'index'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: join(dir, 'none'),
    },
    settings: [
      ...repository.settings,
      ...sparse,
      ['core.protectHFS', 'true'],
      ['core.protectNTFS', 'true'],
      ['core.safecrlf', 'false'],
      ['merge.directoryRenames', 'false'],
    ],
    ...(call.input === undefined ? {} : { input: call.input }),
    ...(call.accept ? { accept: call.accept } : {}),
    signal,
  });
}
