/** Subagents of one session that stand at different levels, in a folder whose plain files may hold all of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textOf } from '../../../src/session/messages.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { workerTools } from '../../../src/tools/subagent/workerTools.ts';
import { draft, say } from '../session/kit.ts';
import { hand, type Mind, named, openTasks, use } from './kit.ts';

const SETTINGS = {
  ...{ 'classification.files': { 'secrets/**': 'CONFIDENTIAL' }, 'async.enabled': true },
  'task.maxRecursionDepth': 3,
};
const PLAN = 'zanzibar-plan';
const READS = use('read', { path: 'secrets/plan.md' });

function open(mind: Mind, defaultLevel: 'PUBLIC' | 'RESTRICTED' = 'RESTRICTED') {
  const tasks = openTasks(mind, { settings: SETTINGS, defaultLevel });
  mkdirSync(join(tasks.folder, 'secrets'));
  writeFileSync(join(tasks.folder, 'secrets', 'plan.md'), PLAN);
  /** Of the subagent with this id. */
  const levelOf = (id: string) =>
    tasks.taint.levelOf({ key: `${idOf('s-1')}:subagent:${id}`, start: 'PUBLIC' });
  /** Lets a task take its steps from one on only when it is time. */
  const holds: { task: string; step: number; until: Promise<unknown> }[] = [];
  tasks.model.before = async ({ messages }) => {
    const first = messages.find(({ role }) => role === 'user');
    const step = messages.filter(({ role }) => role === 'assistant').length;
    for (const hold of holds)
      if (first !== undefined && textOf(first).includes(hold.task) && step >= hold.step) await hold.until;
  };
  /** What a task was shown by its tools. */
  const shown = (task: string) =>
    JSON.stringify(
      tasks.model.requests.filter(({ messages }) =>
        messages.some((message) => message.role === 'user' && textOf(message).includes(task)),
      ),
    );
  const run = async (...tasksOf: string[]) => {
    const { text, isError } = await tasks.call('task', { agent: 'task', tasks: named(...tasksOf) });
    if (isError) throw new Error(text);
  };
  const ended = (id: string) =>
    expect
      .poll(async () => (await tasks.subagents.list()).flatMap((batch) => batch.tasks), { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ id, status: 'completed' }));
  return { ...tasks, levelOf, holds, shown, run, ended };
}

function gate() {
  let open = (): void => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, until };
}

it('notes that one left raise the one that looks at them', async () => {
  const tasks = open((task, step) => {
    if (task.includes('High'))
      return [[READS], [use('write', { path: 'local://plan.md', content: PLAN })], [hand(1)]][step] ?? [];
    return [[use('list', { path: 'local://' })], [hand(1)]][step] ?? [];
  });
  const [written, looked] = [gate(), gate()];
  tasks.holds.push({ task: 'Low', step: 0, until: written.until });
  tasks.holds.push({
    ...{ task: 'High', step: 2 },
    get until() {
      written.open();
      return looked.until;
    },
  });
  await tasks.run('High', 'Low');
  await tasks.ended('1-Low');
  expect(tasks.shown('Low')).toContain('plan.md');
  expect(tasks.levelOf('1-Low')).toBe('CONFIDENTIAL');
  looked.open();
  await tasks.ended('0-High');
});

it('notes that nobody left from above raise nobody', async () => {
  const tasks = open((_task, step) =>
    step === 0 ? [use('write', { path: 'local://a.md', content: 'a' })] : [hand(1)],
  );
  await tasks.run('One', 'Two');
  await tasks.ended('0-One');
  await tasks.ended('1-Two');
  expect([tasks.levelOf('0-One'), tasks.levelOf('1-Two')]).toEqual(['PUBLIC', 'PUBLIC']);
});

it('what was said in its session after that rose raises the one that looks at it', async () => {
  const tasks = open((task, step) =>
    task.includes('Low') && step === 0 ? [use('read', { path: 'local://context.md' })] : [hand(1)],
  );
  const low = gate();
  tasks.holds.push({ task: 'Low', step: 0, until: low.until });
  await tasks.run('Low');
  await tasks.taint.raise({ key: 's-1', start: 'PUBLIC' }, 'CONFIDENTIAL', { reason: 'r', source: 'panel' });
  const owner = { key: 's-1', kind: 'participant', source: 'x', level: 'CONFIDENTIAL' } as const;
  await tasks.turns.turnBegin(owner, [draft(say('user', PLAN))]);
  await tasks.run('Later');
  await tasks.ended('1-Later');
  low.open();
  await tasks.ended('0-Low');
  expect(tasks.shown('Low')).toContain(PLAN);
  expect(tasks.levelOf('0-Low')).toBe('CONFIDENTIAL');
});

