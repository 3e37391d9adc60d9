/** The kinds of state that a person's repository may be in: how each is made, and how git shows that it is there. */
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, lines, newRepo, put, text } from '../../unit/git/repo.ts';

export interface Kind {
  readonly name: string;
  /** How often a state is of this kind that need not be. */
  readonly chance: number;
  /** Makes it so; answers where the person works then, where that is another folder. */
  make(root: string): string | undefined;
  /** Whether git, or the folder, shows it. */
  seen(root: string): boolean;
}

/** Length of every text file that is committed, in lines. */
export const LINES = 24;
/** The folder of files that only these kinds change, so that nothing undoes them; it is part of a sparse checkout. */
export const KEPT = 'src/keep';
const at = (name: string) => `${KEPT}/${name}`;

/** What is committed there. */
export const KEPT_FILES: Record<string, string | Buffer> = {
  [at('changed.txt')]: lines(LINES),
  [at('staged.txt')]: lines(LINES),
  [at('partly.txt')]: lines(LINES),
  [at('old.txt')]: lines(LINES),
  [at('mode.txt')]: lines(LINES),
  [at('link')]: 'a file that becomes a link\n',
  [at('dos.txt')]: lines(LINES),
  [at('한글.txt')]: lines(LINES),
  [at('two\nlines')]: lines(LINES),
  [at('bytes.dat')]: Buffer.from([0, 1, 13, 10]),
};

/** Git without the person's hooks and signatures, which are there to refuse. */
export function calmly(cwd: string, ...args: string[]): string {
  return git(cwd, '-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgSign=false', ...args);
}

/** What the hooks and the signing program leave when somebody runs them. */
export const TRACE = 'lodeline-test-ran';
const HOOKS = [
  ...['reference-transaction', 'pre-commit', 'commit-msg', 'prepare-commit-msg', 'post-commit'],
  ...['post-checkout', 'post-index-change', 'pre-applypatch', 'post-rewrite'],
];

/** The git folder that all work trees share. */
export function commonDir(root: string): string {
  return git(root, 'rev-parse', '--path-format=absolute', '--git-common-dir').trim();
}

