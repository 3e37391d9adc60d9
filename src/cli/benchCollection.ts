/** A collection in a store: saving it, and asking it. */
import { z } from 'zod';
import { storeOf } from '../appStore.ts';
import type { Signals } from '../recall/signals.ts';
import type { BenchDocument, BenchQuery, Collection } from './benchData.ts';
import type { BenchStore } from './benchStore.ts';

/** As many as a query's answer is judged by. */
export const LIMIT = 10;

const found = z.object({ results: z.array(z.object({ key: z.string() })) });

/** Another ranking than the usual one. */
export interface Variant {
  readonly signals?: Partial<Signals>;
  readonly rrf?: boolean;
  readonly hops?: number;
}

/** Saves every document, at the time (epoch milliseconds) that `timeOf` says and in its own session. */
export async function fill(
  store: BenchStore,
  { documents }: Collection,
  timeOf: (document: BenchDocument, place: number) => number,
): Promise<void> {
  const keyOf = new Map(documents.map(({ _id, key }) => [_id, key]));
  for (const [at, document] of documents.entries()) {
    const { _id, key, text, title, metadata } = document;
    const { category, tags, file, links, session, importance } = metadata;
    store.setTime(timeOf(document, at));
    await store.call(
      'memory_remember',
      {
        ...{ category, key, file, importance },
        content: text.trim() === '' ? title : text,
        ...(tags.length > 0 && { tags }),
        ...(links.length > 0 && { links: links.map((id) => keyOf.get(id) ?? id) }),
      },
      session === '' ? `bench-${_id}` : session,
    );
  }
}

/** Ids of documents by the keys of entries. */
export function idsByKey({ documents }: Collection): ReadonlyMap<string, string> {
  return new Map(documents.map(({ key, _id }) => [key.trim(), _id]));
}

/** Ids of what the tool finds that agents are told to search with, best first. It counts as use, as it does for them. */
export async function askTool(
  store: BenchStore,
  { text }: BenchQuery,
  ids: ReadonlyMap<string, string>,
): Promise<string[]> {
  const { results } = found.parse(await store.call('memory_smart_recall', { intent: text, limit: LIMIT }));
  return results.map(({ key }) => ids.get(key) ?? key);
}

/** The same with another ranking, and without counting as use. */
export async function ask(
  { app }: BenchStore,
  { text }: BenchQuery,
  ids: ReadonlyMap<string, string>,
  variant: Variant,
): Promise<string[]> {
  const { results } = await storeOf(app).recall(
    { query: text, filter: {}, limit: LIMIT, count: false, ...variant },
    { level: app.defaultLevel },
  );
  return results.map(({ entry }) => ids.get(entry.key) ?? entry.key);
}
