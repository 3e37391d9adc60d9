import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canFlowTo, type Level } from '../../../src/policy/level.ts';
import { bytesUnder } from '../support/files.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

type Tools = ReturnType<typeof openTestTools>;

/** A session of its own for each level, since what a session may see never falls. */
function at(tools: Tools, level: Level) {
  return async (name: string, input: unknown = {}) => {
    const outcome = await tools.call(name, input, { level, session: `session-${level}` });
    return { ...outcome, json: outcome.text.startsWith('{') ? JSON.parse(outcome.text) : undefined };
  };
}

async function saved(tools: Tools, records: readonly (readonly [string, Level, string])[]) {
  for (const [key, level, content] of records) {
    const { isError, text } = await at(tools, level)('memory_save', { key, content });
    expect(isError, text).toBe(false);
  }
}

describe('the lattice', () => {
  it.each([
    ['PUBLIC', 'RESTRICTED', true],
    ['RESTRICTED', 'PUBLIC', false],
    ['INTERNAL', 'INTERNAL', true],
    ['CONFIDENTIAL', 'INTERNAL', false],
  ] as const)('lets what is %s flow to %s: %s (T-CF-01)', async (source, target, flows) => {
    expect(canFlowTo(source, target)).toBe(flows);
    const tools = openTestTools();
    await saved(tools, [['k', source, 'c']]);
    expect((await at(tools, target)('memory_get', { key: 'k' })).json.found).toBe(flows);
  });
});

