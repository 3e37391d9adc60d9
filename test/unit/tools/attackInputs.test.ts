import { describe, expect, it, vi } from 'vitest';
import { openTestTools } from '../support/folder.ts';

// Every save waits for the disk, which other work may keep busy.
vi.setConfig({ testTimeout: 30_000 });

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };
const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;
/** Names that objects without a table of their own would answer to. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
const results = (outcome: { data?: unknown }) => (outcome.data as { results: { key: string }[] }).results;
const keys = (outcome: { data?: unknown }) => results(outcome).map(({ key }) => key);

describe('a field for which a model has nothing', () => {
  const blanks = (value: '' | null) => ({
    memory_remember: {
      file: value,
      tags: value,
      links: value,
      ttl: value,
      importance: value,
      origin: value,
      pathScope: value,
      path_scope: value,
      replace: value === '' ? undefined : value,
    },
    memory_recall: {
      category: value,
      from_date: value,
      to_date: value,
      mode: value,
      ids: value,
      budget: value,
      pathScope: value,
      explain: value,
      limit: value,
      hops: value,
      compact: value,
      sessionBias: value,
      bias: value,
      rrf: value,
      as_of: value,
    },
    memory_smart_recall: { intent: 'zod', category: value, hops: value, limit: value, budget_tokens: value },
    context_focus: { task: 'zod', limit: value },
    memory_search: { query: 'zod', category: value, tags: value, max_results: value },
    memory_diff: { since: '7d', type: value },
    memory_tag: { action: 'add', tags: 'x', ids: 'use-zod', key: value },
    memory_suggest: { context: 'zod', limit: value },
    memory_summary: { action: 'get', file: value, summary: value },
    context_brief: { task: value, limit: value },
  });

  it.each(['', null] as const)('may be %j in every tool, and then is not given', async (value) => {
    for (const [tool, input] of Object.entries(blanks(value))) {
      const { call } = openTestTools();
      await call('memory_remember', zod);
      const { text, isError } = await call(tool, tool === 'memory_remember' ? { ...zod, ...input } : input);
      expect({ tool, text, isError }).toMatchObject({ isError: false });
      expect(text).toMatch(/zod|No summaries/i);
    }
  });

  it.each([
    ['memory_remember', { ...zod, key: '' }, /key is empty/],
    ['memory_remember', { ...zod, content: null }, /content/],
    ['memory_remember', { ...zod, category: '', file: null }, /category/],
    ['memory_forget', { key: '' }, /key or id/],
    ['memory_diff', { since: '' }, /since.*is not a date/],
  ])('is asked for where the tool needs it: %s %j', async (tool, input, message) => {
    const { call } = openTestTools();
    const { text, isError } = await call(tool, input);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
  });

  it('is not given where the person is asked either, and the question is the same as for the call', async () => {
    for (const blank of [{ new_key: null }, { reason: null }, { action: '' }, {}]) {
      const { call, registry } = openTestTools();
      await call('memory_remember', zod);
      const asked: unknown[] = [];
      const approve = async (question: unknown) => {
        asked.push(question);
        return 'declined' as const;
      };
      const input = { key: 'use-zod', ...blank };
      expect((await call('memory_forget', input, { approve })).isError).toBe(true);
      expect(asked).toEqual([registry.question('memory_forget', input, { actor: 'agent' })]);
      expect(asked).toHaveLength(1);
    }
  });

  it('asks nothing about a call that will be refused', () => {
    const { registry } = openTestTools();
    const hard = { key: 'use-zod', action: 'hard' };
    expect(registry.question('memory_forget', hard, { actor: 'agent' })).toBeUndefined();
    expect(registry.question('memory_forget', hard, { actor: 'person' })).toBeDefined();
  });

  it("in a person's form is refused, not skipped", async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    expect((await call('memory_edit', { key: 'use-zod', content: '' }, person)).isError).toBe(true);
  });
});

describe('names that every object inherits', () => {
  it.each(INHERITED)('%s has no summary until one is saved', async (file) => {
    const { call } = openTestTools();
    expect((await call('memory_summary', { action: 'get', file })).text).toContain(
      `No summary for "${file}"`,
    );
    await call('memory_summary', { action: 'set', file, summary: 'what it does' });
    expect((await call('memory_summary', { action: 'get', file })).text).toBe('what it does');
    expect((await call('memory_summary', { action: 'get' })).data).toEqual({ files: [file] });
  });

  it.each(INHERITED)('%s is a key and a tag like any other', async (name) => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, key: name, tags: name });
    expect(keys(await call('memory_recall', { ids: name }))).toEqual([name]);
    expect(keys(await call('memory_search', { tags: name }))).toEqual([name]);
    expect((await call('memory_browse', { tags: name }, person)).data).toMatchObject({ total: 1 });
    expect((await call('memory_forget', { key: name })).isError).toBe(false);
  });
});

describe('an id', () => {
  it('means its own entry even when another is saved under it as a key', async () => {
    const { call } = openTestTools();
    const saved = await call('memory_remember', zod);
    const id = /\((\w{8})\)/.exec(saved.text)?.[1] ?? '';
    await call('memory_remember', { ...zod, key: id, content: 'a decoy' });
    expect(keys(await call('memory_recall', { ids: id }))).toEqual(['use-zod']);
    await call('memory_forget', { key: id, action: 'hard' }, person);
    expect(keys(await call('memory_recall', {}))).toEqual([id]);
    expect(keys(await call('memory_recall', { ids: id }))).toEqual([id]);
  });
});

describe('fetching by ids', () => {
  async function three() {
    const tools = openTestTools();
    for (const [key, category] of [
      ['one', 'bug'],
      ['two words, here', 'decision'],
      ['three', 'bug'],
    ] as const)
      await tools.call('memory_remember', { ...zod, key, category, tags: key === 'three' ? 'x' : 'y' });
    return tools;
  }

  it('takes a key with spaces or commas in quotes, or in an array', async () => {
    const { call } = await three();
    const wanted = ['two words, here', 'one'];
    expect(keys(await call('memory_recall', { ids: '"two words, here", one' }))).toEqual(wanted);
    expect(keys(await call('memory_recall', { ids: wanted }))).toEqual(wanted);
    const tagged = await call('memory_tag', { action: 'add', tags: 'z', key: '"two words, here"' });
    expect(tagged.data).toMatchObject({ changed: [{ key: 'two words, here' }] });
  });

  it('filters like every other read', async () => {
    const { call } = await three();
    const ids = 'one three';
    expect(keys(await call('memory_search', { ids, tags: 'x' }))).toEqual(['three']);
    expect(keys(await call('memory_recall', { ids, category: 'decision' }))).toEqual([]);
    expect(keys(await call('memory_recall', { ids, from_date: '2030-01-01' }))).toEqual([]);
    expect((await call('memory_recall', { ids, category: 'decision' })).text).toContain('these filters');
  });

  it('keeps to an explicit limit, and says what is missing', async () => {
    const { call } = await three();
    const limited = await call('memory_recall', { ids: ['one', 'three'], limit: 1 });
    expect(keys(limited)).toEqual(['one']);
    expect(limited.text).toMatch(/^Fetched 1 of 2 entries/);
    const unknown = await call('memory_recall', { ids: ['one', 'nowhere'] });
    expect(unknown.text).toMatch(/^Fetched 1 entry:/);
    expect(unknown.text).toMatch(/Not in memory: nowhere/);
  });
});

describe('lists of names', () => {
  const many = Array.from({ length: 65 }, (_, at) => `t${at}`);
  it.each([
    ['memory_remember', { ...zod, tags: many }],
    ['memory_remember', { ...zod, tags: many.join(';') }],
    ['memory_remember', { ...zod, links: many.join(';') }],
    ['memory_search', { tags: many.join(';') }],
    ['memory_search', { tags: many }],
    ['memory_search', { tags: ['x'.repeat(300)] }],
    ['memory_recall', { ids: Array.from({ length: 501 }, (_, at) => `k${at}`) }],
    ['memory_recall', { ids: Array.from({ length: 501 }, (_, at) => `k${at}`).join(' ') }],
    ['memory_recall', { ids: ['x'.repeat(300)] }],
    ['memory_recall', { ids: 7 }],
  ])('too long for %s are refused with what to do: %#', async (tool, input) => {
    const { call } = openTestTools();
    const { isError, text } = await call(tool, input);
    expect(isError).toBe(true);
    expect(text).toMatch(/(tags|links|ids)(\.0)?: give .* at most \d+/);
    expect(text.length).toBeLessThan(300);
  });

  it('of 64 tags are saved and filter, in every read', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, tags: many.slice(1) });
    expect(keys(await call('memory_search', { tags: many.slice(1) }))).toEqual(['use-zod']);
    expect((await call('memory_browse', { tags: many.slice(1) }, person)).data).toMatchObject({ total: 1 });
  });

  it.each([';;;', '', ' , ', [], [' ']])('of nothing but separators are no filter: %j', async (tags) => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    expect(keys(await call('memory_search', { tags }))).toEqual(['use-zod']);
  });
});

describe('a text is compared in one form', () => {
  it.each([
    ['decomposed', 'Café-한글'.normalize('NFD'), 'café-한글'],
    ['with a lone surrogate', 'x\ud800y', 'x\ud800y'],
    ['in capitals', 'ÄÖÜ', 'äöü'],
    ['with white space around it', ' a b ', 'a b'],
  ])('a tag %s', async (_how, saved, asked) => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, tags: [saved] });
    for (const tag of [saved, asked]) {
      expect(keys(await call('memory_search', { tags: [tag] }))).toEqual(['use-zod']);
      expect((await call('memory_browse', { tags: [tag] }, person)).data).toMatchObject({ total: 1 });
    }
  });

  it('a key', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, key: 'x\ud800y' });
    expect(results(await call('memory_recall', { ids: ['x\ud800y'] }))).toHaveLength(1);
    expect((await call('memory_forget', { key: 'x\ud800y' })).isError).toBe(false);
  });

  it('a file, as scope and as the file of a summary', async () => {
    const { call } = openTestTools();
    const path = 'src/한글/é.ts';
    await call('memory_remember', { ...zod, file: path.normalize('NFD') });
    for (const pathScope of [path, 'src/한글', 'src/*/é.ts', path.normalize('NFD')]) {
      expect(keys(await call('memory_recall', { pathScope })), pathScope).toEqual(['use-zod']);
      expect((await call('memory_browse', { pathScope }, person)).data, pathScope).toMatchObject({
        total: 1,
      });
    }
    await call('memory_summary', { action: 'set', file: path.normalize('NFD'), summary: 'text' });
    expect((await call('memory_summary', { action: 'get', file: path })).text).toBe('text');
  });
});

