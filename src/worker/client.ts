import { Worker } from 'node:worker_threads';
import { BusyError, type StoreApi, StoreError } from './api.ts';
import type { CareApi } from './careApi.ts';
import type { MemoryUse, Method, Request, Response, ThreadData } from './messages.ts';
import type { StoreOptions } from './openStore.ts';
import type { SessionApi } from './sessionApi.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Unnumbered<R> = R extends unknown ? Omit<R, 'id'> : never;

/** An open store, seen from the host. */
export interface OpenStore extends StoreApi, CareApi, SessionApi {
  /** Called when memory changed, here or in another process. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

/** The process's one store thread. It starts at the first store and starts anew after a crash. */
export class StoreThread {
  #worker: Worker | undefined;
  #nextId = 0;
  #nextStore = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #stores = new Map<number, { listeners: Set<() => void>; opened: Promise<unknown> | undefined }>();
  readonly #deadThreads = new Set<number>();
  readonly #entry: URL;
  readonly #clock: ThreadData['clock'];

  /** `entry`: the thread's script, beside the bundle that runs. `clock`: see `ThreadData`. */
  constructor(entry: URL, clock?: ThreadData['clock']) {
    this.#entry = entry;
    this.#clock = clock;
  }

  /** Opens a store; calls made before it is open wait for it. */
  open(options: StoreOptions): OpenStore {
    const store = this.#nextStore++;
    const listeners = new Set<() => void>();
    const state = { listeners, opened: undefined as Promise<unknown> | undefined };
    this.#stores.set(store, state);
    const open = (): Promise<unknown> => {
      const opened = this.#send({ type: 'open', store, options });
      // What kept it from opening may pass: the next call tries again.
      opened.catch(() => {
        if (state.opened === opened) state.opened = undefined;
      });
      return opened;
    };
    const call = async (method: Method, args: readonly unknown[]): Promise<unknown> => {
      state.opened ??= open();
      await state.opened;
      return this.#send({ type: 'call', store, method, args });
    };
    const methods = Object.fromEntries(
      METHODS.map((method) => [method, (...args: readonly unknown[]) => call(method, args)]),
    ) as unknown as StoreApi & CareApi & SessionApi;
    return {
      ...methods,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      close: async () => {
        listeners.clear();
        const isOpen = await state.opened?.then(
          () => true,
          () => false,
        );
        if (isOpen === true) await this.#send({ type: 'close', store });
        this.#stores.delete(store);
      },
    };
  }

  /** What the thread holds. */
  weigh(): Promise<MemoryUse> {
    return this.#send({ type: 'weigh' }) as Promise<MemoryUse>;
  }

  /** Ends the thread. Stores should be closed first, so that access counts are saved. */
  async dispose(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  #send(request: Unnumbered<Request>): Promise<unknown> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...request, id });
    });
  }

  #start(): Worker {
    const workerData: ThreadData = { deadThreads: [...this.#deadThreads], clock: this.#clock };
    const worker = new Worker(this.#entry, { workerData });
    const { threadId } = worker;
    worker.unref();
    worker.on('message', (response: Response) => this.#receive(response));
    const ended = (error: unknown): void => {
      this.#deadThreads.add(threadId);
      this.#fail(worker, error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('the store thread ended')));
    return worker;
  }

  #receive(response: Response): void {
    if (response.type === 'changed') {
      for (const listener of this.#stores.get(response.store)?.listeners ?? []) listener();
      return;
    }
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    // An idle thread must not keep the process alive.
    if (this.#pending.size === 0) this.#worker?.unref();
    if (response.type === 'done') pending?.resolve(response.value);
    else pending?.reject(errorOf(response));
  }

  /** Calls in flight fail; the next call starts a new thread, in which the stores open again. */
  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const { reject } of this.#pending.values()) reject(reason);
    this.#pending.clear();
    for (const state of this.#stores.values()) state.opened = undefined;
  }
}

function errorOf({ kind, message, phrase }: Extract<Response, { type: 'failed' }>): Error {
  if (kind === 'fault') return new Error(message);
  return kind === 'busy' ? new BusyError(phrase ?? message) : new StoreError(phrase ?? message);
}

const METHODS: readonly Method[] = [
  'remember',
  'recall',
  'fetch',
  'neighbours',
  'browse',
  'edit',
  'forget',
  'stats',
  'changes',
  'summaries',
  'setSummary',
  'fit',
  'exportAll',
  'eraseAll',
  'damage',
  'archive',
  'consolidate',
  'promote',
  'health',
  'reflect',
  'graph',
  'path',
  'sessionWork',
  'importEntries',
  'copy',
  'copies',
  'restore',
  'putSecret',
  'secret',
  'secrets',
  'dropSecret',
  'version',
  'todoWrite',
  'todoShow',
  'todoEdit',
  'checkpoint',
  'rewind',
  'checkpointShow',
  'checkpointSettle',
  'sessionDamage',
  'exportSessions',
  'eraseSessions',
  'turnBegin',
  'turnStep',
  'turnStop',
  'turnEnd',
  'observe',
  'searchTranscripts',
  'sessionsBrowse',
  'sessionResume',
  'todoCommand',
  'sessionStart',
  'conversation',
  'attend',
  'leave',
  'presences',
  'captured',
  'clearCaptured',
];
