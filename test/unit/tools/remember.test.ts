import { describe, expect, it } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

const zod = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };

describe('saving an existing key', () => {
  it('unites tags and links, keeps the higher importance and confidence, moves the date', async () => {
    const { call, store, clock } = openTestTools();
    await call('memory_remember', {
      ...zod,
      tags: 'validation',
      links: 'a',
      importance: 'high',
      origin: 'inferred',
    });
    clock.time += DAY;
    await call('memory_remember', { ...zod, tags: ['types'], links: ['b'], importance: 'low' });
    const [entry] = await store.fetch(['use-zod'], { level: 'PUBLIC' }, false);
    expect(entry).toMatchObject({
      tags: ['validation', 'types'],
      links: ['a', 'b'],
      importance: 'high',
      confidence: 1,
      updated: clock.time,
      created: clock.time - DAY,
    });
  });

  it('never lowers the quality', async () => {
    const { call } = openTestTools();
    const quality = ({ text }: { text: string }) => Number(/Quality: (\d\.\d\d)/.exec(text)?.[1]);
    const rich = await call('memory_remember', {
      ...zod,
      content: 'x'.repeat(300),
      file: 'src/a.ts',
      tags: 'a;b;c',
      links: 'd;e',
    });
    expect(quality(await call('memory_remember', zod))).toBeGreaterThanOrEqual(quality(rich));
  });

  it('keeps the content and shows a different text with it, dated, and finds it by its words', async () => {
    const { call } = openTestTools();
    await call('memory_remember', zod);
    const { text } = await call('memory_remember', {
      ...zod,
      content: 'Valibot was considered for the bundle size',
    });
    expect(text).toMatch(/^🧠 Updated: decision\/use-zod/);
    expect(text).toContain('↺ The content was kept');
    const recalled = await call('memory_recall', { query: 'valibot bundle' });
    expect(recalled.text).toContain(
      '  Use Zod for validation\n  ↺ 2026-07-12 (copilot): Valibot was considered',
    );
  });

  it('makes the new text the content on request and keeps the old one as history', async () => {
    const { call, store } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_remember', { ...zod, content: 'Use Valibot', replace: true });
    const [entry] = await store.fetch(['use-zod'], { level: 'PUBLIC' }, false);
    expect(entry).toMatchObject({
      content: 'Use Valibot',
      revisions: [{ text: zod.content, addition: false }],
    });
    expect((await call('memory_recall', { query: 'zod' })).text).toContain('Use Valibot');
  });

  it('makes no revision of the same text', async () => {
    const { call, store } = openTestTools();
    await call('memory_remember', zod);
    await call('memory_remember', zod);
    expect((await store.fetch(['use-zod'], { level: 'PUBLIC' }, false))[0]?.revisions).toEqual([]);
  });

  it.each([
    [
      'was forgotten',
      async ({ call }: ReturnType<typeof openTestTools>) => call('memory_forget', { key: 'use-zod' }),
    ],
    [
      'has expired',
      async ({ clock }: ReturnType<typeof openTestTools>) => {
        clock.time += 2 * DAY;
      },
    ],
  ])('brings it back with the new text when it %s', async (_how, end) => {
    const tools = openTestTools();
    await tools.call('memory_remember', { ...zod, ttl: '1d' });
    await end(tools);
    const { text } = await tools.call('memory_remember', { ...zod, content: 'Use Valibot' });
    expect(text).toMatch(/^🧠 Saved: decision\/use-zod/);
    expect(text).toContain('active again');
    const recalled = await tools.call('memory_recall', { query: 'valibot' });
    expect(recalled.text).toContain('  Use Valibot\n');
    expect(recalled.text).not.toContain('TTL');
  });

  it('treats composed and decomposed keys as one', async () => {
    const { call, store } = openTestTools();
    await call('memory_remember', { ...zod, key: '한글-결정'.normalize('NFD') });
    await call('memory_remember', { ...zod, key: '한글-결정' });
    expect((await store.stats({ level: 'PUBLIC' })).total).toBe(1);
  });
});

