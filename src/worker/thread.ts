/** The store's thread: journal, index, catalog and sql.js live here, so that the host's loop never waits for them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { StoreError } from './api.ts';
import { FolderWatch } from './folderWatch.ts';
import type { Request, Response, ThreadData } from './messages.ts';
import { openSessions, openStore } from './openStore.ts';
import type { StoreService } from './service.ts';
import type { SessionService } from './sessions.ts';

/** Other processes' changes are noticed within half of the second that is promised. */
const POLL = 500;
/** Access counts and the catalog are saved, and ended segments folded, after this much quiet. */
const TIDY_AFTER = 3_000;

const stores = new Map<number, { memory: StoreService; sessions: SessionService; batches: FolderWatch }>();
let lastCall = 0;
let tidied = true;

const host = {
  now: Date.now,
  wasm: () => readFile(new URL('./sql-wasm.wasm', import.meta.url)),
  deadThreads: new Set((workerData as ThreadData).deadThreads),
};

function post(response: Response): void {
  parentPort?.postMessage(response);
}

async function answer(request: Request): Promise<unknown> {
  if (request.type === 'open') {
    const { options } = request;
    stores.set(request.store, {
      memory: openStore(options, host),
      sessions: openSessions(options, host),
      // Other processes' subagents, for whoever shows them.
      batches: new FolderWatch(join(options.dir, 'batches')),
    });
    return undefined;
  }
  const store = stores.get(request.store);
  if (store === undefined) throw new Error(`store ${request.store} is not open`);
  if (request.type === 'close') {
    stores.delete(request.store);
    store.sessions.close();
    await store.memory.close();
    return undefined;
  }
  lastCall = Date.now();
  tidied = false;
  // The method's name and arguments come from the typed client, which names methods of these two only.
  const service = request.method in store.memory ? store.memory : store.sessions;
  const method = Reflect.get(service, request.method) as (...args: readonly unknown[]) => Promise<unknown>;
  return Reflect.apply(method, service, request.args);
}

parentPort?.on('message', async (request: Request) => {
  try {
    post({ type: 'done', id: request.id, value: await answer(request) });
  } catch (error) {
    const known = error instanceof StoreError;
    const message =
      error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error);
    post({ type: 'failed', id: request.id, message, known, phrase: known ? error.phrase : undefined });
  }
});

async function pulse(): Promise<void> {
  for (const [store, { memory, sessions, batches }] of stores) {
    const changed = [memory.poll(), sessions.poll(), batches.poll()];
    if (changed.includes(true)) post({ type: 'changed', store });
  }
  if (tidied || Date.now() - lastCall < TIDY_AFTER) return;
  tidied = true;
  for (const { memory } of stores.values()) await memory.tidy();
}

setInterval(() => {
  pulse().catch((error: unknown) => {
    // A fault while idle must not end the thread that answers calls.
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  });
}, POLL);
