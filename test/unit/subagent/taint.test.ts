import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Level } from '../../../src/policy/level.ts';
import type { LeftName } from '../../../src/subagent/leftBehindActions.ts';
import { bytesUnder } from '../support/files.ts';
import { hand, type Mind, named, openTasks, use } from './kit.ts';

const settings = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } };
const PLAN = 'zanzibar-plan';

function open(mind: Mind, defaultLevel?: Level) {
  const tasks = openTasks(mind, { settings, defaultLevel });
  mkdirSync(join(tasks.folder, 'secrets'));
  writeFileSync(join(tasks.folder, 'secrets', 'plan.md'), PLAN);
  const levelOf = (key: string) => tasks.taint.levelOf({ key, start: 'PUBLIC' });
  /** All of the store in clear. */
  const stored = () => bytesUnder(join(tasks.folder, 'store'));
  return { ...tasks, levelOf, stored };
}

describe('a subagent that reads a protected file', () => {
  it.each([
    ['read', { path: 'secrets/plan.md' }],
    ['search', { pattern: 'zanzibar' }],
  ])(
    'by %s raises its caller before that is told, and leaves nothing in plain files',
    async (name, input) => {
      const { call, levelOf, stored, folder } = open((_task, step) =>
        step === 0 ? [use(name, input)] : [hand({ found: `it is the ${PLAN}` })],
      );
      const { text } = await call('task', { agent: 'task', tasks: named('A') });
      expect(levelOf('s-1')).toBe('CONFIDENTIAL');
      expect(text).toContain('came to CONFIDENTIAL');
      expect(text).not.toContain(PLAN);
      expect(stored()).not.toContain(PLAN);
      expect(readFileSync(join(folder, 'secrets', 'plan.md'), 'utf8')).toBe(PLAN);
      expect((await call('job', { action: 'read', address: 'agent://0-A' })).text).not.toContain(PLAN);
      expect(
        (await call('job', { action: 'read', address: 'agent://0-A' }, { session: 's-2' })).text,
      ).not.toContain(PLAN);
    },
  );

  it('writes no notes for others after it', async () => {
    const { call, stored } = open((_task, step) => {
      if (step === 0) return [use('write', { path: 'local://before.md', content: 'harmless' })];
      if (step === 1) return [use('read', { path: 'secrets/plan.md' })];
      return step === 2 ? [use('write', { path: 'local://after.md', content: PLAN })] : [hand(1)];
    });
    await call('task', { agent: 'task', tasks: named('A') });
    expect(stored()).toContain('harmless');
    expect(stored()).not.toContain(PLAN);
  });

  it('remembers at that level', async () => {
    const { call, store } = open((_task, step) => {
      if (step === 0) return [use('read', { path: 'secrets/plan.md' })];
      const entry = { category: 'decision', key: 'plan', content: PLAN };
      return step === 1 ? [use('memory_remember', entry)] : [hand(1)];
    });
    await call('task', { agent: 'task', tasks: named('A') });
    expect((await store.fetch(['plan'], { level: 'RESTRICTED' }, false))[0]?.level).toBe('CONFIDENTIAL');
  });
});

