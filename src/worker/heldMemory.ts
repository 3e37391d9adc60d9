import { JournalWriteError } from '../journal/errors.ts';
import { KeyError, type KeyRing } from '../journal/keys.ts';
import type { Copies, Gone } from '../memory/copies.ts';
import type { Author, Entry, Reader } from '../memory/entry.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import type { Operation } from '../memory/operation.ts';
import type { MemoryStore } from '../memory/store.ts';
import type { StoreChange } from '../memory/storeChange.ts';
import type { Vault } from '../memory/vault.ts';
import type { AuditSink } from '../policy/audit.ts';
import { canFlowTo, LEVELS, type Level } from '../policy/level.ts';
import { phrase, StoreError } from './api.ts';
import type { Browser } from './browser.ts';
import type { IndexFile } from './indexFile.ts';
import type { Searcher } from './searcher.ts';

/** The index is saved again when so many documents changed, and this share of all: the next start analyses as many. */
const LEAST_CHANGES = 1000;
const CHANGED_SHARE = 0.05;

/** An operation and the level at which it is written. */
export interface Change {
  readonly operation: Operation;
  readonly level: Level;
}

/** One folder's memory with its index and its catalog, which follow what is written here and elsewhere. */
export class HeldMemory {
  readonly store: MemoryStore;
  readonly searcher: Searcher;
  readonly indexFile: IndexFile;
  readonly browser: Browser;
  readonly copies: Copies;
  readonly vault: Vault;
  readonly audit: AuditSink;
  readonly keys: KeyRing;
  readonly now: () => number;
  /** The store's key was not here when the store was read. */
  #isLocked: boolean;
  #hasNews = false;
  readonly #versions = new Map<Level, number>(LEVELS.map((level) => [level, 0]));

  constructor(
    parts: Pick<
      HeldMemory,
      'store' | 'searcher' | 'indexFile' | 'browser' | 'copies' | 'vault' | 'audit' | 'keys' | 'now'
    >,
  ) {
    this.store = parts.store;
    this.searcher = parts.searcher;
    this.indexFile = parts.indexFile;
    this.browser = parts.browser;
    this.copies = parts.copies;
    this.vault = parts.vault;
    this.audit = parts.audit;
    this.keys = parts.keys;
    this.now = parts.now;
    this.#isLocked = parts.keys.missingKey() !== undefined;
  }

