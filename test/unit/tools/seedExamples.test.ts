import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/recall/tokens.ts';
import { PresenceBoard } from '../../../src/session/presence.ts';
import { DAY, openTestTools } from '../support/folder.ts';

const ID = '\\([0-9a-z]{8}\\)';
const DATE = '\\d{4}-\\d\\d-\\d\\d';
const QUALITY = '🎯 Quality: [01]\\.\\d\\d \\| Confidence: 1\\.00';
const FACTS = `Date: ${DATE} \\| Quality: [01]\\.\\d\\d \\| Unconfirmed`;

/** A text whose every line is as the pattern of its place says. */
function lines(...patterns: readonly string[]): RegExp {
  return new RegExp(`^${patterns.join('\\n')}$`, 'u');
}

const NOTES = [
  {
    category: 'decision',
    key: 'use-zod',
    content: 'Use Zod for validation',
    file: 'src/types.ts',
    tags: 'validation;types',
  },
  {
    category: 'decision',
    key: 'redis-cache-config',
    content: 'Redis cache layer for session storage',
    file: 'src/cache.ts',
    tags: 'redis;cache',
  },
  {
    category: 'bug',
    key: 'redis-pool-fix',
    content: 'Added max_connections=20',
    file: 'redis.ts',
    tags: 'redis;fix',
  },
] as const;

const RISK = [
  { category: 'knowledge', key: 'risk-spec', content: 'Risk specification for the engine.', tags: 'risk' },
  { category: 'pattern', key: 'engine-arch', content: 'Engine architecture.', tags: 'engine' },
] as const;

async function filled(notes: readonly object[] = NOTES) {
  const tools = openTestTools();
  for (const note of notes) await tools.call('memory_remember', note);
  return tools;
}

