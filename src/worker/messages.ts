import type { Phrase } from '../protocol.ts';
import type { StoreApi } from './api.ts';
import type { StoreOptions } from './openStore.ts';
import type { SessionApi } from './sessionApi.ts';

export type Method = keyof StoreApi | keyof SessionApi;

/** What the store's thread is started with. */
export interface ThreadData {
  /** Ids of the store threads that this process had before, which crashed or were ended. */
  readonly deadThreads: readonly number[];
}

/** From the host to the store's thread. `store` numbers the stores that the host opened. */
export type Request =
  | { readonly type: 'open'; readonly id: number; readonly store: number; readonly options: StoreOptions }
  | { readonly type: 'close'; readonly id: number; readonly store: number }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly store: number;
      readonly method: Method;
      readonly args: readonly unknown[];
    };

/** From the store's thread to the host. */
export type Response =
  | { readonly type: 'done'; readonly id: number; readonly value: unknown }
  /** `known`: the message is for the caller (a `StoreError`), anything else is a fault of ours. */
  | {
      readonly type: 'failed';
      readonly id: number;
      readonly message: string;
      readonly known: boolean;
      readonly phrase?: Phrase | undefined;
    }
  /** Memory changed, by this process or another. */
  | { readonly type: 'changed'; readonly store: number };
