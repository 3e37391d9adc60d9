import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/session/messages.ts';
import { hand, named, openTasks, say, use } from './kit.ts';

describe('a batch of subagents', () => {
  it('hands each assignment to a loop of its own, and answers with a summary in the order of the tasks', async () => {
    const { call, model } = openTasks((task) => [hand({ did: task })]);
    const { text, isError } = await call('task', {
      agent: 'task',
      context: 'Shared background',
      tasks: [
        { id: 'One', description: 'for the person', assignment: 'first' },
        { id: 'Two', description: 'for the person', assignment: 'second' },
      ],
    });
    expect(isError).toBe(false);
    expect(text).toMatch(/<header>2\/2 succeeded/);
    expect(text.indexOf('0-One')).toBeLessThan(text.indexOf('1-Two'));
    expect(text).toContain('"did": "second"');
    for (const { system, messages } of model.requests) {
      expect(system).toContain('Shared background');
      expect(JSON.stringify(messages) + system).not.toContain('for the person');
    }
  });

  it('says everything that is wrong at once, and starts nothing', async () => {
    const { call, model, subagents } = openTasks(() => [hand(1)]);
    const { text, isError } = await call('task', {
      agent: 'nobody',
      tasks: [
        { id: 'a', description: '', assignment: 'x' },
        { id: 'A', description: '', assignment: 'x' },
        { description: '' },
      ],
      isolated: true,
      schema: '{"type": "nonsense"}',
    });
    expect(isError).toBe(true);
    expect(text).toContain('Unknown agent "nobody". Available: ');
    expect(text).toContain('Duplicate task ids detected (case-insensitive): a (indexes 0, 1)');
    expect(text).toContain('Missing task ids at indexes: 2');
    expect(text).toContain('Invalid output schema');
    expect(model.requests).toEqual([]);
    expect(await subagents.list()).toEqual([]);
  });

  it('checks the same when tasks run in the background', async () => {
    const { call, model } = openTasks(() => [hand(1)], { settings: { 'async.enabled': true } });
    const { text, isError } = await call('task', { agent: 'nobody', tasks: named('Foo', 'foo') });
    expect(isError).toBe(true);
    expect(text).toContain('Unknown agent "nobody"');
    expect(text).toContain('Duplicate task ids');
    expect(model.requests).toEqual([]);
  });

  it('gives a subagent files, memory and yield, but no plan, no checkpoint and, at the greatest depth, no task', async () => {
    const { call, model } = openTasks(() => [hand(1)], {
      settings: { 'checkpoint.enabled': true, 'task.maxRecursionDepth': 1 },
    });
    await call('task', { agent: 'task', tasks: named('A') });
    const tools = model.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(tools).toEqual(
      expect.arrayContaining(['yield', 'read', 'write', 'run', 'memory_recall', 'memory_remember']),
    );
    for (const name of ['todo_write', 'checkpoint', 'rewind', 'task', 'memory_forget', 'report_finding'])
      expect(tools).not.toContain(name);
    await call('task', { agent: 'explore', tasks: named('B') });
    const reading = model.requests[1]?.tools.map(({ name }) => name) ?? [];
    for (const name of ['write', 'edit', 'run', 'memory_remember']) expect(reading).not.toContain(name);
    expect(reading).toEqual(expect.arrayContaining(['read', 'search', 'memory_recall']));
  });

  it('lets subagents start their own while the settings allow it, within one bound on how many run', async () => {
    const { call, subagents, sessions } = openTasks(
      (task, step) => {
        if (task !== 'outer') return [hand('inner done')];
        return step === 0
          ? [
              use('task', {
                agent: 'quick_task',
                tasks: [{ id: 'In', description: '', assignment: 'inner' }],
              }),
            ]
          : [hand('outer done')];
      },
      { settings: { 'task.maxConcurrency': 1 } },
    );
    const { text } = await call('task', {
      agent: 'task',
      tasks: [{ id: 'Out', description: '', assignment: 'outer' }],
    });
    expect(text).toContain('outer done');
    expect(await sessions.sessionsBrowse({ level: 'RESTRICTED' })).toHaveLength(1);
    const ids = (await subagents.list()).flatMap(({ tasks }) => tasks.map(({ id }) => id)).sort();
    expect(ids).toEqual(['0-Out', '0-Out.0-In']);
  });

  it('reminds one that stops without yielding three times, the last time forcing it', async () => {
    const { call, model } = openTasks((_task, step) => (step < 3 ? [say('thinking aloud')] : [hand('late')]));
    const { text } = await call('task', { agent: 'task', tasks: named('Slow') });
    expect(text).toContain('late');
    expect(model.requests).toHaveLength(4);
    expect(model.requests.map(({ mustCall }) => mustCall)).toEqual([
      undefined,
      undefined,
      undefined,
      'yield',
    ]);
  });

  it('keeps whole outputs, which job reads by their address', async () => {
    const { call, folder } = openTasks(() => [hand({ items: [{ name: 'x' }], long: 'y'.repeat(6_000) })]);
    const { text } = await call('task', { agent: 'task', tasks: named('Big') });
    expect(text).toContain('full-path="agent://0-Big"');
    expect((await call('job', { action: 'read', address: 'agent://Big?q=.items[0].name' })).text).toContain(
      '"x"',
    );
    const whole = await call('job', { action: 'read', address: 'agent://0-Big' });
    expect(whole.text.length).toBeGreaterThan(6_000);
    expect((await call('job', { action: 'read', address: 'agent://None' })).text).toMatch(
      /Not found: None\nAvailable: 0-Big/,
    );
    const transcripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /agent-0-Big\.jsonl$/.test(name),
    );
    expect(transcripts).toHaveLength(1);
  });

  it('tells of a model that fails, of limits and of a cancelled task, each with what it had come to', async () => {
    const abort = new AbortController();
    const { call, model } = openTasks(
      (task) => {
        if (task === 'Endless') return [use('list', {})];
        return [hand('fine')];
      },
      { settings: { 'agents.maxSteps': 3 } },
    );
    model.before = async ({ messages }, signal) => {
      const text = JSON.stringify(messages[0]);
      if (text.includes('Broken')) throw new Error('model is down');
      if (text.includes('Stuck')) {
        abort.abort();
        await new Promise((_, reject) => {
          if (signal.aborted) reject(signal.reason);
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      }
    };
    const first = await call('task', { agent: 'task', tasks: named('Broken', 'Endless', 'Fine') });
    expect(first.text).toMatch(/1\/3 succeeded/);
    expect(first.text).toContain('model is down');
    expect(first.text).toContain('Stopped after 3 steps');
    const second = await call('task', { agent: 'task', tasks: named('Stuck') }, { signal: abort.signal });
    expect(second.text).toMatch(/0\/1 succeeded \(1 cancelled\)/);
  });

  it('stops one that uses more tokens than it may', async () => {
    const { call } = openTasks(() => [use('list', {})], { settings: { 'task.maxTokens': 40 } });
    const { text } = await call('task', { agent: 'task', tasks: named('Hungry') });
    expect(text).toContain('Stopped after 45 tokens (task.maxTokens).');
  });

  it('shares local:// between the subagents of a session', async () => {
    const { call, folder } = openTasks((task, step, { messages }) => {
      if (task === 'Write')
        return step === 0
          ? [use('write', { path: 'local://note.md', content: 'shared word' })]
          : [hand('ok')];
      return step === 0
        ? [use('read', { path: 'local://note.md' })]
        : [hand(JSON.stringify(messages.at(-1)))];
    });
    await call('task', { agent: 'task', tasks: named('Write') });
    const { text } = await call('task', { agent: 'task', tasks: named('Read') });
    expect(text).toContain('shared word');
    expect(existsSync(join(folder, 'note.md'))).toBe(false);
  });

  it('runs in the background when asked to, and job waits, lists and cancels', async () => {
    const gates = new Map<string, () => void>();
    const { call, model } = openTasks(() => [hand('done')], { settings: { 'async.enabled': true } });
    model.before = ({ messages: [first] }, signal) =>
      new Promise((resolve, reject) => {
        gates.set(first === undefined ? '' : textOf(first), resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const { text } = await call('task', { agent: 'task', tasks: named('A', 'B') });
    expect(text).toContain('Started 2 background task job(s) using task: 0-A, 1-B.');
    expect((await call('job', { action: 'wait', timeout: 0 })).text).toContain('2 of 2 still run');
    await expect.poll(() => gates.size).toBe(2);
    expect((await call('job', { action: 'cancel', ids: ['1-B'] })).text).toContain('Stopping 1-B');
    gates.get('A')?.();
    const { text: waited } = await call('job', { action: 'wait', timeout: 30 });
    expect(waited).toContain('All jobs have ended.');
    expect(waited).toMatch(/0-A \(task\): completed/);
    expect(waited).toMatch(/1-B \(task\): cancelled/);
    expect((await call('job', { action: 'wait', ids: ['9-X'] })).text).toContain(
      'There is no job 9-X in this chat',
    );
  });

  it.each([false, true])(
    'says of an output that does not fit its schema that it does not (in the background: %s)',
    async (background) => {
      const schema = JSON.stringify({ properties: { ok: { type: 'boolean' } } });
      const { call, subagents } = openTasks(() => [hand({ ok: 'perhaps' })], {
        settings: { 'async.enabled': background },
      });
      const { text } = await call('task', { agent: 'task', tasks: named('A'), schema });
      if (!background) expect(text).toMatch(/<warning>The output does not match the schema: /);
      const { text: waited } = await call('job', { action: 'wait' });
      expect(waited).toMatch(/0-A \(task\): completed\n {2}Warning: The output does not match the schema: /);
      const [batch] = await subagents.list();
      const view = await call('subagents_show', {}, { actor: 'person', door: 'panel', level: 'RESTRICTED' });
      expect(JSON.stringify(view.data)).toContain('"text":"The output does not match the schema: {0}"');
      expect(batch?.tasks[0]?.output).toBeUndefined();
    },
  );

  it('tells one who starts it in the background to read what it hands over, and how', async () => {
    const { call } = openTasks(() => [hand('the result')], { settings: { 'async.enabled': true } });
    const { text } = await call('task', { agent: 'task', tasks: named('A') });
    expect(text).toMatch(
      /"wait" to wait until they are complete, then read their outputs with action "read"/,
    );
    const { text: waited } = await call('job', { action: 'wait' });
    const address = /agent:\/\/\S+/.exec(waited)?.[0] ?? '';
    expect((await call('job', { action: 'read', address })).text).toBe('"the result"');
  });

  it('waits for an agent that blocks, also where tasks run in the background', async () => {
    const { call } = openTasks(
      () => [hand({ overall_correctness: 'correct', explanation: 'x', confidence: 1 })],
      {
        settings: { 'async.enabled': true },
      },
    );
    expect((await call('task', { agent: 'reviewer', tasks: named('R') })).text).toContain('1/1 succeeded');
  });

  it('collects what a reviewer reports', async () => {
    const finding = {
      ...{ title: 'Off by one', body: 'Last row is lost.', priority: 'P1', confidence: 0.9 },
      ...{ file_path: 'a.ts', line_start: 3, line_end: 4 },
    };
    const { call, subagents } = openTasks((_task, step) =>
      step === 0
        ? [use('report_finding', finding)]
        : [hand({ overall_correctness: 'incorrect', explanation: 'one bug', confidence: 0.8 })],
    );
    const { text } = await call('task', { agent: 'reviewer', tasks: named('R') });
    expect(text).toContain('Off by one');
    expect((await subagents.list())[0]?.tasks[0]?.findings).toMatchObject([{ file: 'a.ts', lineStart: 3 }]);
  });
});

describe('isolated subagents', () => {
  const FILES = { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n' };
  /** Each task looks at its file, writes it and hands over. */
  const edits =
    (changes: Record<string, [path: string, content: string]>) => (task: string, step: number) => {
      const [path, content] = changes[task] ?? ['', ''];
      if (step === 0) return [use('read', { path })];
      return step === 1 ? [use('write', { path, content })] : [hand(`wrote ${path}`)];
    };

  it('work apart and land in order; a conflict blocks only itself and can be recovered', async () => {
    const { call, folder, git, subagents } = openTasks(
      edits({
        First: ['a.txt', 'ONE\ntwo\nthree\n'],
        Second: ['a.txt', 'uno\ntwo\nthree\n'],
        Third: ['c.txt', 'new\n'],
      }),
      { files: FILES, git: true },
    );
    writeFileSync(join(folder, 'b.txt'), 'the person is at work\n');
    const { text } = await call('task', {
      agent: 'task',
      tasks: named('First', 'Second', 'Third'),
      isolated: true,
    });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('ONE\ntwo\nthree\n');
    expect(readFileSync(join(folder, 'c.txt'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('the person is at work\n');
    const [batch] = await subagents.list();
    expect(batch?.tasks.map(({ landing }) => landing?.state)).toEqual(['applied', 'recoverable', 'applied']);
    expect(batch?.tasks[0]?.files).toEqual([
      { path: 'a.txt', status: 'modified', added: 1, removed: 1, binary: false },
    ]);
    const recovery = batch?.tasks[1]?.landing?.recovery ?? '';
    expect(text).toContain(recovery);
    expect(git('show', `${recovery}:a.txt`)).toBe('uno\ntwo\nthree\n');
    expect(git('status', '--porcelain')).toBe(' M a.txt\n M b.txt\n?? c.txt\n');
  });

  it('are refused up front without a repository or a commit', async () => {
    const none = openTasks(() => [hand(1)], { files: FILES });
    expect((await none.call('task', { agent: 'task', tasks: named('A'), isolated: true })).text).toMatch(
      /^Isolated task execution requires a git repository\. /,
    );
    expect(none.model.requests).toEqual([]);
  });

  it('wait for review when the setting says so; then they are applied, taken back and discarded', async () => {
    const { call, folder, subagents } = openTasks(edits({ Edit: ['a.txt', 'ONE\ntwo\nthree\n'] }), {
      files: FILES,
      git: true,
      settings: { 'task.isolation.landing': 'review' },
    });
    const read = () => readFileSync(join(folder, 'a.txt'), 'utf8');
    await call('task', { agent: 'task', tasks: named('Edit'), isolated: true });
    expect(read()).toBe('one\ntwo\nthree\n');
    const record = async () => {
      const [batch] = await subagents.list();
      return {
        batch: batch?.id ?? '',
        task: batch?.tasks[0]?.id ?? '',
        landing: batch?.tasks[0]?.landing,
        worktree: batch?.tasks[0]?.worktree,
      };
    };
    const { batch, task, landing, worktree } = await record();
    expect(landing?.state).toBe('waiting');
    expect(existsSync(join(worktree ?? '', 'a.txt'))).toBe(true);
    const person = (name: string, input: object) =>
      call(name, { batch, task, ...input }, { actor: 'person', door: 'panel', level: 'RESTRICTED' });
    const diff = await person('subagents_diff', { path: 'a.txt' });
    expect(diff.data).toMatchObject({
      path: 'a.txt',
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [
            { kind: 'removed', text: 'one' },
            { kind: 'added', text: 'ONE' },
            { kind: 'context', text: 'two' },
            { kind: 'context', text: 'three' },
          ],
        },
      ],
    });
    expect(await person('subagents_apply', {})).toMatchObject({ isError: false });
    expect(read()).toBe('ONE\ntwo\nthree\n');
    expect((await record()).worktree).toBeUndefined();
    expect(existsSync(worktree ?? '')).toBe(false);
    expect(await person('subagents_discard', {})).toMatchObject({ isError: true });
    expect(await person('subagents_revert', {})).toMatchObject({ isError: false });
    expect(read()).toBe('one\ntwo\nthree\n');
    expect((await record()).landing?.state).toBe('reverted');
    expect(await person('subagents_revert', {})).toMatchObject({ isError: true });
    expect(await person('subagents_apply', {})).toMatchObject({ isError: false });
    expect(read()).toBe('ONE\ntwo\nthree\n');
  });

  it('that fail or are cancelled keep their work without landing it, and the others land', async () => {
    const { call, folder, subagents } = openTasks(
      (task, step) => {
        if (step === 0) return [use('write', { path: `${task}.txt`, content: task })];
        return task === 'Bad' ? [use('yield', { result: { error: 'cannot be done' } })] : [hand('ok')];
      },
      { files: FILES, git: true },
    );
    const { text } = await call('task', { agent: 'task', tasks: named('Bad', 'Good'), isolated: true });
    expect(existsSync(join(folder, 'Bad.txt'))).toBe(false);
    expect(existsSync(join(folder, 'Good.txt'))).toBe(true);
    const [batch] = await subagents.list();
    expect(batch?.tasks.map(({ status, landing }) => [status, landing?.state])).toEqual([
      ['cancelled', 'recoverable'],
      ['completed', 'applied'],
    ]);
    expect(text).toContain('cannot be done');
  });

  it('are run again by the person, as a new batch', async () => {
    let broken = true;
    const { call, subagents } = openTasks(
      () => (broken ? [use('yield', { result: { error: 'not now' } })] : [hand('now')]),
      {
        files: FILES,
        git: true,
      },
    );
    await call('task', { agent: 'task', tasks: named('A', 'B'), isolated: true });
    broken = false;
    const [first] = await subagents.list();
    const { text, isError } = await call(
      'subagents_retry',
      { batch: first?.id, task: '1-B' },
      { actor: 'person', door: 'panel', level: 'RESTRICTED' },
    );
    expect([text, isError]).toEqual(['Started again.', false]);
    await expect
      .poll(async () => (await subagents.list())[0]?.tasks.map(({ id, status }) => [id, status]), {
        timeout: 20_000,
      })
      .toEqual([['2-B', 'completed']]);
  });
});
