/** `bench retrieval`: how well memory is found, through the tools that agents use, beside other engines. */
import { SIGNALS, type Signals } from '../recall/signals.ts';
import { type AgeReport, benchAge } from './benchAge.ts';
import { bootstrap, type Interval } from './benchBootstrap.ts';
import { ask, askTool, fill, idsByKey, LIMIT, type Variant } from './benchCollection.ts';
import { type BenchDocument, type BenchQuery, type Collection, readCollection } from './benchData.ts';
import { type Engine, openFts4, openMiniSearch } from './benchEngines.ts';
import { type Answer, qualityOf, type Score, scoreOf } from './benchMetrics.ts';
import { type BenchStore, openBenchStore, temporaryFolder } from './benchStore.ts';

/** What to measure beside the scores. */
export interface RetrievalOptions {
  readonly ablate: boolean;
  readonly bootstrap: boolean;
  /** How old what is old is, in days. */
  readonly age?: number | undefined;
}

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
  /** How much better ours orders than each other engine does: nDCG@10, by group of queries. */
  readonly bootstrap?: Readonly<Record<string, Versus>>;
  readonly age?: AgeReport;
  readonly notes: readonly string[];
}

/** By the other engine. */
export type Versus = Readonly<Partial<Record<Peer, Interval>>>;
type Peer = 'fts4' | 'minisearch';
const PEERS: readonly Peer[] = ['fts4', 'minisearch'];

/** Kinds of queries that need more than their words to be found in the text. */
const BEYOND_WORDS = ['multi-hop', 'superseded', 'warning', 'typo'];

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
export async function benchRetrieval(
  folders: readonly string[],
  options: RetrievalOptions,
): Promise<RetrievalReport> {
  const collections: Collection[] = [];
  for (const folder of folders) collections.push(await readCollection(folder));
  const rows: Row[] = [];
  for (const [place, collection] of collections.entries()) {
    const half = (at: number) => ((folders.length > 1 ? place : at) % 2 === 0 ? 'tune' : 'test');
    rows.push(...(await runFolder(collection, half, options.ablate)));
  }
  const withMiniSearch = rows.every(({ minisearch }) => minisearch !== undefined);
  return {
    ...lineOf(rows),
    folders: groupBy(rows, ({ folder }) => folder),
    kinds: groupBy(rows, ({ query }) => query.kind),
    halves: groupBy(rows, (row) => row.half),
    ...(options.ablate && {
      ablation: Object.fromEntries(
        Object.keys(VARIANTS).map((name) => [
          name,
          scoreOf(rows.map(({ without }) => without[name] as Answer)),
        ]),
      ),
    }),
    ...(options.bootstrap && { bootstrap: versus(rows) }),
    ...(options.age !== undefined && { age: await benchAge(collections, options.age) }),
    notes: withMiniSearch ? [] : ['minisearch is not installed: npm install minisearch'],
  };
}

/** The whole, its halves, its kinds, and the kinds that words alone do not answer. */
function versus(rows: readonly Row[]): Record<string, Versus> {
  const groups = new Map<string, Row[]>([['all', [...rows]]]);
  const together = BEYOND_WORDS.join(' + ');
  for (const row of rows) {
    const { kind } = row.query;
    for (const name of [row.half, ...(BEYOND_WORDS.includes(kind) ? [together] : []), kind])
      groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return Object.fromEntries([...groups].map(([name, group]) => [name, intervals(group)]));
}

function intervals(rows: readonly Row[]): Versus {
  const measured = PEERS.filter((peer) => rows.every((row) => row[peer] !== undefined));
  return Object.fromEntries(
    measured.map((peer) => [
      peer,
      bootstrap(rows.map((row) => row.ours.quality['ndcg@10'] - (row[peer] as Answer).quality['ndcg@10'])),
    ]),
  );
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
    const now = Date.now();
    await fill(store, collection, ownTime(now));
    store.setTime(now);
    const ids = idsByKey(collection);
    const rows: Row[] = [];
    for (const [at, query] of collection.queries.entries()) {
      const ours = await timed(query, () => askTool(store, query, ids));
      rows.push({
        ...{ folder: collection.name, query, half: half(at), ours },
        fts4: await timedEngine(query, fts4),
        minisearch: minisearch && (await timedEngine(query, minisearch)),
        without: ablate ? await ablated(query, store, ids) : {},
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

/** A document's own date; seconds keep the order of one day. Today when it has none. */
function ownTime(now: number): (document: BenchDocument, place: number) => number {
  return ({ metadata }, place) => {
    const day = metadata.date === undefined ? Number.NaN : Date.parse(metadata.date);
    return Number.isNaN(day) ? now : day + place * 1000;
  };
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

/** The signals that an entry brings along, whatever the query: boosts, which settle near-ties. */
const BOOSTS = [
  ...(['quality', 'warning', 'importance', 'use', 'freshness', 'script', 'focus', 'folder'] as const),
  'centrality',
] as const satisfies readonly (keyof Signals)[];

/** Rankings to compare: without each signal, without some together, and by text alone. */
const VARIANTS: Readonly<Record<string, Variant>> = {
  everything: { hops: 1 },
  ...Object.fromEntries(
    Object.keys(SIGNALS).map((name) => [`without ${name}`, { signals: { [name]: 0 }, hops: 1 }]),
  ),
  'without boosts': { signals: off(BOOSTS), hops: 1 },
  'without neighbours': { signals: off(['previous', 'next', 'second', 'session']), hops: 1 },
  'without fusion': { rrf: false, hops: 1 },
  'without neighbours by links': {},
  'text alone': { signals: off(Object.keys(SIGNALS) as (keyof Signals)[]) },
};

function off(names: readonly (keyof Signals)[]): Partial<Signals> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

async function ablated(
  query: BenchQuery,
  store: BenchStore,
  ids: ReadonlyMap<string, string>,
): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  for (const [name, variant] of Object.entries(VARIANTS))
    answers[name] = await timed(query, () => ask(store, query, ids, variant));
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
