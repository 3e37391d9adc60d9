/** Real repositories in temporary folders. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openRepository } from '../../../src/git/repository.ts';
import { temporaryFolder } from '../support/folder.ts';

/** Git as a person runs it, with their repository's settings and hooks, but none of this machine's. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Ann',
      GIT_AUTHOR_EMAIL: 'ann@example.org',
      GIT_COMMITTER_NAME: 'Ann',
      GIT_COMMITTER_EMAIL: 'ann@example.org',
    },
  });
}

export function put(root: string, files: Record<string, string | Buffer>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

export function text(root: string, path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
}

/** A repository with one commit of these files. */
export function newRepo(files: Record<string, string | Buffer> = { 'a.txt': 'one\n' }): string {
  const root = join(temporaryFolder(), 'repo');
  mkdirSync(root);
  git(root, 'init', '-q', '-b', 'main');
  put(root, files);
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  return root;
}

/** The store's folder lies beside the repository. */
export function open(root: string) {
  return openRepository(root, join(dirname(root), 'store'));
}

/** A file of `count` lines, some of them replaced. */
export function lines(count: number, replaced: Record<number, string> = {}): string {
  return Array.from({ length: count }, (_, at) => `${replaced[at + 1] ?? `line ${at + 1}`}\n`).join('');
}

/** `git status` without names quoted. */
export function status(root: string): string[] {
  return git(root, 'status', '--porcelain', '-z', '--untracked-files=all', '--no-renames')
    .split('\0')
    .filter((line) => line !== '')
    .sort();
}

/** Everything below a folder: bytes, link targets and permissions. What is called `.git` only on demand. */
export function snapshot(root: string, withGit = false): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git' && !withGit) continue;
      const info = lstatSync(join(root, path));
      if (info.isDirectory()) walk(path);
      else if (info.isSymbolicLink()) found[path] = `link ${readlinkSync(join(root, path))}`;
      else found[path] = `${(info.mode & 0o777).toString(8)} ${readFileSync(join(root, path), 'latin1')}`;
    }
  };
  walk('');
  return found;
}

/** What must stay as it is whatever tasks do: index, references, stash, HEAD. */
export function metadata(root: string): Record<string, string> {
  return {
    index: git(root, 'ls-files', '--stage', '-z'),
    head: git(root, 'rev-parse', 'HEAD'),
    branch: git(root, 'symbolic-ref', '-q', 'HEAD'),
    refs: git(root, 'for-each-ref').replace(/.*refs\/lodeline\/.*\n/g, ''),
    stash: git(root, 'stash', 'list'),
  };
}

/** Staged, unstaged and untracked at once. */
export function dirtyRepo(): string {
  const root = newRepo({ 'a.txt': lines(10), 'b.txt': 'b\n', 'gone.txt': 'g\n', '.gitignore': 'ignored*\n' });
  put(root, { 'a.txt': lines(10, { 2: 'staged' }), 'staged.txt': 's\n' });
  git(root, 'add', '-A');
  git(root, 'rm', '-q', '--cached', 'gone.txt');
  put(root, {
    'a.txt': lines(10, { 2: 'staged', 9: 'unstaged' }),
    '한글.txt': 'untracked\n',
    'ignored.txt': 'i\n',
  });
  put(root, { 'soon.txt': 'announced\n' });
  git(root, 'add', '--intent-to-add', 'soon.txt');
  return root;
}