describe('work of subagents above who asks for it', () => {
  const person = (level: Level) => ({ actor: 'person', door: 'panel', level }) as const;
  const batchesAt = async ({ call }: ReturnType<typeof open>, level: Level) =>
    ((await call('subagents_show', {}, person(level))).data as { batches: unknown[] }).batches;

  it('is not listed, and as if it were not there for whatever names it', async () => {
    const tasks = open(() => [hand('done')], 'RESTRICTED');
    await tasks.call('task', { agent: 'task', tasks: named('A') }, { level: 'CONFIDENTIAL' });
    const [{ id = '' } = {}] = await tasks.subagents.list();
    expect(await batchesAt(tasks, 'INTERNAL')).toEqual([]);
    expect(await batchesAt(tasks, 'CONFIDENTIAL')).toHaveLength(1);
    const place = { batch: id, task: '0-A', path: 'a.txt' };
    const calls = {
      subagents_diff: place,
      subagents_apply: place,
      subagents_discard: place,
      subagents_revert: place,
      subagents_cancel: { batch: id },
      subagents_retry: { batch: id },
      subagents_output: { batch: id, id: '0-A' },
      subagents_work: place,
      subagents_file: { ...place, side: 'after' },
    };
    for (const [tool, input] of Object.entries(calls)) {
      const [there, unknown] = await Promise.all([
        tasks.call(tool, input, person('INTERNAL')),
        tasks.call(tool, { ...input, batch: 'no-such-batch' }, person('INTERNAL')),
      ]);
      expect(there, tool).toEqual(unknown);
      expect(there, tool).toMatchObject({ isError: true });
    }
    expect((await tasks.call('subagents_output', calls.subagents_output, person('CONFIDENTIAL'))).text).toBe(
      '"done"',
    );
  });

  it('is hidden from the moment at which it rises, also from the chat that started it', async () => {
    const tasks = open(
      (_task, step) =>
        step === 0 ? [use('read', { path: 'secrets/plan.md' })] : [hand({ found: `it is the ${PLAN}` })],
      'RESTRICTED',
    );
    const seen: unknown[] = [];
    tasks.model.before = async ({ messages }) => {
      if (!messages.some(({ role }) => role === 'assistant')) return;
      seen.push(await batchesAt(tasks, 'INTERNAL'), (await batchesAt(tasks, 'CONFIDENTIAL')).length);
      const { data, text } = await tasks.call('job', { action: 'list' });
      seen.push(/plan\.md/.test(text + JSON.stringify(data)));
    };
    await tasks.call('task', { agent: 'task', tasks: named('A') });
    expect(seen).toEqual([[], 1, false]);
    // Its caller has risen with it, and knows all of it.
    expect((await tasks.call('job', { action: 'read', address: 'agent://0-A' })).text).toContain(PLAN);
    expect(await batchesAt(tasks, 'INTERNAL')).toEqual([]);
  });

  it('that is left behind is told of from the folder’s level on', async () => {
    const tasks = openTasks(
      (_task, step) => (step === 0 ? [use('write', { path: 'n.txt', content: 'n\n' })] : [hand('ok')]),
      { git: true, files: { 'a.txt': '' }, defaultLevel: 'CONFIDENTIAL' },
    );
    await tasks.call('task', { agent: 'task', tasks: named('A'), isolated: true });
    const [{ id: batch = '' } = {}] = await tasks.subagents.list();
    await tasks.call('subagents_revert', { batch, task: '0-A' }, person('CONFIDENTIAL'));
    rmSync(join(tasks.folder, 'store', 'batches', `${batch}.json`));
    const { data } = await tasks.call('subagents_left', {}, person('CONFIDENTIAL'));
    const [{ kind, id } = {} as LeftName] = data as LeftName[];
    expect(kind).toBe('kept');
    expect((await tasks.call('subagents_left', {}, person('INTERNAL'))).data).toEqual([]);
    const calls = {
      subagents_left_files: { kind, id },
      subagents_left_apply: { kind, id },
      subagents_left_discard: { kind, id },
      subagents_left_file: { kind, id, path: 'n.txt', side: 'after' },
      subagents_left_restore: { undo: id.slice(0, 64) },
    };
    for (const [tool, input] of Object.entries(calls))
      expect(await tasks.call(tool, input, person('INTERNAL')), tool).toMatchObject({
        isError: true,
        text: 'It is not there any more.',
      });
    expect((await tasks.call('subagents_left_files', { kind, id }, person('CONFIDENTIAL'))).isError).toBe(
      false,
    );
  });
});

it('a subagent that reads nothing of that kind hands over as ever', async () => {
  const { call, levelOf } = open(() => [hand({ found: 'nothing' })]);
  const { text } = await call('task', { agent: 'task', tasks: named('A') });
  expect(text).toContain('"found": "nothing"');
  expect(levelOf('s-1')).toBe('PUBLIC');
});
