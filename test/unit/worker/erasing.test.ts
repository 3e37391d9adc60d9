/** A hard delete leaves what else is indexed alone, in the process that deletes and in others. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RecallIndex } from '../../../src/recall/recallIndex.ts';
import type { StoreService } from '../../../src/worker/service.ts';
import { AGENT, openTestStore, PERSON, temporaryFolder } from '../support/folder.ts';

const KEYS = Array.from({ length: 30 }, (_, at) => `note-${at}`);
const READER = { level: 'PUBLIC' } as const;

const save = (store: StoreService, key: string, content: string) =>
  store.remember({ category: 'knowledge', key, content, tags: [`tag-${content.length % 3}`] }, AGENT);
const erase = (store: StoreService, target: string) => store.forget({ target, action: 'hard' }, PERSON);

/** All that a store says of its entries, by words and by filter. */
async function said(store: StoreService) {
  const found = [];
  for (const query of ['pool', 'redis', 'shard7', ''])
    found.push(await store.recall({ query, filter: {}, limit: 50, count: false }, READER));
  const page = await store.browse(
    { filter: {}, sort: 'key', descending: false, limit: 50, offset: 0 },
    READER,
  );
  return [found.map(({ results }) => results.map(({ entry }) => entry)), page.total];
}

async function filled(folder: string): Promise<StoreService> {
  const store = openTestStore(folder);
  for (const [at, key] of KEYS.entries()) await save(store, key, `A redis pool in shard${at}`);
  return store;
}

describe('a hard delete', () => {
  it('has nothing else indexed anew', async () => {
    const folder = temporaryFolder();
    const store = await filled(folder);
    const other = openTestStore(folder);
    const put = vi.spyOn(RecallIndex.prototype, 'put');
    onTestFinished(() => put.mockRestore());
    await erase(store, 'note-3');
    await said(store);
    await said(other);
    expect(put).not.toHaveBeenCalled();
  });

  it('leaves each process with what a new one reads, whatever is written around it', async () => {
    const folder = temporaryFolder();
    const store = await filled(folder);
    const other = openTestStore(folder);
    await said(other);
    for (const [at, key] of ['note-3', 'note-9', 'note-20'].entries()) {
      await save(other, `new-${at}`, `Another pool ${at}`);
      await erase(at % 2 === 0 ? store : other, key);
      await save(store, key, `Saved again in shard7, ${at}`);
      await erase(other, `note-${at}`);
      await save(other, 'note-11', `A pool with more to say ${at}`);
      const fresh = await said(openTestStore(folder));
      expect(await said(store)).toEqual(fresh);
      expect(await said(other)).toEqual(fresh);
    }
  });
});
