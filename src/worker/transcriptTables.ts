/** The tables in which sql.js keeps the words of transcripts. */
import { readFileSync } from 'node:fs';
import type { Database, SqlJsStatic } from 'sql.js';
import { LEVELS } from '../policy/level.ts';

/** Raise it when the tables or the analysis change: a catalog of another version is made anew. */
const VERSION = '2';

const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE transcripts (
  n INTEGER PRIMARY KEY, place TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, offset INTEGER NOT NULL,
  count INTEGER NOT NULL, hash TEXT NOT NULL, chained INTEGER NOT NULL, sealed INTEGER NOT NULL, level INTEGER NOT NULL,
  info TEXT NOT NULL);
CREATE TABLE messages (
  n INTEGER PRIMARY KEY, transcript INTEGER NOT NULL, uuid TEXT NOT NULL, role TEXT NOT NULL, at INTEGER NOT NULL,
  level INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX messages_transcript ON messages (transcript);
`;
/**
 * The words of the transcripts that have come to a level, by its rank: how common a word is above a reader decides
 * nothing of what that reader finds.
 */
const WORDS = LEVELS.map(
  (_, rank) => `
CREATE VIRTUAL TABLE words${rank} USING fts4(terms, tokenize=simple);
CREATE VIRTUAL TABLE frequencies${rank} USING fts4aux(words${rank});
`,
);

/** A database with the tables and nothing in them. */
export function newTables(sql: SqlJsStatic): Database {
  const db = new sql.Database();
  db.exec([SCHEMA, ...WORDS].join(''));
  return db;
}

/** Says in which version these tables are. */
export function markVersion(db: Database): void {
  db.run("INSERT OR REPLACE INTO meta VALUES ('version', ?)", [VERSION]);
}

/** A term as SQLite's tokenizer leaves it whole: it splits at ASCII marks, and terms have some (`c++`, `std::move`). */
export function tokenOf(term: string): string {
  if (/^[a-z0-9]+$/.test(term) || /^[a-z0-9\u0080-\u{10FFFF}]+$/u.test(term)) return term;
  return `x${Buffer.from(term.toWellFormed(), 'utf8').toString('hex')}x`;
}

/** The saved tables; undefined where there are none that are sound and of this version. */
export function openSaved(sql: SqlJsStatic, file: string): Database | undefined {
  let db: Database | undefined;
  try {
    db = new sql.Database(readFileSync(file));
    const version = db.exec("SELECT value FROM meta WHERE name = 'version'")[0]?.values[0]?.[0];
    if (version === VERSION && db.exec('PRAGMA quick_check')[0]?.values[0]?.[0] === 'ok') return db;
  } catch {
    // Missing or corrupt: the transcripts have everything.
  }
  db?.close();
  return undefined;
}
