import { Worker } from 'node:worker_threads';
import { BusyError, StoreError } from './api.ts';
import type { MemoryUse, Method, Methods, Request, Response, ThreadData } from './messages.ts';
import { METHODS } from './methods.ts';
import type { StoreOptions } from './openStore.ts';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Question = Exclude<Request, { type: 'cancel' }>;
interface StoreState {
  readonly listeners: Set<() => void>;
  readonly watchers: Set<(share: number) => void>;
  /** Whether the watchers were told that it is opening and not yet that it is open. */
  opening: boolean;
  opened: Promise<unknown> | undefined;
}

type Unnumbered<R> = R extends unknown ? Omit<R, 'id'> : never;

/** An open store, seen from the host. */
export interface OpenStore extends Methods {
  /** Called when memory changed, here or in another process. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
  /**
   * Called while memory is being opened and calls wait for it, with how much of that is done: from 0, some times a
   * second, to 1. Never called when it opens at once. Returns the unsubscribe function.
   */
  onOpening(listener: (share: number) => void): () => void;
  close(): Promise<void>;
}

/** The process's one store thread. It starts at the first store and starts anew after a crash. */
export class StoreThread {
  #worker: Worker | undefined;
  #nextId = 0;
  #nextStore = 0;
  readonly #pending = new Map<number, Pending>();
  readonly #stores = new Map<number, StoreState>();
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
    const watchers = new Set<(share: number) => void>();
    const state: StoreState = { listeners, watchers, opening: false, opened: undefined };
    this.#stores.set(store, state);
    const open = (): Promise<unknown> => {
      const opened = this.#send({ type: 'open', store, options });
      // What kept it from opening may pass: the next call tries again.
      opened.catch(() => {
        if (state.opened === opened) state.opened = undefined;
      });
      opened.then(
        () => isOpen(state),
        () => isOpen(state),
      );
      return opened;
    };
    const call = async (method: Method, args: readonly unknown[]): Promise<unknown> => {
      state.opened ??= open();
      await state.opened;
      const signal = args.at(-1);
      if (!(signal instanceof AbortSignal))
        return this.#send({ type: 'call', store, method, args, cancellable: false });
      signal.throwIfAborted();
      return this.#send({ type: 'call', store, method, args: args.slice(0, -1), cancellable: true }, signal);
    };
    const methods = Object.fromEntries(
      METHODS.map((method) => [method, (...args: readonly unknown[]) => call(method, args)]),
    ) as unknown as Methods;
    return {
      ...methods,
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      onOpening: (listener) => {
        watchers.add(listener);
        return () => watchers.delete(listener);
      },
      close: async () => {
        listeners.clear();
        const wasOpened = await state.opened?.then(
          () => true,
          () => false,
        );
        if (wasOpened === true) await this.#send({ type: 'close', store });
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

  #send(request: Unnumbered<Question>, signal?: AbortSignal): Promise<unknown> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const id = this.#nextId++;
    const cancel = (): void => worker.postMessage({ type: 'cancel', call: id } satisfies Request);
    signal?.addEventListener('abort', cancel, { once: true });
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ ...request, id });
    }).finally(() => signal?.removeEventListener('abort', cancel));
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
    if (response.type === 'opening') {
      const state = this.#stores.get(response.store);
      if (state !== undefined) tell(state, response.share);
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

function tell(state: StoreState, share: number): void {
  state.opening = share < 1;
  for (const watcher of state.watchers) watcher(share);
}

/** Whoever was told that a store is opening is told when it no longer is, open or not. */
function isOpen(state: StoreState): void {
  if (state.opening) tell(state, 1);
}

function errorOf({ kind, message, phrase }: Extract<Response, { type: 'failed' }>): Error {
  if (kind === 'fault') return new Error(message);
  if (kind === 'cancelled') return new DOMException(message, 'AbortError');
  return kind === 'busy' ? new BusyError(phrase ?? message) : new StoreError(phrase ?? message);
}
