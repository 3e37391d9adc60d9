/** Work trees as mounts over a shared one; where this machine has no fuse-overlayfs, that it says so. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { captureBaseline } from '../../../src/git/baseline.ts';
import { isMounted, overlayProblem, unmountOverlay } from '../../../src/git/overlay.ts';
import { openRepository } from '../../../src/git/repository.ts';
import { isolationDelta } from '../../../src/subagent/isolation.ts';
import { writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { removeIsolation } from '../../../src/subagent/isolationRemoval.ts';
import { landTasks } from '../../../src/subagent/landing.ts';
import { findLeftovers, recoverLeftover } from '../../../src/subagent/leftovers.ts';
import { listRecoveries } from '../../../src/subagent/recovery.ts';
import { TaskTrees } from '../../../src/subagent/taskTrees.ts';
import { dirtyRepo, git, lines, metadata, newRepo, open, put, snapshot, status, text } from '../git/repo.ts';
import { statuses } from './isolationSupport.ts';

const DEAD = 2 ** 22 + 1;
const signal = new AbortController().signal;

async function prepared(root = dirtyRepo()) {
  const repository = await open(root);
  const baseline = await captureBaseline(repository);
  const trees = new TaskTrees(repository, baseline, 's', 'fuse-overlay');
  return { root, repository, trees, folder: join(repository.stateDir, 'worktrees') };
}

describe.skipIf(overlayProblem() !== undefined)('work trees over a shared one', () => {
  it('start where the person was, work apart, land, and leave nothing', async () => {
    const { root, repository, trees, folder } = await prepared();
    const before = status(root);
    const { 'ignored.txt': _, ...files } = snapshot(root);
    const one = await trees.make('0-A', signal);
    // Edits of the person do not shine through.
    put(root, { 'a.txt': lines(10, { 2: 'staged', 5: 'since', 9: 'unstaged' }) });
    const two = await trees.make('1-B', signal);
    for (const { path } of [one, two]) {
      expect(snapshot(path)).toEqual(files);
      expect(status(path)).toEqual(before);
    }
    put(one.path, { 'a.txt': lines(10, { 1: 'task', 2: 'staged', 9: 'unstaged' }), 'one/new.txt': 'n\n' });
    git(one.path, 'add', '-A');
    git(one.path, 'commit', '-qm', 'own');
    rmSync(join(two.path, 'b.txt'));
    expect(text(two.path, 'one/new.txt')).toBeUndefined();
    const deltas = [await isolationDelta(repository, one), await isolationDelta(repository, two)];
    expect(deltas.map((delta) => delta.files.map(({ path }) => path))).toEqual([
      ['a.txt', 'one/new.txt'],
      ['b.txt'],
    ]);
    expect(statuses(await landTasks(repository, deltas))).toEqual(['applied', 'applied']);
    expect(text(root, 'a.txt')).toBe(lines(10, { 1: 'task', 2: 'staged', 5: 'since', 9: 'unstaged' }));
    expect(existsSync(join(root, 'b.txt'))).toBe(false);
    await removeIsolation(repository, one);
    await trees.close();
    // What lies over it needs it.
    expect(snapshot(two.path)).toHaveProperty(['a.txt']);
    await removeIsolation(repository, two);
    expect(readdirSync(folder)).toEqual([]);
    expect(git(root, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(trees.takeNotice()).toBeUndefined();
  });

  it('are mounted again where their work is looked at later, and kept when their process died', async () => {
    const { root, repository, trees, folder } = await prepared();
    const before = [metadata(root), snapshot(root)];
    const one = await trees.make('0-A', signal);
    put(one.path, { 'new.txt': 'n\n' });
    rmSync(join(one.path, 'b.txt'));
    await unmountOverlay(one.path);
    expect(isMounted(one.path)).toBe(false);
    for (const { path, record } of await findLeftovers(repository)) expect([path, record]).toBeUndefined();
    for (const name of readdirSync(join(folder, 's')).filter((file) => file.endsWith('.json'))) {
      const record = JSON.parse(text(join(folder, 's'), name) ?? '');
      writeRecord({ ...record, owner: { pid: DEAD, host: record.owner.host } });
    }
    const leftovers = await findLeftovers(repository);
    expect(leftovers.map(({ record }) => record?.task)).toEqual(['0-A', 'shared']);
    const [over, shared] = leftovers.map(({ record }) => record);
    if (over === undefined || shared === undefined) throw new Error('no record');
    // The shared one never goes first.
    expect((await recoverLeftover(repository, shared)).removed).toBe(false);
    const { delta, removed } = await recoverLeftover(repository, over);
    expect([delta?.files.map(({ path }) => path), removed]).toEqual([['b.txt', 'new.txt'], true]);
    for (const { record } of await findLeftovers(repository)) {
      if (record) await recoverLeftover(repository, record);
    }
    expect(readdirSync(folder)).toEqual([]);
    expect(await listRecoveries(repository)).toEqual([one.id]);
    expect([metadata(root), snapshot(root)]).toEqual(before);
  });

  it('are git worktrees where a mount fails, with a notice', async () => {
    const root = newRepo();
    const repository = await openRepository(root, join(dirname(root), 'st,ore'));
    const trees = new TaskTrees(repository, await captureBaseline(repository), 's', 'fuse-overlay');
    const { path } = await trees.make('0-A', signal);
    expect([isMounted(path), snapshot(path)]).toEqual([false, snapshot(root)]);
    expect(trees.takeNotice()).toMatch(/fuse-overlay is not available: .*comma/);
    await trees.close();
    expect(
      readdirSync(join(repository.stateDir, 'worktrees/s')).filter((name) => /^shared/.test(name)),
    ).toEqual([]);
  });
});

describe('work trees where overlays cannot be', () => {
  it.each([
    ['fuse-projfs', /fuse-projfs is not available/],
    ['fuse-overlay', /repositories inside this one \(inner\/\)/],
  ] as const)('are git worktrees, with a notice (%s)', async (mode, notice) => {
    const root = newRepo();
    put(root, { 'inner/x.txt': 'x\n' });
    git(join(root, 'inner'), 'init', '-q');
    git(join(root, 'inner'), 'add', '-A');
    git(join(root, 'inner'), 'commit', '-qm', 'inner');
    const repository = await open(root);
    const trees = new TaskTrees(repository, await captureBaseline(repository), 's', mode);
    const { path } = await trees.make('0-A', signal);
    expect(isMounted(path)).toBe(false);
    expect(snapshot(path)).toEqual(snapshot(root));
    expect(trees.takeNotice()).toMatch(notice);
    expect(trees.takeNotice()).toBeUndefined();
    await trees.close();
  });

  it('are told by what is missing', () => {
    expect(overlayProblem({ PATH: '' })).toMatch(process.platform === 'linux' ? /not installed/ : /Linux/);
  });
});
