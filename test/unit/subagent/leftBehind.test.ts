/** Work that no batch knows of any more: found, looked at, applied, thrown away, and taken back. */
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRepository } from '../../../src/git/repository.ts';
import { writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { keepTask, landTask } from '../../../src/subagent/landing.ts';
import { LeftBehindActions, type LeftName } from '../../../src/subagent/leftBehindActions.ts';
import { forgetRecovery } from '../../../src/subagent/recovery.ts';
import { git, newRepo, put, text } from '../git/repo.ts';
import { isolate, tasks } from './isolationSupport.ts';
import { hand, named, openTasks, use } from './kit.ts';

const DEAD = 2 ** 22 + 1;
const { signal } = new AbortController();

async function prepared(merge: 'patch' | 'branch' = 'patch') {
  const root = newRepo({ 'a.txt': 'one\n' });
  const repository = await openRepository(root);
  const left = new LeftBehindActions({
    ...{ root, merge: () => merge, trusted: () => true, list: async () => [], changed: () => {} },
  });
  const names = async () => (await left.list()).map(({ kind, task, closed }) => [kind, task, closed]);
  const one = async (kind: LeftName['kind']): Promise<LeftName> => {
    const found = (await left.list()).find((each) => each.kind === kind);
    if (found === undefined) throw new Error(`no ${kind}`);
    return found;
  };
  const dead = async (task: string) => {
    const made = await isolate(repository, task);
    put(made.path, { 'new.txt': `${task}\n` });
    writeRecord({ ...made, owner: { ...made.owner, pid: DEAD } });
    return made;
  };
  return { root, repository, left, names, one, dead };
}

it('is none where nothing was left, nor outside a repository', async () => {
  const { left } = await prepared();
  expect(await left.list()).toEqual([]);
});

it('is kept work, a branch or a worktree, with its task and its time', async () => {
  const { root, repository, left, names, dead } = await prepared();
  const [kept, branch] = await tasks(repository, { 'a.txt': 'kept\n' }, { 'a.txt': 'branch\n' });
  if (kept === undefined || branch === undefined) throw new Error('no delta');
  await keepTask(repository, kept, 'Later.');
  put(root, { 'a.txt': 'mine\n' });
  const { branch: ref } = await landTask(repository, branch, { merge: 'branch' });
  const made = await dead('0-Left');
  // The branch and what keeps the same work beside it are one thing to a person.
  expect(await names()).toEqual([
    ['kept', 't0', undefined],
    ['branch', 't1', undefined],
    ['worktree', '0-Left', undefined],
  ]);
  const all = await left.list();
  expect(all.map(({ place }) => place)).toEqual([`refs/lodeline/recovery/${kept.id}`, ref, made.path]);
  expect(all.every(({ time }) => Math.abs((time ?? 0) - Date.now()) < 600_000)).toBe(true);
  for (const [at, path] of [...['a.txt', 'a.txt', 'new.txt'].entries()]) {
    const name = all[at] as LeftName;
    expect((await left.work(name)).files.map((file) => file.path)).toEqual([path]);
  }
  const file = async (at: number, side: 'before' | 'after') =>
    String(await left.fileAt(all[at] as LeftName, at === 2 ? 'new.txt' : 'a.txt', side));
  expect([await file(1, 'before'), await file(1, 'after')]).toEqual(['one\n', 'branch\n']);
  expect([await file(2, 'before'), await file(2, 'after')]).toEqual(['', '0-Left\n']);
}, 120_000);

it.each(['kept', 'branch', 'worktree'] as const)(
  'is applied and thrown away, and both are taken back (%s)',
  async (kind) => {
    const { root, repository, left, one, dead } = await prepared();
    const path = kind === 'worktree' ? 'new.txt' : 'a.txt';
    const mine = kind === 'worktree' ? undefined : 'one\n';
    if (kind === 'worktree') await dead('0-Left');
    const [delta] = kind === 'worktree' ? [] : await tasks(repository, { 'a.txt': 'task\n' });
    if (delta && kind === 'kept') await keepTask(repository, delta, 'Later.');
    if (delta && kind === 'branch') {
      put(root, { 'a.txt': 'in the way\n' });
      await landTask(repository, delta, { merge: 'branch' });
      await expect(left.apply(await one('branch'), signal)).rejects.toThrow(/differ in the same places/);
      put(root, { 'a.txt': 'one\n' });
    }
    const { undo } = await left.apply(await one(kind), signal);
    expect(text(root, path)).not.toBe(mine);
    expect(await left.list()).toEqual([]);
    expect(git(root, 'for-each-ref', '--format=%(refname)').trim()).not.toContain('lodeline/task/t0');
    await left.restore(undo, signal);
    expect(text(root, path)).toBe(mine);
    const again = await left.list();
    expect(again).toHaveLength(1);
    const thrown = await left.discard(again[0] as LeftName);
    expect(await left.list()).toEqual([]);
    await left.restore(thrown.undo, signal);
    expect(await left.list()).toHaveLength(1);
    await expect(left.restore(thrown.undo, signal)).rejects.toThrow(/not there any more/);
  },
  180_000,
);

it.each(['kept', 'branch', 'worktree'] as const)(
  'that conflicts stays one thing, and nothing is left of the attempt (%s)',
  async (kind) => {
    const { root, repository, one, left, dead } = await prepared('branch');
    const [delta] = kind === 'worktree' ? [] : await tasks(repository, { 'new.txt': 'task\n' });
    if (kind === 'worktree') await dead('0-Left');
    if (delta && kind === 'kept') await keepTask(repository, delta, 'Later.');
    put(root, { 'new.txt': 'mine\n' });
    if (delta && kind === 'branch') {
      await landTask(repository, delta, { merge: 'branch' });
      git(root, 'branch', '-m', `lodeline/task/${delta.id}`, 'lodeline/task/a/b');
      await forgetRecovery(repository, delta.id);
    }
    const refs = git(root, 'for-each-ref');
    await expect(left.apply(await one(kind), signal)).rejects.toThrow(/new\.txt/);
    expect([git(root, 'for-each-ref'), await left.list()]).toMatchObject([refs, [{ kind }]]);
    rmSync(join(root, 'new.txt'));
    const head = git(root, 'rev-parse', 'HEAD');
    const { undo } = await left.apply(await one(kind), signal);
    expect([text(root, 'new.txt'), await left.list()]).toEqual([expect.any(String), []]);
    await left.restore(undo, signal);
    expect([text(root, 'new.txt'), git(root, 'rev-parse', 'HEAD')]).toEqual([undefined, head]);
    expect(await left.list()).toHaveLength(1);
  },
  180_000,
);

it('is never read nor removed through a link, nor where nothing is written down of it', async () => {
  const { left, names, one, dead } = await prepared();
  const made = await dead('0-Left');
  const outside = newRepo({ 'keep.txt': 'k\n' });
  renameSync(made.path, `${made.path}.moved`);
  symlinkSync(outside, made.path);
  expect(await names()).toEqual([['worktree', '0-Left', 'link']]);
  for (const act of [(name: LeftName) => left.discard(name), (name: LeftName) => left.work(name)])
    await expect(act(await one('worktree'))).rejects.toThrow(/remove it by hand/);
  expect(text(outside, 'keep.txt')).toBe('k\n');
  await expect(left.discard({ kind: 'kept', id: '../../x' })).rejects.toThrow(/not there any more/);
}, 120_000);

it('is not what a batch still shows, and comes up when the batch is gone', async () => {
  const tools = openTasks(
    (_task, step) => (step === 0 ? [use('write', { path: 'n.txt', content: 'n\n' })] : [hand('ok')]),
    {
      files: { 'a.txt': 'a\n' },
      git: true,
      settings: { 'task.isolation.landing': 'review' },
    },
  );
  const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
  await tools.call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
  const [batch] = await tools.subagents.list();
  await tools.call('subagents_discard', { batch: batch?.id, task: '0-Edit' }, person);
  expect((await tools.call('subagents_left', {}, person)).data).toEqual([]);
  rmSync(join(tools.folder, 'store', 'batches', `${batch?.id}.json`));
  const { data } = await tools.call('subagents_left', {}, person);
  expect(data).toMatchObject([{ kind: 'kept', task: '0-Edit', canRead: true, session: null }]);
  const [{ kind, id }] = data as [LeftName];
  expect((await tools.call('subagents_left_files', { kind, id }, person)).data).toMatchObject({
    files: [{ path: 'n.txt', status: 'added', added: 1, removed: 0 }],
  });
  const applied = await tools.call('subagents_left_apply', { kind, id }, person);
  expect(applied).toMatchObject({ isError: false, data: { restore: expect.any(String) } });
  expect(existsSync(`${tools.folder}/n.txt`)).toBe(true);
  const { restore } = applied.data as { restore: string };
  expect(await tools.call('subagents_left_restore', { undo: restore }, person)).toMatchObject({
    isError: false,
  });
  expect(existsSync(`${tools.folder}/n.txt`)).toBe(false);
}, 120_000);
