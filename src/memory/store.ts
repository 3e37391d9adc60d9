import { join } from 'node:path';
import type { Journal, JournalRecord, JsonValue, Refreshed } from '../journal/journal.ts';
import { canFlowTo, type Level, levelRank, parseLevel } from '../policy/level.ts';
import { AccessCounts } from './access.ts';
import type { Author, Entry, Reader } from './entry.ts';
import { EntryLog, type FoldedEntry, fingerprints, present } from './fold.ts';
import {
  compareStamped,
  entryIds,
  isOperation,
  normalizeKey,
  type Operation,
  type Stamped,
  shortOf,
} from './operation.ts';
import { changeOf, type StoreChange } from './storeChange.ts';
import { Summaries } from './summaries.ts';

/**
 * The entries of one folder: the fold of its journal. Knows identity, levels and shadowing; knows nothing of
 * ranking or tools. Single-threaded and synchronous: it lives in the store's thread.
 */
export class MemoryStore {
  readonly #journal: Journal;
  readonly #now: () => number;
  readonly #access: AccessCounts;
  /** By id, in the order in which they came to be, not that of the journal, which what happens at any level changes. */
  readonly #logs = new Map<string, EntryLog>();
  /** The logs of one key, one a level, so that shadowing looks at those few only. */
  readonly #byKey = new Map<string, EntryLog[]>();
  /** Rank of the highest level that an entry ever had: what stands there is shadowed by nothing. */
  #highest = 0;
  /** Hard deletes by the entry's long id: what they void may be read after them. */
  readonly #erased = new Map<string, Stamped>();
  readonly #summaries = new Summaries();
  /** Levels by id. */
  #changed = new Map<string, Level>();
  #reset = false;
  /** Erased text may still be on disk: a purge was interrupted, or another process held the lock. */
  #purgeDue = false;

  constructor(journal: Journal, dir: string, now: () => number) {
    this.#journal = journal;
    this.#now = now;
    this.#access = new AccessCounts(join(dir, 'access'), journal.writer);
    this.#purgeDue = this.#take(journal.load().toSorted(compareStamped));
    // Whoever opens a store reads all of it: what was there before is no change.
    this.#changed.clear();
  }

  /** Names what has been read; equal for equal content. */
  position(): string {
    return this.#journal.position();
  }

  /** Nothing was ever written here, so nothing is to be saved beside it: looking at a folder leaves no trace. */
  isEmpty(): boolean {
    return this.#logs.size === 0 && this.#summaries.size === 0;
  }

  /** Takes in what other processes wrote. Cheap when they wrote nothing. */
  refresh(): void {
    this.#apply(this.#journal.refresh());
  }

  /** Reads everything again: what could not be opened before may be now. */
  reload(): void {
    this.#apply({ records: this.#journal.load(), reset: true });
  }

