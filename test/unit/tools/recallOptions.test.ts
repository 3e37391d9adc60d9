import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/recall/tokens.ts';
import { AGENT, DAY, openTestTools } from '../support/folder.ts';

const keysIn = (text: string) =>
  [...text.matchAll(/^\[(?:decision|bug|warning|knowledge|pattern)\] (\S+)/gm)].map((match) => match[1]);

const approve = async () => 'approved' as const;

/** Three days of one memory: saved on the first, changed and replaced on the second, forgotten on the third. */
async function history() {
  const tools = openTestTools();
  const { call, clock } = tools;
  await call('memory_remember', { category: 'decision', key: 'validate', content: 'Validate with joi' });
  await call('memory_remember', { category: 'bug', key: 'old-bug', content: 'Validate fails on dates' });
  clock.time += DAY;
  await call('memory_remember', {
    ...{ category: 'decision', key: 'validate', content: 'Validate with zod', replace: true, tags: 'zod' },
  });
  await call('memory_remember', { category: 'decision', key: 'valibot', content: 'Validate with valibot' });
  clock.time += DAY;
  await call('memory_forget', { key: 'old-bug' }, { approve });
  await call('memory_forget', { key: 'validate', action: 'supersede', new_key: 'valibot' }, { approve });
  return tools;
}

describe('from_date and to_date', () => {
  it.each(['memory_recall', 'memory_search'])(
    'that contradict each other are told apart by %s',
    async (tool) => {
      const { call } = await history();
      for (const query of ['', 'validate'])
        expect((await call(tool, { query, from_date: '2026-07-14', to_date: '2026-07-01' })).text).toMatch(
          /^from_date is later than to_date/,
        );
    },
  );
});

describe('as_of', () => {
  it('brings back what was superseded or forgotten since, and leaves out what was written since', async () => {
    const { call } = await history();
    const keys = async (as_of?: string) =>
      keysIn((await call('memory_recall', { query: 'validate', ...(as_of && { as_of }) })).text).sort();
    expect(await keys()).toEqual(['valibot']);
    expect(await keys('2026-07-12')).toEqual(['old-bug', 'validate']);
    expect(await keys('2026-07-13')).toEqual(['old-bug', 'valibot', 'validate']);
    expect(await keys('24h')).toEqual(['old-bug', 'valibot', 'validate']);
    expect(await keys('2026-07-14')).toEqual(['valibot']);
    expect(await keys('2026-07-11')).toEqual([]);
  });

  it('shows texts and tags as they were, and what became of the entry', async () => {
    const { call } = await history();
    const first = (await call('memory_recall', { query: 'validate joi', as_of: '2026-07-12' })).text;
    expect(first).toContain('  Validate with joi\n');
    expect(first).not.toContain('Tags:');
    expect(first).not.toContain('zod');
    expect(first).toContain('Since then: superseded by "valibot"');
    expect(first).toContain('Since then: forgotten');
    const second = (await call('memory_recall', { query: 'validate zod', as_of: '2026-07-13' })).text;
    expect(second).toContain('  Validate with zod\n');
    expect(second).toContain('Tags: zod');
  });

  it('holds for the index, for ids, for graphs and for memory_search alike', async () => {
    const { call } = await history();
    const as_of = '2026-07-12';
    expect((await call('memory_recall', { mode: 'index', as_of })).text).toMatch(
      /^📇 Memory index \(2 entries\)/,
    );
    const fetched = await call('memory_recall', { ids: 'validate,valibot,old-bug', as_of });
    expect(keysIn(fetched.text)).toEqual(['validate', 'old-bug']);
    expect(fetched.text).toContain('Not in memory: valibot');
    expect(keysIn((await call('memory_recall', { ids: 'validate', mode: 'graph', as_of })).text)).toEqual([
      'validate',
    ]);
    const bugs = await call('memory_search', { query: 'validate', category: 'bug', as_of });
    expect(keysIn(bugs.text)).toEqual(['old-bug']);
  });

  it('says of what moment it speaks when nothing was there then', async () => {
    const { call } = await history();
    for (const input of [{ query: 'validate' }, {}, { mode: 'index' }, { category: 'bug' }])
      expect((await call('memory_recall', { ...input, as_of: '2026-07-01' })).text).toContain(
        'in memory as it stood on 2026-07-01',
      );
  });

  it('has nothing that had expired by then, and what expired since', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { category: 'knowledge', key: 'short', content: 'walrus', ttl: '36h' });
    clock.time += 4 * DAY;
    const at = async (as_of: string) => (await call('memory_recall', { query: 'walrus', as_of })).text;
    expect(keysIn(await at('2026-07-12'))).toEqual(['short']);
    expect(keysIn(await at('2026-07-15'))).toEqual([]);
  });

  it('does not bring back what was deleted for good', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { category: 'knowledge', key: 'gone', content: 'walrus' });
    clock.time += DAY;
    const person = { actor: 'person', door: 'panel', approve } as const;
    await call('memory_forget', { key: 'gone', action: 'hard' }, person);
    expect(keysIn((await call('memory_recall', { query: 'walrus', as_of: '2026-07-12' })).text)).toEqual([]);
  });

  it('shows nothing above the reader, and what a higher entry has hidden since', async () => {
    const { call, clock } = openTestTools();
    const high = { level: 'CONFIDENTIAL' } as const;
    await call('memory_remember', { category: 'knowledge', key: 'k', content: 'low walrus' });
    clock.time += DAY;
    await call('memory_remember', { category: 'knowledge', key: 'k', content: 'high walrus' }, high);
    const at = async (as_of: string, as: object) =>
      (await call('memory_recall', { query: 'walrus', as_of }, as)).text;
    expect(await at('2026-07-12', high)).toContain('low walrus');
    expect(await at('2026-07-13', high)).toContain('high walrus');
    expect(await at('2026-07-13', {})).not.toContain('high walrus');
  });

  it('counts no use, and follows what is written after it was first asked', async () => {
    const { call } = await history();
    const ask = () => call('memory_recall', { query: 'validate', as_of: '2026-07-14', explain: true });
    await ask();
    expect((await ask()).text).toContain('used 0×');
    await call('memory_remember', { category: 'knowledge', key: 'later', content: 'Validate later' });
    expect(keysIn((await ask()).text)).toContain('later');
  });

  it('with an unknown date says which dates there are', async () => {
    const { call } = openTestTools();
    expect(await call('memory_recall', { query: 'x', as_of: 'last week' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^as_of: "last week" is not a date\. Use/),
    });
  });
});