describe('memory_save', () => {
  it('saves at the level of the session, whatever the caller asks for (T-ME-01)', async () => {
    const tools = openTestTools();
    const input = { key: 'k', content: 'c', classification: 'PUBLIC' };
    const { text, data } = await at(tools, 'CONFIDENTIAL')('memory_save', input);
    expect(data).toEqual({ saved: true, key: 'k', classification: 'CONFIDENTIAL' });
    expect(JSON.parse(text)).toEqual(data);
    expect((await at(tools, 'PUBLIC')('memory_get', { key: 'k' })).json).toEqual({ found: false, key: 'k' });
  });

  it.each([
    { key: '', content: 'c' },
    { content: 'c' },
    { key: ' ', content: 'c' },
    { key: 7, content: 'c' },
    {},
  ])('needs a key: %j (T-ME-06)', async (input) => {
    expect(await openTestTools().call('memory_save', input)).toMatchObject({
      isError: true,
      text: "Error: memory_save requires a 'key' argument (non-empty string).",
    });
  });

  it.each(['', undefined, null, 3])('needs content: %j', async (content) => {
    expect(await openTestTools().call('memory_save', { key: 'k', content })).toMatchObject({
      isError: true,
      text: "Error: memory_save requires a 'content' argument (non-empty string).",
    });
  });

  it('drops tags that are no texts (T-ME-09)', async () => {
    const { call } = openTestTools();
    await call('memory_save', { key: 'k', content: 'c', tags: ['a', 1, null, 'b'] });
    expect((await call('memory_get', { key: 'k' })).data).toMatchObject({ tags: ['a', 'b'] });
  });

  it('invents no tags', async () => {
    const { call } = openTestTools();
    await call('memory_save', { key: 'k', content: 'The database is PostgreSQL with docker' });
    expect((await call('memory_get', { key: 'k' })).data).toMatchObject({ tags: [] });
  });

  it('takes the place of the old text, which stays as history, and keeps when it was made', async () => {
    const { call, clock, store } = openTestTools();
    await call('memory_save', { key: 'k', content: 'first', tags: ['a'] });
    const before = (await call('memory_get', { key: 'k' })).data as { createdAt: string; updatedAt: string };
    clock.time += 60_000;
    await call('memory_save', { key: 'k', content: 'second' });
    const after = (await call('memory_get', { key: 'k' })).data as { createdAt: string; updatedAt: string };
    expect(after).toMatchObject({ content: 'second', createdAt: before.createdAt, tags: ['a'] });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    await call('memory_save', { key: 'k', content: 'second', tags: ['b'] });
    expect((await call('memory_get', { key: 'k' })).data).toMatchObject({ tags: ['b'] });
    const [entry] = await store.fetch(['k'], { level: 'PUBLIC' }, false);
    expect(entry?.revisions.map(({ text, addition }) => [text, addition])).toEqual([['first', false]]);
  });

  it('keeps what was deleted under the same key', async () => {
    const { call, store, clock } = openTestTools();
    await call('memory_save', { key: 'k', content: 'audited' });
    await call('memory_delete', { key: 'k' });
    clock.time += 1000;
    await call('memory_save', { key: 'k', content: 'new' });
    const [entry] = await store.fetch(['k'], { level: 'PUBLIC' }, false);
    expect(entry).toMatchObject({ content: 'new', status: 'active' });
    expect(entry?.revisions.map(({ text }) => text)).toEqual(['audited']);
  });

  it('is the same memory as memory_remember has', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { category: 'decision', key: 'use-zod', content: 'Zod', tags: 'x' });
    await call('memory_save', { key: 'use-zod', content: 'Valibot' });
    expect((await call('memory_recall', { query: 'valibot' })).text).toContain('use-zod');
    await call('memory_remember', { category: 'decision', key: 'use-zod', content: 'and only at the edges' });
    const { content } = (await call('memory_get', { key: 'use-zod' })).data as { content: string };
    expect(content).toBe('Valibot\n\nand only at the edges');
  });

  it('says when it took a secret out', async () => {
    const { call } = openTestTools();
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { data } = await call('memory_save', { key: 'k', content: `the token is ${token}` });
    expect(data).toMatchObject({ saved: true, redacted: [expect.any(String)] });
    expect((await call('memory_get', { key: 'k' })).text).not.toContain(token);
  });

  it.each(['프로젝트', 'a\ud800b', 'x'.repeat(200)])('takes the key %j', async (key) => {
    const { call } = openTestTools();
    await call('memory_save', { key: key.normalize('NFD'), content: 'c' });
    expect((await call('memory_get', { key })).data).toMatchObject({ found: true });
    expect((await call('memory_delete', { key })).isError).toBe(false);
  });

  it.each(['x'.repeat(201), 'a\nb'])('refuses the key %j with what to do', async (key) => {
    const { text, isError } = await openTestTools().call('memory_save', { key, content: 'c' });
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringMatching(/^Error: key .*use/) });
  });
});

describe('memory_get', () => {
  it('returns the highest version that the session may see (T-ME-02)', async () => {
    const tools = openTestTools();
    await saved(tools, [
      ['k', 'PUBLIC', 'p'],
      ['k', 'CONFIDENTIAL', 'c'],
    ]);
    const get = async (level: Level) => (await at(tools, level)('memory_get', { key: 'k' })).json;
    expect(await get('INTERNAL')).toMatchObject({ found: true, content: 'p', classification: 'PUBLIC' });
    expect(await get('RESTRICTED')).toMatchObject({ content: 'c', classification: 'CONFIDENTIAL' });
    expect(await get('PUBLIC')).toMatchObject({ content: 'p' });
  });

  it('finds by key alone, also where the key is the id of another entry', async () => {
    const { call, store } = openTestTools();
    await call('memory_save', { key: 'one', content: 'first' });
    const [entry] = await store.fetch(['one'], { level: 'PUBLIC' }, false);
    const id = entry?.id ?? '';
    expect((await call('memory_get', { key: id })).data).toEqual({ found: false, key: id });
    await call('memory_save', { key: id, content: 'second' });
    expect((await call('memory_get', { key: id })).data).toMatchObject({ content: 'second' });
    await call('memory_delete', { key: id });
    expect((await call('memory_get', { key: 'one' })).data).toMatchObject({ content: 'first' });
  });

  it('keeps levels apart whatever a key looks like (instead of T-ME-08)', async () => {
    const tools = openTestTools();
    await saved(tools, [
      ['user-name', 'PUBLIC', 'p'],
      ['PUBLIC:user-name', 'INTERNAL', 'i'],
      ['memory:main:PUBLIC:user-name', 'INTERNAL', 'm'],
    ]);
    const get = async (key: string) => (await at(tools, 'INTERNAL')('memory_get', { key })).json.content;
    expect(await get('user-name')).toBe('p');
    expect(await get('PUBLIC:user-name')).toBe('i');
    expect(await get('memory:main:PUBLIC:user-name')).toBe('m');
  });
});

