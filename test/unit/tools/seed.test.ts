import { describe, expect, it } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

/** Each example of seed 001 that part of the tools here covers: the call runs and the result has its structure. */
describe('the examples of the seed', () => {
  it('saves a decision: name and id, quality and confidence, related entries', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'pattern',
      key: 'zod-schemas',
      content: 'Shared Zod schemas for API validation',
    });
    const { text } = await call('memory_remember', {
      category: 'decision',
      key: 'use-zod',
      content: 'Use Zod for validation',
      file: 'src/types.ts',
      tags: 'validation;types',
    });
    expect(text).toMatch(/^🧠 Saved: decision\/use-zod \([0-9a-z]{8}\)$/m);
    expect(text).toMatch(/^🎯 Quality: 0\.\d\d \| Confidence: 1\.00$/m);
    expect(text).toMatch(
      /^🔗 Related entries:\n {2}\[pattern\] zod-schemas — Shared Zod schemas for API validation$/m,
    );
  });

  it('saves with a time to live and drops the entry from every read once it is over', async () => {
    const { call, clock } = openTestTools();
    const { text } = await call('memory_remember', {
      category: 'knowledge',
      key: 'sprint-deadline',
      content: 'Sprint ends July 18, feature freeze is July 16',
      ttl: '7d',
    });
    expect(text).toContain('⏰ TTL: 2026-07-19');
    expect((await call('memory_recall', { query: 'sprint' })).text).toContain('sprint-deadline');
    clock.time += 8 * DAY;
    for (const input of [{ query: 'sprint' }, {}, { mode: 'index' }, { ids: 'sprint-deadline' }]) {
      expect((await call('memory_recall', input)).text).not.toContain('[knowledge]');
    }
  });

  it('infers tags from the content, only those that are named', async () => {
    const { call } = openTestTools();
    const { text } = await call('memory_remember', {
      category: 'bug',
      key: 'redis-connection-timeout',
      content: 'Redis connection timeout in production, increased pool size',
    });
    expect(text).toMatch(/^🏷️ Inferred tags: redis$/m);
  });

  it('recalls a block with content and facts, and explains it on request', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'bug',
      key: 'redis-pool-fix',
      content: 'Added max_connections=20',
      file: 'redis.ts',
      tags: 'redis;fix',
      importance: 'critical',
    });
    const { text } = await call('memory_recall', { query: 'redis', explain: true });
    expect(text).toMatch(
      /^\[bug\] redis-pool-fix \([0-9a-z]{8}\)\n {2}Added max_connections=20\n {2}File: redis\.ts \| Tags: redis;fix \| Date: 2026-07-12 \| Quality: 0\.\d\d \| Unconfirmed\n {2}↳ 100% relevance · used 0× · never used · importance MED · explicit critical$/,
    );
    expect((await call('memory_recall', { query: 'redis', explain: true })).text).toContain(
      'used 1× · used today',
    );
  });

  it('browses an index and fetches by id or key in the order asked, skipping what is unknown', async () => {
    const { call } = openTestTools();
    for (const key of ['one-a', 'two-b', 'three-c']) {
      await call('memory_remember', { category: 'decision', key, content: `About ${key}` });
    }
    const index = await call('memory_recall', { mode: 'index' });
    expect(index.text).toMatch(
      /^📇 Memory index \(3 entries\):\n\n\[1\] [a-z-]+ \([0-9a-z]{8}\) · decision · 2026-07-12 · \d+%$/m,
    );
    expect(index.text).not.toContain('About');
    const id = /three-c \((.{8})\)/.exec(index.text)?.[1];
    const { text } = await call('memory_recall', { ids: `${id}, nothing; one-a` });
    expect(text).toMatch(/^Fetched 2 entries:\n\n\[decision\] three-c[\s\S]*\[decision\] one-a/);
  });

  it('surfaces a rejected decision when its topic comes up again, in recall and when saving', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'decision',
      key: 'rejected-graphql',
      content: 'Rejected GraphQL: REST + generated types wins on codegen and schema drift risk.',
      tags: 'rejected;api;graphql',
      links: 'rest-api',
    });
    expect((await call('memory_recall', { query: 'graphql for the mobile api' })).text).toContain(
      'schema drift risk',
    );
    const { text } = await call('memory_remember', {
      category: 'decision',
      key: 'mobile-gateway',
      content: 'Use a GraphQL gateway for the mobile client',
    });
    expect(text).toMatch(/^🚫 Rejected before on this topic:\n\[decision\] rejected-graphql/m);
  });

  it('filters by dates, both ends included', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { category: 'bug', key: 'redis-july', content: 'redis in July' });
    clock.time += 30 * DAY;
    await call('memory_remember', { category: 'bug', key: 'redis-august', content: 'redis in August' });
    const { text } = await call('memory_recall', {
      query: 'redis',
      from_date: '2026-07-12',
      to_date: '2026-07-31',
    });
    expect(text).toContain('redis-july');
    expect(text).not.toContain('redis-august');
  });

  it('shows what is new and what changed since a moment', async () => {
    const { call, clock } = openTestTools();
    await call('memory_remember', { category: 'decision', key: 'old', content: 'from before' });
    clock.time += 3 * DAY;
    await call('memory_remember', {
      category: 'decision',
      key: 'use-zod',
      content: 'Use Zod for validation',
    });
    await call('memory_remember', { category: 'decision', key: 'old', content: 'from before', tags: 'more' });
    const all = await call('memory_diff', { since: '24h' });
    expect(all.text).toMatch(
      /^📋 Changes since 2026-07-14:\n\n➕ New \(1\):\n {2}\[decision\] use-zod \(.{8}\)\n {4}Use Zod for validation\n\n✏️ Updated \(1\):\n {2}\[decision\] old/,
    );
    expect((await call('memory_diff', { since: '24h', type: 'created' })).text).not.toContain('old');
    expect((await call('memory_diff', { since: '24h', type: 'updated' })).text).not.toContain('use-zod');
    clock.time += 9 * DAY;
    expect((await call('memory_diff', { since: '7d' })).text).toBe('No changes since 2026-07-17');
  });

  it('suggests entries for a context', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      category: 'decision',
      key: 'redis-cache-config',
      content: 'Redis cache layer for session storage',
      file: 'src/cache.ts',
      tags: 'redis;cache',
    });
    const { text } = await call('memory_suggest', { context: 'redis cache configuration' });
    expect(text).toMatch(
      /^🔍 Suggestions for "redis cache configuration":\n\n\[decision\] redis-cache-config \(.{8}\)\n/,
    );
  });

  it('orders qualities as the weights say: the tagged decision with a file above the bare note', async () => {
    const { call } = openTestTools();
    const quality = (text: string) => Number(/Quality: (\d\.\d\d)/.exec(text)?.[1]);
    const rich = await call('memory_remember', {
      category: 'decision',
      key: 'use-zod',
      content: 'Use Zod for validation',
      file: 'src/types.ts',
      tags: 'validation;types',
    });
    const bare = await call('memory_remember', {
      category: 'knowledge',
      key: 'sprint-deadline',
      content: 'Sprint ends July 18, feature freeze is July 16',
    });
    expect(quality(rich.text)).toBeGreaterThan(quality(bare.text));
  });
});