describe('a file with lines', () => {
  it.each(['src/a.ts:3', 'src/a.ts:3:7', 'src/a.ts:3-9', 'src\\a.ts:3'])('%s is in scope', async (file) => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, file });
    for (const pathScope of ['src/*.ts', 'src/a.ts', '**/*.ts'])
      expect(keys(await call('memory_recall', { pathScope })), pathScope).toEqual(['use-zod']);
  });
});

describe('a scope', () => {
  it.each(['{a,b}'.repeat(200), `x/${'{a,b}'.repeat(20)}`, 'x/{1..99999}{1..99999}', '\\{a,b}'.repeat(100)])(
    'with more alternatives than a person means is refused at once: %#',
    async (pathScope) => {
      const { call } = openTestTools();
      for (const key of ['a', 'b', 'c']) await call('memory_remember', { ...zod, key, file: `x/${key}.ts` });
      for (const [tool, input] of [
        ['memory_recall', { pathScope }],
        ['memory_recall', { query: 'zod', path_scope: pathScope }],
        ['memory_browse', { pathScope }],
      ] as const) {
        const start = performance.now();
        const { isError, text } = await call(tool, input, person);
        expect(isError, tool).toBe(true);
        expect(text).toMatch(/^pathScope .*braces.*\*\*/);
        expect(performance.now() - start).toBeLessThan(1_000);
      }
    },
  );

  it.each([
    '+(+(+(a)))',
    '*(a|aa|aaa)'.repeat(60),
    `${'+('.repeat(200)}a${')'.repeat(200)}`,
    '**/a/'.repeat(190),
    '*a'.repeat(490),
    '['.repeat(1_000),
    '{'.repeat(1_000),
    '!(a)*'.repeat(150),
    '\\'.repeat(1_000),
  ])('that a matcher finds hard answers in time: %#', async (pathScope) => {
    const { call } = openTestTools();
    const file = `${'a'.repeat(120)}/${'a/'.repeat(120)}aaac.ts`;
    for (let at = 0; at < 20; at++) await call('memory_remember', { ...zod, key: `k${at}`, file });
    const start = performance.now();
    const recalled = await call('memory_recall', { pathScope });
    const browsed = await call('memory_browse', { pathScope }, person);
    expect(recalled.isError).toBe(browsed.isError);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('with characters that end a C string selects the same in every read', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, file: 'src/a.ts' });
    const pathScope = 'src\0';
    const { data } = await call('memory_recall', { pathScope });
    const browsed = (await call('memory_browse', { pathScope }, person)).data;
    expect((browsed as { total?: number } | undefined)?.total ?? 0).toBe(
      (data as { results: unknown[] } | undefined)?.results.length ?? 0,
    );
  });
});

