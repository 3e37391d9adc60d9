import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BindParams, Database, SqlJsStatic } from 'sql.js';
import { LEVELS, type Level, levelRank } from '../policy/level.ts';
import { markVersion, newTables, openSaved, tokenOf } from './transcriptTables.ts';

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
  /** By rank: how many messages have a term, of those that were asked for since the last change. */
  readonly #frequencies = LEVELS.map(() => new Map<string, number>());

  private constructor(db: Database) {
    this.#db = db;
    this.#known = this.#readKnown();
  }

  /** The saved catalog; an empty one where there is none that is sound, or no file. */
  static open(sql: SqlJsStatic, file?: string): TranscriptCatalog {
    const saved = file === undefined ? undefined : openSaved(sql, file);
    if (saved !== undefined) return new TranscriptCatalog(saved);
    return new TranscriptCatalog(newTables(sql));
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
      this.#forgetCounts();
      this.#known = this.#readKnown();
      throw error;
    }
  }

  /** Adds what was read of a transcript; `fresh`: what was known of it before does not hold. */
  add(known: KnownTranscript, messages: readonly CatalogMessage[], fresh: boolean): void {
    const { place, stamp, offset, count, hash, chained, sealed, level, info } = known;
    if (fresh) this.#drop(place);
    else this.#raise(place, level);
    this.#forgetCounts();
    this.#known.set(place, known);
    this.#db.run(
      `INSERT INTO transcripts (place, stamp, offset, count, hash, chained, sealed, level, info)
       VALUES (?,?,?,?,?,?,?,?,?)
       ON CONFLICT (place) DO UPDATE SET stamp = excluded.stamp, offset = excluded.offset, count = excluded.count,
       hash = excluded.hash, chained = excluded.chained, sealed = excluded.sealed, level = excluded.level,
       info = excluded.info`,
      [place, stamp, offset, count, hash, Number(chained), Number(sealed), level, JSON.stringify(info)],
    );
    const { n } = this.#row(place);
    const message = this.#db.prepare(
      'INSERT INTO messages (transcript, uuid, role, at, level, text) VALUES (?,?,?,?,?,?)',
    );
    const words = this.#db.prepare(
      `INSERT INTO words${level} (docid, terms) VALUES (last_insert_rowid(), ?)`,
    );
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
    this.#forgetCounts();
    for (const place of places) this.#drop(place);
    // Words that were deleted stay in older segments until these are merged.
    this.merge();
  }

  /** Puts words that were added at different times together, which makes them quick to find. */
  merge(): void {
    for (const rank of LEVELS.keys())
      this.#db.exec(`INSERT INTO words${rank} (words${rank}) VALUES ('optimize')`);
  }

  /** How many of the messages that a reader of this rank may see have each of the terms. */
  frequencies(terms: readonly string[], rank: number): Map<string, number> {
    const found = new Map<string, number>();
    for (const term of terms) {
      let count = 0;
      for (let own = 0; own <= rank; own++)
        count += this.#frequencies[own]?.get(term) ?? this.#count(term, own);
      if (count > 0) found.set(term, count);
    }
    return found;
  }

  /**
   * The messages that a reader of this rank may see and that have one of the terms: those with most of what the terms
   * are worth, at most `limit`; of those with the same, the newest. A transcript that has come to a level above the
   * reader's is left out whole.
   */
  candidates(worth: ReadonlyMap<string, number>, rank: number, limit: number): Candidate[] {
    const scores = new Map<number, number>();
    for (const [term, value] of worth)
      for (const docid of this.#docidsOf(term, rank)) scores.set(docid, (scores.get(docid) ?? 0) + value);
    const found: Candidate[] = [];
    for (const [place, uuid, role, at, level, text] of this.#best(scores, limit)) {
      const known = this.#known.get(String(place));
      if (known === undefined) continue;
      found.push({
        ...{ place: String(place), uuid: String(uuid), role: String(role), at: Number(at) },
        ...{ level: Number(level), text: String(text), info: known.info },
      });
    }
    return found;
  }

  /** Messages that have a term, as a reader of this rank sees them. */
  #docidsOf(term: string, rank: number): number[] {
    const found: number[] = [];
    for (let own = 0; own <= rank; own++) {
      // As one text: each row that is handed over costs more than finding it.
      const sql = `SELECT group_concat(docid) FROM words${own} WHERE words${own} MATCH ?`;
      const docids = this.#rows(sql, [`"${tokenOf(term)}"`])[0]?.[0];
      if (typeof docids === 'string') found.push(...docids.split(',').map(Number));
    }
    return found;
  }

  /** The rows of the best, in an order that depends on nothing but them. */
  #best(scores: ReadonlyMap<number, number>, limit: number): unknown[][] {
    const least = [...scores.values()].sort((a, b) => b - a).at(limit - 1) ?? 0;
    const better = [...scores].filter(([, score]) => score > least);
    const ties = [...scores].filter(([, score]) => score === least);
    const rows = [better, ties].flatMap((some, at) =>
      this.#rows(
        `SELECT t.place, m.uuid, m.role, m.at, m.level, m.text, m.n
         FROM messages m JOIN transcripts t ON t.n = m.transcript
         WHERE m.n IN (${some.map(([docid]) => docid).join()})
         ORDER BY m.at DESC, t.place, m.n DESC LIMIT ?`,
        [at === 0 ? some.length : limit - better.length],
      ),
    );
    return rows.sort((a, b) => (scores.get(Number(b[6])) ?? 0) - (scores.get(Number(a[6])) ?? 0));
  }

  /** Writes the catalog, atomically and without what was deleted. */
  save(sql: SqlJsStatic, file: string): void {
    const copy = new sql.Database(this.#db.export());
    try {
      markVersion(copy);
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
    const { n, rank } = this.#row(place);
    this.#db.run(`DELETE FROM words${rank} WHERE docid IN (SELECT n FROM messages WHERE transcript = ?)`, [
      n,
    ]);
    this.#db.run('DELETE FROM messages WHERE transcript = ?', [n]);
    this.#db.run('DELETE FROM transcripts WHERE n = ?', [n]);
    this.#known.delete(place);
  }

  /** Puts the words of a transcript where its level says, which has risen. */
  #raise(place: string, to: number): void {
    const { n, rank } = this.#row(place);
    if (n === -1 || rank === to) return;
    const own = 'WHERE docid IN (SELECT n FROM messages WHERE transcript = ?)';
    this.#db.run(`INSERT INTO words${to} (docid, terms) SELECT docid, terms FROM words${rank} ${own}`, [n]);
    this.#db.run(`DELETE FROM words${rank} ${own}`, [n]);
  }

  /** SQLite reads all that is kept of a term to count it. */
  #count(term: string, rank: number): number {
    const sql = `SELECT documents FROM frequencies${rank} WHERE term = ? AND col = '*'`;
    const count = Number(this.#rows(sql, [tokenOf(term)])[0]?.[0] ?? 0);
    const counts = this.#frequencies[rank];
    if (counts !== undefined && counts.size >= MOST_COUNTED) counts.clear();
    counts?.set(term, count);
    return count;
  }

  #forgetCounts(): void {
    for (const counts of this.#frequencies) counts.clear();
  }

  /** Number and rank of a transcript; -1 and 0 for one that is not there. */
  #row(place: string): { readonly n: number; readonly rank: number } {
    const [n, rank] = this.#rows('SELECT n, level FROM transcripts WHERE place = ?', [place])[0] ?? [];
    return { n: Number(n ?? -1), rank: Number(rank ?? 0) };
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
