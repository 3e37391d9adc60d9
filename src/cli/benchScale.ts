/** `bench scale`: how fast memory of a given size is, through the product's own doors. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openFts4 } from './benchEngines.ts';
import { percentile, round } from './benchMetrics.ts';
import { makeNotes, makeQuestions, type Note } from './benchNotes.ts';
import { type BenchStore, openBenchStore, temporaryFolder } from './benchStore.ts';

export interface ScaleReport {
  readonly entries: number;
  /** A line as long as a record, appended and synced. */
  readonly bareAppendP50Ms: number;
  readonly rememberP50Ms: number;
  readonly recallP50Ms: number;
  readonly recallP99Ms: number;
  /** Recall with an entry's content as the query. */
  readonly contentRecallP50Ms: number;
  /** Recall without a query. */
  readonly listP50Ms: number;
  readonly fts4RecallP50Ms: number;
  /** From opening the store to the first recall's answer. */
  readonly coldStartMs: number;
  /** The longest that the host's loop was blocked, from opening to the last recall. */
  readonly loopDelayMaxMs: number;
  /** Heap and external memory of the store's thread. */
  readonly workerMemoryMb: number;
}

const QUESTIONS = 200;
const WARM_UP = 50;
const SAVES = 100;
const BATCH = 1000;
const LIMIT = 10;
const RECORD_BYTES = 700;
const MEGABYTE = 2 ** 20;
const NANOSECONDS = 1e6;

/** Fills a store with notes, then measures it in a thread that has not seen it. */
export async function benchScale(entries: number): Promise<ScaleReport> {
  const { folder, remove } = await temporaryFolder();
  try {
    const notes = makeNotes(entries);
    const questions = makeQuestions(notes, QUESTIONS + WARM_UP);
    await fill(folder, notes);
    const measured = await measure(folder, questions, makeNotes(entries + SAVES).slice(entries));
    return {
      entries,
      bareAppendP50Ms: bareAppend(folder),
      ...measured,
      fts4RecallP50Ms: await fts4Recall(notes, questions),
    };
  } finally {
    await remove();
  }
}

/** Saved in batches, as entries that come from elsewhere are; a batch is a session. */
async function fill(folder: string, notes: readonly Note[]): Promise<void> {
  const store = openBenchStore(folder);
  const { app } = store;
  const author = { actor: 'agent', level: app.defaultLevel, source: 'bench', branch: '' } as const;
  try {
    for (let from = 0; from < notes.length; from += BATCH) {
      const batch = notes
        .slice(from, from + BATCH)
        .map((note) => ({ ...note, category: 'knowledge' as const }));
      await app.store.importEntries(batch, false, { ...author, session: `bench-${from}` });
    }
  } finally {
    await store.close();
  }
}

async function measure(folder: string, questions: readonly string[], saves: readonly Note[]) {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const opened = performance.now();
  const store = openBenchStore(folder);
  try {
    await recall(store, questions[0] ?? '');
    const coldStartMs = round(performance.now() - opened, 1);
    for (const question of questions.slice(0, WARM_UP)) await recall(store, question);
    const asked = questions.slice(WARM_UP);
    const recalls = await times(asked, (question) => recall(store, question));
    const byContent = await times(saves, ({ content }) => recall(store, content));
    const lists = await times(asked.slice(0, 20), () => recall(store, ''));
    loop.disable();
    const { heap, external } = await store.thread.weigh();
    const remembers = await times(saves, ({ key, content, tags, links }) =>
      store.call('memory_remember', { category: 'knowledge', key, content, tags, links }),
    );
    return {
      rememberP50Ms: percentile(remembers, 0.5),
      recallP50Ms: percentile(recalls, 0.5),
      recallP99Ms: percentile(recalls, 0.99),
      contentRecallP50Ms: percentile(byContent, 0.5),
      listP50Ms: percentile(lists, 0.5),
      coldStartMs,
      loopDelayMaxMs: round(loop.max / NANOSECONDS, 1),
      workerMemoryMb: round((heap + external) / MEGABYTE, 1),
    };
  } finally {
    await store.close();
  }
}

function recall(store: BenchStore, query: string): Promise<unknown> {
  return store.call('memory_recall', { query, limit: LIMIT });
}

async function times<Item>(items: readonly Item[], run: (item: Item) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (const item of items) {
    const started = performance.now();
    await run(item);
    taken.push(performance.now() - started);
  }
  return taken;
}

function bareAppend(folder: string): number {
  const file = openSync(join(folder, 'bare'), 'a', 0o600);
  const line = `${'x'.repeat(RECORD_BYTES)}\n`;
  const taken: number[] = [];
  try {
    for (let at = 0; at < SAVES; at++) {
      const started = performance.now();
      writeSync(file, line);
      fsyncSync(file);
      taken.push(performance.now() - started);
    }
  } finally {
    closeSync(file);
  }
  return percentile(taken, 0.5);
}

async function fts4Recall(notes: readonly Note[], questions: readonly string[]): Promise<number> {
  const engine = await openFts4(
    notes.map(({ key, content, tags }) => ({ id: key, text: `${key} ${content} ${tags.join(' ')}` })),
  );
  try {
    for (const question of questions.slice(0, WARM_UP)) engine.search(question, LIMIT);
    const taken = await times(questions.slice(WARM_UP), async (question) => engine.search(question, LIMIT));
    return percentile(taken, 0.5);
  } finally {
    engine.close();
  }
}