describe('dates at the ends of the calendar', () => {
  it.each(['999999999d', '999999999h', '0001-01-01', '0099-12-31', '9999-12-31'])(
    '%s is a moment',
    async (date) => {
      const { call } = openTestTools();
      await call('memory_remember', zod);
      for (const [tool, input] of [
        ['memory_diff', { since: date }],
        ['memory_recall', { from_date: date }],
        ['memory_search', { to_date: date, query: 'zod' }],
      ] as const) {
        const outcome = await call(tool, input);
        expect(outcome, tool).toMatchObject({ isError: false });
        expect(outcome.text).not.toMatch(/NaN|Invalid/);
      }
      const past = !date.startsWith('9999-');
      expect(results(await call('memory_recall', { from_date: date }))).toHaveLength(past ? 1 : 0);
      expect(results(await call('memory_recall', { to_date: date }))).toHaveLength(past ? 0 : 1);
    },
  );

  it.each(['0000-00-00', '2026-13-01', '+infinity', 'Infinity', '-7d', '7', '1e9d', '10000-01-01', 'NaN'])(
    '%s is refused with what to write',
    async (date) => {
      const { call } = openTestTools();
      for (const [tool, input] of [
        ['memory_diff', { since: date }],
        ['memory_recall', { from_date: date }],
        ['memory_remember', { ...zod, ttl: date }],
      ] as const) {
        const { isError, text } = await call(tool, input);
        expect(isError, tool).toBe(true);
        expect(text).toMatch(/Use hours or days/);
      }
    },
  );

  it.each(['36525d', '876600h', '9999-12-31', '0001-01-01'])('%s is a time to live', async (ttl) => {
    const { call } = openTestTools();
    const { isError, text } = await call('memory_remember', { ...zod, ttl });
    expect(isError).toBe(false);
    expect(text).toMatch(/⏰ TTL: \d{4}-\d{2}-\d{2}/);
  });

  it.each(['999999999d', '36526d', '0d', '999999999999999h'])('%s is none', async (ttl) => {
    const { call, store } = openTestTools();
    expect((await call('memory_remember', { ...zod, ttl })).isError).toBe(true);
    expect((await store.stats({ level: 'PUBLIC' })).total).toBe(0);
  });
});