describe('an example of the seed gives every line of its shape', () => {
  it('a decision', async () => {
    const { call } = await filled([
      { category: 'pattern', key: 'zod-schemas', content: 'Shared Zod schemas for API validation' },
    ]);
    expect((await call('memory_remember', NOTES[0])).text).toMatch(
      lines(
        `🧠 Saved: decision/use-zod ${ID}`,
        QUALITY,
        '🔗 Related entries:',
        '  \\[pattern\\] zod-schemas — Shared Zod schemas for API validation',
      ),
    );
  });

  it.each(['7d', '30d', '2026-12-31'])('a note that ends: %s', async (ttl) => {
    const { call } = openTestTools();
    const { text } = await call('memory_remember', {
      category: 'knowledge',
      key: 'sprint-deadline',
      content: 'Sprint ends July 18, feature freeze is July 16',
      ttl,
    });
    const end = { '7d': '2026-07-19', '30d': '2026-08-11', '2026-12-31': '2026-12-31' }[ttl];
    expect(text).toContain(`\n⏰ TTL: ${end}`);
    expect(text).toMatch(/^🧠 Saved: knowledge\/sprint-deadline /);
  });

  it('a bug whose tags are inferred', async () => {
    const { call } = openTestTools();
    const { text } = await call('memory_remember', {
      category: 'bug',
      key: 'redis-connection-timeout',
      content: 'Redis connection timeout in production, increased pool size',
    });
    expect(text).toMatch(
      lines(`🧠 Saved: bug/redis-connection-timeout ${ID}`, QUALITY, '🏷️ Inferred tags: redis'),
    );
  });

  it('a recall', async () => {
    const { call } = await filled();
    const { text } = await call('memory_recall', { query: 'redis' });
    const [first = '', second = '', ...rest] = text.split('\n\n');
    expect(rest).toEqual([]);
    for (const block of [first, second])
      expect(block).toMatch(
        lines(
          `\\[(?:bug|decision)\\] redis-[a-z-]+ ${ID}`,
          '  \\S.*',
          `  File: \\S+ \\| Tags: redis;\\w+ \\| ${FACTS}`,
        ),
      );
  });

  it('a recall that says why', async () => {
    const { call } = await filled();
    const { text } = await call('memory_recall', { query: 'redis', explain: true });
    for (const block of text.split('\n\n'))
      expect(block.split('\n').at(-1)).toMatch(
        /^ {2}↳ \d+% relevance · used \d+× · (?:never used|used .+) · importance (?:HIGH|MED|LOW)(?: · .+)?$/u,
      );
  });

  it('a recall within a number of tokens, also with the widest budget', async () => {
    const { call } = await filled(
      Array.from({ length: 20 }, (_, at) => ({ ...NOTES[1], key: `redis-${at}`, content: `redis ${at}` })),
    );
    for (const input of [{}, { budget: 'deep' }]) {
      const { text, data } = await call('memory_recall', { query: 'redis', budget_tokens: 300, ...input });
      expect(await countTokens(text)).toBeLessThanOrEqual(300);
      expect(text).toContain('[decision] redis-');
      expect((data as { dropped: number }).dropped).toBeGreaterThan(0);
    }
    const all = await call('memory_recall', { query: 'redis', budget: 'deep', budget_tokens: 0 });
    expect((all.data as { results: unknown[] }).results).toHaveLength(20);
  });

  it('an index of everything, an index of a query, and what is fetched from it', async () => {
    const { call } = await filled();
    const line = (at: number) => `\\[${at}\\] [a-z-]+ ${ID} · (?:bug|decision) · ${DATE} · \\d+%`;
    const { text } = await call('memory_recall', { mode: 'index' });
    expect(text).toMatch(lines('📇 Memory index \\(3 entries\\):', '', line(1), line(2), line(3), '', '.+'));
    const some = await call('memory_recall', { query: 'redis', mode: 'index' });
    expect(some.text).toMatch(/^📇 Memory index \(2 entries\):\n/u);
    const ids = ['use-zod', 'redis-cache-config'].map(
      (key) => new RegExp(`${key} \\((.{8})\\)`).exec(text)?.[1],
    );
    const fetched = await call('memory_recall', { ids: ids.join(',') });
    expect(fetched.text).toMatch(
      /^Fetched 2 entries:\n\n\[decision\] use-zod [\s\S]+\n\n\[decision\] redis-cache-config /u,
    );
  });

  it('a decision against something', async () => {
    const { call } = openTestTools();
    const rejected = {
      category: 'decision',
      key: 'rejected-graphql',
      content: 'Rejected GraphQL: REST + generated types wins on codegen and schema drift risk.',
      tags: 'rejected;api;graphql',
    };
    expect((await call('memory_remember', rejected)).text).toMatch(/^🧠 Saved: decision\/rejected-graphql /);
    expect((await call('memory_recall', { query: 'graphql' })).text).toMatch(
      /^\[decision\] rejected-graphql .{10}\n {2}Rejected GraphQL: REST/u,
    );
  });

  it('a recall between two days', async () => {
    const { call, clock } = await filled();
    clock.time += 40 * DAY;
    await call('memory_remember', { ...NOTES[1], key: 'redis-later' });
    const { text } = await call('memory_recall', {
      query: 'redis',
      from_date: '2026-07-01',
      to_date: '2026-07-31',
    });
    expect(text.match(/^\[\w+\] redis-[a-z-]+/gmu)).toHaveLength(2);
    expect(text).not.toContain('redis-later');
  });

  it('what changed in a day', async () => {
    const { call } = await filled();
    expect((await call('memory_diff', { since: '24h' })).text).toMatch(
      lines(
        `📋 Changes since ${DATE}:`,
        '',
        '➕ New \\(3\\):',
        ...Array(3).fill(`  \\[\\w+\\] \\S+ ${ID}\\n    .+`),
      ),
    );
  });

  it('suggestions', async () => {
    const { call } = await filled();
    expect((await call('memory_suggest', { context: 'redis cache configuration' })).text).toMatch(
      new RegExp(
        `^🔍 Suggestions for "redis cache configuration":\\n\\n\\[decision\\] redis-cache-config ${ID}\\n {2}Redis cache layer for session storage\\n {2}File: src/cache\\.ts \\| Tags: redis;cache \\| ${FACTS}`,
        'u',
      ),
    );
  });

  it('an archive', async () => {
    const { call, clock } = await filled();
    clock.time += 31 * DAY;
    await call('memory_remember', { category: 'bug', key: 'fresh', content: 'of today' });
    const { text } = await call('memory_archive', {}, { actor: 'person', approve: async () => 'approved' });
    expect(text).toMatch(/^📦 Archived 3 old entries\n/u);
    expect(text).toMatch(/^📋 1 active entry remaining$/mu);
  });

  it('sessions and their conflict', async () => {
    const { call, folder, clock } = openTestTools();
    const board = new PresenceBoard({
      ...{ dir: join(folder, 'store', 'presence'), defaultLevel: 'PUBLIC' },
      now: () => clock.time,
    });
    for (const key of ['s-1', 'sess-B'])
      board.attend([
        { key, agent: key, branch: 'feature/foo', level: 'PUBLIC', root: folder, files: ['src/shared.ts'] },
      ]);
    const { text } = await call('memory_sessions', { conflictsOnly: false });
    expect(text).toMatch(/^🧭 Active sessions \(2\) — 10 min window:$/mu);
    expect(text).toMatch(/^• sess-B @ feature\/foo\n {3}id: sess-B\n {3}Files:\n {5}• src\/shared\.ts$/mu);
    expect(text).toMatch(/^• s-1 @ feature\/foo \(you\)$/mu);
    const only = await call('memory_sessions', { conflictsOnly: true });
    expect(only.text).toMatch(
      /^🔥 Soft conflicts \(1\):\n {2}⚠️ src\/shared\.ts {2}↔ {2}.+@\S+, .+@feature\/foo$/u,
    );
  });

  it('a decision with links, found through them by a word of another language', async () => {
    const { call } = await filled(RISK);
    const saved = await call('memory_remember', {
      category: 'decision',
      key: 'risk-engine-priority',
      content: 'The engine prioritizes risk over speed (see [[risk-spec]]).',
      file: 'spec.md:10',
      tags: 'risk;spec',
      links: 'engine-arch',
    });
    expect(saved.text).toMatch(/^🧠 Saved: decision\/risk-engine-priority /u);
    const query = { query: 'riesgo', mode: 'graph', hops: 2 };
    const { text } = await call('memory_recall', query);
    expect(text).toMatch(/^\[decision\] risk-engine-priority /mu);
    expect(text).toMatch(/^ {2}File: spec\.md:10 \| Tags: risk;spec \| /mu);
    expect(text).toMatch(/^ {2}links: engine-arch$/mu);
    expect(text).toMatch(/^\[knowledge\] risk-spec /mu);
    expect(text).toMatch(/^\[pattern\] engine-arch /mu);
    const compact = await call('memory_recall', { ...query, compact: true });
    const blocks = compact.text.split('\n\n');
    expect(blocks).toHaveLength(3);
    for (const [at, block] of blocks.entries())
      expect(block).toMatch(
        lines(`\\[${at + 1}\\] \\w+/[a-z-]+`, '  .+', '  tags: [a-z;]+ · edges: ->\\d(?:, ->\\d)*'),
      );
    expect(compact.text).not.toMatch(new RegExp(DATE, 'u'));
    expect(compact.text).not.toContain('spec.md');
  });

  it('one call for every signal', async () => {
    const { call } = await filled();
    expect(
      (await call('memory_smart_recall', { intent: 'redis cache configuration', hops: 2 })).text,
    ).toMatch(/^\[decision\] redis-cache-config /u);
  });
});
