import { describe, expect, it } from 'vitest';
import { StoreThread } from '../../../src/worker/client.ts';
import { openStore } from '../../../src/worker/openStore.ts';
import { AGENT, openTestStore, START, temporaryFolder } from '../support/folder.ts';

/** A thread that says how far it is, then answers `open` as it is told to, and every call with nothing. */
function threadThat(answersOpen: string): StoreThread {
  const script = `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id, type, store }) => {
      if (type === 'open') {
        for (const share of [0.4, 0.7]) parentPort.postMessage({ type: 'opening', store, share });
        parentPort.postMessage({ id, ${answersOpen} });
      } else parentPort.postMessage({ type: 'done', id });
    });`;
  return new StoreThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
}

const options = { dir: '/x', keysDir: '/y', defaultLevel: 'PUBLIC', vocabulary: {} } as const;

describe('a store that takes time to open', () => {
  it.each([`type: 'done'`, `type: 'failed', kind: 'store', message: 'no'`])(
    'tells how far it is, to the end, however it ends: %s',
    async (answer) => {
      const thread = threadThat(answer);
      const store = thread.open(options);
      const told: number[] = [];
      store.onOpening((share) => told.push(share));
      await store.damage().catch(() => {});
      expect(told).toEqual([0.4, 0.7, 1]);
      await thread.dispose();
    },
  );

  it('tells nobody who no longer listens', async () => {
    const thread = threadThat(`type: 'done'`);
    const store = thread.open(options);
    const told: number[] = [];
    store.onOpening((share) => told.push(share))();
    await store.damage();
    expect(told).toEqual([]);
    await thread.dispose();
  });

  it('counts up, never beyond the whole', async () => {
    const folder = temporaryFolder();
    const store = openTestStore(folder);
    const entries = Array.from({ length: 20 }, (_, at) => ({
      category: 'knowledge' as const,
      key: `k${at}`,
      content: 'c',
    }));
    await store.care.importEntries(entries, false, AGENT);
    await store.close();
    const told: number[] = [];
    const again = openStore(
      { ...options, dir: `${folder}/store`, keysDir: `${folder}/keys` },
      { now: () => START, wasm: async () => new Uint8Array(), progress: (share) => told.push(share) },
    );
    await again.close();
    expect(told.length).toBeGreaterThan(10);
    expect(told).toEqual([...told].sort((one, other) => one - other));
    expect(told.every((share) => share > 0 && share <= 1)).toBe(true);
  });
});
