/** A server in each of its moods, and what may never reach it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { HindsightServer } from '../../../src/memory/hindsight/server.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { bytesUnder } from '../../unit/support/files.ts';
import { facts, openBank, startServer } from './kit.ts';

const TOKEN = 'hs-token-0123456789';
const SECRET = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyz'}`;
const CALL = new AbortController().signal;

function contents(server: Awaited<ReturnType<typeof startServer>>, bank = 'lodeline') {
  return server.documents(bank).map(({ content }) => content);
}

describe('a server that is down', () => {
  test('keeps nobody waiting and loses nothing: it arrives in order, once, when the server is back', async () => {
    const { call, server, backend, flush, warnings } = await openBank();
    await server.set('down');
    for (const item of facts(20)) expect((await call('retain', { items: [item] })).isError).toBe(false);
    await flush();
    const view = await backend.status();
    expect(view.server?.state).toBe('unreachable');
    expect(view.queue).toMatchObject({ waiting: 20, refused: 0, nextTry: expect.any(Number) });
    expect(warnings).toHaveLength(1);
    await server.set('ok');
    await backend.retryNow();
    expect(server.arrivals.map(({ content }) => content)).toEqual(facts(20).map(({ content }) => content));
    expect((await backend.status()).queue).toEqual({ waiting: 0, refused: 0 });
    expect((await backend.status()).server?.state).toBe('reachable');
  });

  test('is an error for whoever recalls or reflects, which says so', async () => {
    const { call, server } = await openBank();
    await server.set('down');
    expect((await call('recall', { query: 'x' })).text).toMatch(/request failed: .*ECONNREFUSED/);
    expect((await call('reflect', { query: 'x' })).text).toMatch(/request failed: .*ECONNREFUSED/);
  });

  test('is found again by itself', async () => {
    const { call, server, flush } = await openBank();
    await server.set('down');
    await call('retain', { items: facts(1) });
    await flush();
    await server.set('ok');
    await vi.waitFor(() => expect(contents(server)).toEqual(['fact number 0']), { timeout: 20_000 });
  });

  test('gets from the next process what the one before left', async () => {
    const first = await openBank();
    await first.server.set('down');
    await first.call('retain', { items: facts(3) });
    await first.backend.dispose();
    first.spool.close();
    await first.server.set('ok');
    const { backend } = await openBank({ server: first.server, folder: first.folder });
    await backend.retryNow();
    expect(contents(first.server)).toEqual(facts(3).map(({ content }) => content));
  });
});

describe('a server that is slow', () => {
  test('is given up after a while, with an error that says so', async () => {
    const server = await startServer();
    await server.set('slow', { delay: 60_000 });
    const client = new HindsightServer({
      ...{ url: server.url, userAgent: 'test/1' },
      patience: { request: 50, recall: 50, retain: 50, reflect: 50 },
    });
    await expect(client.recall('b', { query: 'q' }, CALL)).rejects.toThrow(
      'recall request failed: no answer within 0.05 s',
    );
    await expect(client.reflect('b', { query: 'q' }, CALL)).rejects.toThrow('no answer within');
    await expect(client.retain('b', [], CALL)).rejects.toThrow('no answer within');
    await expect(client.putBank('b', {}, CALL)).rejects.toThrow('no answer within');
  });

  test('does not hold whoever cancels', async () => {
    const { call, server } = await openBank();
    await server.set('slow', { delay: 60_000 });
    const cancel = new AbortController();
    const recall = call('recall', { query: 'x' }, { signal: cancel.signal });
    await vi.waitFor(() => expect(server.requests.length).toBeGreaterThan(0));
    cancel.abort();
    expect((await recall).text).toMatch(/cancelled/);
  });

  test('does not hold the end of a process for long, and loses nothing by it', async () => {
    const { call, server, backend, spool } = await openBank();
    await server.set('slow', { delay: 60_000 });
    await call('retain', { items: facts(2) });
    await backend.dispose();
    expect((await spool.spoolLook()).waiting).toBe(2);
  });
});

describe('a server that refuses', () => {
  test.each([401, 403, 500])('with %i gets everything later, and the person is told once', async (status) => {
    const { call, server, backend, flush, warnings } = await openBank();
    await server.set('refusing', { status });
    await call('retain', { items: facts(20) });
    await flush();
    await call('retain', { items: facts(1, 20) });
    await flush();
    expect(warnings).toEqual([expect.stringContaining(`HTTP ${status}`)]);
    const view = await backend.status();
    expect(view.server?.state).toBe('refusing');
    expect(view.queue).toMatchObject({ waiting: 21, error: expect.anything() });
    if (status < 500) expect(view.queue.refused).toBe(21);
    await server.set('ok');
    await backend.retryNow();
    expect(contents(server)).toEqual(facts(21).map(({ content }) => content));
  });

  test('one item with 422 gets the others, in order, and that one waits and is shown', async () => {
    const { call, server, backend, flush, warnings } = await openBank();
    const isPoison = ({ body }: { body: unknown }) => JSON.stringify(body ?? '').includes('poison');
    await server.set('refusing', { status: 422, detail: [{ msg: 'too strange' }], when: isPoison });
    const items = [...facts(5), { content: 'poison' }, ...facts(5, 5)];
    await call('retain', { items });
    await flush();
    expect(contents(server)).toEqual(facts(10).map(({ content }) => content));
    expect((await backend.status()).queue).toMatchObject({ waiting: 1, refused: 1 });
    expect(warnings).toEqual([expect.stringContaining('too strange')]);
    await server.set('ok');
    await backend.retryNow();
    expect(contents(server).at(-1)).toBe('poison');
  });
});

test('a server that breaks off its answer has each item once: what is sent again takes its own place', async () => {
  const { call, server, backend, flush } = await openBank();
  await server.set('half');
  await call('retain', { items: facts(4) });
  await flush();
  expect((await backend.status()).queue.waiting).toBe(4);
  expect((await call('recall', { query: 'fact' })).isError).toBe(true);
  await server.set('ok');
  await backend.retryNow();
  expect(server.arrivals.length).toBeGreaterThanOrEqual(4);
  expect(contents(server)).toEqual(facts(4).map(({ content }) => content));
});

test('a server that is started again goes on where it was', async () => {
  const { call, server, backend, flush } = await openBank();
  await call('retain', { items: facts(2) });
  await flush();
  await server.restart();
  await call('retain', { items: facts(2, 2) });
  await flush();
  await backend.retryNow();
  expect(contents(server)).toEqual(facts(4).map(({ content }) => content));
});

describe('what may not leave the machine', () => {
  test('above the folder’s level is neither kept there, looked for there nor asked there', async () => {
    const { call, server, spool } = await openBank();
    const high = { level: 'CONFIDENTIAL' } as const;
    const said = 'the merger is on Tuesday';
    for (const [name, input] of [
      ['retain', { items: [{ content: said }] }],
      ['recall', { query: said }],
      ['reflect', { query: said }],
    ] as const) {
      const { text, isError } = await call(name, input, high);
      expect(isError).toBe(true);
      expect(text).toContain('hindsight.maxLevel');
    }
    expect(JSON.stringify(server.requests)).not.toContain('merger');
    expect((await spool.spoolLook()).waiting).toBe(0);
  });

  test('leaves when the person says so, into a bank of its own, sealed until then, and is found at its level', async () => {
    const { call, server, folder, flush } = await openBank({
      settings: { 'hindsight.maxLevel': 'CONFIDENTIAL' },
    });
    const high = { level: 'CONFIDENTIAL' } as const;
    await call('retain', { items: [{ content: 'the merger is on Tuesday' }] }, high);
    await call('retain', { items: [{ content: 'the merger of branches' }] });
    expect(bytesUnder(join(folder, 'store', 'retain'))).not.toContain('Tuesday');
    await flush();
    expect(contents(server, 'lodeline')).toEqual(['the merger of branches']);
    expect(contents(server, 'lodeline-confidential')).toEqual(['the merger is on Tuesday']);
    expect((await call('recall', { query: 'merger' })).text).not.toContain('Tuesday');
    expect((await call('recall', { query: 'merger' }, high)).text).toContain('Tuesday');
  });

  test('waits where the person takes it back, and does not keep the others', async () => {
    const { call, server, settings, backend } = await openBank({
      settings: { 'hindsight.maxLevel': 'CONFIDENTIAL' },
    });
    await server.set('down');
    await call('retain', { items: [{ content: 'high' }] }, { level: 'CONFIDENTIAL' });
    await call('retain', { items: [{ content: 'low' }] });
    settings['hindsight.maxLevel'] = '';
    await server.set('ok');
    await vi.waitFor(async () => {
      await backend.retryNow();
      expect(contents(server)).toEqual(['low']);
    });
    expect(JSON.stringify(server.requests)).not.toContain('"high"');
    expect((await backend.status()).queue).toMatchObject({ waiting: 1, refused: 1 });
  });

  test('of secrets there is nothing, on disk or on the wire', async () => {
    const { call, server, folder, flush } = await openBank();
    const { text } = await call('retain', {
      items: [{ content: `the token is ${SECRET}`, context: `from ${SECRET}` }],
    });
    expect(text).toContain('queued.');
    expect(bytesUnder(join(folder, 'store', 'retain'))).not.toContain(SECRET);
    await flush();
    await call('recall', { query: `who uses ${SECRET}` });
    await call('reflect', { query: `who uses ${SECRET}`, context: SECRET });
    expect(server.requests.length).toBeGreaterThan(3);
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(SECRET);
  });

  test('the token is in no error, not even where the server says it back', async () => {
    const server = await startServer();
    const client = new HindsightServer({ url: server.url, userAgent: 't/1', token: async () => TOKEN });
    await server.set('refusing', { status: 401, detail: `bad token ${TOKEN}` });
    const refused: unknown = await client.recall('b', { query: 'q' }, CALL).catch((error: unknown) => error);
    expect(String(refused)).toContain('bad token [token]');
    await server.set('down');
    const down: unknown = await client.recall('b', { query: 'q' }, CALL).catch((error: unknown) => error);
    const odd = new HindsightServer({ url: server.url, userAgent: 't/1', token: async () => `${TOKEN}\n x` });
    const wrong: unknown = await odd.recall('b', { query: 'q' }, CALL).catch((error: unknown) => error);
    expect(JSON.stringify([refused, down, wrong].map((each) => [String(each), each]))).not.toContain(TOKEN);
  });

  test('a redirect is not followed', async () => {
    const [server, elsewhere] = [await startServer(), await startServer()];
    await server.set('refusing', { status: 307, location: elsewhere.url });
    const client = new HindsightServer({ url: server.url, userAgent: 't/1', token: async () => TOKEN });
    await expect(client.recall('b', { query: 'q' }, CALL)).rejects.toThrow(/request failed/);
    expect(elsewhere.requests).toEqual([]);
  });
});

test('another backend while items wait leaves them visible, and the server gets them when it is chosen again', async () => {
  const { call, server, settings, backend } = await openBank();
  await server.set('down');
  await call('retain', { items: facts(2) });
  settings['memory.backend'] = 'local';
  expect(await backend.status()).toMatchObject({ kind: 'local', server: null, queue: { waiting: 2 } });
  settings['memory.backend'] = 'off';
  expect((await backend.status()).queue.waiting).toBe(2);
  expect((await call('recall', { query: 'x' })).isError).toBe(true);
  await server.set('ok');
  settings['memory.backend'] = 'hindsight';
  await vi.waitFor(async () => {
    await backend.retryNow();
    expect(contents(server)).toEqual(facts(2).map(({ content }) => content));
  });
});

test('what waits does not go to a server that the person has just left', async () => {
  const { call, server, settings, backend } = await openBank();
  const other = await startServer();
  await call('retain', { items: facts(2) });
  settings['memory.backend'] = 'local';
  await backend.status();
  settings['memory.backend'] = 'hindsight';
  settings['hindsight.apiUrl'] = other.url;
  await vi.waitFor(async () => {
    await backend.retryNow();
    expect(contents(other)).toEqual(facts(2).map(({ content }) => content));
  });
  expect(server.arrivals).toEqual([]);
});

describe('what waits', () => {
  const person: Partial<ToolCall> = { actor: 'person', source: 'panel', approve: async () => 'approved' };

  test('is sealed with the whole store, and arrives all the same', async () => {
    const { call, server, backend, folder } = await openBank();
    await server.set('down');
    await call('retain', { items: facts(3) });
    const waiting = join(folder, 'store', 'retain');
    expect(bytesUnder(waiting)).toContain('fact number 1');
    expect((await call('memory_encrypt', {}, person)).isError).toBe(false);
    await call('retain', { items: facts(1, 3) });
    expect(bytesUnder(waiting)).not.toContain('fact number');
    await server.set('ok');
    await backend.retryNow();
    expect(contents(server)).toEqual(facts(4).map(({ content }) => content));
  });

  test('goes with everything else that the person deletes', async () => {
    const { call, server, backend, folder } = await openBank();
    await server.set('down');
    await call('retain', { items: facts(3) });
    expect((await call('memory_erase', {}, person)).isError).toBe(false);
    expect(bytesUnder(join(folder, 'store'))).not.toContain('fact number');
    await server.set('ok');
    await backend.retryNow();
    await call('retain', { items: facts(1, 9) });
    await backend.retryNow();
    expect(contents(server)).toEqual(['fact number 9']);
  });
});

test('a process that lives is left its items; one that has ended is not', async () => {
  const first = await openBank();
  await first.server.set('down');
  await first.call('retain', { items: facts(1) });
  const second = await openBank({ server: first.server, folder: first.folder });
  onTestFinished(() => second.backend.dispose());
  await first.server.set('ok');
  await second.backend.retryNow();
  expect(contents(first.server)).toEqual([]);
  first.spool.close();
  await second.backend.retryNow();
  expect(contents(first.server)).toEqual(['fact number 0']);
  const left = readdirSync(join(first.folder, 'store', 'retain')).filter((name) => name.endsWith('.spool'));
  expect(left).toEqual([]);
});