describe('memory_delete', () => {
  it('deletes at the own level only (T-ME-04)', async () => {
    const tools = openTestTools();
    await saved(tools, [['k', 'PUBLIC', 'p']]);
    expect(await at(tools, 'INTERNAL')('memory_delete', { key: 'k' })).toMatchObject({
      isError: true,
      text: "Memory record 'k' not found at INTERNAL level",
    });
    expect((await at(tools, 'PUBLIC')('memory_get', { key: 'k' })).json.found).toBe(true);
  });

  it('says the same of a record above the session as of one that is not there', async () => {
    const tools = openTestTools();
    await saved(tools, [['k', 'RESTRICTED', 'r']]);
    const texts = await Promise.all(
      ['k', 'none'].map(async (key) => (await at(tools, 'PUBLIC')('memory_delete', { key })).text),
    );
    expect(texts).toEqual([
      "Memory record 'k' not found at PUBLIC level",
      "Memory record 'none' not found at PUBLIC level",
    ]);
  });

  it('hides the record, keeps it for audit, and takes it out of search and list (T-ME-05)', async () => {
    const { call, store } = openTestTools();
    await call('memory_save', { key: 'k', content: 'peculiar' });
    expect((await call('memory_delete', { key: 'k' })).text).toBe('{"deleted":true,"key":"k"}');
    expect((await call('memory_get', { key: 'k' })).data).toEqual({ found: false, key: 'k' });
    expect((await call('memory_search', { query: 'peculiar' })).data).toMatchObject({ results: [] });
    expect((await call('memory_list')).text).toBe('No memories found.');
    const [entry] = await store.fetch(['k'], { level: 'PUBLIC' }, false);
    expect(entry).toMatchObject({ content: 'peculiar', status: 'forgotten' });
    expect((await call('memory_delete', { key: 'k' })).text).toBe(
      "Memory record 'k' not found at PUBLIC level",
    );
    expect((await call('memory_forget', { key: 'k', action: 'restore' })).isError).toBe(false);
    expect((await call('memory_get', { key: 'k' })).data).toMatchObject({ content: 'peculiar' });
  });

  it('brings no lower copy back for those who saw the higher one', async () => {
    const tools = openTestTools();
    await saved(tools, [
      ['k', 'PUBLIC', 'p'],
      ['k', 'INTERNAL', 'i'],
    ]);
    await at(tools, 'INTERNAL')('memory_delete', { key: 'k' });
    for (const level of ['INTERNAL', 'RESTRICTED'] as const) {
      expect((await at(tools, level)('memory_get', { key: 'k' })).json).toEqual({ found: false, key: 'k' });
      expect((await at(tools, level)('memory_list')).text).toBe('No memories found.');
    }
    expect((await at(tools, 'PUBLIC')('memory_get', { key: 'k' })).json.content).toBe('p');
  });

  it('takes an expired record for one that is not there', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { category: 'knowledge', key: 'k', content: 'c', ttl: '1h' });
    clock.time += 2 * 3_600_000;
    expect((await call('memory_get', { key: 'k' })).data).toEqual({ found: false, key: 'k' });
    expect((await call('memory_delete', { key: 'k' })).isError).toBe(true);
  });
});

