import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { LoopTools } from '../../../src/session/turnCalls.ts';
import { attending } from '../../../src/tools/attending.ts';

const ROOT = join('/', 'r');

async function touchedBy(name: string, input: unknown, isError = false): Promise<string[]> {
  const touched: string[] = [];
  const tools: LoopTools = {
    specs: () => [],
    isExclusive: () => true,
    call: async () => ({ text: 'answer', isError }),
  };
  const seen = attending(tools, ROOT, { touched: (path) => touched.push(path) });
  const call = { id: 'c', name, input } as Parameters<LoopTools['call']>[0];
  expect(await seen.call(call, new AbortController().signal)).toEqual({ text: 'answer', isError });
  return touched;
}

it.each(['read', 'write', 'edit'])('tells of the file that %s touched', async (name) => {
  expect(await touchedBy(name, { path: 'src/a.ts' })).toEqual([join(ROOT, 'src', 'a.ts')]);
  expect(await touchedBy(name, { path: join(ROOT, 'b.ts') })).toEqual([join(ROOT, 'b.ts')]);
});

it('tells of nothing where nothing was touched', async () => {
  expect(await touchedBy('read', { path: 'a.ts' }, true)).toEqual([]);
  expect(await touchedBy('list', { path: 'src' })).toEqual([]);
  for (const path of ['agent://0-Task', 'local://notes.md'])
    expect(await touchedBy('read', { path })).toEqual([]);
  for (const input of [null, 3, [], {}, { path: 3 }]) expect(await touchedBy('read', input)).toEqual([]);
});

it('tells its agent of others at the end of a result, and never fails for that', async () => {
  const tools: LoopTools = {
    specs: () => [],
    isExclusive: () => true,
    call: async ({ name }) => ({ text: name, isError: name === 'write' }),
  };
  const asked: string[] = [];
  const others = async (path: string) => {
    asked.push(path);
    if (path.endsWith('fails.ts')) throw new Error('no');
    return path.endsWith('free.ts') ? undefined : 'Others work on it.';
  };
  const seen = attending(tools, ROOT, { touched: () => {}, others });
  const call = async (name: string, path: string) =>
    (await seen.call({ id: 'c', name, input: { path } }, new AbortController().signal)).text;
  expect(await call('edit', 'held.ts')).toBe('edit\n\nOthers work on it.');
  expect(await call('read', 'free.ts')).toBe('read');
  expect(await call('edit', 'fails.ts')).toBe('edit');
  expect(await call('write', 'held.ts')).toBe('write');
  expect(await call('list', 'held.ts')).toBe('list');
  expect(asked).toEqual(['held.ts', 'free.ts', 'fails.ts'].map((name) => join(ROOT, name)));
});
