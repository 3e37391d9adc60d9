import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CheckpointView, TodoView } from '../../../src/planProtocol.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;
const plan = { ops: [{ op: 'init', list: [{ phase: 'Build', items: ['parse', 'render', 'ship'] }] }] };

describe('the plan of a session', () => {
  it('is written by the agent and read back whole, one task active', async () => {
    const { call } = openTestTools();
    const { text } = await call('todo_write', plan);
    expect(text).toBe(
      'Remaining items (3):\n  - parse [in_progress] (Build)\n  - render [pending] (Build)\n  - ship [pending] (Build)\nPhase 1/1 "Build" — 0/3 tasks complete\n  Build:\n    → parse\n    ○ render\n    ○ ship',
    );
    expect((await call('todo_write', { ops: [{ op: 'done', task: 'parse' }] })).text).toContain('→ render');
  });

  it('belongs to its session alone', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan);
    const other = await call('todo_write', { ops: [{ op: 'start', task: 'parse' }] }, { session: 'another' });
    expect(other.text).toContain('todo list is empty');
  });

  it('survives the process', async () => {
    const folder = temporaryFolder();
    const first = openTestTools(folder);
    await first.call('todo_write', plan);
    first.sessions.close();
    const second = openTestTools(folder);
    expect((await second.call('todo_write', { ops: [{ op: 'start', task: 'ship' }] })).text).toContain(
      '→ ship',
    );
  });

  it('changes nothing for an empty batch and says so', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan);
    const { text } = await call('todo_write', { ops: [] });
    expect(text).toMatch(/^Errors: Missing ops/);
    expect(text).toContain('→ parse');
  });

  it('is shown to the person, whose edit the agent is told of as a notice and not as their words', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan);
    const shown = (await call('todo_show', {}, person)).data as TodoView;
    expect(shown.sessions).toMatchObject([{ source: 'copilot', live: true }]);
    expect(shown.phases[0]?.tasks.map(({ content }) => content)).toEqual(['parse', 'render', 'ship']);
    const steps = [
      { op: 'done', task: 'parse' },
      { op: 'move', task: 'ship', phase: 'Build', index: 0 },
    ];
    const edited = await call('todo_edit', { session: shown.session?.id, steps }, person);
    expect(edited).toMatchObject({ isError: false, data: { errors: [] } });
    const { text } = await call('todo_write', { ops: [{ op: 'note', task: 'render', text: 'use lit' }] });
    expect(text).toMatch(
      /^<system-reminder>\nNotice from Lodeline, not a message: the todo list was edited by hand/,
    );
    expect(text).toContain('Remaining items (2):');
    expect((await call('todo_write', { ops: [{ op: 'done', task: 'ship' }] })).text).not.toContain(
      'system-reminder',
    );
  });

  it('takes a person’s edit from another process, durably, and each once', async () => {
    const folder = temporaryFolder();
    const agent = openTestTools(folder);
    await agent.call('todo_write', plan);
    const panel = openTestTools(folder);
    const shown = (await panel.call('todo_show', {}, person)).data as TodoView;
    const session = shown.session?.id;
    await panel.call(
      'todo_edit',
      { session, steps: [{ op: 'append', phase: 'Build', items: ['test'] }] },
      person,
    );
    await panel.call('todo_edit', { session, steps: [{ op: 'done', task: 'parse' }] }, person);
    const seen = (await panel.call('todo_show', {}, person)).data as TodoView;
    expect(seen.phases[0]?.tasks.map(({ content }) => content)).toEqual(['parse', 'render', 'ship', 'test']);
    const { text } = await agent.call('todo_write', { ops: [{ op: 'start', task: 'test' }] });
    expect(text).toContain('→ test');
    expect(text).toContain('✓ parse');
  });

  it('clears finished tasks after the delay, unless they are opened again', async () => {
    const { call, clock } = openTestTools();
    await call('todo_write', plan);
    await call('todo_write', { ops: [{ op: 'done', task: 'parse' }] });
    clock.time += 61_000;
    const { phases } = (await call('todo_show', {}, person)).data as TodoView;
    expect(phases[0]?.tasks.map(({ content }) => content)).toEqual(['render', 'ship']);
    expect((await call('todo_write', { ops: [{ op: 'start', task: 'parse' }] })).text).toContain(
      '"parse" not found',
    );
  });

  it('tells of a person’s edit also when the session was left to others in between', async () => {
    const { call, clock, sessions } = openTestTools();
    await call('todo_write', plan);
    const { session } = (await call('todo_show', {}, person)).data as TodoView;
    await call('todo_edit', { session: session?.id, steps: [{ op: 'rm', task: 'ship' }] }, person);
    clock.time += 150_000;
    sessions.poll();
    const { text } = await call('todo_write', { ops: [{ op: 'done', task: 'parse' }] });
    expect(text).toMatch(/^<system-reminder>\nNotice from Lodeline[\s\S]*Taken out on purpose[\s\S]*ship/);
  });

  it('does not take what time has cleared for a person’s doing', async () => {
    const { call, clock } = openTestTools();
    await call('todo_write', plan);
    await call('todo_write', { ops: [{ op: 'done', task: 'parse' }] });
    clock.time += 61_000;
    expect((await call('todo_write', { ops: [{ op: 'done', task: 'render' }] })).text).not.toContain(
      'on purpose',
    );
  });

  it('says what is too much for one call, and changes nothing', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan);
    const many = Array.from({ length: 1_001 }, () => ({ op: 'done', task: 'parse' }));
    expect((await call('todo_write', { ops: many })).text).toMatch(
      /^Errors: Too many ops: 1001, at most 1000/,
    );
    const long = { op: 'append', phase: 'Build', items: ['x'.repeat(10_001)] };
    expect((await call('todo_write', { ops: [long] })).text).toMatch(
      /^Errors: Task content is longer than 10000/,
    );
  });

  it('refuses an edit that does not fit any more, whole', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan);
    const { session } = (await call('todo_show', {}, person)).data as TodoView;
    const steps = [
      { op: 'done', task: 'parse' },
      { op: 'done', task: 'gone' },
    ];
    const { data } = await call('todo_edit', { session: session?.id, steps }, person);
    expect(data).toMatchObject({ errors: ['Task "gone" not found'] });
    const { phases } = (await call('todo_show', {}, person)).data as TodoView;
    expect(phases[0]?.tasks[0]).toMatchObject({ content: 'parse', status: 'in_progress' });
  });
});

