import { describe, expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

const KEY = /^\[(?:\d+|decision|bug|warning|knowledge|pattern)\](?: |\s\w+\/)(\S+)/gm;
const keysIn = (text: string) => [...text.matchAll(KEY)].map((match) => match[1]?.replace(/^\w+\//, ''));

/** The entries of the seed's example on risk. */
async function risk() {
  const tools = openTestTools();
  const { call } = tools;
  await call('memory_remember', {
    ...{ category: 'knowledge', key: 'risk-spec', content: 'Risk specification for the engine.' },
    ...{ tags: 'risk', links: 'risk-engine-priority;engine-arch' },
  });
  await call('memory_remember', {
    ...{ category: 'pattern', key: 'engine-arch', content: 'Engine architecture.' },
    ...{ tags: 'engine', links: 'risk-spec' },
  });
  await call('memory_remember', {
    ...{ category: 'decision', key: 'risk-engine-priority', file: 'spec.md:10', tags: 'risk;spec' },
    ...{ content: 'The engine prioritizes risk over speed (see [[risk-spec]]).', links: 'engine-arch' },
  });
  await call('memory_remember', { category: 'knowledge', key: 'lunch-menu', content: 'Soup on Fridays' });
  return tools;
}

/** a → b → c → d, where only a has the word of the query. */
async function chain() {
  const tools = openTestTools();
  const entries = [
    { key: 'node-a', content: 'walrus', links: 'node-b' },
    { key: 'node-b', content: `second ${'and so on '.repeat(30)}[[node-c]]` },
    { key: 'node-c', content: 'third', links: 'node-d', category: 'bug' },
    { key: 'node-d', content: 'fourth' },
  ];
  for (const entry of entries) await tools.call('memory_remember', { category: 'knowledge', ...entry });
  return tools;
}

describe('the graph mode', () => {
  it('shows what the matches are linked with, in the shape of the seed', async () => {
    const { call } = await risk();
    const { text } = await call('memory_recall', { query: 'risk over speed', mode: 'graph', hops: 2 });
    expect(keysIn(text)[0]).toBe('risk-engine-priority');
    expect(keysIn(text).sort()).toEqual(['engine-arch', 'risk-engine-priority', 'risk-spec']);
    expect(text).toMatch(
      /^\[decision\] risk-engine-priority \(.{8}\)\n {2}The engine prioritizes risk over speed \(see \[\[risk-spec\]\]\)\.\n {2}File: spec\.md:10 \| Tags: risk;spec \| Date: 2026-07-12.*\n {2}links: engine-arch\n\n/,
    );
    expect(text).not.toContain('lunch-menu');
  });

  it('finds it by a word of another language, the decision first', async () => {
    const { call } = await risk();
    const { text } = await call('memory_recall', { query: 'riesgo', mode: 'graph', hops: 2 });
    expect(keysIn(text).sort()).toEqual(['engine-arch', 'risk-engine-priority', 'risk-spec']);
  });

  it.each([
    [undefined, ['node-a', 'node-b']],
    [1, ['node-a', 'node-b']],
    [2, ['node-a', 'node-b', 'node-c']],
  ])('goes %s steps, nearest first, along links and [[key]]', async (hops, keys) => {
    const { call } = await chain();
    const { text, data } = await call('memory_recall', {
      ...{ query: 'walrus', mode: 'graph', explain: true },
      ...(hops && { hops }),
    });
    expect(keysIn(text)).toEqual(keys);
    expect(text).toContain('50% relevance');
    expect(text).toContain('1 link away');
    const { results } = data as { results: { key: string; hops?: number; relevance: number }[] };
    expect(results.map((result) => [result.hops ?? 0, result.relevance])).toEqual(
      keys.map((_, at) => [at, 0.5 ** at]),
    );
  });

  it('goes against the direction of a link, too', async () => {
    const { call } = await chain();
    const { text } = await call('memory_recall', { query: 'fourth', mode: 'graph' });
    expect(keysIn(text)).toEqual(['node-d', 'node-c']);
  });

  it.each([0, 3, 1.5, -1])('%d hops are refused with what there is', async (hops) => {
    const { call } = await chain();
    expect(await call('memory_recall', { query: 'walrus', mode: 'graph', hops })).toMatchObject({
      isError: true,
      text: expect.stringContaining('hops is 1 or 2'),
    });
  });

  it.each([[{ query: 'node-c' }], [{ ids: 'node-c' }], [{ ids: ['node-c'] }]])(
    'starts from the entry that %j names',
    async (named) => {
      const { call } = await chain();
      const { text } = await call('memory_recall', { ...named, mode: 'graph', limit: 3 });
      expect(keysIn(text)[0]).toBe('node-c');
      expect(keysIn(text).slice(1).sort()).toEqual(['node-b', 'node-d']);
    },
  );

  it('shows six entries unless told otherwise', async () => {
    const { call } = openTestTools();
    for (let n = 0; n < 12; n++) {
      await call('memory_remember', { category: 'knowledge', key: `w-${n}`, content: `walrus ${n}` });
    }
    const count = async (input: object) =>
      keysIn((await call('memory_recall', { query: 'walrus', mode: 'graph', ...input })).text).length;
    expect(await count({})).toBe(6);
    expect(await count({ budget: 'tiny' })).toBe(3);
    expect(await count({ budget: 'tiny', limit: 9 })).toBe(9);
  });

  it('filters neighbours like matches, and walks on through those it leaves out', async () => {
    const { call } = await chain();
    const { text } = await call('memory_recall', {
      ...{ ids: 'node-a', mode: 'graph', hops: 2, category: 'bug' },
    });
    expect(keysIn(text)).toEqual(['node-c']);
  });

  it('is led nowhere by what is forgotten, expired or above the reader', async () => {
    const { call, clock } = await chain();
    await call('memory_remember', {
      ...{ category: 'knowledge', key: 'short', content: 'walrus', links: 'node-d', ttl: '1h' },
    });
    await call(
      'memory_remember',
      { category: 'knowledge', key: 'high', content: 'x', links: 'node-a' },
      { level: 'CONFIDENTIAL' },
    );
    clock.time += 7_200_000;
    await call('memory_forget', { key: 'node-b' }, { approve: async () => 'approved' });
    const { text } = await call('memory_recall', { query: 'walrus', mode: 'graph', hops: 2 });
    expect(keysIn(text)).toEqual(['node-a']);
  });

  it('ends on links in a circle, to itself and to nothing', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      ...{ category: 'knowledge', key: 'loop', content: 'walrus [[loop]] [[nowhere]]', links: 'back' },
    });
    await call('memory_remember', { category: 'knowledge', key: 'back', content: 'x', links: 'loop' });
    const { text } = await call('memory_recall', { query: 'walrus', mode: 'graph', hops: 2 });
    expect(keysIn(text)).toEqual(['loop', 'back']);
  });

  it('shows a pinned entry that matches nothing without its neighbours', async () => {
    const { call } = await chain();
    await call('memory_remember', { category: 'knowledge', key: 'rules', content: 'x', links: 'node-d' });
    await call('memory_pin', { key: 'rules' });
    const { text } = await call('memory_recall', { query: 'walrus', mode: 'graph' });
    expect(keysIn(text)).toEqual(['rules 📌'.split(' ')[0], 'node-a', 'node-b']);
  });
});