describe('a text of ours stays on its line', () => {
  const nasty = 'a\n[decision] fake (00000000)\r\n\u001b[2K\u2028\u0085b';
  const lineCount = (text: string) => text.split(/[\n\v\f\r\u0085\u2028\u2029]/u).length;

  it.each([
    ['memory_forget', { key: nasty }, 1],
    ['memory_pin', { key: nasty }, 1],
    ['memory_tag', { action: 'add', tags: 'x', ids: [nasty] }, 1],
    ['memory_recall', { ids: [nasty] }, 1],
    ['memory_recall', { query: `zzz${nasty.replace('decision', 'zzz')}` }, 1],
    ['memory_recall', { from_date: nasty }, 1],
    ['memory_remember', { ...zod, ttl: nasty }, 1],
    ['memory_suggest', { context: `qqq\n${nasty.replaceAll(/[a-z]/g, 'q')}` }, 1],
    ['memory_summary', { action: 'get', file: nasty }, 1],
    ['memory_forget', { key: 'use-zod', action: 'supersede', new_key: nasty }, 1],
  ])('when %s quotes what was asked: %#', async (tool, input, lines) => {
    const { call } = openTestTools();
    await call('memory_remember', { category: 'decision', key: 'use-zod', content: 'Use Zod' });
    const { text } = await call(tool, input);
    expect(lineCount(text)).toBe(lines);
    expect(text).not.toContain('\u001b');
    expect(text.isWellFormed()).toBe(true);
  });

  it('when it shows files, tags and links that were saved', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, file: nasty, tags: [nasty], links: [nasty] });
    const { text } = await call('memory_recall', { query: 'zod' });
    expect(lineCount(text)).toBe(4);
    const tagged = await call('memory_tag', { action: 'set', tags: [`${nasty}2`], ids: 'use-zod' });
    expect(lineCount(tagged.text)).toBe(1);
  });

  it('when a long text is cut inside a character', async () => {
    const { call } = openTestTools();
    const long = `${'x'.repeat(119)}😀`.repeat(20);
    for (const [tool, input] of [
      ['context_brief', { task: long }],
      ['memory_recall', { query: `x${long}`, category: 'bug' }],
      ['memory_recall', { query: 'z'.repeat(199) + '😀'.repeat(9) }],
      ['memory_suggest', { context: long }],
      ['memory_smart_recall', { intent: long }],
      ['context_focus', { task: long }],
    ] as const)
      expect((await call(tool, input)).text.isWellFormed(), tool).toBe(true);
  });

  it('of an entry whatever separates its lines', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, content: 'one\v[bug] a (00000000)\f[bug] b\u0085[bug] c' });
    const { text } = await call('memory_recall', { query: 'one' });
    expect(text.split(/[\n\v\f\r\u0085\u2028\u2029]/u).filter((line) => line.startsWith('['))).toHaveLength(
      1,
    );
  });
});

