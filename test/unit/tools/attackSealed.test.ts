import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CaptureLog } from '../../../src/memory/capture.ts';
import { bytesUnder } from '../support/files.ts';
import { DAY, openTestTools } from '../support/folder.ts';

const high = { level: 'CONFIDENTIAL' } as const;
const person = {
  ...{ actor: 'person', door: 'panel', level: 'CONFIDENTIAL' },
  approve: async () => 'approved',
} as const;

/** What is done with a sealed entry in its life, by tools that each write something somewhere. */
const LIFE: readonly [name: string, input: object, as?: object][] = [
  ['memory_remember', { category: 'bug', key: 'quiet-key', content: 'quietword one', tags: 'quiettag' }],
  ['memory_remember', { category: 'bug', key: 'quiet-key', content: 'quietword two', replace: true }],
  ['memory_remember', { category: 'bug', key: 'quiet-twin', content: 'quietword two', file: 'quietfile.ts' }],
  ['memory_remember', { category: 'bug', key: 'quiet-end', content: 'quietword three', ttl: '1d' }],
  ['memory_summary', { action: 'set', file: 'quietfile.ts', summary: 'quietword of a file' }],
  ['memory_secret', { action: 'store', key: 'quiet-secret', value: 'quietvalue' }],
  ['memory_recall', { query: 'quietword' }],
  ['memory_pin', { key: 'quiet-key' }],
  ['memory_tag', { action: 'add', tags: 'quiettag', ids: 'quiet-twin' }],
  ['memory_backup', {}],
  ['memory_checkpoint', { note: 'quietnote' }],
  ['memory_export_global', {}],
  ['memory_import_global', { merge: false }],
  ['memory_consolidate', { mode: 'identical' }, person],
  ['memory_archive', {}, person],
  ['memory_forget', { key: 'quiet-key', reason: 'quietreason' }],
  ['memory_forget', { key: 'quiet-key', action: 'restore' }],
  ['memory_browse', {}, person],
  ['context_health', {}],
];

it('nothing of a sealed entry is on disk in the clear, whatever is done with it', async () => {
  const { call, folder, clock, store } = openTestTools();
  for (const [name, input, as] of LIFE) {
    clock.time += 2 * DAY;
    const { text, isError } = await call(name, input, { ...high, ...as });
    expect({ name, text, isError }).toMatchObject({ isError: false });
  }
  const captures = new CaptureLog({
    ...{ dir: join(folder, 'store', 'captured'), defaultLevel: 'PUBLIC' },
    now: () => clock.time,
  });
  await captures.add({
    ...{ session: 's-1', agent: 'copilot', branch: 'main', tool: 'edit', file: 'quietfile.ts' },
    ...{ level: 'CONFIDENTIAL', input: { command: 'quietcommand' } },
  });
  await store.close();
  expect(bytesUnder(folder).match(/quiet[a-z-]+/g)).toBeNull();
});

it('what replaces user-wide memories at a sealed level can be read afterwards, and goes on being sealed', async () => {
  const { call, folder, clock } = openTestTools();
  const save = (content: string) =>
    call('memory_remember', { category: 'bug', key: 'quiet-key', content, replace: true }, high);
  await save('quietword one');
  await call('memory_export_global', {}, high);
  await save('quietword two');
  await call('memory_import_global', { merge: false }, high);
  const again = openTestTools(folder, clock);
  expect((await again.call('memory_recall', { query: 'quietword' }, high)).text).toContain('quietword one');
  expect((await again.call('memory_recall', { query: 'quietword' })).text).not.toContain('quietword one');
  expect(await again.store.damage()).toEqual([]);
});