  /** Takes in other processes' writes. */
  sync(): void {
    this.#requireKey();
    this.#refresh();
    if (this.#takeIn()) this.#hasNews = true;
  }

  /** Whether others have written since it was last asked, whichever call has taken that in meanwhile. */
  poll(): boolean {
    this.sync();
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }

  /** A number that grows when an entry which this reader may see changed. It belongs to this process. */
  version(reader: Reader): number {
    return [...this.#versions]
      .filter(([level]) => canFlowTo(level, reader.level))
      .reduce((sum, [, count]) => sum + count, 0);
  }

  /** Writes operations at the author's level and takes them in. */
  write(operations: readonly Operation[], author: Author): void {
    this.writeAll(operations.map((operation) => ({ operation, level: author.level })));
  }

  /** Writes operations, those of one level at once. */
  writeAll(changes: readonly Change[]): void {
    // What others wrote comes first, so that what is taken in afterwards is no news.
    this.sync();
    for (const level of LEVELS) {
      const operations = changes.filter((change) => change.level === level);
      if (operations.length > 0)
        this.#append(
          operations.map(({ operation }) => operation),
          level,
        );
    }
    this.#takeIn();
  }

  /** A use from above is not counted: what is visible below must not show what is done above. */
  countUse(entries: readonly FoldedEntry[], reader: Reader): void {
    const ids = entries.filter(({ level }) => level === reader.level).map(({ id }) => id);
    this.store.countUse(ids);
    this.browser.update({ ids: new Set(ids) });
  }

  /** After a hard delete: nothing of what was erased may stay on disk, `all` of a level or single entries. */
  purge(all?: Level): void {
    try {
      this.#discard();
      this.store.purge();
      this.scrub(all);
      if (all !== undefined) this.vault.clear(all);
    } catch (error) {
      if (!(error instanceof JournalWriteError || (error instanceof Error && 'syscall' in error)))
        throw error;
      throw new StoreError(
        phrase(
          "Deleted, but the text is not yet gone from disk: {0} Free disk space or check the folder's permissions; it is tried again by itself.",
          sentence(error.message),
        ),
      );
    }
  }

  /** Work for idle moments. */
  async tidy(): Promise<void> {
    // What others erased must not be saved again with the catalog.
    this.sync();
    // A purge that was interrupted may have left these, too.
    if (this.store.tidy()) {
      this.#discard();
      this.sync();
    }
    const { changes, size } = this.searcher;
    if (changes >= Math.max(LEAST_CHANGES, size * CHANGED_SHARE))
      this.indexFile.write(() => {
        this.sync();
        return this.searcher.saved(this.store.position(), this.indexFile.sealed);
      });
    await this.browser.save();
  }

  /**
   * Puts the journal and what repeats it into the form that the store's switch wants.
   * @param force also where nothing that was read stands in the other form: a writer may be at work
   * @returns whether others still have to do something
   * @throws JournalWriteError, KeyError, what the disk says
   */
  refit(force: boolean): number {
    this.sync();
    if (force || this.store.hasMisfits()) {
      this.#discard();
      const isDone = this.store.refit();
      this.sync();
      if (!isDone || this.store.hasMisfits()) return 1;
    }
    return this.copies.refit();
  }

  /** Takes what was erased since they were made out of copies. */
  scrub(all?: Level): void {
    const mark = this.store.lastErasure();
    const gone: Gone = ({ id, level }, at) => level === all || this.store.isErased(id, at);
    if (all !== undefined || this.copies.scrubbed() !== mark) this.copies.scrub(gone, mark);
  }

  /** The entry with this key at this level. Throws a `StoreError` when it is gone. */
  require(level: Level, key: string): Entry {
    const entry = this.store.at(level, key);
    if (entry === undefined)
      throw new StoreError(
        phrase('"{0}" was deleted while it was being changed. Save it again.', oneLine(key)),
      );
    return this.store.present(entry);
  }

  /** The author's own entry named by id or key; a lower one may be read but not written. */
  own(target: string, author: Author): FoldedEntry {
    const entry = this.store.resolve(target, author);
    if (entry === undefined) {
      throw new StoreError(
        phrase(
          '"{0}" not found in memory. List what is there with memory_recall({ mode: "index" }).',
          oneLine(target),
        ),
      );
    }
    if (entry.level !== author.level) {
      throw new StoreError(
        `"${oneLine(target)}" is stored at ${entry.level} and this session works at ${author.level}: it can read the entry but not change it. Save a new entry under the same key instead; it will be shown in place of this one.`,
      );
    }
    return entry;
  }

  /**
   * Whether an author may change an entry among many: an agent those of its own level, a person every one up to theirs,
   * each at the level it has. One that another shadows is no exception: below that one nobody may see that there is one.
   */
  mayChange(entry: FoldedEntry, author: Author): boolean {
    if (!canFlowTo(entry.level, author.level)) return false;
    return entry.level === author.level || author.actor === 'person';
  }

  /** Whether recall can return an entry to those who see it. */
  isLive(entry: FoldedEntry): boolean {
    return entry.status === 'active' && !this.store.isExpired(entry);
  }

  /** Visible entries that recall can return. */
  live(reader: Reader): FoldedEntry[] {
    return [...this.store.visible(reader)].filter((entry) => this.isLive(entry));
  }

  /** @returns whether anything has changed */
  #takeIn(): boolean {
    const change = this.store.takeChanges();
    if (!change.reset && change.ids.size === 0) return false;
    this.searcher.update(change);
    this.browser.update(change);
    this.#count(change);
    return true;
  }

  /** Removes the files that repeat what entries say. */
  #discard(): void {
    this.browser.discard();
    this.indexFile.discard();
  }

  #count({ levels }: StoreChange): void {
    for (const [level, count] of this.#versions) if (levels.has(level)) this.#versions.set(level, count + 1);
  }

  /** What was read without its key is read again once the key is here. */
  #requireKey(): void {
    const missing = this.keys.missingKey();
    if (missing !== undefined) {
      this.keys.lookAgain();
      if (this.keys.missingKey() !== undefined) {
        this.#isLocked = true;
        throw new StoreError(phrase('{0} Nothing was read or changed.', missing));
      }
    }
    if (this.#isLocked) this.store.reload();
    this.#isLocked = false;
  }

  #refresh(): void {
    try {
      this.store.refresh();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new StoreError(
        phrase(
          'Memory cannot be read: {0}. Check that the folder is there and its permissions, then try again.',
          error.message,
        ),
      );
    }
  }

  #append(operations: readonly Operation[], level: Level): void {
    try {
      this.store.write(operations, level);
    } catch (error) {
      if (!(error instanceof JournalWriteError)) throw error;
      if (error.cause instanceof KeyError)
        throw new StoreError(phrase('Nothing was saved: {0}', error.cause.message));
      const what = /^(Nothing was|Not known to be) saved: /.test(error.message) ? '' : 'Nothing was saved: ';
      throw new StoreError(
        phrase(
          "{0} Free disk space or check the folder's permissions, then save again.",
          `${what}${sentence(error.message)}`,
        ),
      );
    }
  }
}

/** Errors of the system end without a full stop. */
function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
