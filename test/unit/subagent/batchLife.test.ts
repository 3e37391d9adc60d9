/** How batches live and end: order, cancelling, nesting, closing, and what goes wrong around them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/session/chatModel.ts';
import type { Question } from '../../../src/subagent/workspace/tool.ts';
import { hand, type Mind, named, openTasks, say, use } from './kit.ts';

const PERSON = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;

/** A model that waits in the tasks with these assignments until it is told to go on, or is cancelled. */
function openHeld(held: readonly string[], mind: Mind, options: Parameters<typeof openTasks>[1] = {}) {
  const tools = openTasks(mind, options);
  const gates = new Map<string, () => void>();
  tools.model.before = ({ messages }, signal) => {
    const text = JSON.stringify(messages[0]);
    const name = held.find((one) => text.includes(`"${one}"`));
    if (name === undefined) return Promise.resolve();
    return new Promise((resolve, reject) => {
      gates.set(name, resolve);
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
  const statuses = async () =>
    Object.fromEntries(
      (await tools.subagents.list()).flatMap(({ tasks }) => tasks.map(({ id, status }) => [id, status])),
    );
  return { ...tools, gates, statuses };
}

/** A file below a folder, whose name ends so. */
function fileUnder(folder: string, end: string): string {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(end));
  return join(folder, found ?? `no ${end}`);
}

describe('a batch', () => {
  it('tells of each task when it ends, whatever those before it still do', async () => {
    const { call, gates, statuses, folder } = openHeld(['Slow'], () => [hand('done')]);
    const running = call('task', { agent: 'task', tasks: named('Slow', 'Quick') });
    await expect.poll(statuses, { timeout: 20_000 }).toEqual({ '0-Slow': 'running', '1-Quick': 'completed' });
    expect((await call('job', { action: 'wait', ids: '1-Quick' })).text).toContain('All jobs have ended.');
    expect((await call('job', { action: 'cancel', ids: '1-Quick' })).text).toBe('They have ended already.');
    const saved = readFileSync(fileUnder(join(folder, 'store', 'batches'), '.json'), 'utf8');
    expect(JSON.parse(saved).tasks[1]).toMatchObject({ status: 'completed', preview: '"done"' });
    gates.get('Slow')?.();
    expect((await running).text).toMatch(/2\/2 succeeded/);
  });

  it('stops with the call that waits for it, down to subagents of subagents', async () => {
    const abort = new AbortController();
    const { call, gates, statuses } = openHeld(['Inner'], (task) =>
      task === 'Outer' ? [use('task', { agent: 'quick_task', tasks: named('Inner') })] : [hand('never')],
    );
    const running = call('task', { agent: 'task', tasks: named('Outer') }, { signal: abort.signal });
    await expect.poll(() => gates.size, { timeout: 20_000 }).toBe(1);
    abort.abort();
    await running;
    await expect
      .poll(statuses, { timeout: 20_000 })
      .toEqual({ '0-Outer': 'cancelled', '0-Outer.0-Inner': 'cancelled' });
  });

  it('keeps what a task had said that fails, is cancelled or reaches a limit', async () => {
    const { call, gates, model } = openHeld(
      ['Held'],
      (task, step) =>
        step === 0 || task === 'Long' ? [say(`${task} so far`), use('list', {})] : [hand('never')],
      { settings: { 'agents.maxSteps': 2 } },
    );
    const held = model.before;
    model.before = async (request, signal) => {
      const isFirst = request.messages.length < 2;
      if (!isFirst && JSON.stringify(request.messages[0]).includes('"Broken"')) throw new Error('is down');
      if (!isFirst) await held(request, signal);
    };
    const running = call('task', { agent: 'task', tasks: named('Held', 'Broken', 'Long') });
    await expect.poll(() => gates.size, { timeout: 20_000 }).toBe(1);
    await call('job', { action: 'cancel', ids: 'Held' });
    expect((await running).text).toContain('0/3 succeeded (1 cancelled)');
    for (const name of ['Held', 'Broken', 'Long'])
      expect((await call('job', { action: 'read', address: `agent://${name}` })).text).toBe(`${name} so far`);
  });

  it('counts as interrupted when its process is told to end, and starts nothing after that', async () => {
    const { call, gates, statuses, subagents, model } = openHeld(['A'], () => [hand('x')], {
      settings: { 'async.enabled': true, 'task.maxConcurrency': 1 },
    });
    await call('task', { agent: 'task', tasks: named('A', 'B') });
    await expect.poll(() => gates.size, { timeout: 20_000 }).toBe(1);
    await subagents.close();
    expect(await statuses()).toEqual({ '0-A': 'interrupted', '1-B': 'interrupted' });
    await call('task', { agent: 'task', tasks: named('C') });
    await expect.poll(statuses, { timeout: 20_000 }).toMatchObject({ '2-C': 'interrupted' });
    expect(model.requests).toHaveLength(1);
  });

  it('is refused where its texts would lie in plain files below their level', async () => {
    const { call, model, subagents } = openTasks(() => [hand(1)]);
    const { text, isError } = await call(
      'task',
      { agent: 'task', tasks: named('A') },
      { level: 'CONFIDENTIAL', session: 'secret' },
    );
    expect(isError).toBe(true);
    expect(text).toMatch(/This chat is at CONFIDENTIAL.*PUBLIC at most.*Nothing was started/);
    expect(model.requests).toEqual([]);
    expect(await subagents.list()).toEqual([]);
  });

  it('starts nothing in a folder that is not trusted', async () => {
    const { call, model, trust } = openTasks(() => [hand(1)]);
    trust.trusted = false;
    expect((await call('task', { agent: 'task', tasks: named('A') })).isError).toBe(true);
    expect((await call('job', { action: 'list' })).text).toBe(
      'No jobs in this chat. Start some with task or sessions_spawn.',
    );
    expect(model.requests).toEqual([]);
  });

  it('that a person runs again says why it cannot be started', async () => {
    const settings: Record<string, unknown> = {};
    const { call, subagents } = openTasks(() => [use('yield', { result: { error: 'no' } })], { settings });
    await call('task', { agent: 'task', tasks: named('A') });
    settings['task.disabledAgents'] = ['task'];
    const [batch] = await subagents.list();
    const { text, isError } = await call('subagents_retry', { batch: batch?.id }, PERSON);
    expect(isError).toBe(true);
    expect(text).toContain('disabled');
    expect(await subagents.list()).toHaveLength(1);
  });

  it('tells of what its tasks say without holding them up, and of the last of it', async () => {
    const words = Array.from({ length: 5_000 }, (_, at) => say(`line ${at}\n`));
    const { call, subagents } = openTasks((_task, step) => (step === 0 ? words : [hand('ok')]));
    let told = 0;
    subagents.onChange(() => told++);
    await call('task', { agent: 'task', tasks: named('Talks') });
    expect(told).toBeLessThan(500);
    const [batch] = await subagents.list();
    expect(batch?.tasks[0]?.progress.lines[0]).toBe('line 4999');
  });

  it('keeps what is long in outputs, not in its record', async () => {
    const long = 'x😀'.repeat(40_000);
    const { call, folder } = openTasks((task) =>
      task === 'Fail' ? [use('yield', { result: { error: long } })] : [hand(long)],
    );
    await call('task', { agent: 'task', tasks: named('Done', 'Fail') });
    const saved = readFileSync(fileUnder(join(folder, 'store', 'batches'), '.json'), 'utf8');
    expect(saved.length).toBeLessThan(20_000);
    expect(saved).not.toMatch(/\\ud[89a-f]/i);
    const read = async (from?: number) =>
      (await call('job', { action: 'read', address: 'agent://Done', from })).text.split('\n\n(Characters ');
    const [head = '', more = ''] = await read();
    const next = Number(/^0 to (\d+) of 120002\. Go on with "from": \1\.\)$/.exec(more)?.[1]);
    const [tail = '', end = ''] = await read(next);
    expect(end).toBe(`${next} to 120002 of 120002.)`);
    expect(head + tail).toBe(JSON.stringify(long));
    expect([head, tail].map((text) => text.isWellFormed())).toEqual([true, true]);
  });
});

describe('what a subagent gets', () => {
  it('is an extract of a conversation that is ours, also in local://, and no artifact', async () => {
    const { call, model, sessions } = openTasks(
      (_task, step, { messages }) =>
        step === 0 ? [use('read', { path: 'local://context.md' })] : [hand(JSON.stringify(messages.at(-1)))],
      { files: { 'a.txt': 'a' } },
    );
    const owner = { key: 's-1', kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;
    const message = { role: 'user', content: [{ type: 'text', text: 'The plan is blue.' }] } as const;
    const turn = await sessions.turnBegin(owner, [{ type: 'message', message }]);
    const loop = { callId: 'c', depth: 0 };
    const { text } = await call('task', { agent: 'task', tasks: named('Look') }, { loop });
    expect(model.requests[0]?.system).toContain('The plan is blue.');
    expect(text).toContain('The plan is blue.');
    await sessions.turnEnd(turn.id, [], { reason: 'completed' });
    const { text: missing } = await call('job', { action: 'read', address: 'agent://context' }, { loop });
    expect(missing).toBe('Not found: context\nAvailable: 0-Look');
  });

  it('is the model of its agent where there is one, else that of who started it', async () => {
    const settings = { 'agents.models': { smol: 'gone' } };
    const { call, models, log, model } = openTasks(() => [hand('ok')], { settings });
    Object.defineProperty(models, 'model', {
      get: () => {
        throw new ModelError('There is no model "gone".');
      },
    });
    const { text } = await call('task', { agent: 'explore', tasks: named('A') }, { model });
    expect(text).toContain('1/1 succeeded');
    expect(log.join()).toContain('goes on without its model gone');
  });

  it('is job only for those that it started itself', async () => {
    const seen: string[] = [];
    const { call } = openTasks((task, step, { messages }) => {
      if (task === 'Inner') return [hand('inner')];
      seen.push(JSON.stringify(messages.at(-1)));
      if (step === 0) return [use('task', { agent: 'quick_task', tasks: named('Inner') })];
      if (step === 1) return [use('job', { action: 'wait' })];
      return step === 2 ? [use('job', { action: 'cancel', ids: '0-Outer' })] : [hand('outer')];
    });
    await call('task', { agent: 'task', tasks: named('Outer') });
    expect(seen[2]).toContain('All jobs have ended.');
    expect(seen[2]).toContain('0-Outer.0-Inner (quick_task): completed');
    expect(seen[3]).toContain('There is no job 0-Outer in this chat. Jobs: 0-Outer.0-Inner.');
  });

  it('asks the person in its own name, also when several ask at once', async () => {
    const questions: Question[] = [];
    const { call } = openTasks((_task, step) => [
      step === 0 ? use('run', { command: 'echo hello' }) : hand('ok'),
    ]);
    const approve = async (question: Question) => {
      questions.push(question);
      await expect.poll(() => questions.length, { timeout: 20_000 }).toBe(2);
      return 'declined' as const;
    };
    await call('task', { agent: 'task', tasks: named('A', 'B') }, { approve });
    expect(questions.map(({ detail }) => detail.split('\n').at(-1)).sort()).toEqual([
      '0-A (task)',
      '1-B (task)',
    ]);
  });
});

describe('a disk that does not take anything', () => {
  it('keeps no task from its end, and the parent is told what was not saved', async () => {
    const { call, folder, subagents } = openTasks((_task, step) => {
      if (step > 0) return [hand('the result')];
      // From here on outputs and records have no place any more.
      for (const name of ['artifacts', 'batches']) {
        const place = dirname(fileUnder(join(folder, 'store'), name === 'batches' ? '.json' : '.0'));
        rmSync(place, { recursive: true });
        writeFileSync(place, '');
      }
      return [say('working'), use('list', {})];
    });
    const { text, isError } = await call('task', { agent: 'task', tasks: named('A') });
    expect(isError).toBe(false);
    expect(text).toContain('1/1 succeeded');
    expect(text).toContain('the result');
    expect(text).toMatch(/<warning>The output could not be saved.*agent:\/\/0-A/);
    expect(await subagents.list().catch(() => [])).toEqual([]);
  });

  it.each([false, true])(
    'nor an output from being read, whole, in part and by the person (in the background: %s)',
    async (background) => {
      const long = { items: ['first', 'x'.repeat(20_000)] };
      const places: string[] = [];
      const settings = { 'async.enabled': background };
      const { call, folder, subagents } = openTasks(
        (_task, step) => {
          if (step > 0) return [hand(long)];
          // A folder in a file's place takes no file.
          const record = fileUnder(join(folder, 'store', 'batches'), '.json');
          const number = fileUnder(join(folder, 'store', 'sessions'), '.0');
          places.push(record, join(dirname(number), '0-A.md'));
          for (const place of places) {
            rmSync(place, { force: true });
            mkdirSync(join(place, 'taken'), { recursive: true });
          }
          return [use('list', {})];
        },
        { settings },
      );
      const { text } = await call('task', { agent: 'task', tasks: named('A') });
      if (!background) expect(text).toMatch(/<warning>The output could not be saved.*agent:\/\/0-A/);
      const waited = await call('job', { action: 'wait' });
      expect(waited.text).toMatch(/0-A \(task\): completed\n {2}Warning: The output could not be saved/);
      expect(waited.text).toContain('Output: agent://0-A');
      expect(JSON.stringify(waited.data).length).toBeLessThan(10_000);
      const read = async (address: string) => (await call('job', { action: 'read', address })).text;
      const whole = async () => JSON.parse(await read('agent://0-A'));
      expect(await whole()).toEqual(long);
      expect(await read('agent://A/items/0')).toContain('"first"');
      const [batch] = await subagents.list();
      expect(await subagents.actions.output(batch?.id ?? '', '0-A')).toBe(await read('agent://0-A'));
      // Once there is a place for it, it is on disk for other processes and later.
      for (const place of places) rmSync(place, { recursive: true });
      expect(await whole()).toEqual(long);
      const saved = JSON.parse(readFileSync(places[0] ?? '', 'utf8'));
      expect(saved.tasks[0]).toMatchObject({ status: 'completed' });
      expect(JSON.parse(saved.tasks[0].output)).toEqual(long);
    },
  );

  it('nor does a folder in the place of context.md', async () => {
    const { call, sessions, folder } = openTasks(() => [hand('ok')]);
    const owner = { key: 's-1', kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;
    const id = await sessions.sessionStart(owner);
    const message = { role: 'user', content: [{ type: 'text', text: 'hello' }] } as const;
    await sessions.turnBegin(owner, [{ type: 'message', message }]);
    mkdirSync(join(folder, 'store', 'sessions', id, 'local', 'files', 'context.md'), { recursive: true });
    const loop = { callId: 'c', depth: 0 };
    expect((await call('task', { agent: 'task', tasks: named('A') }, { loop })).text).toContain(
      '1/1 succeeded',
    );
  });
});