describe('memory_list', () => {
  it('lists what the session may see, by tag, last changed first', async () => {
    const tools = openTestTools();
    const save = at(tools, 'PUBLIC');
    await save('memory_save', { key: 'a', content: '1', tags: ['Work'] });
    tools.clock.time += 1000;
    await save('memory_save', { key: 'b', content: '2' });
    await saved(tools, [['c', 'RESTRICTED', '3']]);
    const keys = async (level: Level, tag?: string) =>
      (await at(tools, level)('memory_list', { tag })).json?.memories.map(({ key }: { key: string }) => key);
    expect(await keys('PUBLIC')).toEqual(['b', 'a']);
    expect(await keys('PUBLIC', 'work')).toEqual(['a']);
    expect(await keys('RESTRICTED')).toHaveLength(3);
    expect((await at(tools, 'PUBLIC')('memory_list', { tag: 'none' })).text).toBe('No memories found.');
  });
});

describe('memory_search over classified memory', () => {
  it.each([
    ['user-name', 1],
    ["what's", 0],
    ['C++', 1],
    ['a:b', 0],
    ['-foo', 1],
    ['foo AND', 1],
    ['"unterminated', 0],
    ['NEAR(', 0],
    ['*', 0],
    // The index finds nothing then; the tool lists, as memory_recall does.
    ['', 1],
  ])('takes %j as words, of which %d is found (T-FT-03, instead of T-FT-02)', async (query, hits) => {
    const { call } = openTestTools();
    await call('memory_save', { key: 'user-name', content: 'I write C++ and use foo:bar' });
    const { isError, data } = await call('memory_search', { query });
    expect(isError).toBe(false);
    const found = { key: 'user-name', classification: 'PUBLIC' };
    expect(data).toMatchObject({ results: hits === 1 ? [found] : [] });
  });

  it('puts first what has the words in its key and more often (instead of N-ME-03)', async () => {
    const { call } = openTestTools();
    await call('memory_save', { key: 'food', content: 'deploy' });
    await call('memory_save', { key: 'deploy', content: 'deploy steps\n\ndeploy with make' });
    const { data } = await call('memory_search', { query: 'how to deploy' });
    expect((data as { results: { key: string }[] }).results.map(({ key }) => key)).toEqual([
      'deploy',
      'food',
    ]);
  });

  it('finds a Korean word with and without its particle (T-FT-07)', async () => {
    const { call } = openTestTools();
    await call('memory_save', { key: 'k', content: '사용자 역할은 개발자' });
    for (const query of ['역할은', '역할'])
      expect((await call('memory_search', { query })).data).toMatchObject({ results: [{ key: 'k' }] });
  });

  it('lets no query reach for levels (T-FT-04)', async () => {
    const tools = openTestTools();
    await saved(tools, [['k', 'RESTRICTED', 'secret words']]);
    for (const query of ['classification:RESTRICTED', 'RESTRICTED', 'session', 'secret'])
      expect((await at(tools, 'PUBLIC')('memory_search', { query })).data).toMatchObject({ results: [] });
  });

  it('filters by level before it limits (T-FT-05)', async () => {
    const tools = openTestTools();
    const restricted = at(tools, 'RESTRICTED');
    for (let each = 0; each < 200; each++)
      await restricted('memory_save', { key: `r-${each}`, content: `x ${each}` });
    await saved(tools, [['p', 'PUBLIC', 'x']]);
    const { data } = await at(tools, 'PUBLIC')('memory_search', { query: 'x', max_results: 10 });
    expect(data).toMatchObject({ results: [{ key: 'p' }] });
    expect((data as { results: unknown[] }).results).toHaveLength(1);
  });
});

