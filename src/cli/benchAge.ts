/** `bench retrieval --age`: what it costs an entry to be old, or to have been left alone for long. */
import { cp } from 'node:fs/promises';
import { ask, fill, idsByKey, type Variant } from './benchCollection.ts';
import type { Collection } from './benchData.ts';
import { round } from './benchMetrics.ts';
import { type BenchStore, openBenchStore, temporaryFolder } from './benchStore.ts';

/** Recall@10 of the same queries over the same entries at other ages. Nothing is recalled in between. */
export interface AgeReport {
  readonly days: number;
  /** Everything was saved today. */
  readonly fresh: number;
  /** Everything was saved so many days ago and left alone. */
  readonly idle: number;
  /**
   * What is relevant is so many days old: each quarter of the entries in turn is looked for at that age, while the
   * other three were saved again today.
   */
  readonly old: number;
  /** What age costs: `fresh` less the lower of the two. */
  readonly loss: number;
}

const DAY = 24 * 60 * 60 * 1000;
const PARTS = 4;
const DIGITS = 4;
/** What `memory_smart_recall` does. */
const USUAL: Variant = { hops: 1 };

interface Sums {
  fresh: number;
  idle: number;
  old: number;
}

/** Measures every query of the collections. `days`: how old what is old is. */
export async function benchAge(collections: readonly Collection[], days: number): Promise<AgeReport> {
  const sums: Sums = { fresh: 0, idle: 0, old: 0 };
  for (const collection of collections) await measure(collection, days * DAY, sums);
  const queries = collections.reduce((count, collection) => count + collection.queries.length, 0);
  const mean = (sum: number) => round(sum / Math.max(1, queries), DIGITS);
  return {
    days,
    ...{ fresh: mean(sums.fresh), idle: mean(sums.idle), old: mean(sums.old) },
    loss: mean(sums.fresh - Math.min(sums.idle, sums.old)),
  };
}

/** Saves a collection once, and lets parts of copies of it grow old. */
async function measure(collection: Collection, age: number, sums: Sums): Promise<void> {
  const start = Date.now();
  const { folder, remove } = await temporaryFolder();
  try {
    const store = openBenchStore(folder);
    await fill(store, collection, (_, at) => start + at);
    await store.close();
    for (let part = 0; part < PARTS; part++) await measurePart(folder, collection, part, start, age, sums);
  } finally {
    await remove();
  }
}

async function measurePart(
  saved: string,
  collection: Collection,
  part: number,
  start: number,
  age: number,
  sums: Sums,
): Promise<void> {
  const isOld = (_: unknown, at: number) => at % PARTS === part;
  const old = new Set(collection.documents.filter(isOld).map(({ _id }) => _id));
  const { folder, remove } = await temporaryFolder();
  await cp(saved, folder, { recursive: true });
  const store = openBenchStore(folder);
  try {
    const now = start + collection.documents.length;
    store.setTime(now);
    sums.fresh += await foundOf(old, collection, store);
    store.setTime(now + age);
    sums.idle += await foundOf(old, collection, store);
    const others = collection.documents.filter(({ _id }) => !old.has(_id));
    await fill(store, { ...collection, documents: others }, (_, at) => now + age + at);
    sums.old += await foundOf(old, collection, store);
  } finally {
    await store.close();
    await remove();
  }
}

/** The share of what is relevant that is found of these documents, summed over the queries. */
async function foundOf(
  some: ReadonlySet<string>,
  collection: Collection,
  store: BenchStore,
): Promise<number> {
  const ids = idsByKey(collection);
  let sum = 0;
  for (const query of collection.queries) {
    const wanted = [...query.relevant.keys()].filter((id) => some.has(id));
    if (wanted.length === 0) continue;
    const found = await ask(store, query, ids, USUAL);
    sum += wanted.filter((id) => found.includes(id)).length / query.relevant.size;
  }
  return sum;
}
