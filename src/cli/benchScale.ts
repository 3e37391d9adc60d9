/** `bench scale`: how fast memory of a given size is, through the product's own doors. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeOf } from '../appStore.ts';
import { collectGarbage } from '../worker/garbage.ts';
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
  /** How long the first recall takes, which starts the store's thread and opens the store. */
  readonly coldStartMs: number;
  /** The longest that the host's loop was blocked, from the first recall, which opens the store, to the last. */
  readonly loopDelayMaxMs: number;
  /** The same of a loop with nothing to do, just before: what the machine itself takes. */
  readonly bareLoopDelayMaxMs: number;
  /** Heap and external memory of the store's thread. */
  readonly workerMemoryMb: number;
}

const QUESTIONS = 200;
const WARM_UP = 50;
const SAVES = 100;
const BATCH = 1000;
const LISTS = 20;
const LIMIT = 10;
const IDLE = 1000;
const RECORD_BYTES = 700;
const MEGABYTE = 2 ** 20;
const NANOSECONDS = 1e6;

/** Fills a store with notes, then measures it in a thread that has not seen it. */
export async function benchScale(entries: number): Promise<ScaleReport> {
  const { folder, remove } = await temporaryFolder();
  try {
    await fill(folder, makeNotes(entries));
    const questions = makeQuestions(makeNotes(entries), QUESTIONS + WARM_UP);
    const saves = makeNotes(entries + SAVES).slice(entries);
    // A host does not hold what is in memory, so neither does this one while its loop is watched.
    collectGarbage();
    const measured = await measure(folder, questions, saves);
    return { entries, ...measured, fts4RecallP50Ms: await fts4Recall(makeNotes(entries), questions) };
  } finally {
    await remove();
  }
}

/** Saves notes in batches, as entries that come from elsewhere are; a batch is a session. */
export async function fill(folder: string, notes: readonly Note[]): Promise<void> {
  const store = openBenchStore(folder);
  const { app } = store;
  const author = { actor: 'agent', level: app.defaultLevel, source: 'bench', branch: '' } as const;
  try {
    for (let from = 0; from < notes.length; from += BATCH) {
      const batch = notes
        .slice(from, from + BATCH)
        .map((note) => ({ ...note, category: 'knowledge' as const }));
      await storeOf(app).importEntries(batch, false, { ...author, session: `bench-${from}` });
    }
  } finally {
    await store.close();
  }
}

async function measure(folder: string, questions: readonly string[], saves: readonly Note[]) {
  const bare = openBareFile(folder);
  const bareLoop = await watchLoop(() => sleep(IDLE));
  const store = openBenchStore(folder);
  try {
    let coldStartMs = 0;
    let recalls: number[] = [];
    let lists: number[] = [];
    const loop = await watchLoop(async () => {
      [coldStartMs = 0] = await times(questions.slice(0, 1), (question) => recall(store, question));
      for (const question of questions.slice(0, WARM_UP)) await recall(store, question);
      const asked = questions.slice(WARM_UP);
      recalls = await times(asked, (question) => recall(store, question));
      lists = await times(asked.slice(0, LISTS), () => recall(store, ''));
    });
    const { heap, external } = await store.thread.weigh();
    const appends: number[] = [];
    const byContent: number[] = [];
    const remembers: number[] = [];
    // In turns, so that whatever else the machine does slows them alike.
    for (const { key, content, tags, links } of saves) {
      appends.push(...(await times([0], async () => bare.append())));
      byContent.push(...(await times([content], (query) => recall(store, query))));
      const input = { category: 'knowledge', key, content, tags, links };
      remembers.push(...(await times([input], (each) => store.call('memory_remember', each))));
    }
    return {
      bareAppendP50Ms: percentile(appends, 0.5),
      rememberP50Ms: percentile(remembers, 0.5),
      recallP50Ms: percentile(recalls, 0.5),
      recallP99Ms: percentile(recalls, 0.99),
      contentRecallP50Ms: percentile(byContent, 0.5),
      listP50Ms: percentile(lists, 0.5),
      coldStartMs: round(coldStartMs, 1),
      loopDelayMaxMs: loop,
      bareLoopDelayMaxMs: bareLoop,
      workerMemoryMb: round((heap + external) / MEGABYTE, 1),
    };
  } finally {
    bare.close();
    await store.close();
  }
}

/** The longest that this thread's loop was blocked while something ran, in milliseconds. */
async function watchLoop(run: () => Promise<void>): Promise<number> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await run();
  loop.disable();
  return round(loop.max / NANOSECONDS, 1);
}

function recall(store: BenchStore, query: string): Promise<unknown> {
  return store.call('memory_recall', { query, limit: LIMIT });
}

/** How long each takes, in milliseconds, one after another. */
export async function times<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<number[]> {
  const taken: number[] = [];
  for (const item of items) {
    const started = performance.now();
    await run(item);
    taken.push(performance.now() - started);
  }
  return taken;
}

/** Median time of appending a line as long as a record to a file in `folder` and syncing it, in milliseconds. */
export async function bareAppend(folder: string): Promise<number> {
  const bare = openBareFile(folder);
  try {
    return percentile(await times(Array(SAVES).fill(0), async () => bare.append()), 0.5);
  } finally {
    bare.close();
  }
}

/** A file in which a line as long as a record is appended and synced. */
export function openBareFile(folder: string): { append(): void; close(): void } {
  const file = openSync(join(folder, 'bare'), 'a', 0o600);
  const line = `${'x'.repeat(RECORD_BYTES)}\n`;
  return {
    append: () => {
      writeSync(file, line);
      fsyncSync(file);
    },
    close: () => closeSync(file),
  };
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