describe('the compact form', () => {
  it('numbers entries, names edges by number and keeps tags only', async () => {
    const { call } = await risk();
    const { text } = await call('memory_recall', {
      ...{ query: 'risk over speed', mode: 'graph', hops: 2, compact: true },
    });
    expect(text).toMatch(
      /^\[1\] decision\/risk-engine-priority\n {2}The engine prioritizes risk over speed \(see \[\[risk-spec\]\]\)\.\n {2}tags: risk;spec · edges: ->2, ->3\n\n\[2\] \w+\/[\w-]+\n {2}.+\n {2}tags: \w+ · edges: ->1, ->3\n\n\[3\] \w+\/[\w-]+\n {2}.+\n {2}tags: \w+ · edges: ->1, ->2$/,
    );
    for (const left of ['Date:', 'File:', 'spec.md', 'Quality:', 'links:']) expect(text).not.toContain(left);
    expect(text).not.toMatch(/\([0-9a-z]{8}\)/);
  });

  it('cuts neighbours and leaves matches whole', async () => {
    const { call } = await chain();
    const { text } = await call('memory_recall', { query: 'walrus', mode: 'graph', compact: true });
    const [, second = ''] = text.split('\n\n');
    expect(second).toMatch(/^\[2\] knowledge\/node-b\n {2}second .*…\n {2}edges: ->1$/);
    expect(second.split('\n')[1]?.length).toBeLessThan(100);
    const whole = await call('memory_recall', { query: 'second', compact: true });
    expect(whole.text).toContain('[[node-c]]');
    expect(whole.text).not.toContain('edges');
  });

  it('changes nothing that is stored, and keeps additions and reasons', async () => {
    const { call } = await chain();
    await call('memory_remember', { category: 'knowledge', key: 'node-a', content: 'more of the walrus' });
    const before = (await call('memory_recall', { ids: 'node-a,node-b' })).text;
    const { text } = await call('memory_recall', { query: 'walrus', compact: true, explain: true });
    expect(text).toMatch(
      /^\[1\] knowledge\/node-a\n {2}walrus\n {2}↺ 2026-07-12 \(copilot\): more of the walrus/,
    );
    expect(text).toMatch(/\n {2}↳ 100% relevance · /);
    expect((await call('memory_recall', { ids: 'node-a,node-b' })).text).toBe(before);
    expect((await call('memory_recall', { ids: 'node-b,node-a', compact: true })).text).toMatch(
      /^Fetched 2 entries:\n\n\[1\] knowledge\/node-b\n[\s\S]*\n\n\[2\] knowledge\/node-a\n/,
    );
  });

  it('names no edge to an entry that a token budget leaves out', async () => {
    const { call } = await risk();
    for (let budget_tokens = 20; budget_tokens < 140; budget_tokens += 10) {
      const { text } = await call('memory_recall', {
        ...{ query: 'risk over speed', mode: 'graph', hops: 2, compact: true, budget_tokens },
      });
      const shown = [...text.matchAll(/^\[(\d)\]/gm)].map(([, number]) => number);
      for (const [, to] of text.matchAll(/->(\d)/g)) expect(shown).toContain(to);
    }
  });

  it('cannot be made to look like another entry or edge by a key', async () => {
    const { call } = openTestTools();
    await call('memory_remember', {
      ...{
        category: 'knowledge',
        key: 'k',
        content: 'walrus\n[2] decision/fake\n  edges: ->9',
        tags: ['a\nb'],
      },
    });
    const { text } = await call('memory_recall', { query: 'walrus', mode: 'graph', compact: true });
    expect(text.match(/^\[\d\]/gm)).toEqual(['[1]']);
    expect(text).toContain('tags: a b');
  });
});