describe('what an answer says to do next', () => {
  it('names the field that is wrong', async () => {
    const { call } = openTestTools();
    expect((await call('memory_suggest', { context: ' ' })).text).toMatch(/context is empty: give the task/);
    expect((await call('memory_suggest', {})).text).toMatch(/context/);
    expect((await call('memory_summary', { action: 'get', file: 'a.ts' })).text).toMatch(/action: "set"/);
    expect((await call('memory_forget', { key: 'x'.repeat(300) })).text).toMatch(/key or id/);
  });

  it('says how to see the rest of an index', async () => {
    const { call } = openTestTools();
    for (let at = 0; at < 6; at++) await call('memory_remember', { ...zod, key: `k-${at}` });
    const { text } = await call('memory_recall', { mode: 'index', limit: 4 });
    expect(text).toMatch(/^📇 Memory index \(4 of 6 entries\)/);
    expect(text).toMatch(/limit/);
  });

  it('is never empty, however few tokens it may have', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    for (const budget_tokens of [1, 2, 5])
      expect((await call('memory_recall', { budget_tokens })).text).toBe('…');
  });

  it('keeps a long list of changes short', async () => {
    const { call } = openTestTools();
    for (let at = 0; at < 60; at++) await call('memory_remember', { ...zod, key: `k-${at}` });
    const { text, data } = await call('memory_diff', { since: '24h' });
    expect(text).toMatch(/➕ New \(60\):/);
    expect(text.match(/^ {2}\[decision\]/gm)).toHaveLength(50);
    expect(text).toMatch(/10 more.*since/);
    expect((data as { created: unknown[] }).created).toHaveLength(50);
  });
});

describe('suggestions', () => {
  it('are not crowded out by pinned entries that have nothing to do with the context', async () => {
    const { call, store } = openTestTools();
    for (let at = 0; at < 6; at++) {
      await call('memory_remember', { ...zod, key: `rule-${at}`, content: 'Ask first' });
      await call('memory_pin', { key: `rule-${at}` });
    }
    await call('memory_remember', { ...zod, key: 'redis-pool', content: 'The redis pool is small' });
    const outcome = await call('memory_suggest', { context: 'redis pool' });
    expect(keys(outcome)).toEqual(['redis-pool']);
    const [rule] = await store.fetch(['rule-0'], { level: 'PUBLIC' }, false);
    expect(rule?.used).toBe(0);
  });
});
