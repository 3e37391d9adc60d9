import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LoopResult, LoopTools } from '../../../src/session/turnCalls.ts';
import { exposing } from '../../../src/tools/exposing.ts';
import { openTestTools } from '../support/folder.ts';

const FILES = { 'secrets/**': 'CONFIDENTIAL', 'notes/**': 'INTERNAL' };
const TOOLS = { 'web_*': 'INTERNAL', memory_stats: 'RESTRICTED' };
const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };

function open(settings: Record<string, unknown> = {}) {
  const tools = openTestTools(undefined, undefined, {
    'classification.files': FILES,
    'classification.tools': TOOLS,
    ...settings,
  });
  for (const folder of ['secrets', 'notes']) mkdirSync(join(tools.folder, folder));
  writeFileSync(join(tools.folder, 'secrets', 'plan.md'), 'the plan');
  const levelOf = (key = 's-1') => tools.taint.levelOf({ key, start: 'PUBLIC' });
  /** A folder stands where the rises of sessions are saved. */
  const breakDisk = () => {
    mkdirSync(join(tools.folder, 'store'), { recursive: true });
    rmSync(join(tools.folder, 'store', 'taint'), { recursive: true, force: true });
    writeFileSync(join(tools.folder, 'store', 'taint'), '');
  };
  return { ...tools, levelOf, breakDisk };
}

describe('a call that names a file', () => {
  it('runs at the level that the file gives its session, and so do those after it', async () => {
    const { call, levelOf, store } = open();
    await call('memory_remember', { ...zod, file: 'secrets/plan.md' });
    expect(levelOf()).toBe('CONFIDENTIAL');
    expect((await store.fetch(['use-zod'], { level: 'RESTRICTED' }, false))[0]?.level).toBe('CONFIDENTIAL');
    await call('memory_remember', { ...zod, key: 'later' });
    expect((await store.fetch(['later'], { level: 'RESTRICTED' }, false))[0]?.level).toBe('CONFIDENTIAL');
    expect((await call('memory_recall', { query: 'zod' }, { session: 'other' })).text).not.toContain(
      'Zod for',
    );
  });

  it('leaves a session as it is where no rule speaks of it, or the person calls', async () => {
    const { call, levelOf } = open();
    await call('memory_remember', { ...zod, file: 'src/plan.md' });
    await call('memory_remember', { ...zod, key: 'b', file: 'secrets/plan.md' }, { actor: 'person' });
    expect(levelOf()).toBe('PUBLIC');
  });

  it('raises by where a link leads', async () => {
    const { call, levelOf, folder } = open();
    symlinkSync(join(folder, 'secrets'), join(folder, 'open'));
    await call('memory_remember', { ...zod, file: 'open/new.md' });
    expect(levelOf()).toBe('CONFIDENTIAL');
  });

  it.each([
    'http://../secrets/plan.md',
    'agent://x/../../secrets/plan.md',
    'git:/../secrets/plan.md',
    'file:x/../secrets/plan.md',
  ])('raises by %s, which programs read as a path', async (file) => {
    const { call, levelOf } = open();
    await call('memory_remember', { ...zod, file });
    expect(levelOf()).toBe('CONFIDENTIAL');
  });

  it('raises by the tool alone where a rule names it', async () => {
    const { call, levelOf } = open();
    await call('memory_stats', {});
    expect(levelOf()).toBe('RESTRICTED');
  });

  it('raises nothing where it is refused before it runs', async () => {
    const { call, levelOf } = open();
    await call('memory_remember', { key: 'x', file: 'secrets/plan.md' });
    await call(
      'memory_forget',
      { key: 'none', file: 'secrets/plan.md' },
      { approve: async () => 'declined' },
    );
    expect(levelOf()).toBe('PUBLIC');
  });

  it('does not run where the rise cannot be saved, however often it is tried, until it can', async () => {
    const { call, folder, store, taint } = open();
    // Without a key nothing can be saved.
    rmSync(join(folder, 'keys'), { recursive: true, force: true });
    writeFileSync(join(folder, 'keys'), '');
    const save = () => call('memory_remember', { ...zod, file: 'secrets/plan.md' });
    const refused = { isError: true, text: expect.stringContaining('Nothing was read or changed') };
    for (const _ of [1, 2]) expect(await save()).toMatchObject(refused);
    expect(await store.fetch(['use-zod'], { level: 'RESTRICTED' }, false)).toEqual([]);
    rmSync(join(folder, 'keys'));
    // What is not on disk counts in this process all the same.
    expect(taint.levelOf({ key: 's-1', start: 'PUBLIC' })).toBe('CONFIDENTIAL');
    expect(await save()).toMatchObject({ isError: false });
    expect(readdirSync(join(folder, 'store', 'taint'))).toHaveLength(2);
  });

  it('is audited with its rule and without any content', async () => {
    const { call, store } = open();
    await call('memory_remember', { ...zod, file: 'secrets/plan.md' });
    const { records } = await store.audit.auditPage({ limit: 10 }, { level: 'RESTRICTED' });
    expect(records).toMatchObject([
      { kind: 'level-raised', rule: 'file:secrets/**', tool: 'memory_remember', before: 'PUBLIC' },
    ]);
    expect(JSON.stringify(records)).not.toContain('Zod');
  });
});

