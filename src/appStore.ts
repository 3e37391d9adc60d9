/** The store behind an app, for benchmarks, which measure it. Doors may not import this: they have the registry. */
import type { OpenStore } from './worker/client.ts';

const stores = new WeakMap<object, OpenStore>();

/** Remembers the store of an app for as long as there is one. */
export function keepStore(app: object, store: OpenStore): void {
  stores.set(app, store);
}

/** @throws where `app` is none that `createApp` made */
export function storeOf(app: object): OpenStore {
  const store = stores.get(app);
  if (store === undefined) throw new Error('This is no app of a folder.');
  return store;
}
