/** Every state that a person's repository may be in: tasks work there, or are refused before they begin. */
import { chmodSync, existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { UnmergedError } from '../../../src/git/capture.ts';
import { IsolationUnavailableError } from '../../../src/git/repository.ts';
import { isolationProblem } from '../../../src/subagent/isolatedWork.ts';
import { landTask } from '../../../src/subagent/landing.ts';
import { git, lines, newRepo, open, put, snapshot } from '../git/repo.ts';
import { temporaryFolder } from '../support/folder.ts';
import { work } from './isolationSupport.ts';

const FILES = {
  'a.txt': lines(20),
  'b.txt': 'b\n',
  'sub/c.txt': 'c\n',
  '한글.txt': lines(20),
  'line\nbreak': 'l\n',
  'bin.dat': Buffer.from([0, 1, 13, 10]),
  '.gitignore': '*.log\n',
};

const partly = (root: string) => {
  put(root, { 'a.txt': lines(20, { 2: 'staged' }) });
  git(root, 'add', '-A');
  put(root, { 'a.txt': lines(20, { 2: 'staged', 8: 'unstaged' }) });
};

const MODES = ['patch', 'branch'] as const;

/** How a state is made; it answers where the person works then, or nothing for the repository's folder. */
type State = readonly [what: string, make: (root: string) => unknown];

const WORKS: readonly State[] = [
  ['nothing changed', () => {}],
  ['an unstaged change', (root) => put(root, { 'a.txt': lines(20, { 3: 'mine' }) })],
  ['a partially staged file', partly],
  ['untracked and ignored files', (root) => put(root, { 'u.txt': 'u\n', 'i.log': 'i\n', '새 파일': 'n\n' })],
  [
    'a file announced to git',
    (root) => {
      put(root, { 'soon.txt': 's\n' });
      git(root, 'add', '-N', 'soon.txt');
    },
  ],
  [
    'a staged and an unstaged deletion',
    (root) => {
      git(root, 'rm', '-q', 'b.txt');
      rmSync(join(root, 'sub/c.txt'));
    },
  ],
  ['a staged rename', (root) => git(root, 'mv', 'b.txt', 'renamed.txt')],
  [
    'another mode, and a link',
    (root) => {
      chmodSync(join(root, 'b.txt'), 0o755);
      symlinkSync('a.txt', join(root, 'link'));
    },
  ],
  [
    'a file in the place of a folder, and the other way round',
    (root) => {
      rmSync(join(root, 'sub'), { recursive: true });
      rmSync(join(root, 'b.txt'));
      put(root, { sub: 'file\n', 'b.txt/in': 'folder\n' });
    },
  ],
  ['a changed binary', (root) => put(root, { 'bin.dat': Buffer.from([0, 255, 13, 10]) })],
  [
    'files that git is told not to look at',
    (root) => {
      git(root, 'update-index', '--assume-unchanged', 'b.txt');
      git(root, 'update-index', '--skip-worktree', 'sub/c.txt');
      put(root, { 'b.txt': 'hidden\n', 'sub/c.txt': 'hidden\n' });
    },
  ],
  ['a detached HEAD', (root) => git(root, 'checkout', '-q', '--detach')],
  [
    'a linked work tree',
    (root) => {
      const linked = join(dirname(root), 'linked');
      git(root, 'worktree', 'add', '-q', '-b', 'feature', linked);
      partly(linked);
      return linked;
    },
  ],
  ['a sparse checkout', (root) => git(root, 'sparse-checkout', 'set', '--cone', 'sub')],
  [
    'a sparse index',
    (root) => {
      git(root, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'other');
    },
  ],
  ['a split index', (root) => git(root, 'update-index', '--split-index')],
  [
    'a submodule',
    (root) => {
      const library = newRepo({ 'lib.txt': 'l\n' });
      git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
      git(root, 'commit', '-qm', 'submodule');
      put(root, { 'lib/lib.txt': 'mine\n' });
    },
  ],
  [
    'a shallow clone',
    (root) => {
      const clone = join(dirname(root), 'clone');
      git(dirname(root), 'clone', '-q', '--depth', '1', `file://${root}`, clone);
      return clone;
    },
  ],
  [
    'hooks that refuse everything',
    (root) => {
      for (const hook of [
        'pre-commit',
        'commit-msg',
        'reference-transaction',
        'post-checkout',
        'post-index-change',
      ])
        writeFileSync(join(root, '.git/hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    },
  ],
  ...(
    [
      ['commit.gpgSign', 'true'],
      ['diff.noprefix', 'true'],
      ['diff.external', 'false'],
      ['core.autocrlf', 'true'],
      ['core.autocrlf', 'input'],
      ['core.safecrlf', 'true'],
      ['core.fileMode', 'false'],
      ['core.ignoreCase', 'true'],
      ['core.precomposeUnicode', 'true'],
      ['core.fsmonitor', 'false-program'],
      ['apply.whitespace', 'error'],
      ['merge.renames', 'false'],
      ['log.showSignature', 'true'],
      ['user.useConfigOnly', 'true'],
      ['index.version', '4'],
      ['feature.manyFiles', 'true'],
    ] as const
  ).map(([key, value]): State => [`${key} ${value}`, (root) => git(root, 'config', key, value)]),
  [
    'a name in NFD',
    (root) => {
      put(root, { ['가나.txt'.normalize('NFD')]: 'nfd\n' });
      git(root, 'add', '-A');
    },
  ],
  [
    'a stash',
    (root) => {
      put(root, { 'a.txt': 'stashed\n' });
      git(root, 'stash', '-q');
    },
  ],
];

const CASES = WORKS.flatMap(([what, make]) => MODES.map((merge) => [what, merge, make] as const));

describe('tasks work and land', () => {
  it.each(CASES)('with %s (%s)', async (_what, merge, make) => {
    const root = newRepo(FILES);
    const made = make(root);
    await lands(typeof made === 'string' && made !== '' ? made : root, merge);
  });
});

async function lands(root: string, merge: 'patch' | 'branch'): Promise<void> {
  const repository = await open(root);
  const keeps = () => [
    git(root, 'ls-files', '-s', '-v', '-z')
      .split('\0')
      .filter((entry) => !/\t(made by|한글)/.test(entry)),
    git(root, 'stash', 'list'),
  ];
  const [files, kept, head] = [snapshot(root), keeps(), git(root, 'rev-parse', 'HEAD')];
  const delta = await work(repository, 'task', (path) => {
    put(path, { 'made by\ttask.txt': 'm\n' });
    if (existsSync(join(path, '한글.txt'))) put(path, { '한글.txt': lines(20, { 20: 'task' }) });
  });
  expect(await landTask(repository, delta, { merge })).toMatchObject({ status: 'applied' });
  const { 'made by\ttask.txt': fresh, '한글.txt': changed, ...others } = snapshot(root);
  const { '한글.txt': _, ...before } = files;
  expect(others).toEqual(before);
  expect(fresh?.replaceAll('\r', '')).toBe('644 m\n');
  if (changed !== undefined) {
    expect(Buffer.from(changed, 'latin1').toString()).toContain('task');
  }
  expect(keeps()).toEqual(kept);
  const commits = git(root, 'rev-list', '--count', `${head.trim()}..HEAD`).trim();
  expect(commits).toBe(merge === 'branch' ? '1' : '0');
  expect(existsSync(join(repository.gitDir, 'index.lock'))).toBe(false);
}

describe('tasks are refused before they begin, with the reason', () => {
  it.each<[string, () => string, RegExp]>([
    ['outside a repository', temporaryFolder, /not a git repository/],
    [
      'without a commit',
      () => {
        const root = temporaryFolder();
        git(root, 'init', '-q');
        return root;
      },
      /no commit yet/,
    ],
    [
      'in a bare repository',
      () => {
        const root = temporaryFolder();
        git(root, 'init', '-q', '--bare');
        return root;
      },
      /no work tree/,
    ],
  ])('%s', async (_what, make, reason) => {
    const root = make();
    expect(await isolationProblem(root)).toMatch(reason);
    await expect(open(root)).rejects.toThrow(IsolationUnavailableError);
  });

  it('while a merge is not finished', async () => {
    const root = newRepo();
    git(root, 'checkout', '-qb', 'other');
    put(root, { 'a.txt': 'theirs\n' });
    git(root, 'commit', '-qam', 'theirs');
    git(root, 'checkout', '-q', 'main');
    put(root, { 'a.txt': 'ours\n' });
    git(root, 'commit', '-qam', 'ours');
    expect(() => git(root, 'merge', 'other')).toThrow();
    await expect(captureBaseline(await open(root))).rejects.toThrow(UnmergedError);
  });
});

it('names that differ in case only stay two files where the person has them so', async () => {
  const root = newRepo({ 'Read.me': 'upper\n' });
  const repository = await open(root);
  const delta = await work(repository, 'task', (path) => {
    renameSync(join(path, 'Read.me'), join(path, 'read.me'));
  });
  expect((await landTask(repository, delta)).status).toBe('applied');
  expect(snapshot(root)).toEqual({ 'read.me': '644 upper\n' });
});
