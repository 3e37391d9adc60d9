/** Engines to stand beside: what one would take off the shelf. */
import { readFile } from 'node:fs/promises';
import type MiniSearch from 'minisearch';
import initSqlJs, { type Database } from 'sql.js';

export interface Engine {
  /** Ids of what matches, best first. */
  search(query: string, limit: number): string[];
  close(): void;
}

/** A text to be found; `text` is all that the engines are given. */
export interface EngineDocument {
  readonly id: string;
  readonly text: string;
}

/** BM25, the usual values. */
const K1 = 1.2;
const B = 0.75;

/** The stop words that SQLite users take: those of the English Snowball list. */
const STOP_WORDS = new Set(
  (
    'i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it ' +
    'its itself they them their theirs themselves what which who whom this that these those am is are was were be been ' +
    'being have has had having do does did doing would should could ought a an the and but if or because as until while ' +
    'of at by for with about against between into through during before after above below to from up down in out on off ' +
    'over under again further then once here there when where why how all any both each few more most other some such no ' +
    'nor not only own same so than too very'
  ).split(' '),
);

/** sql.js with an FTS4 table, the porter tokenizer and BM25 from `matchinfo`; stop words taken out of the query. */
export async function openFts4(documents: readonly EngineDocument[]): Promise<Engine> {
  const db = await fts4Table(documents);
  const select = db.prepare("SELECT docid, matchinfo(notes, 'pcnalx') FROM notes WHERE text MATCH ?");
  return {
    search(query, limit) {
      const expression = fts4Query(query);
      if (expression === undefined) return [];
      const scored: { at: number; score: number }[] = [];
      select.bind([expression]);
      while (select.step()) {
        const [docid, info] = select.get();
        scored.push({ at: Number(docid) - 1, score: bm25(info as Uint8Array) });
      }
      select.reset();
      return scored
        .sort((one, other) => other.score - one.score || one.at - other.at)
        .slice(0, limit)
        .flatMap(({ at }) => documents[at]?.id ?? []);
    },
    close() {
      select.free();
      db.close();
    },
  };
}

/** The same table without any ranking: what SQLite alone takes to find every row. */
export async function openFts4Matcher(
  documents: readonly EngineDocument[],
): Promise<{ count(query: string): number; close(): void }> {
  const db = await fts4Table(documents);
  const select = db.prepare('SELECT docid FROM notes WHERE text MATCH ?');
  return {
    count(query) {
      const expression = fts4Query(query);
      if (expression === undefined) return 0;
      let rows = 0;
      select.bind([expression]);
      while (select.step()) rows++;
      select.reset();
      return rows;
    },
    close() {
      select.free();
      db.close();
    },
  };
}

async function fts4Table(documents: readonly EngineDocument[]): Promise<Database> {
  const wasm = await readFile(new URL('./sql-wasm.wasm', import.meta.url));
  const sql = await initSqlJs({ wasmBinary: wasm.slice().buffer });
  const db = new sql.Database();
  db.run('CREATE VIRTUAL TABLE notes USING fts4(text, tokenize=porter)');
  db.run('BEGIN');
  const insert = db.prepare('INSERT INTO notes (docid, text) VALUES (?, ?)');
  for (const [at, { text }] of documents.entries()) insert.run([at + 1, text]);
  insert.free();
  db.run('COMMIT');
  return db;
}

/** Any of the words of a query that are no stop words; undefined when there are none. */
function fts4Query(query: string): string | undefined {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
  return words.length === 0 ? undefined : [...new Set(words)].map((word) => `"${word}"`).join(' OR ');
}

/** One row's score from `matchinfo(…, 'pcnalx')` over one column. */
function bm25(bytes: Uint8Array): number {
  const info = new Uint32Array(bytes.slice().buffer);
  const [phrases = 0, , rows = 0, average = 1, length = 0] = info;
  let score = 0;
  for (let phrase = 0; phrase < phrases; phrase++) {
    const at = 5 + 3 * phrase;
    const here = info[at] ?? 0;
    const withIt = info[at + 2] ?? 0;
    const rarity = Math.log(1 + (rows - withIt + 0.5) / (withIt + 0.5));
    score += (rarity * here * (K1 + 1)) / (here + K1 * (1 - B + (B * length) / average));
  }
  return score;
}

/** The npm package minisearch as it comes, where it is installed: it is no part of what ships. */
export async function openMiniSearch(documents: readonly EngineDocument[]): Promise<Engine | undefined> {
  const Index = await load('minisearch');
  if (Index === undefined) return undefined;
  const index = new Index<EngineDocument>({ fields: ['text'], idField: 'id' });
  index.addAll(documents);
  return {
    search: (query, limit) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id }) => String(id)),
    close: () => index.removeAll(),
  };
}

/** By a name that the bundler cannot see. */
async function load(name: string): Promise<typeof MiniSearch | undefined> {
  try {
    const module: { default: typeof MiniSearch } = await import(name);
    return module.default;
  } catch {
    return undefined;
  }
}