describe('parameters with two names', () => {
  it.each([
    [{ limit: 2 }, 2],
    [{ max_results: 2 }, 2],
    [{ limit: 1, max_results: 2 }, 1],
  ])('%j limits a search to %i', async (input, count) => {
    const { call } = openTestTools();
    for (let n = 0; n < 4; n++)
      await call('memory_remember', { category: 'knowledge', key: `w-${n}`, content: 'walrus' });
    expect(keysIn((await call('memory_search', { query: 'walrus', ...input })).text)).toHaveLength(count);
  });

  it.each([
    [{ sessionBias: true }],
    [{ sessionBias: false }],
    [{ bias: 'session' }],
    [{ bias: 'none' }],
    [{ sessionBias: true, bias: 'none' }],
    [{ sessionBias: null, bias: '' }],
    [{ rrf: false }],
    [{ rrf: true }],
  ])('%j leaves what matches where it is found', async (input) => {
    const { call } = openTestTools();
    await call('memory_remember', { category: 'knowledge', key: 'one', content: 'walrus' });
    await call('memory_remember', { category: 'knowledge', key: 'two', content: 'pelican' });
    for (const tool of ['memory_recall', 'memory_search']) {
      const { text, isError } = await call(tool, { query: 'walrus', ...input });
      expect(isError).toBe(false);
      expect(keysIn(text)[0]).toBe('one');
    }
  });
});