describe('the rules', () => {
  it('are read anew, and what is wrong with them is told once', async () => {
    const settings: Record<string, unknown> = { 'classification.files': { 'a/**': 'SECRET' } };
    const tools = openTestTools(undefined, undefined, settings);
    await tools.call('memory_stats');
    await tools.call('memory_stats');
    expect(tools.log.filter((line) => line.includes('a/**'))).toHaveLength(1);
    settings['classification.files'] = { 'b/**': 'INTERNAL' };
    await tools.call('memory_remember', { ...zod, file: 'b/x.md' });
    expect(tools.taint.levelOf({ key: 's-1', start: 'PUBLIC' })).toBe('INTERNAL');
  });
});

describe('tools of a loop', () => {
  function loop(result: LoopResult = { text: 'answer', isError: false }) {
    const opened = open();
    const levels: string[] = [];
    const tools: LoopTools = {
      specs: () => [],
      isExclusive: () => false,
      call: async () => {
        levels.push(opened.levelOf());
        return result;
      },
    };
    const session = { key: 's-1', start: 'PUBLIC', source: 'lodeline' } as const;
    const used = exposing(tools, { exposure: opened.registry.exposure, session, folder: opened.folder });
    const call = (name: string, input: object) =>
      used.call({ id: 'c', name, input: input as never }, new AbortController().signal);
    return { ...opened, levels, use: call };
  }

  it.each([
    ['read', { path: 'secrets/plan.md' }, 'CONFIDENTIAL'],
    ['run', { command: 'cat secrets/plan.md' }, 'CONFIDENTIAL'],
    ['web_fetch', { urls: [] }, 'INTERNAL'],
    ['list', { path: '.' }, 'PUBLIC'],
  ])('raise before %s %j runs', async (name, input, level) => {
    const { use, levels } = loop();
    expect(await use(name, input)).toEqual({ text: 'answer', isError: false });
    expect(levels).toEqual([level]);
  });

  it('raise by the files that a result shows, before it is handed over', async () => {
    const { use, levels, levelOf } = loop({
      text: 'found',
      isError: false,
      files: ['src/a.ts', 'notes/b.md'],
    });
    expect(await use('search', { pattern: 'x' })).toEqual({ text: 'found', isError: false });
    expect([levels, levelOf()]).toEqual([['PUBLIC'], 'INTERNAL']);
  });

  it('let others go on between the many names of a long command, and raise by the last of them', async () => {
    const { use, levels } = loop();
    let turns = 0;
    let next: NodeJS.Immediate | undefined;
    const others = () => {
      turns++;
      next = setImmediate(others);
    };
    others();
    const names = Array.from({ length: 5_000 }, (_, at) => `w${at}.ts`);
    await use('run', { command: ['cat', ...names, 'secrets/plan.md'].join(' ') });
    clearImmediate(next);
    expect(levels).toEqual(['CONFIDENTIAL']);
    expect(turns).toBeGreaterThan(10);
  });

  it('do not run where the rise cannot be saved, and keep back what they found', async () => {
    const before = loop();
    before.breakDisk();
    expect(await before.use('read', { path: 'secrets/plan.md' })).toMatchObject({ isError: true });
    expect(before.levels).toEqual([]);
    const after = loop({ text: 'the plan', isError: false, files: ['secrets/plan.md'] });
    after.breakDisk();
    const result = await after.use('search', { pattern: 'x' });
    expect(result.isError).toBe(true);
    expect(result.text).not.toContain('the plan');
  });
});
