import { describe, expect, it } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

type Tools = ReturnType<typeof openTestTools>;

const save = (tools: Tools, key: string, content: string, more: Record<string, unknown> = {}) =>
  tools.call('memory_remember', { category: 'knowledge', key, content, ...more });

interface Found {
  readonly key: string;
  readonly relevance: number;
  readonly reason: string;
}

async function recall(tools: Tools, query: string, more: Record<string, unknown> = {}): Promise<Found[]> {
  const { data } = await tools.call('memory_recall', { query, ...more });
  return (data as { results: Found[] }).results;
}

const keys = (found: readonly Found[]) => found.map(({ key }) => key);

describe("the seed's ranking", () => {
  it('critical decisions come before low notes', async () => {
    const tools = openTestTools();
    await save(tools, 'cache-note', 'redis cache keeps sessions', { importance: 'low' });
    await save(tools, 'cache-rule', 'redis cache keeps sessions', { importance: 'critical' });
    expect(keys(await recall(tools, 'redis cache'))).toEqual(['cache-rule', 'cache-note']);
  });

  it('a warning comes before a note of the same words', async () => {
    const tools = openTestTools();
    await save(tools, 'pool-note', 'redis pool size zero');
    await save(tools, 'pool-trap', 'redis pool size zero', { category: 'warning' });
    expect(keys(await recall(tools, 'redis pool'))).toEqual(['pool-trap', 'pool-note']);
  });

  it('higher quality comes first among equals', async () => {
    const tools = openTestTools();
    const content = 'redis pool with twenty connections';
    await save(tools, 'pool-bare', content, { tags: 'pool' });
    await save(tools, 'pool-full', content, { tags: 'pool', links: 'one;two' });
    expect(keys(await recall(tools, 'redis connections'))).toEqual(['pool-full', 'pool-bare']);
  });

  it('a rejected idea comes up by its topic, in any inflection', async () => {
    const tools = openTestTools();
    await save(tools, 'rejected-graphql', 'Rejected GraphQL: REST and generated types win.', {
      category: 'decision',
      tags: 'rejected;api;graphql',
    });
    await save(tools, 'use-zod', 'Use Zod for validation');
    expect(keys(await recall(tools, 'should we add a graphql endpoint'))[0]).toBe('rejected-graphql');
  });

  it('in a graph, neighbours follow their match, nearer ones first, and flat returns matches only', async () => {
    const tools = openTestTools();
    await save(tools, 'engine-arch', 'Engine architecture.', { links: 'limits-spec' });
    await save(tools, 'limits-spec', 'Specification of the limits.', { links: 'priority' });
    await save(tools, 'priority', 'Riesgo counts more than speed.');
    await save(tools, 'use-zod', 'Use Zod for validation');
    expect(keys(await recall(tools, 'riesgo'))).toEqual(['priority']);
    expect(keys(await recall(tools, 'riesgo', { mode: 'graph', hops: 1 }))).toEqual([
      'priority',
      'limits-spec',
    ]);
    expect(keys(await recall(tools, 'riesgo', { mode: 'graph', hops: 2 }))).toEqual([
      ...['priority', 'limits-spec', 'engine-arch'],
    ]);
  });

  it('the query word in Spanish finds the English entry', async () => {
    const tools = openTestTools();
    await save(tools, 'risk-engine', 'The engine prioritizes risk over speed');
    expect(keys(await recall(tools, 'riesgo'))).toEqual(['risk-engine']);
  });

  it.each([0, 1, 2, 3, 4])(
    'importance decides among equals, the most important one saved at %d',
    async (at) => {
      const tools = openTestTools();
      for (let note = 0; note < 5; note++)
        await save(tools, `note-${note}`, 'the gizmo rule applies', {
          importance: note === at ? 'critical' : 'high',
        });
      expect(keys(await recall(tools, 'gizmo rule'))[0]).toBe(`note-${at}`);
      expect(keys(await recall(tools, 'gizmo rule', { rrf: false }))[0]).toBe(`note-${at}`);
    },
  );

  it('what stands alone comes before the same among much on its topic, when it matters more', async () => {
    const tools = openTestTools();
    await save(tools, 'window-critical', 'zeppelin deploy window is friday', { importance: 'critical' });
    tools.clock.time += DAY;
    for (const at of [0, 1, 2]) await save(tools, `before-${at}`, `zeppelin note ${at}`);
    await save(tools, 'window-low', 'zeppelin deploy window is friday', { importance: 'low' });
    for (const at of [0, 1, 2]) await save(tools, `after-${at}`, `zeppelin deploy ${at}`);
    expect(keys(await recall(tools, 'zeppelin deploy window'))[0]).toBe('window-critical');
  });

  it('relevance falls with the place, and the reasons say what it was', async () => {
    const tools = openTestTools();
    await save(tools, 'redis-cache-config', 'Redis cache layer for session storage', {
      importance: 'critical',
    });
    await save(tools, 'other-redis', 'redis is also a queue, somebody said long ago in passing');
    const found = await recall(tools, 'redis cache', { explain: true });
    expect(found[0]?.relevance).toBe(1);
    for (const { relevance, reason } of found)
      expect(reason.startsWith(`${Math.round(relevance * 100)}% relevance · used `)).toBe(true);
    expect(found[0]?.reason).toContain('explicit critical');
    expect(found[1]?.relevance).toBeLessThan(1);
  });

  it.each([30, 300])('%d days without use cost no relevant entry its place', async (days) => {
    const tools = openTestTools();
    for (let at = 0; at < 12; at++) await save(tools, `pool-${at}`, `redis pool exhausted in case ${at}`);
    tools.clock.time += days * DAY;
    for (let at = 0; at < 12; at++) await save(tools, `other-${at}`, `redis was mentioned in talk ${at}`);
    const found = keys(await recall(tools, 'redis pool exhausted'));
    expect(found.every((key) => key.startsWith('pool-'))).toBe(true);
  });
});

