/** Looking at the memory as a whole: its graph, its primer, what needs attention, what to compress. */
import { describe, expect, it } from 'vitest';
import { DAY, openTestTools } from '../support/folder.ts';

const note = (key: string, content: string, rest: object = {}) => ({
  category: 'knowledge',
  key,
  content,
  ...rest,
});

async function linked() {
  const tools = openTestTools();
  await tools.call('memory_remember', note('risk-engine', 'Prioritizes risk, see [[risk-spec]].'));
  await tools.call('memory_remember', note('risk-spec', 'The specification.', { links: '엔진-구조' }));
  await tools.call('memory_remember', note('엔진-구조', '엔진의 구조'));
  await tools.call('memory_remember', note('tests', 'How it is tested.', { links: 'applies_to:엔진-구조' }));
  await tools.call('memory_remember', note('alone', 'No links.', { tags: 'risk;spec' }));
  await tools.call('memory_remember', note('alone-too', 'No links either.', { tags: 'risk;spec' }));
  return tools;
}

describe('memory_graph_path', () => {
  it('finds the shortest way along links and [[keys]], in either direction, and says which', async () => {
    const { call } = await linked();
    const { text, data } = await call('memory_graph_path', { from: 'risk-engine', to: 'tests' });
    expect(text.split('\n').map((line) => line.replace(/ — .*/, ''))).toEqual([
      '🧭 3 steps:',
      '[knowledge] risk-engine',
      '  → [knowledge] risk-spec',
      '  → [knowledge] 엔진-구조',
      '  ← [knowledge] tests',
    ]);
    expect((data as { path: { key: string }[] }).path.map(({ key }) => key)).toHaveLength(4);
    expect((await call('memory_graph_path', { from: 'tests', to: 'tests' })).text).toMatch(/^🧭 0 steps/);
  });

  it('takes no shared tag for a link, and says when there is no way or no such memory', async () => {
    const { call } = await linked();
    expect((await call('memory_graph_path', { from: 'alone', to: 'alone-too' })).text).toMatch(
      /^No path between/,
    );
    expect(await call('memory_graph_path', { from: 'alone', to: 'nope' })).toMatchObject({ isError: true });
  });

  it('does not lead through what was forgotten or lies above', async () => {
    const { call } = await linked();
    await call('memory_forget', { key: 'risk-spec' });
    expect((await call('memory_graph_path', { from: 'risk-engine', to: 'tests' })).text).toMatch(/^No path/);
    await call('memory_remember', note('bridge', '[[risk-engine]] [[tests]]'), { level: 'INTERNAL' });
    expect((await call('memory_graph_path', { from: 'risk-engine', to: 'tests' })).text).toMatch(/^No path/);
    expect(
      (await call('memory_graph_path', { from: 'risk-engine', to: 'tests' }, { level: 'INTERNAL' })).text,
    ).toMatch(/^🧭 2/);
  });
});

describe('memory_visualize', () => {
  it('draws memories and links, all or those about a query with what lies beside', async () => {
    const { call } = await linked();
    const { text } = await call('memory_visualize');
    expect(text).toMatch(/^🕸️ 6 memories, 3 links\n\n```mermaid\ngraph LR\n/);
    const { data } = await call('memory_visualize', { query: 'prioritizes' });
    expect((data as { nodes: { key: string }[] }).nodes.map(({ key }) => key).sort()).toEqual([
      'risk-engine',
      'risk-spec',
    ]);
    expect((await call('memory_visualize', { query: 'zzz' })).text).toMatch(/^Nothing to show/);
  });

  it('lets no key end the label, the line or the block', async () => {
    const { call } = openTestTools();
    await call('memory_remember', note('a"] --> b["```%%{init}%%<script>', 'x'));
    const { text } = await call('memory_visualize');
    const [line] = text.split('\n').filter((each) => each.includes('n0['));
    expect(line).toMatch(/^ {2}n0\["[^"<>`\]{}%[]*"\]$/);
    expect(text.match(/```/g)).toHaveLength(2);
  });
});

describe('memory_reflect', () => {
  it('ranks: stale, poor and overlinked entries before fresh, good ones', async () => {
    const { call, clock } = openTestTools();
    const links = Array.from({ length: 20 }, (_, at) => `spoke-${at}`);
    for (const key of links)
      await call('memory_remember', note(key, `About ${key}`, { tags: 'a;b;c', file: 'x.ts' }));
    await call('memory_remember', note('stale', 'x'));
    clock.time += 200 * DAY;
    const good = { tags: 'a;b;c', file: 'x.ts', links: 'spoke-1;spoke-2' };
    await call('memory_remember', note('good-one', 'A long and careful text. '.repeat(10), good));
    await call('memory_remember', note('hub', 'A long and careful text. '.repeat(10), { ...good, links }));
    const ranking = async (input = {}) =>
      (
        (await call('memory_reflect', { limit: 100, ...input })).data as {
          ranking: { entry: { key: string }; need: number }[];
        }
      ).ranking.map(({ entry }) => entry.key);
    const order = await ranking();
    expect(order[0]).toBe('stale');
    expect(order.indexOf('hub')).toBeLessThan(order.indexOf('good-one'));
    expect(order.at(-1)).toBe('good-one');
    expect(await ranking({ limit: 2 })).toEqual(order.slice(0, 2));
    expect(await ranking({ category: 'bug' })).toEqual([]);
    expect((await call('memory_reflect')).text).toMatch(
      /^🪞 .*\n1\. \[knowledge\] stale .*\n {3}need 0\.\d\d · not changed or used for 200 days · never used/,
    );
  });
});

describe('memory_primer', () => {
  it('maps what is known, and names decisions, warnings and what is new', async () => {
    const { call } = await linked();
    await call('memory_remember', {
      category: 'decision',
      key: 'use-zod',
      content: 'Zod',
      importance: 'critical',
      tags: 'types',
    });
    await call('memory_remember', { category: 'warning', key: 'no-friday', content: 'Never on Friday' });
    const { text } = await call('memory_primer');
    expect(text).toMatch(/^=== System Primer ===\nEntries: 8, file summaries: 0\nKnowledge map: /);
    expect(text).toMatch(/Key decisions:\n {2}\[decision\] use-zod/);
    expect(text).toMatch(/Warnings:\n {2}\[warning\] no-friday/);
    expect(text).toContain('Topics: ');
    expect((await openTestTools().call('memory_primer')).text).toContain('Nothing is remembered yet.');
  });

  it('counts as no use', async () => {
    const { call } = await linked();
    for (const tool of [
      'memory_primer',
      'memory_compress',
      'memory_reflect',
      'context_export',
      'context_health',
    ])
      await call(tool);
    expect((await call('memory_recall', { query: 'tested', explain: true })).text).toContain('never used');
  });
});

describe('memory_compress', () => {
  it('shows memories whole with the steps to make one of them, and changes nothing', async () => {
    const { call } = await linked();
    const { text } = await call('memory_compress', { query: 'risk specification', count: 2 });
    expect(text).toMatch(/^🗜️ 2 memories to compress into one\./);
    expect(text).toMatch(/memory_remember\(\{ category: "knowledge"[\s\S]*action: "supersede"/);
    expect((await call('memory_stats')).text).toContain('Total entries: 6');
    expect((await call('memory_compress', { query: 'zzz' })).text).toMatch(/fewer than two/);
    for (const count of [1, 11])
      expect(await call('memory_compress', { count })).toMatchObject({ isError: true });
  });
});
