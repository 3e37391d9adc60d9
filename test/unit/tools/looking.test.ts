import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTestTools } from '../support/folder.ts';

it('looking at a folder that has no memory leaves no trace in it', async () => {
  const { call, store, sessions, folder } = openTestTools();
  const person = { actor: 'person' } as const;
  for (const [tool, input] of [
    ['memory_recall', { query: 'anything' }],
    ['memory_stats', {}],
    ['memory_browse', {}],
    ['memory_export', {}],
    ['context_brief', {}],
    ['context_focus', { task: 'anything' }],
    ['memory_smart_recall', { intent: 'anything' }],
    ['memory_recall', { query: 'anything', as_of: '1d' }],
    ['transcripts_search', { query: 'anything' }],
  ] as const) {
    expect((await call(tool, input, person)).isError, tool).toBe(false);
  }
  await store.tidy();
  await sessions.tidy();
  expect(existsSync(join(folder, 'store'))).toBe(false);
  expect(existsSync(join(folder, 'keys'))).toBe(false);
});
