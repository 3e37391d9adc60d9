import type { Phrase } from '../protocol.ts';
import type { StoreApi } from './api.ts';
import type { AuditApi } from './auditApi.ts';
import type { CareApi } from './careApi.ts';
import type { FilesApi } from './filesApi.ts';
import type { StoreOptions } from './openStore.ts';
import type { RecordsApi } from './recordsApi.ts';
import type { RetainSpoolApi } from './retainSpoolApi.ts';
import type { SealingApi } from './sealingApi.ts';
import type { SessionApi } from './sessionApi.ts';

/** All that the host can call in the store's thread. */
export type Methods = StoreApi &
  CareApi &
  FilesApi &
  SessionApi &
  RecordsApi &
  AuditApi &
  SealingApi &
  RetainSpoolApi;

export type Method = keyof Methods;

/** What the store's thread is started with. */
export interface ThreadData {
  /** Ids of the store threads that this process had before, which crashed or were ended. */
  readonly deadThreads: readonly number[];
  /** One number, the time in epoch milliseconds, which the host sets: for benchmarks whose memories are old. */
  readonly clock?: Float64Array<SharedArrayBuffer> | undefined;
}

/** What the thread holds, in bytes, after everything unused was let go. */
export interface MemoryUse {
  readonly heap: number;
  /** Outside the heap: typed arrays, WebAssembly. */
  readonly external: number;
}

/** From the host to the store's thread. `store` numbers the stores that the host opened. */
export type Request =
  | { readonly type: 'open'; readonly id: number; readonly store: number; readonly options: StoreOptions }
  | { readonly type: 'close'; readonly id: number; readonly store: number }
  | { readonly type: 'weigh'; readonly id: number }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly store: number;
      readonly method: Method;
      readonly args: readonly unknown[];
      /** The method's last argument is a signal, which `cancel` fires. */
      readonly cancellable: boolean;
    }
  /** Nobody wants the answer to a call any more; it still gets one. */
  | { readonly type: 'cancel'; readonly call: number };

/** From the store's thread to the host. */
export type Response =
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  /**
   * `fault`: of ours; `cancelled`: as asked. Otherwise the message is for the caller: a `StoreError`, or the
   * `BusyError` among them.
   */
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly message: string;
      readonly kind: 'fault' | 'cancelled' | 'store' | 'busy';
      readonly phrase?: Phrase | undefined;
    }
  /** How much of the opening of a store is done, 0 to 1. */
  | { readonly type: 'opening'; readonly store: number; readonly share: number }
  /** Memory changed, by this process or another. */
  | { readonly type: 'changed'; readonly store: number };
