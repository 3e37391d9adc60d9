import { describe, expect, it, vi } from 'vitest';
import { AGENT, DAY, openTestStore, openTestTools, temporaryFolder } from '../support/folder.ts';

// Every save waits for the disk, which other work may keep busy.
vi.setConfig({ testTimeout: 30_000 });

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation', tags: 'types' };
const valibot = { ...zod, key: 'use-valibot', content: 'Use Valibot for validation' };
const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;
const keys = (outcome: { data?: unknown }) =>
  (outcome.data as { results: { key: string }[] }).results.map(({ key }) => key);
type Tools = ReturnType<typeof openTestTools>;

/** The ways in which an entry leaves recall, and what an answer must say of each. */
const GONE: [string, (tools: Tools) => Promise<unknown>, RegExp][] = [
  [
    'forgotten',
    ({ call }) => call('memory_forget', { key: 'use-zod' }),
    /"use-zod" is forgotten.*memory_forget\(\{ key: "use-zod", action: "restore" \}\)/,
  ],
  [
    'superseded',
    async ({ call }) => {
      await call('memory_remember', valibot);
      return call('memory_forget', { key: 'use-zod', action: 'supersede', new_key: 'use-valibot' });
    },
    /"use-zod" is superseded by "use-valibot"/,
  ],
  [
    'expired',
    async ({ call, clock }) => {
      await call('memory_remember', { ...zod, ttl: '1d' });
      clock.time += 2 * DAY;
    },
    /"use-zod" has expired.*memory_remember/,
  ],
];

describe.each(GONE)('an entry that is %s', (_how, leave, said) => {
  async function gone() {
    const tools = openTestTools();
    await tools.call('memory_remember', zod);
    await leave(tools);
    return tools;
  }

  it.each([
    ['memory_pin', { key: 'use-zod' }],
    ['memory_unpin', { key: 'use-zod' }],
    ['memory_tag', { action: 'add', tags: 'x', ids: 'use-zod' }],
  ])('is not changed by %s, which says what to do instead', async (tool, input) => {
    const { call, store } = await gone();
    const before = await store.fetch(['use-zod'], { level: 'PUBLIC' }, false);
    const outcome = await call(tool, input);
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(said);
    expect(await store.fetch(['use-zod'], { level: 'PUBLIC' }, false)).toEqual(before);
  });

  it('can still be edited by a person, who sees its state', async () => {
    const { call } = await gone();
    expect((await call('memory_edit', { key: 'use-zod', content: 'new' }, person)).isError).toBe(false);
    expect(keys(await call('memory_recall', { query: 'new zod' }))).not.toContain('use-zod');
  });

  it('does not take the place of another', async () => {
    const { call } = await gone();
    await call('memory_remember', { ...zod, key: 'old' });
    const outcome = await call('memory_forget', { key: 'old', action: 'supersede', new_key: 'use-zod' });
    expect(outcome.isError).toBe(true);
    expect(outcome.text).toMatch(said);
    expect(keys(await call('memory_recall', { ids: 'old' }))).toEqual(['old']);
  });

  it('is recalled again once restored', async () => {
    const { call } = await gone();
    expect((await call('memory_forget', { key: 'use-zod', action: 'restore' })).text).toMatch(/✅ Restored/);
    expect(keys(await call('memory_recall', { query: 'zod' }))).toContain('use-zod');
  });

  it('is recalled again, once, when its key is saved again', async () => {
    const { call } = await gone();
    const { text } = await call('memory_remember', { ...zod, content: 'Use Zod everywhere' });
    expect(text).toMatch(/^🧠 Saved/);
    expect(text).toContain('active again');
    const recalled = await call('memory_recall', { query: 'zod everywhere' });
    expect(keys(recalled).filter((key) => key === 'use-zod')).toHaveLength(1);
    expect(recalled.text).not.toMatch(/Status: |TTL: /);
  });

  it('stays away when it was pinned before', async () => {
    const tools = openTestTools();
    await tools.call('memory_remember', zod);
    await tools.call('memory_pin', { key: 'use-zod' });
    await leave(tools);
    for (const input of [{}, { query: 'zod' }, { mode: 'index' }, { query: 'nothing', budget: 'deep' }])
      expect(keys(await tools.call('memory_recall', input))).not.toContain('use-zod');
  });

  it('stays away from whoever saves something like it', async () => {
    const { call } = await gone();
    const { text } = await call('memory_remember', { ...zod, key: 'zod-again' });
    expect(text).not.toContain('use-zod');
  });
});

describe('deleting for good', () => {
  it('is refused to an agent before the person is asked', async () => {
    const { call } = openTestTools(undefined, undefined, { 'approval.unattended': 'allow' });
    await call('memory_remember', zod);
    const questions: string[] = [];
    const asking = {
      approve: async ({ title }: { title: string }) => {
        questions.push(title);
        return 'approved' as const;
      },
    };
    for (const as of [asking, {}]) {
      const { isError, text } = await call('memory_forget', { key: 'use-zod', action: 'hard' }, as);
      expect(isError).toBe(true);
      expect(text).toMatch(/is for the person.*Use action "soft"/);
    }
    expect(questions).toEqual([]);
    expect(
      (await call('memory_forget', { key: 'use-zod', action: 'hard' }, { ...person, ...asking })).isError,
    ).toBe(false);
    expect(questions).toHaveLength(1);
  });
});