describe('a checkpoint in a chat that is only observed', () => {
  const on = { 'checkpoint.enabled': true };

  it('does not exist until the person turns it on', async () => {
    const { call } = openTestTools();
    expect(await call('checkpoint', { goal: 'x' })).toMatchObject({
      isError: true,
      text: 'checkpoint is switched off. The person can turn it on with the setting "checkpoint.enabled": true.',
    });
    expect((await call('checkpoint_show', {}, person)).data).toMatchObject({ enabled: false, active: null });
  });

  it('ends with a report that is recorded and returned, and says that nothing was pruned', async () => {
    const { call } = openTestTools(undefined, undefined, on);
    expect((await call('checkpoint', { goal: 'find the leak' })).text).toMatch(
      /^Checkpoint created\.\nGoal: find the leak\n/,
    );
    expect((await call('checkpoint', { goal: 'again' })).text).toBe('Checkpoint already active.');
    expect((await call('rewind', { report: ' \n' })).text).toBe('Report cannot be empty.');
    const { text } = await call('rewind', { report: ' it is the cache ' });
    expect(text).toMatch(/^Rewind requested\.\nReport captured for context replacement\.\n/);
    expect(text).toMatch(/was not\. [\s\S]*Report:\nit is the cache$/);
    expect((await call('rewind', { report: 'more' })).text).toContain('already completed');
    const view = (await call('checkpoint_show', {}, person)).data as CheckpointView;
    expect(view.active).toBeNull();
    expect(view.history).toMatchObject([{ goal: 'find the leak', report: 'it is the cache' }]);
  });

  it('is open again after a restart, and the person can rewind or cancel it', async () => {
    const folder = temporaryFolder();
    const first = openTestTools(folder, undefined, on);
    await first.call('checkpoint', { goal: 'explore' });
    first.sessions.close();
    const { call } = openTestTools(folder, undefined, on);
    const view = (await call('checkpoint_show', {}, person)).data as CheckpointView;
    expect(view.active).toMatchObject({ goal: 'explore', pending: false });
    const session = view.session?.id;
    expect((await call('checkpoint_rewind', { session, report: ' ' }, person)).text).toBe(
      'Report cannot be empty.',
    );
    expect((await call('checkpoint_cancel', { session }, person)).isError).toBe(false);
    expect((await call('checkpoint_cancel', { session }, person)).text).toBe(
      'There is no open checkpoint to cancel.',
    );
    await call('checkpoint', { goal: 'second' });
    expect((await call('checkpoint_rewind', { session, report: 'done' }, person)).isError).toBe(false);
    const { history } = (await call('checkpoint_show', {}, person)).data as CheckpointView;
    expect(history.map(({ report }) => report)).toEqual(['done', null]);
  });

  it('keeps a todo edit of the person through a rewind', async () => {
    const { call } = openTestTools(undefined, undefined, on);
    await call('todo_write', plan);
    await call('checkpoint', { goal: 'explore' });
    await call('todo_write', { ops: [{ op: 'append', phase: 'Build', items: ['dead end'] }] });
    await call('rewind', { report: 'nothing there' });
    const { phases } = (await call('todo_show', {}, person)).data as TodoView;
    expect(phases[0]?.tasks.map(({ content }) => content)).toEqual(['parse', 'render', 'ship']);
  });
});

