import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRepository } from '../../../src/git/repository.ts';
import { writeRecord } from '../../../src/subagent/isolationRecord.ts';
import { keepTask, landTask } from '../../../src/subagent/landing.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { put } from '../git/repo.ts';
import { bytesUnder } from '../support/files.ts';
import { isolate, tasks } from './isolationSupport.ts';
import { hand, named, openTasks, use } from './kit.ts';

const PERSON: Partial<ToolCall> = {
  actor: 'person',
  door: 'palette',
  level: 'PUBLIC',
  approve: async () => 'approved',
} as const;

it('is part of "export everything" and of "delete everything", with work that did not land', async () => {
  const { call, folder, git } = openTasks(
    (_task, step) =>
      step === 0
        ? [use('write', { path: 'new.txt', content: 'unmistakable work' })]
        : [hand('unmistakable output')],
    { files: { 'a.txt': 'a\n' }, git: true, settings: { 'task.isolation.landing': 'review' } },
  );
  await call('task', {
    agent: 'task',
    context: 'unmistakable context',
    tasks: named('Edit'),
    isolated: true,
  });
  expect((await call('memory_export', {}, PERSON)).text).toContain('unmistakable output');
  expect(await call('memory_erase', {}, PERSON)).toMatchObject({ isError: false });
  expect(git('for-each-ref', 'refs/lodeline')).toBe('');
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  for (const name of ['batches', 'sessions'])
    expect(
      existsSync(join(folder, 'store', name))
        ? readdirSync(join(folder, 'store', name), { recursive: true })
        : [],
    ).toEqual([]);
  // Git's own objects stay until git collects them.
  expect(readdirSync(join(folder, '.git', 'lodeline'))).not.toContain('patches');
  expect(bytesUnder(join(folder, '.git', 'lodeline'))).not.toContain('unmistakable');
});

it('waits until nothing runs', async () => {
  const { call, model } = openTasks(() => [hand('x')]);
  let open = () => {};
  model.before = () => new Promise((resolve) => (open = resolve));
  const running = call('task', { agent: 'task', tasks: named('Slow') });
  await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1);
  expect(await call('memory_erase', {}, PERSON)).toMatchObject({
    isError: true,
    text: expect.stringContaining('still run'),
  });
  open();
  expect((await running).text).toContain('1/1 succeeded');
});

it('takes what no batch knows of any more, and only that of the dead', async () => {
  const { call, folder, git } = openTasks(() => [hand('x')], { files: { 'a.txt': 'a\n' }, git: true });
  const repository = await openRepository(folder);
  const [kept, branch] = await tasks(repository, { 'a.txt': 'kept\n' }, { 'a.txt': 'branch\n' });
  if (kept === undefined || branch === undefined) throw new Error('no delta');
  await keepTask(repository, kept, 'Later.');
  put(folder, { 'a.txt': 'mine\n' });
  await landTask(repository, branch, { merge: 'branch' });
  const dead = await isolate(repository, '0-Dead');
  writeRecord({ ...dead, owner: { ...dead.owner, pid: 2 ** 22 + 1 } });
  const alive = await isolate(repository, '0-Alive');
  expect(git('for-each-ref', '--format=%(refname)').trim().split('\n')).toHaveLength(4);
  expect(await call('memory_erase', {}, PERSON)).toMatchObject({ isError: false });
  expect(git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main\n');
  expect([existsSync(dead.path), existsSync(alive.path)]).toEqual([false, true]);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('mine\n');
}, 60_000);

it('needs no git where no task was ever isolated', async () => {
  const { call, folder } = openTasks(() => [hand('x')]);
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  expect(await call('memory_erase', {}, PERSON)).toMatchObject({ isError: false });
});