it('what one handed over is not there for the other, as if it had never been', async () => {
  const answers: string[] = [];
  for (const reads of [true, false]) {
    const tasks = open((task, step) => {
      if (task.includes('High')) return step === 0 && reads ? [READS] : [hand(PLAN)];
      return step === 0 ? [use('job', { action: 'read', address: 'agent://High' })] : [hand(1)];
    });
    const low = gate();
    tasks.holds.push({ task: 'Low', step: 0, until: low.until });
    await tasks.run('Low', ...(reads ? ['High'] : []));
    if (reads) await tasks.ended('1-High');
    low.open();
    await tasks.ended('0-Low');
    const last = tasks.model.requests.findLast(({ messages }) =>
      textOf(messages[0] as never).includes('Low'),
    );
    answers.push(JSON.stringify(last?.messages.at(-1)));
    // Its caller knows all of it by now.
    if (reads)
      expect((await tasks.call('job', { action: 'read', address: 'agent://High' })).text).toContain(PLAN);
  }
  expect(answers[0]).toMatch(/Not found/);
  expect(answers[0]).toBe(answers[1]);
});

it('what one started is nothing of its caller’s yet', async () => {
  const tasks = open((task, step) => {
    if (task.includes('Inner')) return [hand(1)];
    if (step === 0) return [READS];
    const inner = { id: 'Inner', description: PLAN, assignment: `Inner ${PLAN}` };
    return step === 1 ? [use('task', { agent: 'task', tasks: [inner] })] : [hand(1)];
  });
  const [begun, looked] = [gate(), gate()];
  tasks.holds.push({
    ...{ task: 'Inner', step: 0 },
    get until() {
      begun.open();
      return looked.until;
    },
  });
  await tasks.run('High');
  await begun.until;
  const { text, data } = await tasks.call('job', { action: 'list' });
  expect(text).toContain('0-High');
  expect(text + JSON.stringify(data)).not.toMatch(/Inner|zanzibar|CONFIDENTIAL/);
  looked.open();
  await tasks.ended('0-High');
  expect((await tasks.call('job', { action: 'list' })).text).toContain('Inner');
});

it('a batch of which one rose above what plain files may hold is hidden from below, too', async () => {
  const tasks = open((_task, step) => (step === 0 ? [READS] : [hand(PLAN)]), 'PUBLIC');
  await tasks.run('High');
  await tasks.ended('0-High');
  const at = async (level: 'PUBLIC' | 'CONFIDENTIAL') =>
    (await tasks.call('subagents_show', {}, { actor: 'person', door: 'panel', level })).data;
  expect(await at('PUBLIC')).toEqual({ batches: [] });
  expect(await at('CONFIDENTIAL')).toMatchObject({ batches: [{ tasks: [{ id: '0-High' }] }] });
});

it('files that one touches above its caller are not told as that one’s', async () => {
  const { folder, registry, subagents } = open(() => []);
  const localDir = join(folder, 'store', 'local');
  mkdirSync(localDir, { recursive: true });
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(folder, name), name);
  const told: string[] = [];
  const settings = { get: () => undefined };
  const agent = (await subagents.agents()).agents.find(({ name }) => name === 'task');
  if (agent === undefined) throw new Error('there is no such agent');
  const tools = workerTools(
    {
      ...{ id: '0-A', key: `${idOf('s-1')}:subagent:0-A`, depth: 1, nested: undefined },
      agent,
      caller: {
        ...{ key: 's-1', kind: 'mcp', source: 'x', level: 'PUBLIC' },
        approve: async () => 'unavailable',
      },
      ...{ root: folder, localDir },
    },
    {
      ...{ root: folder, storeDir: join(folder, 'store'), registry, settings, door: 'mcp' },
      ...{ defaultLevel: 'RESTRICTED', searchThread: new URL('file:///none') },
      touched: (_worker, path) => told.push(path),
    },
  );
  for (const path of ['a.txt', 'secrets/plan.md', 'b.txt']) {
    const { isError } = await tools.call(
      { id: path, name: 'read', input: { path } },
      AbortSignal.timeout(9_000),
    );
    expect(isError).not.toBe(true);
  }
  expect(told).toEqual([join(folder, 'a.txt')]);
});
