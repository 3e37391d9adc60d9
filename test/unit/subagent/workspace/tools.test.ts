/** The worker tools as a loop sees them. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkspaceTools } from '../../../../src/subagent/workspace/tools.ts';
import { folderWith, openTools, TOOLS } from './kit.ts';

describe('the tools', () => {
  it('are those that are allowed, with schemas of objects', () => {
    const { tools } = openTools(folderWith(), { allowed: ['read', 'run', 'task', 'nothing'] });
    expect(tools.specs().map(({ name }) => name)).toEqual(['read', 'run']);
    for (const { inputSchema, description } of openTools(folderWith()).tools.specs()) {
      expect(inputSchema).toMatchObject({ type: 'object', properties: expect.anything() });
      expect(inputSchema).not.toHaveProperty('$schema');
      expect(description.length).toBeLessThanOrEqual(1024);
    }
    expect(openTools(folderWith()).tools.specs()).toHaveLength(TOOLS.length);
  });

  it('that change something run alone', () => {
    const { tools } = openTools(folderWith());
    expect(TOOLS.filter((name) => tools.isExclusive(name))).toEqual(['write', 'edit', 'run']);
  });

  it('that are not allowed do nothing', async () => {
    const { wrong } = openTools(folderWith(), { allowed: ['read'] });
    expect(await wrong('write', { path: 'a', content: 'b' })).toBe('There is no tool "write".');
  });

  it('say what is wrong with an input, and take null for "not given"', async () => {
    const { call, wrong } = openTools(folderWith({ a: 'x' }));
    expect(await call('read', { path: 'a', offset: null, limit: null })).toContain('x');
    expect(await wrong('read', { path: 1, offset: 0 })).toMatch(/^read: path: .*; offset: /);
    for (const input of [null, 'a', 1, [], ['a']]) expect(await wrong('read', input)).toMatch(/^read: /);
  });

  it('say what to do when the system refuses', async () => {
    const root = folderWith();
    mkdirSync(join(root, 'locked'));
    chmodSync(join(root, 'locked'), 0o555);
    const { tools } = openTools(root);
    const input = { path: 'locked/a', content: 'x' };
    const { text } = await tools.call({ id: 'c', name: 'write', input }, new AbortController().signal);
    // Whoever runs as root may write everywhere.
    expect(text).toMatch(/system does not permit it|Created/);
  });

  it('throw when the call is cancelled before it runs', async () => {
    const { tools } = openTools(folderWith());
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(tools.call({ id: 'c', name: 'list', input: {} }, signal)).rejects.toThrow('enough');
  });

  it('need a folder', () => {
    const ports = {
      approve: async () => 'unavailable' as const,
      settings: { get: () => undefined },
      searchThread: new URL('file:///x'),
    };
    const root = join(folderWith(), 'gone');
    expect(() => createWorkspaceTools({ root, allowed: TOOLS, ports })).toThrow('ENOENT');
  });
});

describe('diagnostics', () => {
  it('come from the editor, on one line each', async () => {
    const asked: (readonly string[])[] = [];
    const { call } = openTools(folderWith({ 'src/a.ts': '' }), {
      diagnostics: async (paths) => {
        asked.push(paths);
        return [{ path: 'src/a.ts', line: 3, severity: 'error', message: 'a\nb', source: 'ts' }];
      },
    });
    expect(await call('diagnostics', { paths: ['./src/a.ts'] })).toBe('src/a.ts:3: error (ts): a b');
    await call('diagnostics', {});
    expect(asked).toEqual([['src/a.ts'], []]);
  });

  it('are bounded, and absent where there is no editor', async () => {
    const many = Array.from({ length: 400 }, (_, line) => ({
      path: 'a',
      line,
      severity: 'hint' as const,
      message: 'm',
    }));
    const { call } = openTools(folderWith(), { diagnostics: async () => many });
    expect(await call('diagnostics', {})).toContain('(100 more');
    expect(await openTools(folderWith()).wrong('diagnostics', {})).toContain('no editor');
    expect(await openTools(folderWith(), { diagnostics: async () => [] }).call('diagnostics', {})).toContain(
      'No errors',
    );
  });
});