describe('a warning against what is remembered', () => {
  it('is no duplicate of it, whichever of the two is saved first', async () => {
    const warning = { category: 'warning', key: 'no-zod', content: 'Do not use Zod for validation' };
    for (const [first, second] of [
      [zod, warning],
      [warning, zod],
    ] as const) {
      const { call } = openTestTools();
      await call('memory_remember', first);
      const { text } = await call('memory_remember', second);
      expect(text).toContain(`⚠️ May contradict what is remembered:\n  [${first.category}] ${first.key}`);
      expect(text).not.toContain('👯');
    }
  });

  it('is a duplicate of the same warning', async () => {
    const { call } = openTestTools();
    const warning = { category: 'warning', key: 'no-zod', content: 'Do not use Zod for validation' };
    await call('memory_remember', warning);
    const { text } = await call('memory_remember', { ...warning, key: 'avoid-zod' });
    expect(text).toMatch(/👯 Likely duplicates[^\n]*\n {2}\[warning\] no-zod/);
    expect(text).not.toContain('contradict');
  });
});

describe('superseding', () => {
  it('shows which entry took the place', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_remember', valibot);
    await call('memory_forget', { key: 'use-zod', action: 'supersede', new_key: 'use-valibot' });
    expect((await call('memory_recall', { ids: 'use-zod' })).text).toContain(
      'Status: superseded by "use-valibot"',
    );
  });

  it('cannot go in a circle', async () => {
    const { call } = openTestTools();
    for (const key of ['a', 'b', 'c']) await call('memory_remember', { ...zod, key });
    const supersede = (key: string, new_key: string) =>
      call('memory_forget', { key, action: 'supersede', new_key });
    expect((await supersede('a', 'b')).isError).toBe(false);
    expect((await supersede('b', 'c')).isError).toBe(false);
    expect((await supersede('c', 'a')).text).toMatch(/"a" is superseded by "b"/);
    expect(keys(await call('memory_recall', { query: 'zod' }))).toEqual(['c']);
  });
});

describe('restoring', () => {
  it('removes a time to live that is over, and says so', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { ...zod, ttl: '1d' });
    clock.time += 2 * DAY;
    const { text } = await call('memory_forget', { key: 'use-zod', action: 'restore' });
    expect(text).toContain('It does not expire.');
    expect((await call('memory_recall', { ids: 'use-zod' })).text).not.toContain('TTL');
  });

  it('keeps one that is not', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, ttl: '3d' });
    await call('memory_forget', { key: 'use-zod' });
    await call('memory_forget', { key: 'use-zod', action: 'restore' });
    expect((await call('memory_recall', { ids: 'use-zod' })).text).toContain('TTL: 2026-07-15');
  });
});

describe('an entry whose time to live is over', () => {
  it('is still there for a person, after a restart too, and not deleted behind their back', async () => {
    const first = openTestTools();
    await first.call('memory_remember', { ...zod, ttl: '24h' });
    first.clock.time += 2 * DAY;
    const second = openTestTools(first.folder, first.clock);
    expect(keys(await second.call('memory_recall', { ids: 'use-zod' }))).toEqual([]);
    expect((await second.call('memory_open', { id: 'use-zod' }, person)).text).toContain('Use Zod');
    expect((await second.call('memory_stats')).text).toContain('0 with expiration, 1 expired');
  });
});

describe('links', () => {
  it('to itself, to nothing and in a circle harm no read', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, key: 'a', content: 'see [[a]] [[b]] [[없음]]', links: 'a;b' });
    await call('memory_remember', { ...zod, key: 'b', content: 'see [[a]]', links: '[[a]]' });
    const { data } = await call('memory_open', { id: 'a' }, person);
    expect(data).toMatchObject({
      linked: [
        { key: 'a', id: expect.any(String) },
        { key: 'b', id: expect.any(String) },
        { key: '없음', id: null },
      ],
      linkedFrom: [{ key: 'b' }],
    });
    expect(keys(await call('memory_recall', { query: 'see' })).sort()).toEqual(['a', 'b']);
  });
});

describe('one key saved very often', () => {
  it('keeps every text, the right dates and its tags', async () => {
    const { call, clock, store } = openTestTools();
    for (let at = 0; at < 60; at++) {
      clock.time += 1_000;
      await call('memory_remember', { ...zod, content: `text ${at}`, tags: `t${at % 7}` });
    }
    const [entry] = await store.fetch(['use-zod'], { level: 'PUBLIC' }, false);
    expect(entry?.content).toBe('text 0');
    expect(entry?.revisions).toHaveLength(59);
    expect(entry?.tags).toHaveLength(7);
    expect(entry?.updated).toBe(clock.time);
    expect(entry?.quality).toBeLessThanOrEqual(1);
    const { text } = await call('memory_recall', { query: 'zod' });
    expect(text.match(/↺ 2026/g)).toHaveLength(5);
    expect(text).toContain('(copilot): text 59\n');
    expect(text).toMatch(/↺ and 54 older\..*replace: true/);
    expect((await call('memory_recall', { query: 'text 17' })).text).toContain('use-zod');
  });
});

