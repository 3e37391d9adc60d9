import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BindParams, Database, SqlJsStatic } from 'sql.js';
import { type Level, levelRank } from '../policy/level.ts';

/** Raise it when the tables or the analysis change: a catalog of another version is made anew. */
const VERSION = '1';

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
CREATE VIRTUAL TABLE words USING fts4(terms, tokenize=simple);
CREATE VIRTUAL TABLE frequencies USING fts4aux(words);
`;

/** Terms whose frequencies are kept: more than a person asks for at a stretch. */
const MOST_COUNTED = 10_000;

/** What is known of a transcript: how far it was read, and what it takes to read on. */
export interface KnownTranscript {
  readonly place: string;
  /** Size and time of the file. */
  readonly stamp: string;
  readonly offset: number;
  readonly count: number;
  readonly hash: string;
  readonly chained: boolean;
  /** Whether some of it is sealed, and so not in a file of ours. */
  readonly sealed: boolean;
  /** Rank of the level it has come to. */
  readonly level: number;
  readonly info: TranscriptInfo;
}

/** Whose transcript it is; empty where only a sealed record says it. */
export interface TranscriptInfo {
  readonly key: string;
  readonly kind: string;
  readonly source: string;
  readonly title: string;
}

/** A message as it is searched. */
export interface CatalogMessage {
  readonly uuid: string;
  readonly role: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: Level;
  readonly text: string;
  readonly terms: readonly string[];
}

/** A message that has one of the terms that were asked for. */
export interface Candidate extends Omit<CatalogMessage, 'terms' | 'level'> {
  readonly place: string;
  readonly level: number;
  readonly info: TranscriptInfo;
}

/**
 * Full text of transcripts in sql.js: a projection that can be deleted at any time. Only text reaches it that its
 * caller may keep in a file: sealed messages have a catalog of their own that is never saved.
 */
export class TranscriptCatalog {
  readonly #db: Database;
  #known: Map<string, KnownTranscript>;
  /** How many messages have a term, of those that were asked for since the last change. */
  #frequencies = new Map<string, number>();

  private constructor(db: Database) {
    this.#db = db;
    this.#known = this.#readKnown();
  }

  /** The saved catalog; an empty one where there is none that is sound, or no file. */
  static open(sql: SqlJsStatic, file?: string): TranscriptCatalog {
    const saved = file === undefined ? undefined : openSaved(sql, file);
    if (saved !== undefined) return new TranscriptCatalog(saved);
    const db = new sql.Database();
    db.exec(SCHEMA);
    return new TranscriptCatalog(db);
  }

  /** Every transcript that was read, by its place. */
  known(): ReadonlyMap<string, KnownTranscript> {
    return this.#known;
  }

  /** Does several changes at once, all or none. */
  inOne(action: () => void): void {
    this.#db.exec('BEGIN');
    try {
      action();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      this.#frequencies.clear();
      this.#known = this.#readKnown();
      throw error;
    }
  }

  /** Adds what was read of a transcript; `fresh`: what was known of it before does not hold. */
  add(known: KnownTranscript, messages: readonly CatalogMessage[], fresh: boolean): void {
    const { place, stamp, offset, count, hash, chained, sealed, level, info } = known;
    if (fresh) this.#drop(place);
    this.#frequencies.clear();
    this.#known.set(place, known);
    this.#db.run(
      `INSERT INTO transcripts (place, stamp, offset, count, hash, chained, sealed, level, info)
       VALUES (?,?,?,?,?,?,?,?,?)
       ON CONFLICT (place) DO UPDATE SET stamp = excluded.stamp, offset = excluded.offset, count = excluded.count,
       hash = excluded.hash, chained = excluded.chained, sealed = excluded.sealed, level = excluded.level,
       info = excluded.info`,
      [place, stamp, offset, count, hash, Number(chained), Number(sealed), level, JSON.stringify(info)],
    );
    const n = this.#number(place);
    const message = this.#db.prepare(
      'INSERT INTO messages (transcript, uuid, role, at, level, text) VALUES (?,?,?,?,?,?)',
    );
    const words = this.#db.prepare('INSERT INTO words (docid, terms) VALUES (last_insert_rowid(), ?)');
    try {
      for (const { uuid, role, at, level: own, text, terms } of messages) {
        message.run([n, uuid, role, at, levelRank(own), text]);
        words.run([terms.map(tokenOf).join(' ')]);
      }
    } finally {
      message.free();
      words.free();
    }
  }

  /** Takes transcripts out, and every trace of their words. */
  remove(places: readonly string[]): void {
    if (places.length === 0) return;
    this.#frequencies.clear();
    for (const place of places) this.#drop(place);
    // Words that were deleted stay in older segments until these are merged.
    this.merge();
  }

  /** Puts words that were added at different times together, which makes them quick to find. */
  merge(): void {
    this.#db.exec("INSERT INTO words (words) VALUES ('optimize')");
  }

  /** How many messages have each of the terms. */
  frequencies(terms: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    for (const term of terms) {
      const count = this.#frequencies.get(term) ?? this.#count(term);
      if (count > 0) found.set(term, count);
    }
    return found;
  }

  /**
   * The messages that a reader of this rank may see and that have one of the terms: those with most of what the terms
   * are worth, at most `limit`. A transcript that has come to a level above the reader's is left out whole.
   */
  candidates(worth: ReadonlyMap<string, number>, rank: number, limit: number): Candidate[] {
    const scores = new Map<number, number>();
    for (const [term, value] of worth) {
      // As one text: each row that is handed over costs more than finding it.
      const sql = 'SELECT group_concat(docid) FROM words WHERE words MATCH ?';
      const docids = this.#rows(sql, [`"${tokenOf(term)}"`])[0]?.[0];
      if (typeof docids !== 'string') continue;
      for (const name of docids.split(',')) {
        const docid = Number(name);
        scores.set(docid, (scores.get(docid) ?? 0) + value);
      }
    }
    const best = [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
    const row = this.#db.prepare(
      `SELECT t.place, m.uuid, m.role, m.at, m.level, m.text FROM messages m JOIN transcripts t ON t.n = m.transcript
       WHERE m.n = ? AND m.level <= ? AND t.level <= ?`,
    );
    const found: Candidate[] = [];
    try {
      for (const [docid] of best) {
        if (found.length === limit) break;
        const [place, uuid, role, at, level, text] = row.get([docid, rank, rank]);
        const known = this.#known.get(String(place));
        if (known === undefined) continue;
        found.push({
          ...{ place: String(place), uuid: String(uuid), role: String(role), at: Number(at) },
          ...{ level: Number(level), text: String(text), info: known.info },
        });
      }
    } finally {
      row.free();
    }
    return found;
  }

  /** Writes the catalog, atomically and without what was deleted. */
  save(sql: SqlJsStatic, file: string): void {
    const copy = new sql.Database(this.#db.export());
    try {
      copy.run("INSERT OR REPLACE INTO meta VALUES ('version', ?)", [VERSION]);
      copy.exec('VACUUM');
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.tmp`, copy.export(), { mode: 0o600 });
      renameSync(`${file}.tmp`, file);
    } finally {
      copy.close();
      rmSync(`${file}.tmp`, { force: true });
    }
  }

  close(): void {
    this.#db.close();
  }

  #readKnown(): Map<string, KnownTranscript> {
    const rows = this.#rows(
      'SELECT place, stamp, offset, count, hash, chained, sealed, level, info FROM transcripts',
      [],
    );
    return new Map(
      rows.map(([place, stamp, offset, count, hash, chained, sealed, level, info]) => [
        String(place),
        {
          ...{ place: String(place), stamp: String(stamp), offset: Number(offset), count: Number(count) },
          ...{ hash: String(hash), chained: chained === 1, sealed: sealed === 1, level: Number(level) },
          info: JSON.parse(String(info)) as TranscriptInfo,
        },
      ]),
    );
  }

  #drop(place: string): void {
    const n = this.#number(place);
    this.#db.run('DELETE FROM words WHERE docid IN (SELECT n FROM messages WHERE transcript = ?)', [n]);
    this.#db.run('DELETE FROM messages WHERE transcript = ?', [n]);
    this.#db.run('DELETE FROM transcripts WHERE n = ?', [n]);
    this.#known.delete(place);
  }

  /** SQLite reads all that is kept of a term to count it. */
  #count(term: string): number {
    const sql = "SELECT documents FROM frequencies WHERE term = ? AND col = '*'";
    const count = Number(this.#rows(sql, [tokenOf(term)])[0]?.[0] ?? 0);
    if (this.#frequencies.size >= MOST_COUNTED) this.#frequencies.clear();
    this.#frequencies.set(term, count);
    return count;
  }

  /** -1 for one that is not there. */
  #number(place: string): number {
    return Number(this.#rows('SELECT n FROM transcripts WHERE place = ?', [place])[0]?.[0] ?? -1);
  }

  #rows(sql: string, values: BindParams): unknown[][] {
    const statement = this.#db.prepare(sql, values);
    const rows: unknown[][] = [];
    try {
      while (statement.step()) rows.push(statement.get());
    } finally {
      statement.free();
    }
    return rows;
  }
}

/** A term as SQLite's tokenizer leaves it whole: it splits at ASCII marks, and terms have some (`c++`, `std::move`). */
function tokenOf(term: string): string {
  if (/^[a-z0-9]+$/.test(term) || /^[a-z0-9\u0080-\u{10FFFF}]+$/u.test(term)) return term;
  return `x${Buffer.from(term.toWellFormed(), 'utf8').toString('hex')}x`;
}

function openSaved(sql: SqlJsStatic, file: string): Database | undefined {
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
