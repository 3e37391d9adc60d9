import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { UnmergedError, UntrackedTooLargeError } from '../../../src/git/capture.ts';
import { IsolationUnavailableError } from '../../../src/git/repository.ts';
import { temporaryFolder } from '../support/folder.ts';
import { git, metadata, newRepo, open, put, snapshot } from './repo.ts';

/** Names and bytes of a tree. */
function tree(root: string, id: string): Record<string, string> {
  const names = git(root, 'ls-tree', '-r', '-z', '--name-only', id).split('\0').filter(Boolean);
  return Object.fromEntries(names.map((name) => [name, git(root, 'cat-file', 'blob', `${id}:${name}`)]));
}

describe('a baseline', () => {
  it('holds what is staged, what is not, and what is untracked, and touches nothing', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'gone.txt': 'x\n', '.gitignore': 'ignored\n' });
    put(root, { 'a.txt': 'staged\n', 'new.txt': 'new\n' });
    git(root, 'add', '-A');
    git(root, 'rm', '-q', 'gone.txt');
    put(root, {
      'a.txt': 'unstaged\n',
      '한글.txt': 'untracked\n',
      'n\newline': 'n\n',
      '-q': 'dash\n',
      ignored: 'i\n',
    });
    const before = [metadata(root), snapshot(root)];
    const baseline = await captureBaseline(await open(root));
    expect(tree(root, baseline.indexTree)).toEqual({
      'a.txt': 'staged\n',
      'new.txt': 'new\n',
      '.gitignore': 'ignored\n',
    });
    expect(tree(root, baseline.workTree)).toEqual({
      'a.txt': 'unstaged\n',
      'new.txt': 'new\n',
      '.gitignore': 'ignored\n',
      '한글.txt': 'untracked\n',
      'n\newline': 'n\n',
      '-q': 'dash\n',
    });
    expect([metadata(root), snapshot(root)]).toEqual(before);
  });

  it('sees changes that the index was told not to look for', async () => {
    const root = newRepo({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
    git(root, 'update-index', '--assume-unchanged', 'a.txt');
    git(root, 'update-index', '--skip-worktree', 'b.txt');
    put(root, { 'a.txt': 'mine a\n', 'b.txt': 'mine b\n' });
    const baseline = await captureBaseline(await open(root));
    expect(tree(root, baseline.workTree)).toEqual({ 'a.txt': 'mine a\n', 'b.txt': 'mine b\n' });
  });

  it.each(['dir', 'dir/inner'])(
    'sees that %s is a file now, whatever the index was told of what was in it',
    async (place) => {
      const root = newRepo({ 'a.txt': 'one\n', 'dir/inner/deep/b.txt': 'two\n' });
      git(root, 'update-index', '--skip-worktree', 'dir/inner/deep/b.txt');
      rmSync(join(root, place), { recursive: true });
      put(root, { [place]: 'a file\n' });
      const baseline = await captureBaseline(await open(root));
      expect(tree(root, baseline.workTree)[place]).toBe('a file\n');
    },
  );

  it('sees a change of the same size in the very second in which the index was written', async () => {
    const root = newRepo({ 'a.txt': 'one\n' });
    const repository = await open(root);
    const nextSecond = () => sleep(1000 - (Date.now() % 1000));
    let [file, index] = [0, 1];
    while (file !== index) {
      await nextSecond();
      put(root, { 'a.txt': 'one\n' });
      git(root, 'update-index', '--refresh');
      put(root, { 'a.txt': 'two\n' });
      [file = 0, index = 1] = ['a.txt', '.git/index'].map((name) =>
        Math.floor(statSync(join(root, name)).ctimeMs / 1000),
      );
    }
    await nextSecond();
    const baseline = await captureBaseline(repository);
    expect(tree(root, baseline.workTree)).toEqual({ 'a.txt': 'two\n' });
  });

  it('keeps links, permissions, files that became folders, and folders that became links', async () => {
    const root = newRepo({ file: 'f\n', 'folder/in': 'i\n', tool: '#!/bin/sh\n' });
    execFileSync('rm', ['-r', join(root, 'file'), join(root, 'folder')]);
    put(root, { 'file/inside': 'now\n', elsewhere: 'e\n' });
    symlinkSync('elsewhere', join(root, 'folder'));
    chmodSync(join(root, 'tool'), 0o755);
    const baseline = await captureBaseline(await open(root));
    const modes = git(root, 'ls-tree', '-r', '--format=%(objectmode) %(path)', baseline.workTree);
    expect(modes.trim().split('\n')).toEqual([
      '100644 elsewhere',
      '100644 file/inside',
      '120000 folder',
      '100755 tool',
    ]);
  });

  it('leaves repositories inside this one alone and says so', async () => {
    const root = newRepo();
    put(root, { 'inner/x.txt': 'x\n' });
    git(join(root, 'inner'), 'init', '-q');
    const baseline = await captureBaseline(await open(root));
    expect(baseline.skipped).toEqual(['inner/']);
    expect(Object.keys(tree(root, baseline.workTree))).toEqual(['a.txt']);
  });

  it('leaves untracked files that git cannot take alone, says so, and takes the others', async () => {
    const root = newRepo({ '.gitattributes': '*.u16 working-tree-encoding=UTF-16\n' });
    put(root, { 'a.u16': 'odd', 'b.txt': 'b\n', 'c.u16': 'odd', 'd.txt': 'd\n' });
    const baseline = await captureBaseline(await open(root));
    expect(baseline.skipped).toEqual(['a.u16', 'c.u16']);
    expect(Object.keys(tree(root, baseline.workTree))).toEqual(['.gitattributes', 'b.txt', 'd.txt']);
  });

  it('carries untracked files up to a limit and names the biggest beyond it', async () => {
    const root = newRepo();
    put(root, { 'big.bin': '', 'bigger.bin': '', 'small.txt': 's' });
    truncateSync(join(root, 'big.bin'), 120 * 1024 * 1024);
    truncateSync(join(root, 'bigger.bin'), 130 * 1024 * 1024);
    const repository = await open(root);
    const refused = captureBaseline(repository);
    await expect(refused).rejects.toThrow(UntrackedTooLargeError);
    await expect(refused).rejects.toThrow(
      /250\.0 MB.*bigger\.bin \(130\.0 MB\), big\.bin.*task\.isolation\.mode/s,
    );
    await expect(captureBaseline(repository, { limit: 0 })).rejects.toThrow(UntrackedTooLargeError);
    put(root, { '.gitignore': '*.bin\n' });
    await expect(captureBaseline(repository, { limit: 10 })).resolves.toBeDefined();
  });

  it('refuses what is too big without reading it', async () => {
    const root = newRepo();
    writeFileSync(join(root, 'huge.bin'), '');
    // No disk and no memory that tests run with would hold it.
    truncateSync(join(root, 'huge.bin'), 2 ** 36);
    const objects = git(root, 'count-objects');
    await expect(captureBaseline(await open(root))).rejects.toThrow(/huge\.bin \(65536\.0 MB\)/);
    expect(git(root, 'count-objects')).toBe(objects);
  });

  it('is refused while a merge is not finished', async () => {
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

  it('does not run what the repository would have git run', async () => {
    const root = newRepo({ 'a.txt': 'one\n', '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
    const proof = join(root, '..', 'ran');
    const program = `touch ${proof};`;
    for (const key of [
      'filter.evil.clean',
      'filter.evil.smudge',
      'filter.evil.process',
      'diff.evil.textconv',
      'core.fsmonitor',
    ]) {
      git(root, 'config', key, `${program} cat`);
    }
    put(root, { 'a.txt': 'changed\n', 'new.txt': 'n\n' });
    const baseline = await captureBaseline(await open(root));
    expect(tree(root, baseline.workTree)).toMatchObject({ 'a.txt': 'changed\n', 'new.txt': 'n\n' });
    expect(snapshot(join(root, '..'))).not.toHaveProperty('ran');
  });

  it('hears nothing from variables that point git elsewhere', async () => {
    const root = newRepo();
    const elsewhere = newRepo({ 'other.txt': 'x\n' });
    process.env.GIT_DIR = join(elsewhere, '.git');
    process.env.GIT_INDEX_FILE = join(elsewhere, '.git/index');
    try {
      const baseline = await captureBaseline(await open(root));
      expect(tree(root, baseline.workTree)).toEqual({ 'a.txt': 'one\n' });
    } finally {
      delete process.env.GIT_DIR;
      delete process.env.GIT_INDEX_FILE;
    }
  });

  it('reads line endings as the person has set them', async () => {
    const root = newRepo({ 'a.txt': 'one\n' });
    git(root, 'config', 'core.autocrlf', 'true');
    put(root, { 'a.txt': 'one\r\ntwo\r\n' });
    const baseline = await captureBaseline(await open(root));
    expect(tree(root, baseline.workTree)).toEqual({ 'a.txt': 'one\ntwo\n' });
  });
});

describe('isolation needs', () => {
  it('a repository', async () => {
    const refused = open(join(temporaryFolder()));
    await expect(refused).rejects.toThrow(IsolationUnavailableError);
    await expect(refused).rejects.toThrow(
      /^Isolated task execution requires a git repository\. fatal: not a git repository/,
    );
  });

  it('a commit', async () => {
    const root = temporaryFolder();
    git(root, 'init', '-q');
    await expect(open(root)).rejects.toThrow(/requires a git repository\. It has no commit yet/);
  });

  it('a work tree', async () => {
    const root = temporaryFolder();
    git(root, 'init', '-q', '--bare');
    await expect(open(root)).rejects.toThrow(IsolationUnavailableError);
  });
});
