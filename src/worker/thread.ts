/** The store's thread: journal, index, catalog and sql.js live here, so that the host's loop never waits for them. */
import { readFile } from 'node:fs/promises';
import { parentPort } from 'node:worker_threads';
import { StoreError } from './api.ts';
import type { Request, Response } from './messages.ts';
import { openStore } from './openStore.ts';
import type { StoreService } from './service.ts';

/** Other processes' changes are noticed within half of the second that is promised. */
const POLL = 500;
/** Access counts and the catalog are saved, and ended segments folded, after this much quiet. */
const TIDY_AFTER = 3_000;

const stores = new Map<number, StoreService>();
let lastCall = 0;
let tidied = true;

const host = {
  now: Date.now,
  wasm: () => readFile(new URL('./sql-wasm.wasm', import.meta.url)),
};

function post(response: Response): void {
  parentPort?.postMessage(response);
}

async function answer(request: Request): Promise<unknown> {
  if (request.type === 'open') {
    stores.set(request.store, openStore(request.options, host));
    return undefined;
  }
  const store = stores.get(request.store);
  if (store === undefined) throw new Error(`store ${request.store} is not open`);
  if (request.type === 'close') {
    stores.delete(request.store);
    await store.close();
    return undefined;
  }
  lastCall = Date.now();
  tidied = false;
  // The method name comes from StoreApi and the arguments from its typed client.
  const method = store[request.method] as (...args: readonly unknown[]) => Promise<unknown>;
  return method.apply(store, request.args as unknown[]);
}

parentPort?.on('message', async (request: Request) => {
  try {
    post({ type: 'done', id: request.id, value: await answer(request) });
  } catch (error) {
    const known = error instanceof StoreError;
    const message =
      error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error);
    post({ type: 'failed', id: request.id, message, known });
  }
});

async function pulse(): Promise<void> {
  for (const [store, service] of stores) if (service.poll()) post({ type: 'changed', store });
  if (tidied || Date.now() - lastCall < TIDY_AFTER) return;
  tidied = true;
  for (const service of stores.values()) await service.tidy();
}

setInterval(() => {
  pulse().catch((error: unknown) => {
    // A fault while idle must not end the thread that answers calls.
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  });
}, POLL);