describe('what the session works on', () => {
  const pair = ['one', 'two'] as const;

  it.each(pair)('orders near-ties by the current branch where asked to: %s', async (own) => {
    const { call, store } = openTestTools();
    for (const key of pair) {
      const branch = key === own ? 'main' : 'elsewhere';
      await store.remember(
        { category: 'knowledge', key, content: 'walrus' },
        { ...AGENT, branch, session: key },
      );
    }
    const first = async (tool: string, input: object) => keysIn((await call(tool, input)).text)[0];
    const plain = await first('memory_recall', { query: 'walrus' });
    for (const input of [{ sessionBias: false }, { bias: 'none' }])
      expect(await first('memory_recall', { query: 'walrus', ...input })).toBe(plain);
    for (const input of [{ sessionBias: true }, { bias: 'session' }, { sessionBias: true, bias: 'none' }])
      expect(await first('memory_search', { query: 'walrus', ...input })).toBe(own);
    expect(await first('memory_smart_recall', { intent: 'walrus' })).toBe(own);
    expect(await first('memory_smart_recall', { intent: 'walrus', bias: 'none' })).toBe(plain);
  });

  it.each(pair)('orders near-ties by the file in front of the person: %s', async (own) => {
    const { call, code } = openTestTools();
    for (const key of pair) {
      const pathScope = key === own ? 'src/redis' : 'src/ui';
      await call(
        'memory_remember',
        { category: 'knowledge', key, content: 'walrus', pathScope },
        { session: key },
      );
    }
    const none = async () => [];
    const currentFile = () => 'src/redis/pool.ts';
    code.code = { currentFile, symbolsNamed: none, symbolsIn: none, usesOf: none };
    expect(keysIn((await call('memory_recall', { query: 'walrus' })).text)[0]).toBe(own);
  });
});

describe('memory_suggest', () => {
  it('puts what is about a file first when the context names it', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'bug',
      key: 'dry-pool',
      content: 'Dry',
      file: 'src/redis/pool.ts:7',
    });
    await call('memory_remember', { category: 'bug', key: 'swimming', content: 'The pool opens at nine' });
    await call('memory_remember', { category: 'knowledge', key: 'lunch-menu', content: 'Soup' });
    for (const context of ['src/redis/pool.ts', 'Why is src\\redis\\pool.ts slow?']) {
      const keys = keysIn((await call('memory_suggest', { context })).text);
      expect(keys[0]).toBe('dry-pool');
      expect(keys).not.toContain('lunch-menu');
    }
  });
});

describe('memory_smart_recall', () => {
  async function filled() {
    const tools = openTestTools();
    const entries = [
      { category: 'decision', key: 'redis-cache-config', content: 'Redis cache layer', links: 'eviction' },
      { category: 'warning', key: 'eviction', content: 'Never set allkeys-random' },
      { category: 'knowledge', key: 'lunch-menu', content: 'Soup on Fridays' },
    ];
    for (const entry of entries) await tools.call('memory_remember', entry);
    return tools;
  }

  it('finds matches and what they are linked with in one call', async () => {
    const { call } = await filled();
    const { text } = await call('memory_smart_recall', { intent: 'redis cache configuration', hops: 2 });
    expect(keysIn(text)).toEqual(['redis-cache-config', 'eviction']);
  });

  it.each([
    [{ intent: 'redis eviction', category: 'warning' }, /^\[warning\] eviction(?![\s\S]*\n\n)/],
    [{ limit: 1 }, /^\[decision\] redis-cache-config(?![\s\S]*\n\n)/],
    [{ explain: true }, /\n {2}↳ 100% relevance · /],
  ])('takes %j', async (input, shape) => {
    const { call } = await filled();
    expect((await call('memory_smart_recall', { intent: 'redis cache', ...input })).text).toMatch(shape);
  });

  it('keeps to a token budget', async () => {
    const { call } = await filled();
    const { text, data } = await call('memory_smart_recall', { intent: 'redis cache', budget_tokens: 40 });
    expect(await countTokens(text)).toBeLessThanOrEqual(40);
    expect(data).toMatchObject({ dropped: expect.any(Number) });
  });

  it('says what to do when nothing is found, and when nothing was asked', async () => {
    const { call } = openTestTools();
    expect((await call('memory_smart_recall', { intent: 'walrus' })).text).toMatch(
      /^No results found for "walrus"\. Try/,
    );
    for (const input of [{}, { intent: ' ' }])
      expect(await call('memory_smart_recall', input)).toMatchObject({ isError: true });
  });
});
