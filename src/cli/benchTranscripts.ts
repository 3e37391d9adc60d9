/** `bench transcripts`: how fast sessions are listed, read and searched, however much was said in them. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { storeOf } from '../appStore.ts';
import { KeyRing } from '../journal/keys.ts';
import type { Draft } from '../session/record.ts';
import { startSession } from '../session/resume.ts';
import { idOf } from '../session/sessionId.ts';
import { openFts4Matcher } from './benchEngines.ts';
import { percentile, round } from './benchMetrics.ts';
import { makeNotes, makeQuestions } from './benchNotes.ts';
import { times } from './benchScale.ts';
import { type BenchStore, openBenchStore, temporaryFolder } from './benchStore.ts';

export interface TranscriptsReport {
  readonly sessions: number;
  /** Messages in all of them. */
  readonly records: number;
  readonly transcriptSearchP50Ms: number;
  /** A bare MATCH in sql.js, unranked, of the same questions on the same texts. */
  readonly fts4P50Ms: number;
  /** The first of the two by the second. */
  readonly ratio: number;
  readonly listP50Ms: number;
  /** The last messages of the longest session. */
  readonly historyPageP50Ms: number;
  /** The same two with a tenth of the records in as many sessions: neither may grow with them. */
  readonly listSmallP50Ms: number;
  readonly historyPageSmallP50Ms: number;
}

const QUESTIONS = 100;
const WARM_UP = 20;
const ROUNDS = 30;
const LIMIT = 10;
const SMALL = 0.1;
/** The first session has this share of all records, as a person comes back to some sessions for weeks. */
const LONG_SHARE = 0.2;
const PAGE = { limit: 20, tools: false, textLength: 4_000 };

export async function benchTranscripts(sessions: number, records: number): Promise<TranscriptsReport> {
  const few = Math.max(sessions, Math.round(records * SMALL));
  return inSessions(sessions, records, async (store, texts) => {
    // Lists first: a search leaves the thread a catalog to hold.
    const [large, small] = await inSessions(sessions, few, (other) => browse(store, other));
    const { searches, matches } = await search(store, texts);
    const transcriptSearchP50Ms = percentile(searches, 0.5);
    const fts4P50Ms = percentile(matches, 0.5);
    return {
      ...{ sessions, records, transcriptSearchP50Ms, fts4P50Ms },
      ratio: round(transcriptSearchP50Ms / fts4P50Ms, 2),
      listP50Ms: percentile(large.lists, 0.5),
      historyPageP50Ms: percentile(large.pages, 0.5),
      listSmallP50Ms: percentile(small.lists, 0.5),
      historyPageSmallP50Ms: percentile(small.pages, 0.5),
    };
  });
}

/** Runs `measure` on a store with so many sessions of so many records in all, and with their texts. */
async function inSessions<T>(
  sessions: number,
  records: number,
  measure: (store: BenchStore, texts: readonly string[]) => Promise<T>,
): Promise<T> {
  const { folder, remove } = await temporaryFolder();
  const texts = makeNotes(records).map(({ content }) => content);
  const store = openBenchStore(folder);
  try {
    await write(store, sessions, texts);
    return await measure(store, texts);
  } finally {
    await store.close();
    await remove();
  }
}

/** Writes every session with the product's writer; the messages are the person's and the model's in turns. */
async function write({ app }: BenchStore, sessions: number, texts: readonly string[]): Promise<void> {
  const keys = new KeyRing({ dir: join(homedir(), '.lodeline', 'keys') });
  const dir = join(app.storeDir, 'sessions');
  const long = Math.round(texts.length * LONG_SHARE);
  const rest = (texts.length - long) / Math.max(1, sessions - 1);
  for (let at = 0; at < sessions; at++) {
    const key = keyOf(at);
    const from = at === 0 ? 0 : long + Math.round((at - 1) * rest);
    const to = sessions === 1 ? texts.length : long + Math.round(at * rest);
    const options = { dir, id: idOf(key), keys, defaultLevel: app.defaultLevel, now: Date.now };
    const info = { key, kind: 'participant', source: 'bench', started: Date.now(), depth: 0 } as const;
    const { session } = startSession(options, info, app.defaultLevel);
    const written = session?.append(texts.slice(from, to).map(draftOf));
    session?.close();
    if (written?.ok !== true) throw new Error(`The session ${key} could not be written.`);
  }
}

function keyOf(at: number): string {
  return `agent:main:bench-${at}`;
}

function draftOf(text: string, at: number): Draft {
  const role = at % 2 === 0 ? 'user' : 'assistant';
  return { type: 'message', message: { role, content: [{ type: 'text', text }] } } as Draft;
}

interface Browsed {
  /** Milliseconds each. */
  readonly lists: number[];
  readonly pages: number[];
}

/** How long lists and pages take in two stores, in turns, so that whatever else the machine does slows them alike. */
async function browse(...stores: readonly [BenchStore, BenchStore]): Promise<[Browsed, Browsed]> {
  const found: [Browsed, Browsed] = [
    { lists: [], pages: [] },
    { lists: [], pages: [] },
  ];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [at, { app }] of stores.entries()) {
      const reader = { level: app.defaultLevel };
      const lists = await times([0], () => storeOf(app).sessionFacts(reader));
      const pages = await times([0], () => storeOf(app).sessionPage({ id: idOf(keyOf(0)) }, PAGE, reader));
      // The first list reads the ends of each transcript.
      if (round === 0) continue;
      found[at]?.lists.push(...lists);
      found[at]?.pages.push(...pages);
    }
  }
  return found;
}

/** How long the same questions take here and in a bare FTS4 table, in turns, in milliseconds each. */
async function search({ app }: BenchStore, texts: readonly string[]) {
  const reader = { level: app.defaultLevel };
  const notes = texts.map((content) => ({ key: '', content, tags: [], links: [] }));
  const questions = makeQuestions(notes, QUESTIONS + WARM_UP);
  const engine = await openFts4Matcher(texts.map((text, at) => ({ id: String(at), text })));
  const searches: number[] = [];
  const matches: number[] = [];
  try {
    for (const [at, question] of questions.entries()) {
      const [ours = 0] = await times([question], (query) =>
        storeOf(app).searchTranscripts(query, reader, LIMIT),
      );
      const [theirs = 0] = await times([question], async (query) => engine.count(query));
      if (at < WARM_UP) continue;
      searches.push(ours);
      matches.push(theirs);
    }
    return { searches, matches };
  } finally {
    engine.close();
  }
}
