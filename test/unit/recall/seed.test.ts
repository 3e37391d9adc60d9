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