describe('a clock that jumps', () => {
  it.each([-400 * DAY, 4_000 * DAY])('by %d ms loses, hides and reorders nothing', async (jump) => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { ...zod, ttl: '9999-12-31' });
    clock.time += jump;
    await call('memory_remember', { ...zod, content: 'Use Zod 4', replace: true });
    await call('memory_remember', { ...valibot });
    await call('memory_forget', { key: 'use-valibot' });
    clock.time -= jump;
    await call('memory_tag', { action: 'add', tags: 'late', ids: 'use-zod' });
    const { text } = await call('memory_recall', { query: 'zod', explain: true });
    expect(text).toContain('Use Zod 4');
    expect(text).toContain('Tags: types;late');
    expect(text).not.toMatch(/NaN|Invalid|-\d+d ago/);
    expect(Number(/Quality: (\d\.\d\d)/.exec(text)?.[1])).toBeLessThanOrEqual(1);
    expect(keys(await call('memory_recall', {}))).toEqual(['use-zod']);
    for (const tool of ['memory_stats', 'context_brief'])
      expect((await call(tool)).text).not.toMatch(/NaN|Invalid|undefined/);
  });
});

describe('reading from a higher level', () => {
  it('leaves no trace below: neither in reasons nor in figures nor in the order', async () => {
    const { call } = openTestTools();
    for (const key of ['a', 'b']) await call('memory_remember', { ...zod, key });
    const seen = async () => [
      await call('memory_recall', { query: 'zod', explain: true, mode: 'flat' }),
      await call('memory_stats'),
    ];
    await seen();
    const reader = { level: 'CONFIDENTIAL' } as const;
    const twin = openTestTools();
    for (const key of ['a', 'b']) await twin.call('memory_remember', { ...zod, key });
    await twin.call('memory_recall', { query: 'zod', explain: true });
    for (let at = 0; at < 3; at++) {
      await call('memory_recall', { ids: 'b' }, reader);
      await call('memory_recall', { query: 'zod' }, reader);
      await call('memory_suggest', { context: 'zod' }, reader);
    }
    for (const [tool, input] of [
      ['memory_recall', { query: 'zod', explain: true }],
      ['memory_stats', {}],
      ['memory_recall', { explain: true }],
    ] as const)
      expect(await call(tool, input), tool).toEqual(await twin.call(tool, input));
  });
});

describe('figures of nothing', () => {
  it('are zeros', async () => {
    const { call } = openTestTools();
    const { text, isError } = await call('memory_stats');
    expect(isError).toBe(false);
    expect(text).toContain('Total entries: 0');
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
    for (const tool of ['context_brief', 'memory_recall', 'memory_search'])
      expect(await call(tool), tool).toMatchObject({ isError: false });
  });
});

describe('deleting everything at a level', () => {
  it('leaves what other levels keep as it was', async () => {
    const { call } = openTestTools();
    const above = { level: 'CONFIDENTIAL' } as const;
    await call('memory_remember', zod);
    await call('memory_summary', { action: 'set', file: 'a.ts', summary: 'public' });
    await call('memory_summary', { action: 'set', file: 'b.ts', summary: 'secret' }, above);
    await call('memory_remember', valibot, above);
    expect((await call('memory_erase', {}, { ...person, ...above })).text).toBe('Deleted 1 entry for good.');
    expect(keys(await call('memory_recall', {}, above))).toEqual(['use-zod']);
    expect((await call('memory_summary', { action: 'get', file: 'a.ts' }, above)).text).toBe('public');
    expect((await call('memory_summary', { action: 'get' }, above)).data).toEqual({ files: ['a.ts'] });
    expect((await call('memory_summary', { action: 'get', file: 'a.ts' })).text).toBe('public');
  });
});

describe("a project's own vocabulary", () => {
  it('adds to the tags there are, compared like any tag', async () => {
    const { inferTags } = await import('../../../src/memory/vocabulary.ts');
    expect(inferTags('레디스를 쓴다', { redis: ['redis'] })).toEqual(['redis']);
    expect(inferTags('redis and ioredis', { redis: ['ioredis'] })).toEqual(['redis']);
  });

  it('gives tags that a filter finds', async () => {
    const store = openTestStore(temporaryFolder(), undefined, { vocabulary: { React: ['React'] } });
    const saved = { category: 'bug', key: 'k', content: 'A React key is missing' } as const;
    expect((await store.remember(saved, AGENT)).inferredTags).toContain('react');
    expect((await store.fetch(['k'], AGENT, false, { tags: ['react'] })).map(({ key }) => key)).toEqual([
      'k',
    ]);
  });
});