/** The memory of the seed's example on risk, saved in an order that helps nobody. */
async function riskMemory(): Promise<Tools> {
  const tools = openTestTools();
  await save(tools, 'lunch-menu', 'Soup on Fridays');
  await save(tools, 'engine-arch', 'Engine architecture.', {
    ...{ category: 'pattern', tags: 'engine', links: 'risk-spec' },
  });
  await save(tools, 'risk-spec', 'Risk specification for the engine.', {
    ...{ tags: 'risk', links: 'risk-engine-priority;engine-arch' },
  });
  await save(tools, 'risk-engine-priority', 'The engine prioritizes risk over speed (see [[risk-spec]]).', {
    ...{ category: 'decision', file: 'spec.md:10', tags: 'risk;spec', links: 'engine-arch' },
  });
  return tools;
}

describe("the seed's graph", () => {
  it.each(['riesgo', 'risk', '위험'])(
    'orders what "%s" reaches: decision, specification, architecture',
    async (query) => {
      const tools = await riskMemory();
      const graph = { mode: 'graph', hops: 2 };
      const order = ['risk-engine-priority', 'risk-spec', 'engine-arch'];
      expect(keys(await recall(tools, query, graph))).toEqual(order);
      expect(keys(await recall(tools, query, { ...graph, rrf: false }))).toEqual(order);
      const { text } = await tools.call('memory_recall', { query, ...graph, compact: true });
      expect([...text.matchAll(/^\[(\d)\] (\S+)/gm)].map(([, n, name]) => `${n} ${name}`)).toEqual([
        ...['1 decision/risk-engine-priority', '2 knowledge/risk-spec', '3 pattern/engine-arch'],
      ]);
    },
  );
});

describe("the seed's recommended search", () => {
  it('finds the configuration before what only concerns the same system, and suggests it first', async () => {
    const tools = openTestTools();
    await save(tools, 'redis-cache-config', 'Redis cache layer for session storage', {
      ...{ category: 'decision', file: 'src/cache.ts', tags: 'redis;cache' },
    });
    await save(tools, 'redis-pool-fix', 'Added max_connections=20', {
      ...{ category: 'bug', tags: 'redis;fix', links: 'redis-cache-config' },
    });
    await save(tools, 'never-flush', 'Never flush the shared redis', {
      ...{ category: 'warning', tags: 'redis', links: 'redis-cache-config' },
    });
    const { data } = await tools.call('memory_smart_recall', {
      intent: 'redis cache configuration',
      hops: 2,
    });
    expect((data as { results: Found[] }).results[0]?.key).toBe('redis-cache-config');
    const suggested = await tools.call('memory_suggest', { context: 'redis cache configuration' });
    expect(suggested.text).toMatch(/configuration":\n\n\[decision\] redis-cache-config /);
  });

  it.each(['critical', 'high', 'medium'] as const)(
    'puts what is %s before what matters less',
    async (level) => {
      const levels = ['critical', 'high', 'medium', 'low'] as const;
      const tools = openTestTools();
      const less = levels[levels.indexOf(level) + 1];
      await save(tools, 'cache-one', 'redis cache keeps sessions', { importance: less });
      await save(tools, 'cache-two', 'redis cache keeps sessions', { importance: level });
      expect(keys(await recall(tools, 'redis cache'))).toEqual(['cache-two', 'cache-one']);
    },
  );
});
