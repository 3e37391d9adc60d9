/** What other processes write to memory is news once, whichever call of this process takes it in. */
import { expect, it } from 'vitest';
import { openTestStore, temporaryFolder } from '../support/folder.ts';

const AGENT = { level: 'PUBLIC', actor: 'agent', source: 'test', session: 's', branch: 'main' } as const;
const entry = (key: string) => ({ category: 'bug', key, content: `content of ${key}` }) as const;

type Store = ReturnType<typeof openTestStore>;

it.each<[string, (store: Store) => unknown]>([
  ['nobody', () => {}],
  ['a reading call', (store) => store.exportAll({ level: 'PUBLIC' })],
  ['a call that writes', (store) => store.remember(entry('own'), AGENT)],
  ['the work of idle moments', (store) => store.tidy()],
])('where %s has taken it in', async (_who, takeIn) => {
  const folder = temporaryFolder();
  const [here, there] = [openTestStore(folder), openTestStore(folder)];
  here.poll();
  await there.remember(entry('theirs'), AGENT);
  await takeIn(here);
  expect(here.poll()).toBe(true);
  expect(here.poll()).toBe(false);
});

it('and what this process writes itself is none', async () => {
  const here = openTestStore(temporaryFolder());
  here.poll();
  await here.remember(entry('own'), AGENT);
  expect(here.poll()).toBe(false);
});
