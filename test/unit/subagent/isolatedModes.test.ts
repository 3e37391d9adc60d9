/** Whole batches with the settings of isolation: how work trees are made, and how their work comes back. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { overlayProblem } from '../../../src/git/overlay.ts';
import { hand, named, openTasks, use } from './kit.ts';

const PERSON = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const edit = (task: string, step: number) => {
  if (step === 0) return [use('read', { path: 'a.txt' })];
  const content = task === 'Clash' ? 'UNO\n' : 'ONE\n';
  return step === 1 ? [use('write', { path: 'a.txt', content })] : [hand('ok')];
};

it('lands as commits where the settings say so, and names the branch of what did not land', async () => {
  const { call, git, subagents } = openTasks(edit, {
    files: { 'a.txt': 'one\n' },
    git: true,
    settings: { 'task.isolation.merge': 'branch' },
  });
  git('config', 'user.name', 'Bea');
  git('config', 'user.email', 'bea@example.org');
  const tasks = named('Edit', 'Clash').map((task) => ({ ...task, description: `Say ${task.id}` }));
  const { text } = await call('task', { agent: 'task', tasks, isolated: true });
  expect(git('log', '--format=%s')).toBe('Say Edit\nStart\n');
  expect(git('status', '--porcelain')).toBe('');
  const [batch] = await subagents.list();
  expect(batch?.tasks.map(({ landing }) => [landing?.state, landing?.merge])).toEqual([
    ['applied', 'branch'],
    ['recoverable', 'branch'],
  ]);
  const branch = batch?.tasks[1]?.landing?.recovery ?? '';
  expect(branch).toMatch(/^refs\/heads\/lodeline\/task\/1-Clash-/);
  expect(text).toContain(branch);
  expect(git('show', `${branch}:a.txt`)).toBe('UNO\n');
  const input = { batch: batch?.id, task: '0-Edit' };
  expect(await call('subagents_revert', input, PERSON)).toMatchObject({ isError: false });
  expect(git('log', '--format=%s')).toBe('Start\n');
  expect(await call('subagents_apply', { ...input, task: '1-Clash' }, PERSON)).toMatchObject({
    isError: false,
  });
  expect(git('log', '--format=%s')).toBe('Say Clash\nStart\n');
  expect(git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main\n');
}, 120_000);

it('takes work back by a merge where the person went on since', async () => {
  const { call, folder, subagents, git } = openTasks(edit, {
    files: { 'a.txt': 'one\n', 'b.txt': 'b\n' },
    git: true,
  });
  await call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
  const [batch] = await subagents.list();
  writeFileSync(join(folder, 'a.txt'), `ONE\n${'more\n'.repeat(9)}`);
  const input = { batch: batch?.id, task: '0-Edit' };
  const answer = await call('subagents_revert', input, PERSON);
  // What follows the line is too near for git to tell apart; nothing is lost either way.
  expect(answer.isError).toBe(true);
  writeFileSync(join(folder, 'a.txt'), 'ONE\n');
  writeFileSync(join(folder, 'b.txt'), 'since\n');
  expect(await call('subagents_revert', input, PERSON)).toMatchObject({ isError: false });
  expect(git('status', '--porcelain')).toBe(' M b.txt\n');
}, 120_000);

it.skipIf(overlayProblem() !== undefined)(
  'works over a shared work tree, and leaves none',
  async () => {
    const { call, folder, git } = openTasks(edit, {
      files: { 'a.txt': 'one\n' },
      git: true,
      settings: { 'task.isolation.mode': 'fuse-overlay' },
    });
    const { text } = await call('task', { agent: 'task', tasks: named('Edit', 'Same'), isolated: true });
    expect(text).toContain('2/2 succeeded');
    expect(git('status', '--porcelain')).toBe(' M a.txt\n');
    expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(readdirSync(join(folder, '.git/lodeline/worktrees'))).toEqual([]);
  },
  120_000,
);

it.each([false, true])(
  'says where a mode is not available, and works all the same (in the background: %s)',
  async (background) => {
    const { call, subagents } = openTasks(edit, {
      files: { 'a.txt': 'one\n' },
      git: true,
      settings: { 'task.isolation.mode': 'fuse-projfs', 'async.enabled': background },
    });
    const { text } = await call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
    if (!background) {
      expect(text).toContain('1/1 succeeded');
      expect(text).toMatch(/<warning>fuse-projfs is not available here/);
    }
    const waited = await call('job', { action: 'wait' });
    expect(waited.text).toMatch(
      /0-Edit \(task\): completed; applied.*\n {2}Warning: fuse-projfs is not available/,
    );
    const [batch] = await subagents.list();
    expect(batch?.tasks[0]?.warning).toMatch(/^fuse-projfs is not available here; git worktrees are used/);
  },
  120_000,
);

it('refuses more untracked content than the settings allow, before anything runs', async () => {
  const { call, folder, model } = openTasks(edit, {
    files: { 'a.txt': 'one\n' },
    git: true,
    settings: { 'task.isolation.maxUntrackedMb': 0 },
  });
  writeFileSync(join(folder, 'big.bin'), 'x');
  const { text } = await call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
  expect(text).toContain('task.isolation.maxUntrackedMb');
  expect(model.requests).toEqual([]);
}, 120_000);