describe('everything', () => {
  it('is exported with the plans, and deleted with them', async () => {
    const { call, folder } = openTestTools();
    await call('todo_write', plan);
    const { text } = await call('memory_export', {}, person);
    expect(JSON.parse(text)).toMatchObject({ sessions: [{ phases: [{ name: 'Build' }], checkpoints: [] }] });
    expect(bytesUnder(folder)).toContain('render');
    await call('memory_erase', {}, { ...person, approve: async () => 'approved' as const });
    expect(bytesUnder(folder)).not.toContain('render');
    expect(((await call('todo_show', {}, person)).data as TodoView).sessions).toEqual([]);
    expect((await call('todo_write', plan)).text).toContain('→ parse');
  });
});

describe('a transcript that somebody else touched', () => {
  const only = (folder: string) => {
    const dir = join(folder, 'store', 'sessions');
    return join(dir, readdirSync(dir).find((name) => name.endsWith('.jsonl')) ?? '');
  };

  it('that is gone does not swallow what is written: the call starts anew, and lasts', async () => {
    const folder = temporaryFolder();
    const { call } = openTestTools(folder);
    await call('todo_write', plan);
    rmSync(only(folder));
    expect((await call('todo_write', plan)).text).toContain('→ parse');
    expect(readFileSync(only(folder), 'utf8')).toContain('render');
  });

  it.each([
    '{"uuid":"u","session_id":"evil","timestamp":"2026-07-12T09:00:00Z","type":"__proto__"}\n',
    '{"uuid":"u","session_id":"evil","timestamp":"2026-07-12T09:00:00Z","type":"todo","todo":{"phases":[null]}}\n',
    'no JSON\n',
  ])('does not keep the other sessions from being seen: %j', async (line) => {
    const folder = temporaryFolder();
    const { call } = openTestTools(folder);
    await call('todo_write', plan);
    writeFileSync(join(folder, 'store', 'sessions', 'evil.jsonl'), line);
    expect(((await call('todo_show', {}, person)).data as TodoView).phases[0]?.name).toBe('Build');
    expect((await call('todo_write', plan, { session: 'new' })).text).toContain('→ parse');
    expect((await call('memory_export', {}, person)).isError).toBe(false);
  });
});

describe('sessions of a higher level', () => {
  it('are not read by a call below it, though it comes with their key', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan, { level: 'CONFIDENTIAL' });
    const { text, isError } = await call('todo_write', { ops: [{ op: 'done' }] });
    expect(isError).toBe(true);
    expect(text).not.toContain('parse');
    expect(text).toContain('Use a session of its own');
  });

  it('are not listed below it', async () => {
    const { call } = openTestTools();
    await call('todo_write', plan, { level: 'CONFIDENTIAL' });
    const view = (await call('todo_show', {}, { ...person, level: 'PUBLIC' })).data as TodoView;
    expect(view).toEqual({ session: null, sessions: [], phases: [] });
    expect(((await call('todo_show', {}, person)).data as TodoView).sessions).toHaveLength(1);
  });
});
