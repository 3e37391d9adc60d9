/** Repositories that lie inside the person's: untracked there, with a history of their own. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { holdsEverything, isolationDelta } from '../../../src/subagent/isolation.ts';
import { writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { removeIsolation } from '../../../src/subagent/isolationRemoval.ts';
import { discardTask, landTask } from '../../../src/subagent/landing.ts';
import { revertLanding, undoLanding } from '../../../src/subagent/landingUndo.ts';
import { findLeftovers, recoverLeftover } from '../../../src/subagent/leftovers.ts';
import { readRecovery } from '../../../src/subagent/recovery.ts';
import { git, lines, metadata, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { isolate } from './isolationSupport.ts';

const DEAD = 2 ** 22 + 1;

/** Inside `root`, with something staged, changed and untracked. */
function inside(root: string, name: string): string {
  const inner = join(root, name);
  mkdirSync(inner, { recursive: true });
  git(inner, 'init', '-q', '-b', 'main');
  put(inner, { 'x.txt': lines(9), 'y.txt': 'y\n' });
  git(inner, 'add', '-A');
  git(inner, 'commit', '-qm', 'inner');
  put(inner, { 'y.txt': 'staged\n' });
  git(inner, 'add', '-A');
  put(inner, { 'x.txt': lines(9, { 1: 'mine' }), 'own.txt': 'untracked\n' });
  return inner;
}

async function prepared() {
  const root = newRepo({ 'a.txt': 'one\n' });
  const inners = [inside(root, 'one'), inside(root, 'deep/두번째')];
  const repository = await open(root);
  const isolation = await isolate(repository);
  return { root, inners, repository, isolation, before: inners.map(metadata), files: snapshot(root) };
}

function work(path: string): void {
  put(path, { 'a.txt': 'task\n', 'one/x.txt': lines(9, { 1: 'mine', 9: 'task' }), 'one/new.txt': 'n\n' });
  put(path, { 'deep/두번째/x.txt': lines(9, { 1: 'mine', 5: 'task' }) });
  git(join(path, 'one'), 'add', '-A');
  git(join(path, 'one'), 'commit', '-qm', 'in the inner one');
}

describe('repositories inside the work tree', () => {
  it.each(['patch', 'branch'] as const)(
    'are in the task as they are, and get its files and nothing else (%s)',
    async (merge) => {
      const { root, inners, repository, isolation, before, files } = await prepared();
      expect(snapshot(isolation.path)).toEqual(files);
      for (const [at, prefix] of ['one', 'deep/두번째'].entries()) {
        expect(status(join(isolation.path, prefix))).toEqual(status(inners[at] ?? ''));
      }
      work(isolation.path);
      const delta = await isolationDelta(repository, isolation);
      expect(delta.files.map(({ path }) => path)).toEqual(
        ['a.txt', 'one/new.txt', 'one/x.txt', 'deep/두번째/x.txt'].sort(
          (x, y) => Number(y === 'a.txt') - Number(x === 'a.txt') || (x < y ? -1 : 1),
        ),
      );
      expect(holdsEverything(delta)).toBe(true);
      const { status: landed, landing = '' } = await landTask(repository, delta, { merge });
      expect(landed).toBe('applied');
      const after = {
        ...files,
        'a.txt': '644 task\n',
        'one/x.txt': `644 ${lines(9, { 1: 'mine', 9: 'task' })}`,
        'one/new.txt': '644 n\n',
        'deep/두번째/x.txt': `644 ${lines(9, { 1: 'mine', 5: 'task' })}`,
      };
      expect(snapshot(root)).toEqual(after);
      expect(inners.map(metadata)).toEqual(before);
      put(root, { 'one/x.txt': lines(9, { 1: 'mine', 5: 'since', 9: 'task' }) });
      const reverted = await revertLanding(repository, landing);
      expect(snapshot(root)).toEqual({ ...files, 'one/x.txt': `644 ${lines(9, { 1: 'mine', 5: 'since' })}` });
      await undoLanding(repository, reverted.landing ?? '');
      put(root, { 'one/x.txt': lines(9, { 1: 'mine', 9: 'task' }) });
      await undoLanding(repository, landing);
      expect(snapshot(root)).toEqual(files);
      await removeIsolation(repository, isolation);
      for (const repo of [root, ...inners]) {
        expect(git(repo, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
      }
    },
  );

  it('land all or none', async () => {
    const { root, inners, repository, isolation, before } = await prepared();
    work(isolation.path);
    const delta = await isolationDelta(repository, isolation);
    put(root, { 'deep/두번째/x.txt': lines(9, { 1: 'mine', 5: 'the person' }) });
    const files = snapshot(root);
    const answer = await landTask(repository, delta);
    expect(answer).toMatchObject({ status: 'conflict', reason: expect.stringContaining('x.txt') });
    expect(snapshot(root)).toEqual(files);
    expect(inners.map(metadata)).toEqual(before);
    await removeIsolation(repository, isolation);
    put(root, { 'deep/두번째/x.txt': lines(9, { 1: 'mine' }) });
    const again = await readRecovery(repository, delta.id);
    expect(again.files).toEqual(delta.files);
    expect((await landTask(repository, again)).status).toBe('applied');
    expect(text(root, 'deep/두번째/x.txt')).toBe(lines(9, { 1: 'mine', 5: 'task' }));
    await discardTask(repository, again);
    for (const repo of [root, ...inners]) expect(git(repo, 'for-each-ref', 'refs/lodeline')).toBe('');
  });

  it('are kept with the work of a process that died, and their work trees go', async () => {
    const { root, inners, repository, isolation, before, files } = await prepared();
    work(isolation.path);
    writeRecord({ ...isolation, owner: { ...isolation.owner, pid: DEAD } });
    for (const { record } of await findLeftovers(repository)) {
      if (record) expect(await recoverLeftover(repository, record)).toMatchObject({ removed: true });
    }
    expect(readdirSync(join(repository.stateDir, 'worktrees'))).toEqual([]);
    for (const repo of [root, ...inners]) {
      expect(git(repo, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    }
    expect((await readRecovery(repository, isolation.id)).files).toHaveLength(4);
    expect([snapshot(root), inners.map(metadata)]).toEqual([files, before]);
  });

  it('stay where the task removed one as a whole, which is told', async () => {
    const { root, repository, isolation } = await prepared();
    rmSync(join(isolation.path, 'one'), { recursive: true });
    put(isolation.path, { 'a.txt': 'task\n' });
    const delta = await isolationDelta(repository, isolation);
    expect(delta).toMatchObject({ files: [{ path: 'a.txt' }], skipped: ['one/'] });
    expect(holdsEverything(delta)).toBe(false);
    expect((await landTask(repository, delta)).status).toBe('applied');
    expect(existsSync(join(root, 'one/x.txt'))).toBe(true);
  });

  it('are left alone when they are work trees of this one, or have no commit', async () => {
    const root = newRepo();
    git(root, 'worktree', 'add', '-q', '--detach', join(root, 'linked'));
    mkdirSync(join(root, 'empty'));
    git(join(root, 'empty'), 'init', '-q');
    const repository = await open(root);
    const isolation = await isolate(repository);
    expect(isolation.nested).toEqual([]);
    expect([...isolation.baseline.skipped].sort()).toEqual(['empty/', 'linked/']);
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(3);
  });
});
