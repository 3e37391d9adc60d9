import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { StoreThread } from '../../src/worker/client.ts';

const AGENT = { actor: 'agent', level: 'PUBLIC', source: 'test', session: 's', branch: '' } as const;
/** So many that looking for similar ones takes many turns. */
const ENTRIES = 3000;

it('looking for similar memories lets other calls through, and can be cancelled', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lodeline-consolidate-'));
  const thread = new StoreThread(new URL('../../dist/worker.js', import.meta.url));
  const store = thread.open({ dir, keysDir: join(dir, 'keys'), defaultLevel: 'PUBLIC', vocabulary: {} });
  onTestFinished(async () => {
    await store.close();
    await thread.dispose();
    rmSync(dir, { recursive: true, force: true });
  });
  const entries = Array.from({ length: ENTRIES }, (_, at) => ({
    category: 'knowledge' as const,
    key: `note-${at}`,
    content: `note ${at} on module ${at % 97}, service ${at % 89} and queue ${at % 83} for ${at * 7}`,
  }));
  await store.importEntries(entries, false, AGENT);
  const controller = new AbortController();
  const input = { mode: 'similar', minQuality: 0, dryRun: false } as const;
  const looking = store.consolidate(input, AGENT, controller.signal);
  looking.catch(() => {});
  await store.version(AGENT);
  controller.abort();
  await expect(looking).rejects.toMatchObject({ name: 'AbortError' });
  expect((await store.stats(AGENT)).total).toBe(ENTRIES);
  const { groups } = await store.consolidate({ ...input, dryRun: true }, AGENT, new AbortController().signal);
  expect(groups).not.toEqual([]);
});
