import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bytesUnder } from '../support/files.ts';
import { hand, type Mind, named, openTasks, use } from './kit.ts';

const settings = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } };
const PLAN = 'zanzibar-plan';

function open(mind: Mind) {
  const tasks = openTasks(mind, { settings });
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

it('a subagent that reads nothing of that kind hands over as ever', async () => {
  const { call, levelOf } = open(() => [hand({ found: 'nothing' })]);
  const { text } = await call('task', { agent: 'task', tasks: named('A') });
  expect(text).toContain('"found": "nothing"');
  expect(levelOf('s-1')).toBe('PUBLIC');
});
