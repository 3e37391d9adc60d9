import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { BindParams, Database, SqlJsStatic } from 'sql.js';
import { type Level, levelRank } from '../policy/level.ts';
import type { BrowseInput, Sort } from '../worker/api.ts';
import type { EntryFilter, Reader } from './entry.ts';
import { inScope } from './filter.ts';
import type { FoldedEntry } from './fold.ts';

/** Raise it when the tables change: a catalog of another version is rebuilt. */
const VERSION = 1;

const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE entries (
  id TEXT PRIMARY KEY, level INTEGER NOT NULL, key TEXT NOT NULL, category TEXT NOT NULL, status TEXT NOT NULL,
  file TEXT NOT NULL, path_scope TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, expires INTEGER,
  quality REAL NOT NULL, pinned INTEGER NOT NULL, confirmed INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE TABLE tags (id TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (id, tag)) WITHOUT ROWID;
CREATE INDEX entries_key ON entries (key, level);
CREATE INDEX entries_updated ON entries (updated);
`;

const COLUMN: Readonly<Record<Sort, string>> = {
  updated: 'e.updated',
  created: 'e.created',
  key: 'e.key COLLATE NOCASE',
  category: 'e.category',
  quality: 'e.quality',
  used: 'e.used',
};

/**
 * The sql.js catalog: filters, sorting and paging for browsing. A projection of the journal that can be deleted
 * at any time; it holds no content, and rows of sealed levels never reach its file.
 */
export class Catalog {
  readonly #db: Database;
  readonly #file: string;

  private constructor(db: Database, file: string) {
    this.#db = db;
    this.#file = file;
  }

  /**
   * Opens the saved catalog when it reflects exactly `position`; a missing, stale or corrupt one is replaced by
   * an empty one, and `fresh` says that the caller must fill it.
   */
  static open(sql: SqlJsStatic, file: string, position: string): { catalog: Catalog; fresh: boolean } {
    const saved = openSaved(sql, file, position);
    if (saved !== undefined) return { catalog: new Catalog(saved, file), fresh: false };
    const db = new sql.Database();
    db.exec(SCHEMA);
    return { catalog: new Catalog(db, file), fresh: true };
  }

  /** Replaces the rows of these entries. `used` is how often each was recalled. */
  put(entries: Iterable<{ entry: FoldedEntry; used: number }>): void {
    this.#db.exec('BEGIN');
    const row = this.#db.prepare('INSERT OR REPLACE INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)');
    const clear = this.#db.prepare('DELETE FROM tags WHERE id = ?');
    const tag = this.#db.prepare('INSERT OR IGNORE INTO tags VALUES (?,?)');
    try {
      for (const { entry, used } of entries) {
        row.run([
          entry.id,
          levelRank(entry.level),
          entry.key,
          entry.category,
          entry.status,
          entry.file,
          entry.pathScope,
          entry.created,
          entry.updated,
          entry.expires ?? null,
          entry.quality,
          Number(entry.pinned),
          Number(entry.confirmed),
          used,
        ]);
        clear.run([entry.id]);
        for (const value of entry.tags) tag.run([entry.id, value]);
      }
    } finally {
      for (const statement of [row, clear, tag]) statement.free();
      this.#db.exec('COMMIT');
    }
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#db.run('DELETE FROM entries WHERE id = ?', [id]);
      this.#db.run('DELETE FROM tags WHERE id = ?', [id]);
    }
  }

  /** Ids of one page, pinned ones first, and how many there are in all. Ties are broken by id. */
  page(input: BrowseInput, reader: Reader, now: number): { ids: string[]; total: number } {
    const { where, values } = condition(input.filter, reader, now);
    // A pattern from a caller reaches SQL as a bound value and is matched here, never as SQL text. An export
    // drops functions, so this one is made anew.
    this.#db.create_function('in_scope', (file: string, pathScope: string, scope: string) =>
      inScope({ file, pathScope }, scope) ? 1 : 0,
    );
    const direction = input.descending ? 'DESC' : 'ASC';
    const total = this.#rows(`SELECT count(*) FROM entries e WHERE ${where}`, values)[0]?.[0];
    const rows = this.#rows(
      `SELECT e.id FROM entries e WHERE ${where} ORDER BY e.pinned DESC, ${COLUMN[input.sort]} ${direction}, e.id LIMIT $limit OFFSET $offset`,
      { ...values, $limit: input.limit, $offset: input.offset },
    );
    return { ids: rows.map(([id]) => String(id)), total: Number(total) };
  }

  /** Writes the catalog, without the levels for which `sealed` holds, atomically. */
  save(sql: SqlJsStatic, position: string, sealed: (level: number) => boolean): void {
    const copy = new sql.Database(this.#db.export());
    try {
      for (const level of [0, 1, 2, 3].filter(sealed)) {
        copy.run('DELETE FROM tags WHERE id IN (SELECT id FROM entries WHERE level = ?)', [level]);
        copy.run('DELETE FROM entries WHERE level = ?', [level]);
      }
      copy.run("INSERT OR REPLACE INTO meta VALUES ('version', ?), ('position', ?)", [
        String(VERSION),
        position,
      ]);
      // Deleted rows stay in free pages until the file is rebuilt.
      copy.exec('VACUUM');
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      writeFileSync(`${this.#file}.tmp`, copy.export(), { mode: 0o600 });
      renameSync(`${this.#file}.tmp`, this.#file);
    } finally {
      copy.close();
    }
  }

  close(): void {
    this.#db.close();
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

function openSaved(sql: SqlJsStatic, file: string, position: string): Database | undefined {
  let db: Database | undefined;
  try {
    db = new sql.Database(readFileSync(file));
    const meta = new Map(
      (db.exec('SELECT name, value FROM meta')[0]?.values ?? []).map(([name, value]) => [name, value]),
    );
    const sound = db.exec('PRAGMA quick_check')[0]?.values[0]?.[0] === 'ok';
    if (sound && meta.get('version') === String(VERSION) && meta.get('position') === position) return db;
  } catch {
    // Missing or corrupt: the journal has everything.
  }
  db?.close();
  return undefined;
}

/** The filter of `passes` (filter.ts) and the visibility of `MemoryStore`, as SQL with bound values only. */
function condition(filter: EntryFilter, reader: Reader, now: number) {
  const values: Record<string, string | number> = {
    $reader: levelRank(reader.level),
    $now: now,
    $status: filter.status ?? 'active',
  };
  const clauses = [
    'e.level <= $reader',
    'NOT EXISTS (SELECT 1 FROM entries h WHERE h.key = e.key AND h.level > e.level AND h.level <= $reader)',
    '(e.expires IS NULL OR e.expires > $now)',
    'e.status = $status',
  ];
  const add = (clause: string, name: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    clauses.push(clause);
    values[name] = value;
  };
  add('e.category = $category', '$category', filter.category);
  add(
    'e.level = $level',
    '$level',
    filter.level === undefined ? undefined : levelRank(filter.level satisfies Level),
  );
  add(
    'e.confirmed = $confirmed',
    '$confirmed',
    filter.confirmed === undefined ? undefined : Number(filter.confirmed),
  );
  add('e.pinned = $pinned', '$pinned', filter.pinned === undefined ? undefined : Number(filter.pinned));
  add('e.updated >= $from', '$from', filter.from);
  add('e.updated <= $to', '$to', filter.to);
  add('in_scope(e.file, e.path_scope, $scope)', '$scope', filter.pathScope);
  for (const [index, tag] of (filter.tags ?? []).entries()) {
    add(`EXISTS (SELECT 1 FROM tags t WHERE t.id = e.id AND t.tag = $tag${index})`, `$tag${index}`, tag);
  }
  return { where: clauses.join(' AND '), values };
}