  #apply({ records, reset }: Refreshed): void {
    if (!reset) {
      this.#take(records);
      return;
    }
    const changed = this.#changed;
    const before = fingerprints(this.#logs);
    const levels = new Map([...this.#logs].map(([id, { level }]) => [id, level]));
    this.#logs.clear();
    this.#byKey.clear();
    this.#summaries.clear();
    this.#erased.clear();
    this.#reset = true;
    this.#changed = new Map();
    this.#purgeDue = this.#take(records.toSorted(compareStamped));
    // All was read anew, but only what differs from what stood under its id is to be indexed anew.
    for (const [id, fingerprint] of fingerprints(this.#logs))
      if (before.get(id) === fingerprint) before.delete(id);
      else before.set(id, fingerprint);
    for (const id of before.keys()) {
      const level = this.#logs.get(id)?.level ?? levels.get(id);
      if (level !== undefined) changed.set(id, level);
    }
    this.#changed = changed;
  }

  /** What changed since the last call, by this process or others. */
  takeChanges(): StoreChange {
    const change = changeOf(this.#changed, this.#reset);
    this.#changed = new Map();
    this.#reset = false;
    return change;
  }

  /** Writes operations durably at the author's level; returns only when they are on disk. */
  write(operations: readonly Operation[], level: Level): void {
    const records = this.#journal.append(
      // Operations are JSON by construction; interfaces just do not say so to the compiler.
      operations.map((operation) => ({ payload: operation as unknown as JsonValue, level })),
    );
    this.#take(records);
  }

  /**
   * The entry with this id, whatever its level and status, as of now or as it stood at a moment (epoch milliseconds).
   * Callers check visibility.
   */
  folded(id: string, moment?: number): FoldedEntry | undefined {
    return this.#logs.get(id)?.entry(moment);
  }

  present(folded: FoldedEntry): Entry {
    return present(folded, this.usage(folded.id), this.#now());
  }

  /** How often, and when last, an entry was returned to a reader. */
  usage(id: string): { readonly used: number; readonly lastUsed: number | undefined } {
    return this.#access.usage(id);
  }

  /** The entry with this key at exactly this level. */
  at(level: Level, key: string): FoldedEntry | undefined {
    return this.#find(level, normalizeKey(key))?.entry();
  }

  /**
   * Whether a reader may see the entry at all: its level flows to the reader and no entry of the same key at a
   * higher visible level shadows it. Forgetting the higher one does not bring the lower one back; a draft, which is no
   * memory yet, shadows nothing.
   */
  isVisible(entry: FoldedEntry, reader: Reader): boolean {
    if (!canFlowTo(entry.level, reader.level)) return false;
    if (levelRank(entry.level) >= this.#highest) return true;
    return !(this.#byKey.get(entry.key) ?? []).some(
      (other) =>
        levelRank(other.level) > levelRank(entry.level) &&
        canFlowTo(other.level, reader.level) &&
        shadows(other.entry()),
    );
  }

  isExpired(entry: FoldedEntry): boolean {
    return entry.expires !== undefined && entry.expires <= this.#now();
  }

  /**
   * The visible entry named by an id or a key, forgotten ones too. An id wins over a key: whoever takes an id from
   * a list must not be led to an entry that was saved under that id as its key.
   */
  resolve(idOrKey: string, reader: Reader): FoldedEntry | undefined {
    const key = normalizeKey(idOrKey);
    const named = (this.#byKey.get(key) ?? []).map((log) => log.entry());
    const candidates = [this.folded(key), ...named.filter(shadows), ...named];
    return candidates.find((entry) => entry !== undefined && this.isVisible(entry, reader));
  }

  /** Every entry visible to the reader, whatever its status, expired ones too. */
  *visible(reader: Reader): Generator<FoldedEntry> {
    for (const log of this.#logs.values()) {
      const entry = log.entry();
      if (entry !== undefined && this.isVisible(entry, reader)) yield entry;
    }
  }

  /**
   * Every entry at every level, as of now or as it stood at a moment (epoch milliseconds): for projections only, which
   * filter by level themselves.
   */
  *all(moment?: number): Generator<FoldedEntry> {
    for (const log of this.#logs.values()) {
      const entry = log.entry(moment);
      if (entry !== undefined) yield entry;
    }
  }

  /** File summaries visible to the reader; the highest visible level of a file wins. */
  summaries(reader: Reader): Record<string, string> {
    return this.#summaries.visible(reader);
  }

  /** Files with a summary at exactly this level. */
  summarized(level: Level): string[] {
    return this.#summaries.files(level);
  }

  countUse(ids: Iterable<string>): void {
    for (const id of ids) this.#access.count(id, this.#now());
  }

  /** Makes an entry's count of uses at least this one. `lastUsed`: epoch milliseconds. */
  raiseUse(id: string, used: number, lastUsed: number | undefined): void {
    this.#access.raise(id, used, lastUsed);
  }

  clearUse(): void {
    this.#access.clear();
  }

  /**
   * Work for idle moments: access counts to disk, ended segments into the base. True when it had to purge: what else
   * may hold the erased text must go, too.
   */
  tidy(): boolean {
    this.#access.flush();
    const purges = this.#purgeDue;
    if (purges) this.purge();
    else if (this.#journal.shouldCompact())
      this.#journal.compact({ retain: (record) => this.#retain(record) });
    return purges;
  }

  /** Whether records that were read stand in a form that the store's switch does not want. */
  hasMisfits(): boolean {
    return this.#journal.hasMisfits();
  }

  /** Rewrites the journal in the form that counts, under a new generation. False when another process was at it. */
  refit(): boolean {
    return this.#journal.compact({
      retain: (record) => this.#retain(record),
      ...{ newGeneration: true, keepDamage: true },
    }).done;
  }

  /** After a hard delete: rewrites the journal under a new generation, so that no erased text stays on disk. */
  purge(): void {
    this.#purgeDue = true;
    const result = this.#journal.compact({
      retain: (record) => this.#retain(record),
      newGeneration: true,
    });
    this.#purgeDue = !result.done;
  }

  /** The entries an author may remove for good: those of exactly its own level. */
  *ownLevel(author: Author): Generator<FoldedEntry> {
    for (const entry of this.all()) if (entry.level === author.level) yield entry;
  }

  /** Whether an entry, by its long id, was deleted for good after a moment (epoch milliseconds). */
  isErased(long: string, since: number): boolean {
    const erased = this.#erased.get(long);
    return erased?.operation.op === 'erase' && erased.operation.at >= since;
  }

  /** The stamp of what was deleted for good last; empty when nothing ever was. */
  lastErasure(): string {
    return [...this.#erased.values()].reduce((last, { stamp }) => (stamp > last ? stamp : last), '');
  }

  damage() {
    return this.#journal.damage();
  }

  close(): void {
    this.#access.flush();
    this.#journal.close();
  }

  #retain(record: JournalRecord): boolean {
    const operation: unknown = record.payload;
    if (!isOperation(operation)) return true;
    if (operation.op === 'summary') return this.#summaries.isCurrent({ ...record, operation });
    if (operation.op === 'erase') return true;
    return this.#find(record.level, normalizeKey(operation.key))?.isLive(record) ?? true;
  }

  /** Applies records; true when some of them are void because a hard delete came later. */
  #take(records: readonly JournalRecord[]): boolean {
    let dead = false;
    for (const record of records) {
      const operation: unknown = record.payload;
      const level = parseLevel(record.level);
      if (level === undefined || !isOperation(operation)) continue;
      const stamped = { stamp: record.stamp, writer: record.writer, operation };
      if (operation.op === 'summary') this.#summaries.take({ ...stamped, operation, level });
      else if (operation.op === 'erase') dead = this.#erase(stamped, operation.entry) || dead;
      else if (this.#log(level, normalizeKey(operation.key)).add(stamped)) dead = true;
    }
    return dead;
  }

  /** True when it voids something that was read before. */
  #erase(stamped: Stamped, long: string): boolean {
    const known = this.#erased.get(long);
    if (known === undefined || compareStamped(stamped, known) > 0) this.#erased.set(long, stamped);
    const log = [shortOf(long), long]
      .map((id) => this.#logs.get(id))
      .find((each) => each !== undefined && entryIds(each.level, each.key).long === long);
    if (log === undefined) return false;
    this.#changed.set(log.id, log.level);
    return log.add(stamped);
  }

  #find(level: string, key: string): EntryLog | undefined {
    return this.#byKey.get(key)?.find((log) => log.level === level);
  }

  #log(level: Level, key: string): EntryLog {
    let log = this.#find(level, key);
    if (log === undefined) {
      const { short, long } = entryIds(level, key);
      log = new EntryLog(level, key, this.#logs.has(short) ? long : short);
      this.#logs.set(log.id, log);
      this.#highest = Math.max(this.#highest, levelRank(level));
      const erased = this.#erased.get(long);
      if (erased !== undefined) log.add(erased);
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), log]);
    } else if (log.isEmpty) {
      this.#logs.delete(log.id);
      this.#logs.set(log.id, log);
    }
    this.#changed.set(log.id, log.level);
    return log;
  }
}

function shadows(entry: FoldedEntry | undefined): boolean {
  return entry !== undefined && entry.status !== 'draft';
}