function refusing(root: string, file: string): void {
  const trace = join(commonDir(root), TRACE);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\necho "$0" >> "${trace}"\nexit 1\n`, { mode: 0o755 });
}

// `git diff` may refresh the index, for which a hook would run.
const names = (root: string, ...args: string[]) => calmly(root, ...args, '-z').split('\0');
const staged = (root: string) => names(root, 'diff', '--cached', '--name-only', '--no-renames');
const unstaged = (root: string) => names(root, 'diff', '--name-only');
const untracked = (root: string, ...which: string[]) =>
  names(root, 'ls-files', '--others', '--exclude-standard', ...which);
const setting = (root: string, key: string) => git(root, 'config', '--default', '', key).trim();

/** A kind that is one setting. */
const set = (key: string, value: string): Kind => ({
  name: key,
  chance: 0.2,
  make: (root) => void git(root, 'config', key, value),
  seen: (root) => setting(root, key) === value,
});

/** A kind that is one file. */
const file = (name: string, path: string, make: (root: string) => void, seen: Kind['seen']): Kind => ({
  name: `${name} (${JSON.stringify(path)})`,
  chance: 0.25,
  make: (root) => void make(root),
  seen,
});

const changed = (name: string): Kind =>
  file(
    'a changed file',
    name,
    (root) => put(root, { [at(name)]: lines(LINES, { 4: 'mine' }) }),
    (root) => unstaged(root).includes(at(name)),
  );

/** Made before the person changes anything. */
export const PLACES: readonly Kind[] = [
  ...['diff.noprefix', 'core.splitIndex', 'core.untrackedCache'].map((key) => set(key, 'true')),
  ...[set('diff.renames', 'copies'), set('merge.conflictStyle', 'diff3'), set('apply.whitespace', 'fix')],
  {
    name: 'a submodule',
    chance: 0.1,
    make(root) {
      const library = newRepo({ 'lib.txt': 'l\n' });
      calmly(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
      calmly(root, 'commit', '-qm', 'submodule');
      put(root, { 'lib/lib.txt': 'mine\n', 'lib/own.txt': 'o\n' });
      return undefined;
    },
    seen: (root) => /^160000 /m.test(git(root, 'ls-files', '-s')),
  },
  {
    name: 'a stash',
    chance: 0.2,
    make(root) {
      put(root, { [at('changed.txt')]: lines(LINES, { 3: 'stashed' }) });
      calmly(root, 'stash', '-q');
      return undefined;
    },
    seen: (root) => git(root, 'stash', 'list') !== '',
  },
  {
    name: 'a linked work tree',
    chance: 0.15,
    make(root) {
      const linked = join(dirname(root), 'linked');
      calmly(root, 'worktree', 'add', '-q', '-b', 'feature', linked);
      return linked;
    },
    seen: (root) => lstatSync(join(root, '.git')).isFile(),
  },
  {
    name: 'a detached HEAD',
    chance: 0.15,
    make: (root) => void calmly(root, 'checkout', '-q', '--detach'),
    seen: (root) => git(root, 'rev-parse', '--symbolic-full-name', 'HEAD').trim() === 'HEAD',
  },
  {
    name: 'a sparse checkout',
    chance: 0.15,
    make: (root) => void calmly(root, 'sparse-checkout', 'set', '--cone', 'src'),
    seen: (root) => /^S /m.test(git(root, 'ls-files', '-t')),
  },
  {
    name: 'a repository inside',
    chance: 0.15,
    make(root) {
      const inner = join(root, 'inner');
      mkdirSync(inner);
      git(inner, 'init', '-q', '-b', 'main');
      put(inner, { 'i.txt': lines(LINES) });
      git(inner, 'add', '-A');
      git(inner, 'commit', '-qm', 'inner');
      put(inner, { 'i.txt': lines(LINES, { 2: 'mine' }) });
      return undefined;
    },
    seen: (root) => existsSync(join(root, 'inner/.git')),
  },
  {
    name: 'hooks that refuse everything',
    chance: 0.2,
    make(root) {
      for (const hook of HOOKS) refusing(root, join(commonDir(root), 'hooks', hook));
      return undefined;
    },
    seen: (root) => existsSync(join(commonDir(root), 'hooks/reference-transaction')),
  },
  {
    name: 'signed commits',
    chance: 0.2,
    make(root) {
      const program = join(commonDir(root), 'sign');
      refusing(root, program);
      for (const key of ['commit.gpgSign', 'tag.gpgSign']) git(root, 'config', key, 'true');
      git(root, 'config', 'gpg.program', program);
      return undefined;
    },
    seen: (root) => setting(root, 'commit.gpgSign') === 'true',
  },
  {
    name: 'line endings of Windows',
    chance: 0.15,
    make(root) {
      git(root, 'config', 'core.autocrlf', 'true');
      put(root, { [at('dos.txt')]: lines(LINES, { 6: 'mine' }).replaceAll('\n', '\r\n') });
      return undefined;
    },
    seen: (root) => convertsLines(root) && text(root, at('dos.txt'))?.includes('\r\n') === true,
  },
];

/** Made last. */
export const DIRT: readonly Kind[] = [
  ...['changed.txt', '한글.txt', 'two\nlines'].map(changed),
  file(
    'a staged file',
    'staged.txt',
    (root) => {
      put(root, { [at('staged.txt')]: lines(LINES, { 1: 'staged' }) });
      calmly(root, 'add', '--sparse', '--', at('staged.txt'));
    },
    (root) => staged(root).includes(at('staged.txt')),
  ),
  file(
    'a partially staged file',
    'partly.txt',
    (root) => {
      put(root, { [at('partly.txt')]: lines(LINES, { 2: 'staged' }) });
      calmly(root, 'add', '--sparse', '--', at('partly.txt'));
      put(root, { [at('partly.txt')]: lines(LINES, { 2: 'staged', 9: 'mine' }) });
    },
    (root) => [staged(root), unstaged(root)].every((list) => list.includes(at('partly.txt'))),
  ),
  file(
    'a renamed file',
    'old.txt',
    (root) => calmly(root, 'mv', '--sparse', at('old.txt'), at('new.txt')),
    (root) => /^R\d+/m.test(calmly(root, 'diff', '--cached', '-M', '--name-status')),
  ),
  file(
    'an untracked file',
    '새 파일',
    (root) => put(root, { [at('새 파일')]: 'u\n' }),
    (root) => untracked(root).includes(at('새 파일')),
  ),
  file(
    'an ignored file',
    'i.log',
    (root) => put(root, { [at('i.log')]: 'i\n' }),
    (root) => untracked(root, '--ignored').includes(at('i.log')),
  ),
  file(
    'a changed binary',
    'bytes.dat',
    (root) => put(root, { [at('bytes.dat')]: Buffer.from([0, 255, 13, 10]) }),
    (root) => unstaged(root).includes(at('bytes.dat')),
  ),
  file(
    'another mode',
    'mode.txt',
    (root) => chmodSync(join(root, at('mode.txt')), 0o755),
    (root) => /^:100644 100755 .*mode\.txt$/m.test(calmly(root, 'diff', '--raw')),
  ),
  file(
    'a link in the place of a file',
    'link',
    (root) => {
      rmSync(join(root, at('link')));
      symlinkSync('changed.txt', join(root, at('link')));
    },
    (root) => /^:100644 120000 /m.test(calmly(root, 'diff', '--raw')),
  ),
];

/** Whether git turns line endings around between files and blobs. */
export function convertsLines(root: string): boolean {
  return setting(root, 'core.autocrlf') === 'true';
}
