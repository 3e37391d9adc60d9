import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LandingOptions, landTask, landTasks } from '../../../src/subagent/landing.ts';
import { git, lines, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { statuses, tasks, work } from './isolationSupport.ts';

const BRANCH: LandingOptions = { merge: 'branch', message: 'Do the task' };

const log = (root: string, ...args: string[]) =>
  git(root, 'log', '--format=%s', ...args)
    .trim()
    .split('\n');
const branches = (root: string) => git(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/');

function commit(path: string, message: string, author = 'Agent <agent@example.org>'): void {
  git(path, 'add', '-A');
  git(path, 'commit', '-qm', message, '--author', author);
}

describe('landing a branch', () => {
  it("puts the task's own commits and one of what it left on HEAD, and removes the branch", async () => {
    const root = newRepo({ 'a.txt': lines(9), 'gone.txt': 'g\n', run: '#!\n' });
    for (const [key, value] of [
      ['user.name', 'Bea'],
      ['user.email', 'bea@example.org'],
      ['commit.gpgSign', 'true'],
      ['gpg.program', 'false'],
    ] as const)
      git(root, 'config', key, value);
    for (const hook of [
      'pre-commit',
      'post-commit',
      'reference-transaction',
      'post-checkout',
      'commit-msg',
    ]) {
      writeFileSync(join(root, '.git/hooks', hook), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    }
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, { 'a.txt': lines(9, { 1: 'one' }) });
      git(path, 'add', '-A');
      git(
        path,
        '-c',
        'core.hooksPath=/dev/null',
        '-c',
        'commit.gpgSign=false',
        'commit',
        '-qm',
        'One\n\nWhy: 한글.',
      );
      put(path, { 'a.txt': lines(9, { 1: 'one', 9: 'nine' }), '새.txt': 'n\n', 'line\nbreak': 'l\n' });
      rmSync(join(path, 'gone.txt'));
      chmodSync(join(path, 'run'), 0o755);
      symlinkSync('a.txt', join(path, 'link'));
    });
    const before = git(root, 'rev-parse', 'HEAD').trim();
    expect(await landTask(repository, delta, BRANCH)).toMatchObject({ status: 'applied' });
    expect(log(root)).toEqual(['Do the task', 'One', 'first']);
    expect(git(root, 'log', '-1', '--skip=1', '--format=%an|%cn|%B')).toBe('Ann|Bea|One\n\nWhy: 한글.\n\n');
    expect(git(root, 'log', '-1', '--format=%an <%ae>|%cn')).toBe('Bea <bea@example.org>|Bea\n');
    expect(git(root, 'rev-parse', 'HEAD~2').trim()).toBe(before);
    expect(status(root)).toEqual([]);
    expect(text(root, '새.txt')).toBe('n\n');
    expect(git(root, 'ls-files', '-s', 'run', 'link')).toMatch(/^120000 .*\n100755 /);
    expect(branches(root)).toBe('main\n');
  });

  it('leaves what the person staged and changed so, line by line, and every other entry as it is', async () => {
    const root = newRepo({
      'a.txt': lines(30),
      'b.txt': 'b\n',
      'c.txt': 'c\n',
      'd.txt': 'd\n',
      'old.txt': 'o\n',
    });
    put(root, { 'a.txt': lines(30, { 1: 'staged' }), 'new.txt': 'staged\n' });
    git(root, 'add', '-A');
    git(root, 'rm', '-q', '--cached', 'old.txt');
    git(root, 'update-index', '--assume-unchanged', 'b.txt');
    git(root, 'update-index', '--skip-worktree', 'c.txt');
    put(root, { 'a.txt': lines(30, { 1: 'staged', 10: 'mine' }), 'untracked.txt': 'u\n', 'soon.txt': 's\n' });
    git(root, 'add', '-N', 'soon.txt');
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, { 'a.txt': lines(30, { 1: 'staged', 10: 'mine', 20: 'task' }), 'made.txt': 'm\n' });
      // It commits with everything in it, also what is the person's.
      commit(path, 'All of it');
      put(path, { 'a.txt': lines(30, { 1: 'staged', 10: 'mine', 20: 'task', 29: 'more' }) });
    });
    git(root, 'stash', 'list');
    const [cached, unstaged] = [git(root, 'diff', '--cached'), git(root, 'diff')];
    const flags = git(root, 'ls-files', '-s', '-v');
    expect((await landTask(repository, delta, BRANCH)).status).toBe('applied');
    expect(log(root)).toEqual(['Do the task', 'All of it', 'first']);
    expect(git(root, 'show', '--format=', '--name-only', 'HEAD~1')).toBe('a.txt\nmade.txt\n');
    expect(git(root, 'show', 'HEAD:a.txt')).toBe(lines(30, { 20: 'task', 29: 'more' }));
    const body = (diff: string) => diff.replaceAll(/^index .*\n/gm, '').replaceAll(/^(@@.*@@).*/gm, '$1');
    expect(body(git(root, 'diff', '--cached'))).toBe(body(cached));
    expect(body(git(root, 'diff'))).toBe(body(unstaged));
    const others = (list: string) => list.split('\n').filter((line) => !/\t(a|made)\.txt$/.test(line));
    expect(others(git(root, 'ls-files', '-s', '-v'))).toEqual(others(flags));
    expect(text(root, 'untracked.txt')).toBe('u\n');
    expect(git(root, 'stash', 'list')).toBe('');
  });

  it.each<[string, Record<string, string>, (root: string) => void]>([
    [
      'changed',
      { 'a.txt': lines(9, { 5: 'task' }) },
      (root) => put(root, { 'a.txt': lines(9, { 5: 'mine' }) }),
    ],
    [
      'staged and then undone in the file',
      { 'a.txt': lines(9, { 5: 'task' }) },
      (root) => {
        put(root, { 'a.txt': lines(9, { 5: 'mine' }) });
        git(root, 'add', '-A');
        put(root, { 'a.txt': lines(9) });
      },
    ],
    ['written and not added', { 'new.txt': 'task\n' }, (root) => put(root, { 'new.txt': 'mine\n' })],
    [
      'announced',
      { 'new.txt': 'task\n' },
      (root) => {
        put(root, { 'new.txt': 'mine\n' });
        git(root, 'add', '-N', 'new.txt');
      },
    ],
    [
      'deleted',
      { 'a.txt': lines(9, { 5: 'task' }) },
      (root) => {
        git(root, 'rm', '-q', '--cached', 'a.txt');
        rmSync(join(root, 'a.txt'));
      },
    ],
  ])('stays a branch, and is named, where the person has %s the same', async (_what, files, prepare) => {
    for (const when of ['before', 'since']) {
      const root = newRepo({ 'a.txt': lines(9) });
      if (when === 'before') prepare(root);
      const repository = await open(root);
      const [delta] = await tasks(repository, files);
      if (delta === undefined) throw new Error('no delta');
      if (when === 'since') prepare(root);
      const everything = () => [snapshot(root), git(root, 'ls-files', '-s', '-v'), log(root), status(root)];
      const before = everything();
      const answer = await landTask(repository, delta, BRANCH);
      expect(answer, when).toMatchObject({
        status: 'conflict',
        branch: `refs/heads/lodeline/task/${delta.id}`,
      });
      expect(everything()).toEqual(before);
      const [path = '', content = ''] = Object.entries(files)[0] ?? [];
      expect(git(root, 'show', `${answer.branch}:${path}`)).toBe(content);
      expect(existsSync(join(root, '.git/index.lock'))).toBe(false);
    }
  });

  it('goes onto commits that came since; the first conflict stops that branch only', async () => {
    const root = newRepo({ 'a.txt': lines(20), 'b.txt': lines(20) });
    const repository = await open(root);
    const deltas = await tasks(
      repository,
      { 'a.txt': lines(20, { 2: 'first' }) },
      { 'a.txt': lines(20, { 2: 'second' }), 'c.txt': 'c\n' },
      { 'b.txt': lines(20, { 9: 'third' }) },
    );
    put(root, { 'b.txt': lines(20, { 1: 'since' }) });
    git(root, 'commit', '-qam', 'since');
    const answers = await landTasks(repository, deltas, BRANCH);
    expect(statuses(answers)).toEqual(['applied', 'conflict', 'applied']);
    expect(answers[1]?.reason).toContain('a.txt');
    expect(log(root)).toHaveLength(4);
    expect(text(root, 'b.txt')).toBe(lines(20, { 1: 'since', 9: 'third' }));
    expect(existsSync(join(root, 'c.txt'))).toBe(false);
    expect(status(root)).toEqual([]);
    expect(branches(root)).toBe(`lodeline/task/${deltas[1]?.id}\nmain\n`);
    expect(existsSync(join(root, '.git/CHERRY_PICK_HEAD'))).toBe(false);
  });

  it('skips what is there already, and has nothing to do for a branch of that alone', async () => {
    const root = newRepo({ 'a.txt': lines(20) });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, { 'a.txt': lines(20, { 2: 'same' }) });
      commit(path, 'Redundant');
      put(path, { 'b.txt': 'real\n' });
      commit(path, 'Real');
    });
    put(root, { 'a.txt': lines(20, { 2: 'same' }) });
    git(root, 'commit', '-qam', 'the same already');
    expect((await landTask(repository, delta, BRANCH)).status).toBe('applied');
    expect(log(root)).toEqual(['Real', 'the same already', 'first']);
    expect(await landTask(repository, delta, BRANCH)).toMatchObject({ status: 'no_changes' });
    expect(log(root)).toHaveLength(3);
    expect(branches(root)).toBe('main\n');
  });

  it('moves a detached HEAD, and in a linked work tree that branch and no other', async () => {
    const root = newRepo();
    const linked = join(root, '..', 'linked');
    git(root, 'worktree', 'add', '-q', '-b', 'feature', linked);
    const main = git(root, 'rev-parse', 'main');
    const inLinked = await open(linked);
    const [one] = await tasks(inLinked, { 'a.txt': 'task\n' });
    if (one === undefined) throw new Error('no delta');
    expect((await landTask(inLinked, one, BRANCH)).status).toBe('applied');
    expect([log(linked), status(linked)]).toEqual([['Do the task', 'first'], []]);
    expect([git(root, 'rev-parse', 'main'), status(root)]).toEqual([main, []]);
    git(root, 'checkout', '-q', '--detach');
    const repository = await open(root);
    const [two] = await tasks(repository, { 'a.txt': 'other\n' });
    if (two === undefined) throw new Error('no delta');
    expect((await landTask(repository, two, BRANCH)).status).toBe('applied');
    expect([log(root), status(root)]).toEqual([['Do the task', 'first'], []]);
    expect(git(root, 'rev-parse', 'main')).toBe(main);
  });

  it("never touches the person's stash", async () => {
    const root = newRepo();
    put(root, { 'a.txt': 'stashed\n' });
    git(root, 'stash');
    put(root, { 'b.txt': 'b\n' });
    git(root, 'add', 'b.txt');
    const stash = git(root, 'rev-parse', 'stash@{0}');
    const repository = await open(root);
    await landTasks(repository, [], BRANCH);
    await landTasks(repository, await tasks(repository, { 'a.txt': 'task\n' }), BRANCH);
    expect(git(root, 'stash', 'list').trim().split('\n')).toHaveLength(1);
    expect(git(root, 'rev-parse', 'stash@{0}')).toBe(stash);
    expect(status(root)).toEqual(['A  b.txt']);
  });
});