describe('the taint of a session', () => {
  it('counts from the next call on, and never falls (T-CF-02, T-TA-01)', async () => {
    const { call, taint, store } = openTestTools();
    const session = { key: 's-1', start: 'PUBLIC' } as const;
    const rise = { reason: 'read a file', source: 'copilot' };
    await call('memory_save', { key: 'before', content: 'c' });
    const levels = [];
    for (const to of ['CONFIDENTIAL', 'INTERNAL', 'RESTRICTED'] as const) {
      await taint.raise(session, to, rise);
      levels.push(taint.levelOf(session));
      if (to === 'CONFIDENTIAL')
        expect((await call('memory_save', { key: 'k', content: 'c' })).data).toMatchObject({
          classification: 'CONFIDENTIAL',
        });
    }
    expect(levels).toEqual(['CONFIDENTIAL', 'CONFIDENTIAL', 'RESTRICTED']);
    const [entry] = await store.fetch(['k'], { level: 'RESTRICTED' }, false);
    expect(entry?.level).toBe('CONFIDENTIAL');
    expect((await call('memory_get', { key: 'k' }, { session: 'fresh' })).data).toMatchObject({
      found: false,
    });
    expect((await call('memory_get', { key: 'before' })).data).toMatchObject({ found: true });
    expect((await call('memory_delete', { key: 'before' })).isError).toBe(true);
  });

  it('leaves nothing of what it wrote in the clear', async () => {
    const folder = temporaryFolder();
    const { call, taint, store } = openTestTools(folder);
    const session = { key: 's-secret', start: 'PUBLIC' } as const;
    await taint.raise(session, 'CONFIDENTIAL', { reason: 'read acquisition.md', source: 'copilot' });
    await call('memory_save', { key: 'falcon-key', content: 'falcon-text' }, { session: 's-secret' });
    await store.tidy();
    expect(bytesUnder(join(folder, 'store')).match(/falcon.{0,9}|acquisition/g)).toBeNull();
    for (const part of ['audit', 'taint'])
      expect(bytesUnder(join(folder, 'store', part))).not.toContain('s-secret');
  });

  it('reads and writes nothing where it cannot be told', async () => {
    const folder = temporaryFolder();
    const first = openTestTools(folder);
    await first.taint.raise({ key: 's-1', start: 'PUBLIC' }, 'INTERNAL', { reason: 'r', source: 'copilot' });
    for (const name of readdirSync(join(folder, 'store', 'taint')))
      writeFileSync(join(folder, 'store', 'taint', name), 'x');
    const second = openTestTools(folder);
    for (const [tool, input] of [
      ['memory_save', { key: 'k', content: 'c' }],
      ['memory_list', {}],
    ] as const)
      expect(await second.call(tool, input)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/cannot be told.*Nothing was read or changed/),
      });
    expect((await second.call('memory_list', {}, { session: 'other' })).isError).toBe(false);
  });
});

describe('a draft at a higher level', () => {
  it('hides nothing below it until the person accepts it', async () => {
    const settings: Record<string, unknown> = {};
    const tools = openTestTools(undefined, undefined, settings);
    await saved(tools, [['rule-x', 'PUBLIC', 'the memory']]);
    settings['memory.proactive'] = 'draft';
    await saved(tools, [['rule-x', 'CONFIDENTIAL', 'the draft']]);
    const high = at(tools, 'CONFIDENTIAL');
    const shown = async () => [
      (await high('memory_get', { key: 'rule-x' })).json.content,
      (await high('memory_list')).json.memories.map(({ content }: { content: string }) => content),
      (await high('memory_recall', { query: 'memory draft' })).text.includes('the memory'),
    ];
    expect(await shown()).toEqual(['the memory', ['the memory'], true]);
    const person = { actor: 'person', level: 'RESTRICTED', session: 'window', door: 'panel' } as const;
    expect(await tools.call('memory_drafts', { action: 'accept', ids: ['rule-x'] }, person)).toMatchObject({
      isError: false,
    });
    expect(await shown()).toEqual(['the draft', ['the draft'], false]);
  });
});
