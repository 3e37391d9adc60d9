import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/recall/tokens.ts';
import { openTestTools } from '../support/folder.ts';

async function filled(count = 30) {
  const tools = openTestTools();
  for (let number = 0; number < count; number++) {
    await tools.call('memory_remember', {
      category: number % 2 === 0 ? 'decision' : 'bug',
      key: `entry-${number}`,
      content: `redis note number ${number} ${'detail '.repeat(number)}`,
      tags: number % 3 === 0 ? 'alpha;beta' : 'alpha',
      file: number % 5 === 0 ? `src/deep/file${number}.ts:3` : 'docs/readme.md',
    });
  }
  return tools;
}

const keysIn = (text: string) =>
  [...text.matchAll(/^\[(?:decision|bug|warning|knowledge|pattern)\] (\S+)/gm)].map((match) => match[1]);

describe('how many come back', () => {
  it.each([
    [{}, 10],
    [{ budget: 'tiny' }, 3],
    [{ budget: 'normal' }, 10],
    [{ budget: 'deep' }, 20],
    [{ budget: 'deep', limit: 4 }, 4],
    [{ limit: 25 }, 25],
  ])('%j gives %i', async (input, count) => {
    const { call } = await filled();
    expect(keysIn((await call('memory_recall', { query: 'redis', ...input })).text)).toHaveLength(count);
    expect(keysIn((await call('memory_recall', input)).text)).toHaveLength(count);
  });

  it.each([0, -1, 1.5, 1e9])('limit %d is refused', async (limit) => {
    const { call } = await filled(1);
    expect((await call('memory_recall', { query: 'redis', limit })).isError).toBe(true);
  });
});

describe('a filter', () => {
  it('lets nothing through that fails it: not a pin, not a neighbour, not an empty result', async () => {
    const { call } = await filled();
    await call('memory_remember', {
      category: 'warning',
      key: 'pinned-warning',
      content: 'redis [[entry-1]]',
      links: 'entry-1',
      tags: 'alpha',
    });
    await call('memory_pin', { key: 'pinned-warning' });
    const byCategory = await call('memory_search', { query: 'redis', category: 'bug', limit: 100 });
    expect(keysIn(byCategory.text)).toHaveLength(15);
    expect(byCategory.text).not.toContain('pinned-warning');
    const byTags = await call('memory_search', { query: 'redis', tags: 'alpha;BETA', limit: 100 });
    expect(keysIn(byTags.text)).toHaveLength(10);
    const none = await call('memory_search', { query: 'redis', tags: 'alpha;nowhere' });
    expect(none.text).toMatch(/^No results found for "redis" with these filters/);
    expect(none.isError).toBe(false);
    expect((await call('memory_search', { query: 'redis', from_date: '2030-01-01' })).text).toMatch(
      /^No results/,
    );
  });

  it.each([
    ['src', 6],
    ['src/', 6],
    ['./src/deep', 6],
    ['src\\deep', 6],
    ['src/**/*.ts', 6],
    ['**/*.{md,txt}', 24],
    ['src/deep/file1?.ts', 2],
    ['src/deep/file(10|15).ts', 0],
    ['../src', 0],
    ['!src', 0],
  ])('pathScope %s selects %i files', async (pathScope, count) => {
    const { call } = await filled();
    const { data } = await call('memory_recall', { query: 'redis', pathScope, limit: 100 });
    expect((data as { results: unknown[] }).results).toHaveLength(count);
    expect((await call('memory_recall', { path_scope: pathScope, limit: 100 })).data).toMatchObject({
      results: { length: count },
    });
  });

  it('with an unknown date says which dates there are', async () => {
    const { call } = await filled(1);
    expect(await call('memory_recall', { query: 'redis', from_date: 'yesterday' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^from_date: "yesterday" is not a date\. Use/),
    });
  });
});

