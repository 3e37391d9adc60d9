/** The store's thread: journal, index, catalog and sql.js live here, so that the host's loop never waits for them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { BusyError, StoreError } from './api.ts';
import { FolderWatch } from './folderWatch.ts';
import { collectGarbage } from './garbage.ts';
import type { MemoryUse, Request, Response, ThreadData } from './messages.ts';
import { openSealing, openSessions, openShared, openSpool, openStore } from './openStore.ts';
import type { RetainSpool } from './retainSpool.ts';
import type { SealingService } from './sealing.ts';
import type { StoreService } from './service.ts';
import type { SessionService } from './sessions.ts';

/** Other processes' changes are noticed within half of the second that is promised. */
const POLL = 500;
/** How often a host that waits is told how far opening is; a store that opens faster says nothing. */
const TELL_EVERY = 100;
/** Access counts and the catalog are saved, and ended segments folded, after this much quiet. */
const TIDY_AFTER = 3_000;

/** Calls that can be cancelled, by their number. */
const cancellable = new Map<number, AbortController>();
interface Served {
  readonly memory: StoreService;
  readonly sessions: SessionService;
  readonly sealing: SealingService;
  readonly spool: RetainSpool;
  /** What other processes do with subagents and messages, for whoever shows them. */
  readonly folders: readonly FolderWatch[];
}

const WATCHED = ['batches', 'outbox', 'overrides', 'put-away'];
const stores = new Map<number, Served>();
let lastCall = 0;
let tidied = true;

const { deadThreads, clock } = workerData as ThreadData;

const host = {
  now: clock === undefined ? Date.now : () => clock[0] ?? 0,
  wasm: () => readFile(new URL('./sql-wasm.wasm', import.meta.url)),
  deadThreads: new Set(deadThreads),
};

function post(response: Response): void {
  parentPort?.postMessage(response);
}

async function answer(request: Exclude<Request, { type: 'cancel' }>): Promise<unknown> {
  if (request.type === 'open') {
    const { options } = request;
    const shared = openShared(options);
    const memory = openStore(options, { ...host, progress: told(request.store) }, shared);
    const sessions = openSessions(options, host, shared);
    const spool = openSpool(options, host, shared);
    const sealing = openSealing(options, { memory, sessions, spool }, host, shared);
    stores.set(request.store, {
      ...{ memory, sessions, spool, sealing },
      folders: WATCHED.map((name) => new FolderWatch(join(options.dir, name))),
    });
    return undefined;
  }
  if (request.type === 'weigh') return weigh();
  const store = stores.get(request.store);
  if (store === undefined) throw new Error(`store ${request.store} is not open`);
  if (request.type === 'close') {
    stores.delete(request.store);
    await store.sealing.tidy();
    store.spool.close();
    store.sessions.close();
    await store.memory.close();
    return undefined;
  }
  lastCall = Date.now();
  tidied = false;
  // The method's name and arguments come from the typed client, which names methods of these only.
  const { memory, sessions, sealing, spool } = store;
  const service =
    [memory, memory.care, memory.files, memory.records, memory.audit, sealing, spool].find(
      (each) => request.method in each,
    ) ?? sessions;
  const method = Reflect.get(service, request.method) as (...args: readonly unknown[]) => Promise<unknown>;
  if (!request.cancellable) return Reflect.apply(method, service, request.args);
  const controller = new AbortController();
  cancellable.set(request.id, controller);
  try {
    return await Reflect.apply(method, service, [...request.args, controller.signal]);
  } finally {
    cancellable.delete(request.id);
  }
}

/** Tells the host how far a store has been opened, from within the opening, which holds this thread. */
function told(store: number): (share: number) => void {
  let last = performance.now();
  return (share) => {
    if (performance.now() - last < TELL_EVERY) return;
    last = performance.now();
    post({ type: 'opening', store, share });
  };
}

function weigh(): MemoryUse {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, external };
}

parentPort?.on('message', async (request: Request) => {
  if (request.type === 'cancel') {
    cancellable.get(request.call)?.abort();
    return;
  }
  try {
    post({ type: 'done', id: request.id, value: await answer(request) });
  } catch (error) {
    post({ type: 'failed', id: request.id, ...failure(error) });
  }
});

function failure(error: unknown): Pick<Extract<Response, { type: 'failed' }>, 'kind' | 'message' | 'phrase'> {
  if (error instanceof StoreError) {
    const { message, phrase } = error;
    return { kind: error instanceof BusyError ? 'busy' : 'store', message, phrase };
  }
  if (error instanceof Error && error.name === 'AbortError')
    return { kind: 'cancelled', message: error.message };
  return { kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

async function pulse(): Promise<void> {
  for (const [store, { memory, sessions, spool, folders }] of stores) {
    // One that fails must not keep the others from seeing what happened, nor sessions from being let go.
    const changed = [memory, sessions, spool, ...folders].map((each) => attempt(() => each.poll()));
    if (changed.includes(true)) post({ type: 'changed', store });
  }
  if (tidied || Date.now() - lastCall < TIDY_AFTER) return;
  tidied = true;
  for (const { memory, sessions, sealing } of stores.values()) {
    if (await sealing.tidy()) tidied = false;
    await memory.tidy();
    await sessions.tidy();
  }
}

function attempt(poll: () => boolean): boolean {
  try {
    return poll();
  } catch (error) {
    warn(error);
    return false;
  }
}

/** A fault while idle must not end the thread that answers calls. */
function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}

setInterval(() => {
  pulse().catch(warn);
}, POLL);
