/** Where toon-memory 4.3.5 loses data or answers wrongly, this must not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

// Every save waits for the disk, which other work may keep busy.
vi.setConfig({ testTimeout: 30_000 });

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };
const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;
const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key);

describe('what is saved', () => {
  it('keeps fields with the characters of any table format, and its neighbours', async () => {
    const { call } = openTestTools();
    const content = 'a|b\\|c, "d": [1]{x}:\n  - indented\n\nsummaries:\n  file.ts|text';
    await call('memory_remember', { ...zod, key: 'first' });
    await call('memory_remember', { ...zod, content, file: 'a|b.ts', tags: ['x|y'] });
    await call('memory_remember', { ...zod, key: 'last' });
    const { data } = await call('memory_open', { id: 'use-zod' }, person);
    expect(data).toMatchObject({ content, file: 'a|b.ts', tags: ['x|y'] });
    expect(keys(await call('memory_recall', {})).sort()).toEqual(['first', 'last', 'use-zod']);
    expect((await call('memory_stats')).text).toContain('Total entries: 3\nFile summaries: 0');
  });

  it('keeps file summaries when entries are deleted for good, and counts them one by one', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    for (const file of ['a.ts', 'b.ts', 'c|d.ts'])
      await call('memory_summary', { action: 'set', file, summary: `about ${file}` });
    await call('memory_forget', { key: 'use-zod', action: 'hard' }, person);
    expect((await call('memory_summary', { action: 'get' })).data).toEqual({
      files: ['a.ts', 'b.ts', 'c|d.ts'],
    });
    expect((await call('memory_stats')).text).toContain('File summaries: 3');
  });

  it('is not lost when two agents save side by side', async () => {
    const one = openTestTools();
    const two = openTestTools(one.folder, one.clock);
    await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        (at % 2 ? one : two).call('memory_remember', { ...zod, key: `k-${at}` }),
      ),
    );
    expect(keys(await one.call('memory_recall', { limit: 100 }))).toHaveLength(40);
  });
});

describe('a search', () => {
  async function korean() {
    const tools = openTestTools();
    const notes = {
      token: '토큰을 매일 새로 발급한다',
      deploy: '배포를 금요일에는 하지 않는다',
      cache: '캐시를 지우고 다시 만든다',
      pool: '커넥션 풀을 스무 개로 늘렸다',
      redis: '레디스를 세션 저장소로 쓴다',
    };
    for (const [key, content] of Object.entries(notes))
      await tools.call('memory_remember', { category: 'knowledge', key, content, tags: 'memo' });
    return tools;
  }

  it.each([
    ['토큰', 'token'],
    ['배포', 'deploy'],
    ['캐시는', 'cache'],
    ['풀', 'pool'],
    ['레디스', 'redis'],
    ['레디스에서'.normalize('NFD'), 'redis'],
  ])('for %s finds %s first, whatever particle follows and however it is encoded', async (query, key) => {
    const { call } = await korean();
    expect(keys(await call('memory_recall', { query }))[0]).toBe(key);
  });

  it('for a word that nothing holds finds nothing, not everything', async () => {
    const { call } = await korean();
    for (const query of ['qwrtp', 'zzz', 'ab', '뷁'])
      expect(keys(await call('memory_recall', { query })), query).toEqual([]);
  });

  it('does not return what only neighbours the result', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      ...zod,
      content: 'Use Zod, see [[far-away]]',
      links: 'far-away',
      tags: 'x',
    });
    await call('memory_remember', { category: 'bug', key: 'far-away', content: 'unrelated text', tags: 'x' });
    expect(keys(await call('memory_recall', { query: 'zod' }))).toEqual(['use-zod']);
    expect(keys(await call('memory_search', { query: 'zod', category: 'bug' }))).toEqual([]);
  });

  it('takes the characters of a pattern for what they are', async () => {
    const { call } = openTestTools();
    for (const file of ['src/a.ts', 'src/axts', 'src/(a)+.ts', 'src/b.ts'])
      await call('memory_remember', { ...zod, key: file, file });
    const scoped = async (pathScope: string) => keys(await call('memory_recall', { pathScope })).sort();
    expect(await scoped('src/?.ts')).toEqual(['src/a.ts', 'src/b.ts']);
    expect(await scoped('src/a.ts')).toEqual(['src/a.ts']);
    expect(await scoped('src/(a)+.ts')).toEqual(['src/(a)+.ts']);
  });
});

describe('a list of changes', () => {
  it('calls new what is new since the moment, not only what is from today, and reads every unit', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { ...zod, key: 'old' });
    clock.time += 5 * DAY;
    await call('memory_remember', zod);
    clock.time += 2 * DAY;
    for (const since of ['7d', '72h', '2026-07-15', '2026-07-17T09:00:00Z']) {
      const { data } = await call('memory_diff', { since });
      expect(
        (data as { created: { key: string }[] }).created.map(({ key }) => key),
        since,
      ).toContain('use-zod');
      expect((data as { updated: unknown[] }).updated, since).toEqual([]);
    }
  });
});

describe('a listener', () => {
  it('that fails does not make a save look failed', async () => {
    const { call, registry, log } = openTestTools();
    registry.onWrite(() => {
      throw new Error('broken panel');
    });
    expect(await call('memory_remember', zod)).toMatchObject({ isError: false });
    expect(log.join()).toContain('broken panel');
  });
});

describe('what is easily ignored', () => {
  it.each([
    ['24h', 23, 25],
    ['7d', 6 * 24, 8 * 24],
  ])('is not: a time to live of %s', async (ttl, before, after) => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { ...zod, ttl });
    const start = clock.time;
    clock.time = start + before * 3_600_000;
    expect(keys(await call('memory_recall', {}))).toEqual(['use-zod']);
    clock.time = start + after * 3_600_000;
    expect(keys(await call('memory_recall', {}))).toEqual([]);
  });

  it('is not: compact, with and without a query, a mode and a budget', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, file: 'src/types.ts', tags: 'types' });
    for (const input of [
      {},
      { query: 'zod' },
      { query: 'zod', budget: 'deep' },
      { mode: 'graph', query: 'zod' },
    ])
      expect((await call('memory_recall', { ...input, compact: true })).text).toBe(
        '[1] decision/use-zod\n  Use Zod for validation\n  tags: types',
      );
  });

  it('is not: what a kind of link says of a link, which is no orphan for it', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, key: 'spec', content: 'The specification' });
    await call('memory_remember', { ...zod, links: 'implements:spec;depends_on:spec' });
    await call('memory_remember', { ...zod, key: 'lost', content: 'No such', links: 'implements:nowhere' });
    const { data } = await call('context_health');
    expect((data as { findings: { kind: string }[] }).findings).toMatchObject([{ kind: 'orphan-link' }]);
  });
});

describe('a path', () => {
  it('that a caller gives is not where memories are written to', async () => {
    const { call, folder } = openTestTools();
    await call('memory_remember', zod);
    const target = join(folder, 'elsewhere', 'global.toon');
    await call('memory_export_global', { target });
    await call('memory_backup', { target });
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  });
});
