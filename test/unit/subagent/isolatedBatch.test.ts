/** What becomes of the work of isolated tasks when something comes between them and the person's files. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IsolatedWork } from '../../../src/subagent/isolatedWork.ts';
import { isolationSettings } from '../../../src/subagent/taskSettings.ts';
import { newRepo } from '../git/repo.ts';
import { openTestTools } from '../support/folder.ts';
import { hand, type Mind, named, openTasks, use } from './kit.ts';

const PERSON = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const FILES = { 'a.txt': 'a\n' };

/** Each task writes a file of its name and hands over. */
const writes: Mind = (task, step) =>
  step === 0 ? [use('write', { path: `${task}.txt`, content: task })] : [hand('ok')];

/** A model that waits at the end of the task `held` until it is cancelled or told to go on. */
function openHeld(held: string, settings: Record<string, unknown> = {}) {
  const tools = openTasks(writes, { files: FILES, git: true, settings });
  const gate = { isReached: false, open: () => {} };
  tools.model.before = ({ messages }, signal) => {
    if (messages.length < 2 || !JSON.stringify(messages[0]).includes(`"${held}"`)) return Promise.resolve();
    gate.isReached = true;
    return new Promise((resolve, reject) => {
      gate.open = resolve;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  const landings = async () => {
    const [batch] = await tools.subagents.list();
    return batch?.tasks.map(({ status, landing }) => [status, landing?.state]) ?? [];
  };
  return { ...tools, gate, landings };
}

describe('a task that is cancelled', () => {
  it('before it has a worktree keeps no other from landing', async () => {
    const { call, gate, landings, folder } = openHeld('A', { 'task.maxConcurrency': 1 });
    const running = call('task', { agent: 'task', tasks: named('A', 'B', 'C'), isolated: true });
    await expect.poll(() => gate.isReached, { timeout: 20_000 }).toBe(true);
    await call('job', { action: 'cancel', ids: 'B' });
    gate.open();
    expect((await running).text).toContain('2/3 succeeded (1 cancelled)');
    expect(await landings()).toEqual([
      ['completed', 'applied'],
      ['cancelled', undefined],
      ['completed', 'applied'],
    ]);
    expect(['A', 'B', 'C'].map((name) => existsSync(join(folder, `${name}.txt`)))).toEqual([
      true,
      false,
      true,
    ]);
  }, 60_000);

  it('when its work is done, but those before it are not, does not land; a person can apply it', async () => {
    const abort = new AbortController();
    const { call, gate, landings, folder, subagents } = openHeld('A');
    const input = { agent: 'task', tasks: named('A', 'B'), isolated: true };
    const running = call('task', input, { signal: abort.signal });
    const handedOver = () =>
      existsSync(join(folder, 'store', 'sessions')) && outputs(folder).includes('1-B.md');
    await expect.poll(() => gate.isReached && handedOver(), { timeout: 20_000 }).toBe(true);
    abort.abort();
    await running;
    expect(await landings()).toEqual([
      ['cancelled', 'recoverable'],
      ['completed', 'recoverable'],
    ]);
    const [batch] = await subagents.list();
    expect(batch?.tasks[1]?.landing?.reason).toBe('Cancelled before it landed.');
    expect(existsSync(join(folder, 'B.txt'))).toBe(false);
    const target = { batch: batch?.id, task: '1-B' };
    expect(await call('subagents_apply', target, PERSON)).toMatchObject({ isError: false });
    expect(readFileSync(join(folder, 'B.txt'), 'utf8')).toBe('B');
  }, 60_000);
});

it('work that could not be taken out of its worktree stays there, and is applied from there', async () => {
  const { call, folder, subagents } = openTasks(
    (task, step, request) => {
      if (step === 1) {
        // Where the patch would go is no folder any more.
        const artifacts = dirname(join(folder, 'store', 'sessions', artifactsIn(folder)));
        rmSync(join(artifacts, 'artifacts'), { recursive: true });
        writeFileSync(join(artifacts, 'artifacts'), '');
      }
      return writes(task, step, request);
    },
    { files: FILES, git: true },
  );
  const { text } = await call('task', { agent: 'task', tasks: named('A'), isolated: true });
  expect(text).toContain('Nothing of it is lost: it is still in its worktree');
  const [batch] = await subagents.list();
  expect(batch?.tasks[0]?.landing?.state).toBe('recoverable');
  const target = { batch: batch?.id, task: '0-A' };
  expect(await call('subagents_discard', target, PERSON)).toMatchObject({ isError: false });
  expect(existsSync(batch?.tasks[0]?.worktree ?? '')).toBe(false);
  expect(await call('subagents_apply', target, PERSON)).toMatchObject({ isError: false });
  expect(readFileSync(join(folder, 'A.txt'), 'utf8')).toBe('A');
}, 60_000);

it('actions of two processes at the same time are both written down', async () => {
  const { call, folder, subagents } = openTasks(writes, {
    files: FILES,
    git: true,
    settings: { 'task.isolation.landing': 'review' },
  });
  await call('task', { agent: 'task', tasks: named('A', 'B'), isolated: true });
  const other = openTestTools(folder);
  const [batch] = await subagents.list();
  const answers = await Promise.all([
    call('subagents_apply', { batch: batch?.id, task: '0-A' }, PERSON),
    other.call('subagents_apply', { batch: batch?.id, task: '1-B' }, PERSON),
  ]);
  expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
  const [after] = await other.subagents.list();
  expect(after?.tasks.map(({ landing }) => landing?.state)).toEqual(['applied', 'applied']);
  expect(['A', 'B'].map((name) => existsSync(join(folder, `${name}.txt`)))).toEqual([true, true]);
}, 60_000);

it('subagents of an isolated one start from its worktree and land there; they are not run again by themselves', async () => {
  const { call, folder, subagents } = openTasks(
    (task, step, { messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (task === 'Inner')
        return (
          [
            [use('read', { path: 'outer.txt' })],
            [use('write', { path: 'inner.txt', content: last.includes('of the outer') ? 'seen' : last })],
            [hand('inner')],
          ][step] ?? []
        );
      return (
        [
          [use('write', { path: 'outer.txt', content: 'of the outer' })],
          [use('task', { agent: 'quick_task', tasks: named('Inner'), isolated: true })],
          [use('read', { path: 'inner.txt' })],
          [hand({ read: last, inMain: existsSync(join(folder, 'inner.txt')) })],
        ][step] ?? []
      );
    },
    { files: FILES, git: true },
  );
  const { text } = await call('task', { agent: 'task', tasks: named('Outer'), isolated: true });
  expect(text).toContain('seen');
  expect(text).toContain('"inMain": false');
  expect(readFileSync(join(folder, 'inner.txt'), 'utf8')).toBe('seen');
  expect(readFileSync(join(folder, 'outer.txt'), 'utf8')).toBe('of the outer');
  const nested = (await subagents.list()).find(({ tasks }) => tasks[0]?.id === '0-Outer.0-Inner');
  const again = await call('subagents_retry', { batch: nested?.id, task: '0-Outer.0-Inner' }, PERSON);
  expect(again).toMatchObject({ isError: true, text: 'Another subagent started it: run that one again.' });
}, 60_000);

it('a workspace folder that git knows nothing of is there in the worktree, too', async () => {
  const root = newRepo();
  const folder = join(root, 'new', 'app');
  mkdirSync(folder, { recursive: true });
  const work = new IsolatedWork({
    root: folder,
    session: 's',
    artifacts: join(root, '.git', 'artifacts'),
    settings: isolationSettings({ get: () => undefined }),
  });
  const place = await work.begin('0-A', new AbortController().signal);
  expect(place.folder).toBe(join(place.worktree, 'new', 'app'));
  writeFileSync(join(place.folder, 'main.txt'), 'x');
  expect(await work.finish('0-A', true)).toMatchObject({
    landing: { state: 'applied' },
    worktree: undefined,
  });
  expect(existsSync(join(folder, 'main.txt'))).toBe(true);
}, 60_000);

it('a state that no task can start from is told before anything begins, in the background, too', async () => {
  for (const background of [false, true]) {
    const { call, folder, git, model, subagents } = openTasks(writes, {
      files: FILES,
      git: true,
      settings: { 'async.enabled': background },
    });
    git('checkout', '-q', '-b', 'other');
    writeFileSync(join(folder, 'a.txt'), 'other\n');
    git('commit', '-qam', 'other');
    git('checkout', '-q', 'main');
    writeFileSync(join(folder, 'a.txt'), 'main\n');
    git('commit', '-qam', 'main');
    expect(() => git('merge', 'other')).toThrow();
    const { text, isError } = await call('task', { agent: 'task', tasks: named('A', 'B'), isolated: true });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Isolated tasks cannot start\. .*merge/);
    expect([model.requests, await subagents.list()]).toEqual([[], []]);
  }
}, 60_000);

function outputs(folder: string): string[] {
  const names = readdirSync(join(folder, 'store', 'sessions'), { recursive: true, encoding: 'utf8' });
  return names.map((name) => name.split(/[\\/]/).at(-1) ?? '');
}

/** The path of the only folder of artifacts, below that of all sessions. */
function artifactsIn(folder: string): string {
  const names = readdirSync(join(folder, 'store', 'sessions'), { recursive: true, encoding: 'utf8' });
  return names.find((name) => name.endsWith('artifacts')) ?? '';
}
