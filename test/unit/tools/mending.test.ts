/** What a person does in the memory browser while others go on writing: theirs stays. */
import { expect, it } from 'vitest';
import type { Finding } from '../../../src/memoryProtocol.ts';
import { openTestTools } from '../support/folder.ts';

function opened() {
  const tools = openTestTools();
  const { call, store } = tools;
  const person = { actor: 'person', door: 'panel', approve: async () => 'approved' as const } as const;
  const as = (tool: string, input: object = {}) => call(tool, input, { ...person, level: 'PUBLIC' });
  return {
    ...tools,
    as,
    save: (key: string, content: string, rest: object = {}) =>
      call('memory_remember', { category: 'knowledge', key, content, ...rest }),
    entry: async (id: string) => (await store.fetch([id], { level: 'PUBLIC' }, false))[0],
    findings: async () => ((await as('context_health')).data as { findings: Finding[] }).findings,
  };
}

it('every link of an entry that leads nowhere goes, whichever are mended together', async () => {
  const { as, save, entry, findings } = opened();
  await save('there', 'An entry that is there.');
  await save('note', 'See [[gone]], [[ also gone ]], [[gone]] and [[there]].', { links: 'gone;third;there' });
  const found = await findings();
  expect(found.map(({ kind }) => kind)).toEqual(['orphan-link', 'orphan-link', 'orphan-link']);
  for (const { fix } of found) await as(fix?.tool ?? '', fix?.input);
  expect(await findings()).toEqual([]);
  expect(await entry('note')).toMatchObject({
    content: 'See gone, also gone, gone and [[there]].',
    links: ['there'],
  });
});

it('mending an entry leaves what was written and linked since it was looked at', async () => {
  const { as, save, entry, findings } = opened();
  await save('there', 'An entry that is there.');
  await save('note', 'See [[gone]].', { links: 'lost' });
  const found = await findings();
  await save('note', 'The rule of [[gone]] changed on Monday.', { replace: true, links: 'there' });
  for (const { fix } of found) await as(fix?.tool ?? '', fix?.input);
  expect(await entry('note')).toMatchObject({
    content: 'The rule of gone changed on Monday.',
    links: ['there'],
  });
});

it('mending a link decides nothing between the texts of an entry', async () => {
  const { as, save, findings } = opened();
  await save('note', 'It is on. See [[gone]].');
  await save('note', 'It is off.');
  const conflicts = async () => ((await as('memory_conflicts')).data as { total: number }).total;
  expect(await conflicts()).toBe(1);
  for (const { fix } of await findings()) await as(fix?.tool ?? '', fix?.input);
  expect(await conflicts()).toBe(1);
});

it.each([
  ['category', { category: 'bug' }, { category: 'warning' }],
  ['file', { file: 'mine.ts' }, { file: 'theirs.ts' }],
  ['importance', { importance: 'low' }, { importance: 'critical' }],
])('taking back leaves the %s that somebody else set since', async (name, mine, theirs) => {
  const { as, clock, save, entry } = opened();
  await save('note', 'What is known.');
  const from = clock.time;
  clock.time += 1000;
  await as('memory_edit', { key: 'note', ...mine });
  clock.time += 1000;
  const to = clock.time;
  clock.time += 1000;
  await as('memory_edit', { key: 'note', ...theirs });
  await as('memory_take_back', { ids: [(await entry('note'))?.id], from, to });
  expect(await entry('note'), name).toMatchObject(theirs);
});