describe('confidence and confirmation', () => {
  it('is 1.00 when asserted and 0.65 to 0.75 when inferred', async () => {
    const { call } = openTestTools();
    const confidence = async (input: object) =>
      Number(/Confidence: (\d\.\d\d)/.exec((await call('memory_remember', { ...zod, ...input })).text)?.[1]);
    expect(await confidence({ key: 'asserted' })).toBe(1);
    expect(await confidence({ key: 'guess', origin: 'inferred', tags: 'a' })).toBe(0.65);
    expect(await confidence({ key: 'better-guess', origin: 'inferred', file: 'a.ts', tags: 'a;b' })).toBe(
      0.75,
    );
  });

  it('leaves what an agent wrote unconfirmed until a person edits or confirms it', async () => {
    const { call, store } = openTestTools();
    const confirmed = async () => (await store.fetch(['use-zod'], { level: 'PUBLIC' }, false))[0]?.confirmed;
    await call('memory_remember', zod);
    expect(await confirmed()).toBe(false);
    await call('memory_pin', { key: 'use-zod' }, { actor: 'person' });
    expect(await confirmed()).toBe(false);
    await call('memory_edit', { key: 'use-zod', confirmed: true }, { actor: 'person' });
    expect(await confirmed()).toBe(true);
    await call('memory_remember', { ...zod, tags: 'more' });
    expect(await confirmed()).toBe(true);
    await call('memory_remember', { ...zod, content: 'Something else', replace: true });
    expect(await confirmed()).toBe(false);
    await call('memory_edit', { key: 'use-zod', content: 'The person decides' }, { actor: 'person' });
    expect(await confirmed()).toBe(true);
  });
});

describe('what saving shows', () => {
  it('names likely duplicates under another key', async () => {
    const { call } = openTestTools();
    await call('memory_remember', { ...zod, content: 'Use Zod for validation of all API input at the edge' });
    const { text } = await call('memory_remember', {
      ...zod,
      key: 'zod-everywhere',
      content: 'Use Zod for validation of all API input at the edge',
    });
    expect(text).toMatch(/👯 Likely duplicates[^\n]*:\n {2}\[decision\] use-zod — .* \(\d+% overlap\)/);
  });

  it('names a warning that speaks against it', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'warning',
      key: 'no-pool-zero',
      content: 'Do not set the redis pool size to zero',
    });
    const { text } = await call('memory_remember', {
      category: 'decision',
      key: 'pool-size',
      content: 'Set the redis pool size to zero in tests',
    });
    expect(text).toMatch(/⚠️ May contradict what is remembered:\n {2}\[warning\] no-pool-zero/);
  });

  it('says nothing of unrelated rejected decisions', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'decision',
      key: 'rejected-graphql',
      content: 'Rejected GraphQL for schema drift',
      tags: 'rejected',
    });
    const { text } = await call('memory_remember', {
      category: 'decision',
      key: 'db',
      content: 'Use PostgreSQL; schema drift is caught by migrations',
    });
    expect(text).not.toContain('🚫');
  });

  it('says which secrets were taken out, and stores none', async () => {
    const { call, store } = openTestTools();
    const { text } = await call('memory_remember', {
      ...zod,
      content: `The db is at postgres://admin:${'hunter' + '2hunter2'}@db.local/app, commit 8f14e45fceea167a5a36dedd4bea2543b1a2c3d4`,
    });
    expect(text).toMatch(/🔒 Redacted before saving: /);
    const [entry] = await store.fetch(['use-zod'], { level: 'PUBLIC' }, false);
    expect(entry?.content).not.toContain('hunter2');
    expect(entry?.content).toContain('8f14e45fceea167a5a36dedd4bea2543b1a2c3d4');
  });
});

describe('bad input', () => {
  it.each([
    [{ ...zod, key: ' ' }, /^memory_remember: key: key is empty/],
    [{ ...zod, content: '' }, /content is empty/],
    [
      { ...zod, content: 'x'.repeat(10_000_000) },
      /content is longer than 1000000 characters: save a summary/,
    ],
    [{ ...zod, key: 'a\u0000b' }, /control characters/],
    [{ ...zod, category: 'idea' }, /category/],
    [{ ...zod, ttl: 'soon' }, /"soon" is not a time to live\. Use hours or days/],
    [{ ...zod, ttl: '2026-02-30' }, /not a time to live/],
    [{}, /category.*key.*content/],
    [null, /category/],
    ['text', /expected object/i],
  ])('is refused with what to do, and nothing is saved: %#', async (input, message) => {
    const { call, store } = openTestTools();
    const { text, isError } = await call('memory_remember', input);
    expect(isError).toBe(true);
    expect(text).toMatch(message);
    expect((await store.stats({ level: 'PUBLIC' })).total).toBe(0);
  });
});
