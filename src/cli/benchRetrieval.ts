/** `bench retrieval`: how well memory is found, through the tools that agents use, beside other engines. */
import { z } from 'zod';
import { SIGNALS, type Signals } from '../recall/signals.ts';
import { type BenchQuery, type Collection, readCollection } from './benchData.ts';
import { type Engine, openFts4, openMiniSearch } from './benchEngines.ts';
import { type Answer, qualityOf, type Score, scoreOf } from './benchMetrics.ts';
import { type BenchStore, openBenchStore, temporaryFolder } from './benchStore.ts';

const LIMIT = 10;
const found = z.object({ results: z.array(z.object({ key: z.string() })) });

/** Scores by engine; null where an engine is not installed. */
export interface Line {
  readonly ours: Score;
  readonly fts4: Score;
  readonly minisearch: Score | null;
}

export interface RetrievalReport extends Line {
  readonly folders: Readonly<Record<string, Line>>;
  readonly kinds: Readonly<Record<string, Line>>;
  /** Even queries of a single folder, even folders of several, and the others: what to tune on, and what not. */
  readonly halves: Readonly<Record<'tune' | 'test', Line>>;
  /** Without each signal in turn. */
  readonly ablation?: Readonly<Record<string, Score>>;
  readonly notes: readonly string[];
}

/** One query with every engine's answer. */
interface Row {
  readonly folder: string;
  readonly query: BenchQuery;
  readonly half: 'tune' | 'test';
  readonly ours: Answer;
  readonly fts4: Answer;
  readonly minisearch: Answer | undefined;
  readonly without: Readonly<Record<string, Answer>>;
}

/** Runs every query of every folder. Each folder is a store of its own, which is gone afterwards. */
export async function benchRetrieval(folders: readonly string[], ablate: boolean): Promise<RetrievalReport> {
  const rows: Row[] = [];
  for (const [place, folder] of folders.entries()) {
    const collection = await readCollection(folder);
    const half = (at: number) => ((folders.length > 1 ? place : at) % 2 === 0 ? 'tune' : 'test');
    rows.push(...(await runFolder(collection, half, ablate)));
  }
  const withMiniSearch = rows.every(({ minisearch }) => minisearch !== undefined);
  return {
    ...lineOf(rows),
    folders: groupBy(rows, ({ folder }) => folder),
    kinds: groupBy(rows, ({ query }) => query.kind),
    halves: groupBy(rows, (row) => row.half),
    ...(ablate && {
      ablation: Object.fromEntries(
        Object.keys(rows[0]?.without ?? {}).map((name) => [
          name,
          scoreOf(rows.map(({ without }) => without[name] as Answer)),
        ]),
      ),
    }),
    notes: withMiniSearch ? [] : ['minisearch is not installed: npm install minisearch'],
  };
}

async function runFolder(
  collection: Collection,
  half: (at: number) => Row['half'],
  ablate: boolean,
): Promise<Row[]> {
  const { folder, remove } = await temporaryFolder();
  const store = openBenchStore(folder);
  const plain = collection.documents.map(({ _id: id, title, text, metadata }) => ({
    id,
    text: [title, text, metadata.tags.join(' '), metadata.category, metadata.file].join('\n'),
  }));
  const fts4 = await openFts4(plain);
  const minisearch = await openMiniSearch(plain);
  try {
    await fill(store, collection);
    const idOf = new Map(collection.documents.map(({ key, _id }) => [key.trim(), _id]));
    const rows: Row[] = [];
    for (const [at, query] of collection.queries.entries()) {
      const ours = await timed(query, async () => {
        const { results } = found.parse(
          await store.call('memory_smart_recall', { intent: query.text, limit: LIMIT }),
        );
        return results.map(({ key }) => idOf.get(key) ?? key);
      });
      rows.push({
        ...{ folder: collection.name, query, half: half(at), ours },
        fts4: await timedEngine(query, fts4),
        minisearch: minisearch && (await timedEngine(query, minisearch)),
        without: ablate ? await ablated(query, store, idOf) : {},
      });
    }
    return rows;
  } finally {
    fts4.close();
    minisearch?.close();
    await store.close();
    await remove();
  }
}

/** Saves every document at its own date and in its own session. */
async function fill(store: BenchStore, { documents }: Collection): Promise<void> {
  const keyOf = new Map(documents.map(({ _id, key }) => [_id, key]));
  const now = Date.now();
  for (const [at, { _id, key, text, title, metadata }] of documents.entries()) {
    const { category, tags, file, date, links, session, importance } = metadata;
    const day = date === undefined ? Number.NaN : Date.parse(date);
    // Seconds keep the order of one day.
    store.setTime(Number.isNaN(day) ? now : day + at * 1000);
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
  store.setTime(now);
}

async function timed(query: BenchQuery, search: () => Promise<string[]>): Promise<Answer> {
  const started = performance.now();
  const ids = await search();
  const ms = performance.now() - started;
  return { quality: qualityOf(ids, query.relevant), ms };
}

function timedEngine(query: BenchQuery, engine: Engine): Promise<Answer> {
  return timed(query, async () => engine.search(query.text, LIMIT));
}

/** The answers without each signal, without the fusion of ranks, and by text alone. */
async function ablated(
  query: BenchQuery,
  { app }: BenchStore,
  idOf: ReadonlyMap<string, string>,
): Promise<Record<string, Answer>> {
  const off = (names: readonly string[]): Partial<Signals> =>
    Object.fromEntries(names.map((name) => [name, 0]));
  const names = Object.keys(SIGNALS);
  const variants: Record<string, { signals?: Partial<Signals>; rrf?: boolean; hops?: number }> = {
    everything: { hops: 1 },
    ...Object.fromEntries(names.map((name) => [`without ${name}`, { signals: off([name]), hops: 1 }])),
    'without neighbours': { signals: off(['previous', 'next', 'second', 'session']), hops: 1 },
    'without fusion': { rrf: false, hops: 1 },
    'without neighbours by links': {},
    'text alone': { signals: off(names) },
  };
  const answers: Record<string, Answer> = {};
  for (const [name, variant] of Object.entries(variants)) {
    answers[name] = await timed(query, async () => {
      const { results } = await app.store.recall(
        { query: query.text, filter: {}, limit: LIMIT, count: false, ...variant },
        { level: app.defaultLevel },
      );
      return results.map(({ entry }) => idOf.get(entry.key) ?? entry.key);
    });
  }
  return answers;
}

function lineOf(rows: readonly Row[]): Line {
  const minisearch = rows.flatMap((row) => row.minisearch ?? []);
  return {
    ours: scoreOf(rows.map(({ ours }) => ours)),
    fts4: scoreOf(rows.map(({ fts4 }) => fts4)),
    minisearch: minisearch.length === rows.length ? scoreOf(minisearch) : null,
  };
}

function groupBy<Name extends string>(rows: readonly Row[], nameOf: (row: Row) => Name): Record<Name, Line> {
  const names = [...new Set(rows.map(nameOf))].sort();
  return Object.fromEntries(
    names.map((name) => [name, lineOf(rows.filter((row) => nameOf(row) === name))]),
  ) as Record<Name, Line>;
}
