import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';
import { hand, named, openTasks, use } from './kit.ts';

/** No process has it: it is above every system's highest. */
const DEAD = 2 ** 30;
const PERSON = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;

/** Makes every record say that another process wrote it, which is gone. */
function disown(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name);
    if (!/(batches|worktrees)[\\/].*\.json$/.test(file) || file.includes('node_modules')) continue;
    const record = JSON.parse(readFileSync(file, 'utf8')) as { owner?: { pid: number } };
    if (record.owner === undefined) continue;
    writeFileSync(file, JSON.stringify({ ...record, owner: { ...record.owner, pid: DEAD } }));
  }
}

it('keeps the work of a task whose process died, and lets the person land it', async () => {
  const { call, model, subagents, folder, git } = openTasks(
    (_task, step) =>
      step === 0 ? [use('write', { path: 'new.txt', content: 'half done\n' })] : [hand('never')],
    { files: { 'a.txt': 'a\n' }, git: true },
  );
  const abort = new AbortController();
  model.before = async ({ messages }, signal) => {
    if (messages.length < 2) return;
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const running = call(
    'task',
    { agent: 'task', tasks: named('Lost'), isolated: true },
    { signal: abort.signal },
  );
  const worktree = async () => (await subagents.list())[0]?.tasks[0]?.worktree ?? '';
  await expect
    .poll(async () => existsSync(join(await worktree(), 'new.txt')), { timeout: 20_000 })
    .toBe(true);
  // The record of its call is the last thing that is written before it waits.
  const written = () =>
    readdirSync(join(folder, 'store', 'batches')).map((name) =>
      readFileSync(join(folder, 'store', 'batches', name), 'utf8'),
    );
  await expect.poll(() => written().join(), { timeout: 20_000 }).toContain('"recent":[{"tool":"write"');
  const left = await worktree();
  disown(folder);

  const { call: later, subagents: next } = openTestTools(folder);
  const [batch] = await next.list();
  expect(batch?.tasks[0]).toMatchObject({
    status: 'interrupted',
    files: [{ path: 'new.txt', status: 'added', added: 1 }],
    landing: { state: 'recoverable', recovery: expect.stringContaining('refs/lodeline/recovery/') },
  });
  expect(existsSync(left)).toBe(false);
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  const input = { batch: batch?.id, task: '0-Lost' };
  expect((await later('subagents_diff', { ...input, path: 'new.txt' }, PERSON)).data).toMatchObject({
    hunks: [{ lines: [{ kind: 'added', text: 'half done' }] }],
  });
  expect(await later('subagents_apply', input, PERSON)).toMatchObject({ isError: false });
  expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('half done\n');
  abort.abort();
  await running;
}, 60_000);

it('brings what the person did in a worktree that waits for review', async () => {
  const { call, subagents, folder } = openTasks(
    (_task, step) => (step === 0 ? [use('write', { path: 'new.txt', content: 'agent\n' })] : [hand('ok')]),
    { files: { 'a.txt': 'a\n' }, git: true, settings: { 'task.isolation.landing': 'review' } },
  );
  await call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
  const [batch] = await subagents.list();
  writeFileSync(join(batch?.tasks[0]?.worktree ?? '', 'new.txt'), 'agent and person\n');
  const input = { batch: batch?.id, task: '0-Edit' };
  expect(await call('subagents_discard', input, PERSON)).toMatchObject({ isError: false });
  expect(existsSync(batch?.tasks[0]?.worktree ?? '')).toBe(false);
  expect(await call('subagents_apply', input, PERSON)).toMatchObject({ isError: false });
  expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('agent and person\n');
}, 60_000);
