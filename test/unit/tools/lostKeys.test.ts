/** What cannot be opened without its key still has a level, below which it is counted nowhere. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

const NOTE = { category: 'knowledge', key: 'day', content: 'Lunch is on Tuesday' };

/** A folder that is opened anew without the keys of what is above, if there is something. */
async function withoutKeys(isAbove: boolean) {
  const folder = temporaryFolder();
  const { call, store } = openTestTools(folder);
  await call('memory_remember', NOTE);
  if (isAbove) await call('memory_remember', { ...NOTE, key: 'merger' }, { level: 'CONFIDENTIAL' });
  const { data } = await call('memory_backup');
  await store.close();
  rmSync(join(folder, 'keys'), { recursive: true, force: true });
  return { ...openTestTools(folder), backup: (data as { name: string }).name };
}

test('the health of memory', async () => {
  const [one, other] = await Promise.all([withoutKeys(true), withoutKeys(false)]);
  expect((await one.call('context_health')).text).toBe((await other.call('context_health')).text);
  expect((await one.call('context_health', {}, { level: 'CONFIDENTIAL' })).text).toContain('Damaged places');
});

test('the return of a copy', async () => {
  const restored = async (isAbove: boolean, level: 'PUBLIC' | 'CONFIDENTIAL') => {
    const { call, backup: name } = await withoutKeys(isAbove);
    const as = { actor: 'person', door: 'panel', level, approve: async () => 'approved' as const } as const;
    return (await call('memory_restore', { name }, as)).text.replace(/snapshot-\S+/, '');
  };
  expect(await restored(true, 'PUBLIC')).toBe(await restored(false, 'PUBLIC'));
  expect(await restored(true, 'CONFIDENTIAL')).toContain('1 line unreadable');
});