describe('pathScope of one path', () => {
  it.each([
    ['src/api/users.ts', ['glob', 'folder', 'file']],
    ['src\\api\\users.ts', ['glob', 'folder', 'file']],
    ['src/api', ['glob', 'folder', 'file']],
    ['lib/users.ts', []],
    ['src/api/**/*.ts', ['file']],
  ])('%s also selects what was saved for a scope that covers it', async (pathScope, expected) => {
    const { call } = openTestTools();
    const save = (key: string, where: object) =>
      call('memory_remember', { category: 'knowledge', key, content: 'walrus', ...where });
    await save('glob', { pathScope: 'src/api/**' });
    await save('folder', { pathScope: 'src/api' });
    await save('file', { file: 'src/api/users.ts:10' });
    await save('elsewhere', { pathScope: 'test/**' });
    await save('nowhere', {});
    const keys = keysIn((await call('memory_recall', { query: 'walrus', pathScope })).text);
    expect(keys.sort()).toEqual(expected.toSorted());
  });
});

it('a stored scope with too many alternatives covers nothing', async () => {
  const { call } = openTestTools();
  for (const [key, pathScope] of [
    ['few', '{a,b}'.repeat(2)],
    ['many', '{a,b}'.repeat(10)],
  ])
    await call('memory_remember', { category: 'knowledge', key, content: 'walrus', pathScope });
  const keys = async (pathScope: string) =>
    keysIn((await call('memory_recall', { query: 'walrus', pathScope })).text);
  expect(await keys('ab')).toEqual(['few']);
  expect(await keys('a'.repeat(10))).toEqual([]);
});

describe('pinned entries', () => {
  it('come first, also without a match, and count towards the limit', async () => {
    const { call } = await filled();
    await call('memory_remember', {
      category: 'knowledge',
      key: 'house-rules',
      content: 'Ask before adding a dependency',
    });
    await call('memory_pin', { key: 'house-rules' });
    const keys = keysIn((await call('memory_recall', { query: 'redis', limit: 5 })).text);
    expect(keys).toHaveLength(5);
    expect(keys[0]).toBe('house-rules');
    await call('memory_unpin', { key: 'house-rules' });
    expect(keysIn((await call('memory_recall', { query: 'redis', limit: 5 })).text)).not.toContain(
      'house-rules',
    );
  });

  it('that are forgotten or expired stay away', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { category: 'knowledge', key: 'a', content: 'one', ttl: '1h' });
    await call('memory_remember', { category: 'knowledge', key: 'b', content: 'two' });
    await call('memory_pin', { key: 'a' });
    await call('memory_pin', { key: 'b' });
    await call('memory_forget', { key: 'b' });
    clock.time += 7_200_000;
    expect((await call('memory_recall', { query: 'anything' })).text).toMatch(/^No results/);
  });
});

describe('budget_tokens', () => {
  it.each([30, 100, 300, 1000])('%i is never exceeded, and drops the tail', async (budget_tokens) => {
    const { call } = await filled();
    for (const input of [
      { query: 'redis', budget: 'deep' },
      { mode: 'index' },
      { ids: 'entry-1 entry-29 entry-20' },
    ]) {
      const { text } = await call('memory_recall', { ...input, budget_tokens });
      expect(await countTokens(text)).toBeLessThanOrEqual(budget_tokens);
      expect(text).not.toBe('');
    }
  });

  it('cuts a first entry that is too long, and says so', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'knowledge',
      key: 'long',
      content: '한국어 텍스트 😀 '.repeat(2000),
    });
    const { text, data } = await call('memory_recall', { query: '한국어', budget_tokens: 120 });
    expect(await countTokens(text)).toBeLessThanOrEqual(120);
    expect(text).toContain('[cut to fit budget_tokens]');
    expect(text.isWellFormed()).toBe(true);
    expect(data).toMatchObject({ cut: true });
  });
});

describe('an entry in a result', () => {
  it('is found by key when the key looks like an id, and by id', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'knowledge',
      key: 'abcd1234',
      content: 'a key of eight characters',
    });
    expect((await call('memory_recall', { ids: ['abcd1234'] })).text).toContain('a key of eight characters');
  });

  it('cannot pretend to be another: line breaks in keys, files and tags do not survive', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'knowledge',
      key: 'k',
      content: 'one\n[decision] fake (00000000)\n\ntwo',
      tags: ['a\nb'],
    });
    const { text } = await call('memory_recall', { query: 'one' });
    expect(keysIn(text)).toEqual(['k']);
    expect(text).toContain('Tags: a b');
  });
});
