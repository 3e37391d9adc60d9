/** What sessions keep and find on a server where the folder's own level is a high one. */
import { expect, test } from 'vitest';
import type { BackendView } from '../../../src/backendProtocol.ts';
import { facts, openBank, startServer } from './kit.ts';

const person = (level: 'PUBLIC' | 'CONFIDENTIAL') => ({ actor: 'person', door: 'panel', level }) as const;

test('a session below the folder’s level finds what was kept up to its own alone', async () => {
  const { call, flush } = await openBank({ defaultLevel: 'CONFIDENTIAL' });
  const low = { session: 'low', level: 'PUBLIC' } as const;
  const high = { session: 'high', level: 'CONFIDENTIAL' } as const;
  await call('retain', { items: [{ content: 'The merger is on Tuesday' }] }, high);
  await call('retain', { items: [{ content: 'Lunch is on Tuesday' }] }, low);
  await flush();
  const found = async (as: typeof low | typeof high) =>
    (await call('recall', { query: 'Tuesday' }, as)).text.match(/The merger|Lunch/g)?.sort();
  expect(await found(low)).toEqual(['Lunch']);
  expect(await found(high)).toEqual(['Lunch', 'The merger']);
  const { text } = await call('reflect', { query: 'What is on Tuesday?' }, low);
  expect(text).not.toContain('merger');
});

test('a person below the folder’s level is told of what waits, and copies, up to that level', async () => {
  const { call, server, flush } = await openBank({
    defaultLevel: 'CONFIDENTIAL',
    settings: { 'classification.defaultLevel': 'CONFIDENTIAL' },
  });
  await server.set('refusing', { status: 422, detail: [{ msg: 'too strange' }] });
  await call('retain', { items: facts(2) }, { level: 'CONFIDENTIAL' });
  await flush();
  const queueAt = async (level: 'PUBLIC' | 'CONFIDENTIAL') =>
    ((await call('backend_status', {}, person(level))).data as BackendView).queue;
  expect(await queueAt('CONFIDENTIAL')).toMatchObject({ waiting: 2, refused: 2, error: expect.anything() });
  expect(await queueAt('PUBLIC')).toEqual({ waiting: 0, refused: 0 });
  await server.set('ok');
  await call('backend_retry', {}, person('CONFIDENTIAL'));
  const copy = async (level: 'PUBLIC' | 'CONFIDENTIAL') =>
    (await call('backend_copy', { to: 'local' }, person(level))).data;
  expect(await copy('PUBLIC')).toMatchObject({ total: 0, fresh: 0 });
  expect(await copy('CONFIDENTIAL')).toMatchObject({ total: 2 });
});

test('a copy to the server leaves no gap where something above has the same key', async () => {
  const { call, flush } = await openBank();
  const saved = { category: 'decision', key: 'day', content: 'Lunch is on Tuesday' } as const;
  await call('memory_remember', saved);
  await call('memory_remember', { ...saved, content: 'The merger is on Tuesday' }, { level: 'CONFIDENTIAL' });
  expect((await call('backend_copy', { to: 'hindsight' }, person('CONFIDENTIAL'))).data).toMatchObject({
    ...{ total: 1, copied: 1, kept: 1 },
  });
  await flush();
  expect((await call('recall', { query: 'Tuesday' })).text).toContain('Lunch');
});

test('folders of other defaults that share a bank find there what is of their levels', async () => {
  const server = await startServer();
  const [high, low] = [
    await openBank({
      server,
      defaultLevel: 'CONFIDENTIAL',
      settings: { 'classification.defaultLevel': 'CONFIDENTIAL' },
    }),
    await openBank({ server }),
  ] as const;
  await high.call('retain', { items: [{ content: 'The merger is on Tuesday' }] }, { level: 'CONFIDENTIAL' });
  await low.call('retain', { items: [{ content: 'Lunch is on Tuesday' }] });
  await Promise.all([high.flush(), low.flush()]);
  expect((await low.call('recall', { query: 'Tuesday' })).text).not.toContain('merger');
  expect((await high.call('recall', { query: 'Tuesday' }, { level: 'CONFIDENTIAL' })).text).toMatch(/merger/);
});

test('how the server answered those above is not told', async () => {
  const { call, server, flush } = await openBank({ settings: { 'hindsight.maxLevel': 'CONFIDENTIAL' } });
  const serverAt = async (level: 'PUBLIC' | 'CONFIDENTIAL') =>
    ((await call('backend_status', {}, person(level))).data as BackendView).server;
  await call('backend_retry', {}, person('PUBLIC'));
  const before = await serverAt('PUBLIC');
  await server.set('refusing', {
    status: 422,
    detail: [{ msg: 'the merger is too strange' }],
    when: ({ path }) => path.includes('/memories'),
  });
  await call('recall', { query: 'the merger' }, { level: 'CONFIDENTIAL' });
  await call('retain', { items: facts(1) }, { level: 'CONFIDENTIAL' });
  await flush();
  expect(await serverAt('PUBLIC')).toEqual(before);
  expect(JSON.stringify(await serverAt('CONFIDENTIAL'))).toContain('too strange');
});
