/** What callers of `recall`, `retain` and `reflect`, and the server, are told; each case by its name. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { recallQuery, retainedConversation } from '../../../src/memory/hindsight/conversation.ts';
import type { SpoolItem } from '../../../src/memory/hindsight/item.ts';
import { modelSeeds } from '../../../src/memory/hindsight/models.ts';
import { RetainQueue } from '../../../src/memory/hindsight/queue.ts';
import { HindsightServer } from '../../../src/memory/hindsight/server.ts';
import { scopeOf } from '../../../src/memory/hindsight/settings.ts';
import { facts, openBank, requestsTo, startServer } from './kit.ts';

const CALL = new AbortController().signal;

describe('retain', () => {
  test('mem-01: says how many are queued, in the right number, before anything is sent', async () => {
    const { call, server, backend } = await openBank();
    expect(await call('retain', { items: [{ content: 'a' }] })).toMatchObject({
      ...{ text: '1 memory queued.', isError: false },
    });
    expect((await backend.status()).queue.waiting).toBe(1);
    expect(requestsTo(server, 'POST', '/memories')).toEqual([]);
    expect((await call('retain', { items: facts(2) })).text).toBe('2 memories queued.');
  });

  test('mem-02: sends items with context, session and tag, each under a document id of its own', async () => {
    const { call, server, flush } = await openBank({
      name: 'pi',
      settings: { 'hindsight.bankId': 'test-bank' },
    });
    await call('retain', {
      items: [{ content: 'fact one' }, { content: 'fact two', context: 'user override' }],
    });
    await flush();
    const [sent] = requestsTo(server, 'POST', '/memories');
    expect(sent).toMatchObject({
      path: '/v1/default/banks/test-bank/memories',
      body: {
        items: [
          { content: 'fact one', context: 'lodeline', metadata: { session_id: 's-1' }, tags: ['project:pi'] },
          {
            content: 'fact two',
            context: 'user override',
            metadata: { session_id: 's-1' },
            tags: ['project:pi'],
          },
        ],
        async: true,
      },
    });
    const ids =
      (sent?.body as { items: { document_id: string }[] } | undefined)?.items.map(
        ({ document_id: id }) => id,
      ) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length > 0)).toBe(true);
  });

  test('mem-04: the timer runs from the first item, and later ones do not put it off', async () => {
    const { queue, sent, add } = queueOf();
    await add(1);
    await vi.advanceTimersByTimeAsync(4_900);
    await add(1);
    await vi.advanceTimersByTimeAsync(99);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent.map((batch) => batch.length)).toEqual([2]);
    await queue.dispose(1_000);
  });

  test('mem-05: forty items at once all arrive, in their order', async () => {
    const { queue, sent, add } = queueOf();
    await add(40);
    await vi.advanceTimersByTimeAsync(0);
    const all = sent.flat().map(({ content }) => content);
    expect(all).toEqual(facts(40).map(({ content }) => content));
    expect(Math.max(...sent.map((batch) => batch.length))).toBeLessThanOrEqual(16);
    await queue.dispose(1_000);
  });

  test('mem-06: a server that fails is told to the person once, and what waits arrives later', async () => {
    const { call, server, flush, warnings, backend } = await openBank();
    await server.set('refusing', { status: 503 });
    expect((await call('retain', { items: [{ content: 'kept fact' }] })).isError).toBe(false);
    await flush();
    await flush();
    expect(warnings).toEqual([expect.stringMatching(/^Memory retention failed for 1 memory: .*HTTP 503/)]);
    expect((await backend.status()).queue.waiting).toBe(1);
    await server.set('ok');
    await backend.retryNow();
    expect(server.documents('lodeline').map(({ content }) => content)).toEqual(['kept fact']);
    expect((await backend.status()).queue).toMatchObject({ waiting: 0, refused: 0 });
  });

  test('mem-08: what is queued is sent before the backend goes', async () => {
    const { call, server, backend } = await openBank();
    await call('retain', { items: [{ content: 'last words' }] });
    await backend.dispose();
    expect(requestsTo(server, 'POST', '/memories')).toHaveLength(1);
  });

  test('mem-10: without a server that can be one, the error says so', async () => {
    const { call } = await openBank({ settings: { 'hindsight.apiUrl': 'file:///etc/passwd' } });
    for (const [name, input] of [
      ['retain', { items: [{ content: 'a' }] }],
      ['recall', { query: 'a' }],
      ['reflect', { query: 'a' }],
    ] as const) {
      const { text, isError } = await call(name, input);
      expect(isError).toBe(true);
      expect(text).toMatch(/^Hindsight backend is not initialised for this session\./);
    }
  });

  test('mem-25: a subagent keeps in its parent’s bank, and its chat is neither looked up nor kept', async () => {
    const settings = { 'hindsight.autoRecall': true, 'hindsight.autoRetain': true };
    const { call, server, flush } = await openBank({ settings });
    await call('retain', { items: [{ content: 'from the parent' }] });
    await call(
      'retain',
      { items: [{ content: 'from the child' }] },
      { session: 's-1/sub', source: 'explore' },
    );
    await flush();
    expect(server.documents('lodeline').map(({ content }) => content)).toEqual([
      'from the parent',
      'from the child',
    ]);
    expect(requestsTo(server, 'POST', '/recall')).toEqual([]);
  });
});

describe('banks', () => {
  test('mem-11: each scope has its bank and its tag', () => {
    const settings = { bankId: 'team', prefix: 'prod' };
    expect(scopeOf({ ...settings, scoping: 'global' }, 'cool-app')).toEqual({ bank: 'prod-team' });
    expect(scopeOf({ ...settings, scoping: 'per-project' }, 'cool-app')).toEqual({
      bank: 'prod-team-cool-app',
    });
    expect(scopeOf({ ...settings, scoping: 'per-project-tagged' }, 'cool-app')).toEqual({
      ...{ bank: 'prod-team', tags: ['project:cool-app'] },
    });
  });

  test('mem-11: what is kept has the tag, and what is found has it or none', async () => {
    const { call, server, flush } = await openBank({
      settings: { 'hindsight.bankId': 'team', 'hindsight.bankIdPrefix': 'prod' },
    });
    await call('retain', { items: [{ content: 'tagged' }] });
    await flush();
    await call('recall', { query: 'tagged' });
    expect(server.documents('prod-team')).toMatchObject([{ tags: ['project:cool-app'] }]);
    expect(requestsTo(server, 'POST', '/recall')[0]?.body).toMatchObject({
      ...{ tags: ['project:cool-app'], tags_match: 'any' },
    });
  });

  test('mem-12: without a bank and a folder’s name there are defaults', () => {
    expect(scopeOf({ bankId: 'lodeline', prefix: '', scoping: 'per-project' }, '')).toEqual({
      bank: 'lodeline-unknown',
    });
  });
});

describe('recall', () => {
  test('mem-13: lists what was found, each with its type and date where it has them', async () => {
    const { call, server } = await openBank({ settings: { 'hindsight.scoping': 'global' } });
    server.hits = [
      { id: 'a', text: 't1', type: 'world', mentioned_at: '2026-01-01' },
      { id: 'b', text: 't2' },
    ];
    const { text, data } = await call('recall', { query: 'q' });
    expect(text).toMatch(
      /^Found 2 relevant memories \(as of \d{4}-\d\d-\d\d \d\d:\d\d UTC\):\n\n- t1 \[world\] \(2026-01-01\)\n\n- t2$/,
    );
    expect(data).toMatchObject({ results: [{ text: 't1', mentioned_at: '2026-01-01' }, { text: 't2' }] });
    expect(requestsTo(server, 'POST', '/recall')).toMatchObject([
      { path: '/v1/default/banks/lodeline/memories/recall' },
    ]);
    expect(requestsTo(server, 'POST', '/recall')[0]?.body).toEqual({
      ...{ query: 'q', types: ['world', 'experience'], max_tokens: 1024, budget: 'mid' },
    });
  });

  test('mem-14: says that nothing was found', async () => {
    const { call } = await openBank();
    expect((await call('recall', { query: 'q' })).text).toBe('No relevant memories found.');
  });
});

test('mem-15: reflect hands on the question and its guidance, and says when nothing came of it', async () => {
  const { call, server } = await openBank({ settings: { 'hindsight.scoping': 'global' } });
  server.reflection = '  ';
  expect((await call('reflect', { query: 'q', context: 'c' })).text).toBe(
    'No relevant information found to reflect on.',
  );
  const [sent] = requestsTo(server, 'POST', '/reflect');
  expect(sent?.path).toBe('/v1/default/banks/lodeline/reflect');
  expect(sent?.body).toEqual({ query: 'q', context: 'c', budget: 'mid' });
  server.reflection = 'Because of X.';
  expect((await call('reflect', { query: 'q' })).text).toBe('Because of X.');
});

describe('requests', () => {
  test('mem-16: a bank is part of one path segment, a slash at the end of the address counts for nothing', async () => {
    const { call, server, settings } = await openBank({
      settings: { 'hindsight.bankId': 'a b/c', 'hindsight.scoping': 'global' },
    });
    settings['hindsight.apiUrl'] = `${server.url}//`;
    await call('recall', { query: 'q' });
    expect(requestsTo(server, 'POST', '/recall')).toMatchObject([
      { path: '/v1/default/banks/a%20b%2Fc/memories/recall' },
    ]);
    expect(server.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  test('mem-16: the token goes along when there is one', async () => {
    const server = await startServer();
    const client = new HindsightServer({
      url: server.url,
      userAgent: 'test/1',
      token: async () => ' secret-1 ',
    });
    await client.recall('b', { query: 'q' }, CALL);
    expect(server.requests[0]?.headers).toMatchObject({
      ...{ authorization: 'Bearer secret-1', 'user-agent': 'test/1' },
    });
    expect(server.requests[0]?.body).toEqual({ query: 'q' });
  });

  test('mem-17: an error says what the server said, with its status', async () => {
    const { call, server } = await openBank();
    await server.set('refusing', { status: 422, detail: 'bad' });
    expect(await call('recall', { query: 'q' })).toMatchObject({ text: 'recall failed: bad', isError: true });
    const client = new HindsightServer({ url: server.url, userAgent: 'test/1' });
    await expect(client.recall('b', { query: 'q' }, CALL)).rejects.toMatchObject({ statusCode: 422 });
  });
});

describe('conversations', () => {
  test('mem-19: the oldest lines of what was said before go first, the prompt stays', () => {
    const prior = [
      { role: 'user', content: 'aaaa' },
      { role: 'assistant', content: 'bbbb' },
    ] as const;
    expect(recallQuery(prior, 'latest', 45)).toBe('Prior context:\n\nassistant: bbbb\n\nlatest');
    expect(recallQuery(prior, 'latest', 800)).toContain('user: aaaa\nassistant: bbbb');
    expect(recallQuery(prior, 'x'.repeat(900), 800)).toBe('x'.repeat(800));
  });

  test('mem-20: what was put into a conversation is not kept with it', () => {
    expect(
      retainedConversation([
        { role: 'user', content: 'hello there' },
        { role: 'assistant', content: '<memories>x</memories>' },
      ]),
    ).toBe('[role: user]\nhello there\n[user:end]');
    expect(retainedConversation([])).toBe('');
  });
});

describe('mental models', () => {
  test('mem-21: each scope has its own, and only those of a project have its tag', () => {
    const ids = (scoping: Parameters<typeof modelSeeds>[0], tags: string[] = []) =>
      modelSeeds(scoping, 'cool-app', tags).map(({ id }) => id);
    expect(ids('global')).toEqual(['user-preferences']);
    expect(ids('per-project')).toEqual(['user-preferences', 'project-conventions', 'project-decisions']);
    expect(
      modelSeeds('per-project-tagged', 'cool-app', ['project:cool-app']).map(({ tags }) => tags),
    ).toEqual([[], ['project:cool-app'], ['project:cool-app']]);
  });

  test('mem-21: two projects in one bank have their own, and a person’s is never changed', async () => {
    const server = await startServer();
    server.addMentalModel('lodeline', { id: 'user-preferences', name: 'Mine', content: 'I like tea.' });
    for (const [name, count] of [
      ['one', 3],
      ['two', 5],
    ] as const) {
      const { call } = await openBank({ server, name });
      await call('recall', { query: 'q' });
      await vi.waitFor(() => expect(server.mentalModels('lodeline')).toHaveLength(count));
    }
    const models = server.mentalModels('lodeline');
    expect(models.map(({ id }) => id)).toEqual([
      'user-preferences',
      ...['project-conventions-one', 'project-decisions-one'],
      ...['project-conventions-two', 'project-decisions-two'],
    ]);
    expect(models[0]).toMatchObject({ name: 'Mine', content: 'I like tea.' });
  });

  test('mem-22: the bank is there before a model is made in it, with or without a mission', async () => {
    const { server, backend } = await openBank();
    await backend.status();
    await vi.waitFor(() => expect(server.mentalModels('lodeline')).toHaveLength(3));
    const order = server.requests.map(
      ({ method, path }) => `${method} ${path.split('?')[0]?.split('/').at(-1)}`,
    );
    expect(order.filter((each, at) => order.indexOf(each) === at)).toEqual([
      ...['PUT lodeline', 'GET mental-models', 'POST mental-models'],
    ]);
    expect(server.requests[0]?.body).toEqual({});
  });
});

/** A queue whose server takes everything, by a clock that the test moves. */
function queueOf() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: (readonly SpoolItem[])[] = [];
  const queue = new RetainQueue({
    spool: {
      spoolPut: async () => {},
      spoolTake: async () => ({ items: [] }),
      spoolDone: async () => {},
      spoolLook: async () => ({ waiting: 0, locked: 0 }),
      spoolErase: async () => 0,
    },
    server: 'http://here',
    send: async (_, items) => void sent.push(items),
    maxLevel: () => 'PUBLIC',
    now: () => Date.now(),
    random: () => 1,
    warn: () => {},
    changed: () => {},
  });
  let count = 0;
  const add = async (n: number) => {
    const items = facts(n, count).map(
      ({ content }): SpoolItem => ({
        ...{ key: content, documentId: content, bank: 'b', level: 'PUBLIC', content, context: '' },
        ...{ tags: [], metadata: {}, at: Date.now() },
      }),
    );
    count += n;
    await queue.add(items);
  };
  return { queue, sent, add };
}
