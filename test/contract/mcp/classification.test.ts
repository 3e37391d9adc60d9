import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder } from '../../unit/support/files.ts';
import { call, connect, newPlace, type Place } from './support.ts';

const SECRET = 'The merger with Zanzibar closes in March';

/** Contents of every file below the folder and the home, the keys apart. */
function everything({ home, root }: Place): Buffer[] {
  return [home, root].flatMap(filesUnder).map(({ bytes }) => bytes);
}

test('a confidential entry reaches no lower server and lies on no disk in clear', async () => {
  const place = newPlace();
  const trusted = await connect(place, ['--classification', 'CONFIDENTIAL']);
  const low = await connect(place);
  await call(low, 'memory_remember', {
    category: 'knowledge',
    key: 'harmless',
    content: 'Everybody may know about the merger of branches',
  });
  const saved = await call(trusted, 'memory_remember', {
    category: 'decision',
    key: 'merger-secret',
    content: SECRET,
    tags: 'zanzibar-tag',
  });
  expect(saved.data).toMatchObject({ entry: { level: 'CONFIDENTIAL' } });
  expect((await call(trusted, 'memory_recall', { query: 'merger' })).text).toContain(SECRET);

  const later = await connect(place, ['--classification', 'PUBLIC']);
  for (const client of [low, later]) {
    for (const [tool, input] of [
      ['memory_recall', { query: 'merger closes in March' }],
      ['memory_recall', { query: '' }],
      ['memory_search', { query: 'merger' }],
      ['memory_stats', {}],
      ['context_brief', { task: 'the merger' }],
      ['memory_diff', { since: '1d' }],
    ] as const) {
      expect(JSON.stringify(await call(client, tool, input)), tool).not.toMatch(
        /zanzibar|merger-secret|"total":2/i,
      );
    }
    // A hidden entry and one that does not exist get the same answer.
    const fetched = async (ids: string) =>
      JSON.stringify(await call(client, 'memory_recall', { ids })).replaceAll(ids, '');
    expect(await fetched('merger-secret')).toBe(await fetched('no-such-entry'));
    expect(await call(client, 'memory_forget', { key: 'merger-secret' })).toMatchObject({ isError: true });
  }
  await Promise.all([trusted.close(), low.close(), later.close()]);
  for (const content of everything(place))
    expect(content.toString('latin1')).not.toMatch(/zanzibar|merger-secret/i);

  const again = await connect(place, ['--classification', 'RESTRICTED']);
  expect((await call(again, 'memory_recall', { query: 'merger' })).text).toContain(SECRET);
});

test('what a connection’s session rose to counts for its resources and prompts as well', async () => {
  const place = newPlace();
  const high = await connect(place, ['--classification', 'CONFIDENTIAL']);
  await call(high, 'memory_remember', { category: 'decision', key: 'merger', content: SECRET });
  mkdirSync(join(place.home, '.lodeline'), { recursive: true });
  const rules = { 'classification.files': { 'secrets/**': 'CONFIDENTIAL' } };
  writeFileSync(join(place.home, '.lodeline', 'config.json'), JSON.stringify(rules));
  const client = await connect(place, ['--session', 'rising']);
  const seen = async () => {
    const { resources } = await client.listResources();
    const prompt = await client.getPrompt({ name: 'briefing', arguments: { task: 'merger' } });
    const viewer = await client.readResource({ uri: 'ui://viewer' });
    return [resources[0]?.description?.includes('Now 1 entry'), ...[prompt, viewer].map(has)];
  };
  const has = (answer: object) => JSON.stringify(answer).includes(SECRET);
  expect(await seen()).toEqual([false, false, false]);
  await call(client, 'memory_recall', { query: 'x', pathScope: 'secrets/plan.md' });
  expect(await seen()).toEqual([true, true, true]);
  await Promise.all([high.close(), client.close()]);
});
