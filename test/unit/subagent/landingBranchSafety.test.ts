import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type LandingOptions, landTask } from '../../../src/subagent/landing.ts';
import { CannotUndoError, revertLanding, undoLanding } from '../../../src/subagent/landingUndo.ts';
import { git, lines, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { tasks, work } from './isolationSupport.ts';

const BRANCH: LandingOptions = { merge: 'branch', message: 'Do the task' };

const log = (root: string, ...args: string[]) =>
  git(root, 'log', '--format=%s', ...args)
    .trim()
    .split('\n');
const branches = (root: string) => git(root, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/');

function _commit(path: string, message: string, author = 'Agent <agent@example.org>'): void {
  git(path, 'add', '-A');
  git(path, 'commit', '-qm', message, '--author', author);
}

describe('a branch that lands', () => {
  it.each(['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG'])(
    'waits while %s says that git is in the middle of something',
    async (file) => {
      const root = newRepo();
      const repository = await open(root);
      const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
      if (delta === undefined) throw new Error('no delta');
      writeFileSync(join(root, '.git', file), git(root, 'rev-parse', 'HEAD'));
      expect(await landTask(repository, delta, BRANCH)).toMatchObject({
        status: 'conflict',
        reason: expect.stringContaining('under way'),
      });
      rmSync(join(root, '.git', file));
      expect((await landTask(repository, delta, BRANCH)).status).toBe('applied');
      expect(branches(root)).toBe('main\n');
    },
  );

  it("never takes git's lock from another, and says whose it may be", async () => {
    const root = newRepo();
    const repository = await open(root);
    const [delta] = await tasks(repository, { 'a.txt': 'task\n' });
    if (delta === undefined) throw new Error('no delta');
    writeFileSync(join(root, '.git/index.lock'), '');
    expect(await landTask(repository, delta, BRANCH)).toMatchObject({
      status: 'recovery_available',
      reason: expect.stringContaining('index.lock'),
    });
    expect(readFileSync(join(root, '.git/index.lock'), 'utf8')).toBe('');
    expect(text(root, 'a.txt')).toBe('one\n');
  });

  it.each(['merged', 'images', 'journal', 'locked', 'write a.txt', 'index'])(
    'changes nothing where somebody commits just after "%s"',
    async (name) => {
      const root = newRepo({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
      const repository = await open(root);
      const [delta] = await tasks(repository, { 'a.txt': 'task\n', 'new.txt': 'n\n' });
      if (delta === undefined) throw new Error('no delta');
      const other = git(root, 'commit-tree', '-p', 'HEAD', '-m', 'meanwhile', 'HEAD^{tree}').trim();
      const step = (now: string) => {
        if (now === name) git(root, 'update-ref', 'refs/heads/main', other);
      };
      const answer = await landTask(repository, delta, { ...BRANCH, step });
      expect(answer.status).not.toBe('applied');
      expect(snapshot(root)).toEqual({ 'a.txt': '644 one\n', 'b.txt': '644 b\n' });
      expect([log(root), status(root)]).toEqual([['meanwhile', 'first'], []]);
      expect((await landTask(repository, delta, BRANCH)).status).toBe('applied');
      expect([log(root), status(root)]).toEqual([['Do the task', 'meanwhile', 'first'], []]);
    },
  );

  it('can be undone while HEAD is there, and reverted in the files later', async () => {
    const root = newRepo({ 'a.txt': lines(9), 'b.txt': 'b\n' });
    put(root, { 'a.txt': lines(9, { 1: 'mine' }) });
    const repository = await open(root);
    const delta = await work(repository, 'task', (path) => {
      put(path, { 'a.txt': lines(9, { 1: 'mine', 9: 'task' }), 'new.txt': 'n\n' });
      rmSync(join(path, 'b.txt'));
    });
    const everything = () => [snapshot(root), git(root, 'ls-files', '-s', '-v'), log(root), status(root)];
    const before = everything();
    const { landing = '' } = await landTask(repository, delta, BRANCH);
    expect(log(root)).toHaveLength(2);
    await undoLanding(repository, landing);
    expect(everything()).toEqual(before);
    const again = await landTask(repository, delta, BRANCH);
    git(root, 'commit', '-q', '--allow-empty', '-m', 'since');
    await expect(undoLanding(repository, again.landing ?? '')).rejects.toThrow(CannotUndoError);
    const reverted = await revertLanding(repository, again.landing ?? '');
    expect(reverted.status).toBe('applied');
    expect(snapshot(root)).toEqual(before[0]);
    expect(log(root)).toHaveLength(3);
    await undoLanding(repository, reverted.landing ?? '');
    expect(text(root, 'a.txt')).toBe(lines(9, { 1: 'mine', 9: 'task' }));
  });
});
