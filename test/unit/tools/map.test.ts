import { describe, expect, it } from 'vitest';
import type { MemoryMap } from '../../../src/protocol.ts';
import { openTestTools } from '../support/folder.ts';

const person = { actor: 'person', door: 'panel', level: 'RESTRICTED' } as const;

type Tools = ReturnType<typeof openTestTools>;

async function remember({ call }: Tools, entry: object, level: 'PUBLIC' | 'CONFIDENTIAL' = 'PUBLIC') {
  await call('memory_remember', { category: 'knowledge', ...entry }, { level });
}

async function mapOf({ call }: Tools, input: object = {}, as: object = person): Promise<MemoryMap> {
  const outcome = await call('memory_map', input, as);
  expect(outcome.isError).toBe(false);
  return outcome.data as MemoryMap;
}

/** Keys, and links as "from → to". */
function told({ nodes, links }: MemoryMap) {
  const key = (place: number | undefined) => nodes[place ?? -1]?.key;
  return {
    keys: nodes.map((node) => node.key),
    links: links.flatMap((from, at) => (at % 2 === 0 ? [`${key(from)} → ${key(links[at + 1])}`] : [])).sort(),
  };
}

async function small() {
  const tools = openTestTools();
  await remember(tools, { key: 'hub', content: 'walrus' });
  await remember(tools, { key: 'one', content: 'see [[hub]] and [[nowhere]]', category: 'bug' });
  await remember(tools, { key: 'two', content: 'x', links: 'hub;one;depends_on:one' });
  await remember(tools, { key: 'far', content: 'far off', links: 'one' });
  await remember(tools, { key: 'alone', content: 'a lone walrus [[alone]]', category: 'bug' });
  return tools;
}

describe('the map of memory', () => {
  it('has what is linked by links and [[key]], the most linked first, and counts the rest', async () => {
    const map = await mapOf(await small());
    expect(told(map)).toEqual({
      keys: ['one', ...told(map).keys.slice(1)],
      links: ['far → one', 'one → hub', 'two → hub', 'two → one'],
    });
    expect(map).toMatchObject({ total: 4, loners: 1, totalLinks: 4 });
    expect(told(map).keys.at(-1)).toBe('far');
  });

  it('has what is not linked, too, when asked', async () => {
    const map = await mapOf(await small(), { loners: true });
    expect(told(map).keys.at(-1)).toBe('alone');
    expect(map).toMatchObject({ total: 5, loners: 1 });
  });

  it('has what matches and what lies beside it, linked or not', async () => {
    const tools = await small();
    const found = told(await mapOf(tools, { query: 'walrus' }));
    expect(found.keys.slice(0, 2).sort()).toEqual(['alone', 'hub']);
    expect(found.keys.slice(2).sort()).toEqual(['one', 'two']);
    expect(told(await mapOf(tools, { query: 'walrus', category: 'bug' })).keys).toEqual(['alone']);
    expect(await mapOf(tools, { query: 'quokka' })).toMatchObject({ nodes: [], links: [], total: 0 });
  });

  it('has a category and what lies beside it', async () => {
    const map = await mapOf(await small(), { category: 'bug' });
    expect(told(map).keys[0]).toBe('one');
    expect(told(map).keys.slice(1).sort()).toEqual(['far', 'hub', 'two']);
    expect(map.loners).toBe(1);
  });

  it('has the most linked where not all fit, and no link to what is left out', async () => {
    const map = await mapOf(await small(), { limit: 2 });
    expect(map.nodes).toHaveLength(2);
    expect(map.total).toBe(4);
    expect(map.links).toHaveLength(2);
    expect(Math.max(...map.links)).toBeLessThan(2);
  });

  it('shows nobody what is above them, forgotten or expired', async () => {
    const tools = await small();
    await remember(tools, { key: 'secret-plan', content: 'x', links: 'hub' }, 'CONFIDENTIAL');
    await remember(tools, { key: 'short', content: 'x', links: 'hub', ttl: '1h' });
    await tools.call('memory_forget', { key: 'two' }, { approve: async () => 'approved' });
    tools.clock.time += 7_200_000;
    expect(told(await mapOf(tools)).keys.sort()).toEqual(['far', 'hub', 'one', 'secret-plan']);
    const low = told(await mapOf(tools, {}, { ...person, level: 'PUBLIC' }));
    expect(low.keys.sort()).toEqual(['far', 'hub', 'one']);
    expect(low.links.join()).not.toContain('secret');
  });

  it('tells names only, and no more links than can be drawn', async () => {
    const tools = openTestTools();
    const keys = Array.from({ length: 120 }, (_, at) => `k${at}`);
    const content = keys.map((key) => `[[${key}]]`).join(' ');
    for (const key of keys) await remember(tools, { key, content });
    const map = await mapOf(tools);
    expect(map.totalLinks).toBe(120 * 119);
    expect(map.links).toHaveLength(12_000);
    expect(Object.keys(map.nodes[0] ?? {}).sort()).toEqual(['category', 'id', 'key']);
    expect(JSON.stringify(map).length).toBeLessThan(100_000);
  });

  it('refuses more than a panel can show, and is no tool of an agent', async () => {
    const tools = await small();
    expect(await tools.call('memory_map', { limit: 2_001 }, person)).toMatchObject({ isError: true });
    expect(await tools.call('memory_map', {}, { actor: 'agent' })).toMatchObject({ isError: true });
  });
});
