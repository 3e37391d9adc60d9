import { JournalWriteError } from '../journal/errors.ts';
import type { Author, Entry, EntryFilter, Reader } from '../memory/entry.ts';
import { isUsableScope, passes } from '../memory/filter.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { oneLine } from '../memory/line.ts';
import { entryIds, normalizeKey, type Operation, type PutOperation } from '../memory/operation.ts';
import { referencedKeys } from '../memory/quality.ts';
import type { MemoryStore } from '../memory/store.ts';
import { redactFields, redactSecrets } from '../policy/redact.ts';
import { fitBlocks } from '../recall/tokens.ts';
import type {
  BrowseInput,
  BrowseOutcome,
  Changes,
  Damage,
  EditInput,
  Fitted,
  ForgetInput,
  Neighbours,
  RecallInput,
  RecallOutcome,
  RememberInput,
  RememberOutcome,
  Stats,
  StoreApi,
} from './api.ts';
import { phrase, StoreError } from './api.ts';
import type { Browser } from './browser.ts';
import { editOperation, goneBecause, rememberOperation, signature } from './changes.ts';
import { relationsOf } from './relations.ts';
import type { Searcher } from './searcher.ts';
import { statistics } from './statistics.ts';

export interface ServiceParts {
  readonly store: MemoryStore;
  readonly searcher: Searcher;
  readonly browser: Browser;
  /** The project's own tag vocabulary, `{tag: [keyword]}`. */
  readonly vocabulary: Readonly<Record<string, readonly string[]>>;
  now(): number;
}

/** The store's calls over one folder's memory and index. Lives in the store's thread. */
export class StoreService implements StoreApi {
  readonly #store: MemoryStore;
  readonly #searcher: Searcher;
  readonly #browser: Browser;
  readonly #vocabulary: ServiceParts['vocabulary'];
  readonly #now: () => number;

  constructor(parts: ServiceParts) {
    this.#store = parts.store;
    this.#searcher = parts.searcher;
    this.#browser = parts.browser;
    this.#vocabulary = parts.vocabulary;
    this.#now = parts.now;
  }

  async remember(input: RememberInput, author: Author): Promise<RememberOutcome> {
    const { fields, found } = await redactFields({ ...input, key: normalizeKey(input.key.toWellFormed()) });
    this.#sync();
    const before = this.#store.at(author.level, fields.key);
    const gone = before !== undefined && (before.status !== 'active' || this.#store.isExpired(before));
    const change = rememberOperation(fields, author, before, gone, this.#vocabulary, this.#now());
    this.#write([change.operation], author);
    const entry = this.#require(author.level, fields.key);
    return {
      entry,
      created: before === undefined,
      revived: gone,
      keptContent: change.keptContent,
      inferredTags: change.inferredTags,
      redacted: found,
      ...relationsOf(entry, author, this.#store, this.#searcher),
    };
  }

  async recall(input: RecallInput, reader: Reader): Promise<RecallOutcome> {
    requireUsable(input.filter);
    this.#sync();
    const outcome = this.#searcher.recall(input, reader);
    if (input.count)
      this.#countUse(
        outcome.results.map(({ entry }) => entry),
        reader,
      );
    return outcome;
  }

  async fetch(
    idsOrKeys: readonly string[],
    reader: Reader,
    count: boolean,
    filter: EntryFilter = {},
  ): Promise<readonly Entry[]> {
    requireUsable(filter);
    this.#sync();
    const found = idsOrKeys.flatMap((name) => {
      const entry = this.#store.resolve(name, reader);
      // Whatever is named may be history: the filter's default status does not apply.
      if (entry === undefined || !passes(entry, { ...filter, status: filter.status ?? entry.status }))
        return [];
      if (count && (entry.status === 'forgotten' || this.#store.isExpired(entry))) return [];
      return [entry];
    });
    const unique = [...new Map(found.map((entry) => [entry.id, entry])).values()];
    if (count) this.#countUse(unique, reader);
    return unique.map((entry) => this.#store.present(entry));
  }

  async neighbours(id: string, reader: Reader): Promise<Neighbours> {
    this.#sync();
    const entry = this.#store.resolve(id, reader);
    if (entry === undefined) return { linked: [], linkedFrom: [] };
    const linksOf = (of: FoldedEntry) => [
      ...new Set([...of.links.map(normalizeKey), ...referencedKeys(of.content)]),
    ];
    const linked = linksOf(entry).map((key) => ({ key, id: this.#store.resolve(key, reader)?.id ?? null }));
    const linkedFrom = [...this.#store.visible(reader)]
      .filter(
        (other) => other.id !== entry.id && other.status === 'active' && linksOf(other).includes(entry.key),
      )
      .map(({ key, id: from }) => ({ key, id: from }));
    return { linked, linkedFrom };
  }

  async browse(input: BrowseInput, reader: Reader): Promise<BrowseOutcome> {
    requireUsable(input.filter);
    this.#sync();
    const { ids, total } = await this.#browser.page(input, reader);
    const entries = ids.flatMap((id) => {
      const entry = this.#store.folded(id);
      return entry === undefined ? [] : [this.#store.present(entry)];
    });
    return { entries, total };
  }

  async edit(target: string, input: EditInput, author: Author) {
    const { fields, found } = await redactFields({ ...input });
    this.#sync();
    const before = this.#own(target, author);
    // A person edits what the browser shows them, with its state; an agent would take it for recalled.
    const gone = goneBecause(before, this.#store.isExpired(before));
    if (author.actor === 'agent' && gone !== undefined) throw new StoreError(`Nothing was changed: ${gone}`);
    this.#write([editOperation(before, fields, author, this.#now())], author);
    return { entry: this.#require(before.level, before.key), redacted: found };
  }

  async forget(input: ForgetInput, author: Author): Promise<Entry> {
    const reason = input.reason === undefined ? '' : (await redactSecrets(input.reason)).text;
    this.#sync();
    const before = this.#own(input.target, author);
    const put = (set: PutOperation['set']): PutOperation => ({
      op: 'put',
      key: before.key,
      at: this.#now(),
      by: signature(author),
      ...(set === undefined ? {} : { set }),
    });
    switch (input.action) {
      case 'soft':
        this.#write([put({ status: 'forgotten', reason })], author);
        break;
      case 'restore':
        this.#write(
          [
            put({
              status: 'active',
              reason: '',
              supersededBy: '',
              // Restored, it would still be out of every read.
              ...(this.#store.isExpired(before) ? { expires: null } : {}),
            }),
          ],
          author,
        );
        break;
      case 'supersede': {
        const winner = this.#store.resolve(input.newKey ?? '', author);
        if (winner === undefined) {
          throw new StoreError(
            `Replacement "${oneLine(input.newKey ?? '')}" not found in memory. Save it first, then supersede "${oneLine(before.key)}".`,
          );
        }
        if (winner.id === before.id)
          throw new StoreError(
            `"${oneLine(before.key)}" cannot supersede itself. Name another entry in new_key.`,
          );
        const gone = goneBecause(winner, this.#store.isExpired(winner));
        if (gone !== undefined) throw new StoreError(`The replacement is not in recall: ${gone}`);
        this.#write([put({ status: 'superseded', supersededBy: winner.key, reason })], author);
        break;
      }
      case 'hard': {
        const entry = this.#store.present(before);
        this.#write(
          [{ op: 'erase', entry: longId(before), at: this.#now(), by: signature(author), reason }],
          author,
        );
        this.#purge();
        return entry;
      }
    }
    return this.#require(before.level, before.key);
  }

  async stats(reader: Reader): Promise<Stats> {
    this.#sync();
    const entries = [...this.#store.visible(reader)].map((entry) => this.#store.present(entry));
    return statistics(entries, Object.keys(this.#store.summaries(reader)).length, this.#now());
  }

  async changes(since: number, reader: Reader): Promise<Changes> {
    this.#sync();
    const recent = [...this.#store.visible(reader)]
      .filter((entry) => entry.updated >= since && entry.status === 'active' && !this.#store.isExpired(entry))
      .sort((a, b) => b.updated - a.updated)
      .map((entry) => this.#store.present(entry));
    return {
      created: recent.filter((entry) => entry.created >= since),
      updated: recent.filter((entry) => entry.created < since),
    };
  }

  async summaries(reader: Reader): Promise<Readonly<Record<string, string>>> {
    this.#sync();
    return this.#store.summaries(reader);
  }

  async setSummary(file: string, text: string, author: Author) {
    const { fields, found } = await redactFields({ file, text });
    this.#sync();
    this.#write([{ op: 'summary', ...fields, at: this.#now(), by: signature(author) }], author);
    return { redacted: found };
  }

  async fit(blocks: readonly string[], budgetTokens: number): Promise<Fitted> {
    return fitBlocks([...blocks], budgetTokens);
  }

  async exportAll(reader: Reader): Promise<readonly Entry[]> {
    this.#sync();
    return [...this.#store.visible(reader)]
      .sort((a, b) => a.created - b.created)
      .map((entry) => this.#store.present(entry));
  }

  async eraseAll(author: Author): Promise<{ erased: number }> {
    this.#sync();
    const by = signature(author);
    const at = this.#now();
    const entries = [...this.#store.ownLevel(author)];
    const operations: Operation[] = [
      ...entries.map(
        (entry): Operation => ({ op: 'erase', entry: longId(entry), at, by, reason: 'delete everything' }),
      ),
      ...this.#store
        .summarized(author.level)
        .map((file): Operation => ({ op: 'summary', file, text: '', at, by })),
    ];
    if (operations.length > 0) this.#write(operations, author);
    this.#store.clearUse();
    this.#purge();
    return { erased: entries.length };
  }

  async damage(): Promise<readonly Damage[]> {
    return this.#store.damage();
  }

  /** Takes in other processes' writes; true when something changed since the last call. */
  poll(): boolean {
    try {
      return this.#sync();
    } catch (error) {
      // A folder that is away for now: the next call says so.
      if (error instanceof StoreError) return false;
      throw error;
    }
  }

  /** Work for idle moments. */
  async tidy(): Promise<void> {
    // What others erased must not be saved again with the catalog.
    this.#sync();
    this.#store.tidy();
    await this.#browser.save();
  }

  async close(): Promise<void> {
    try {
      await this.tidy();
    } catch (error) {
      // A folder that is away or full: what is left to tidy waits for the next process.
      if (!(error instanceof StoreError || error instanceof JournalWriteError)) throw error;
    } finally {
      this.#browser.close();
      this.#store.close();
    }
  }

  #sync(): boolean {
    this.#refresh();
    const change = this.#store.takeChanges();
    if (!change.reset && change.ids.size === 0) return false;
    this.#searcher.update(change);
    this.#browser.update(change);
    return true;
  }

  #refresh(): void {
    try {
      this.#store.refresh();
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

  #write(operations: readonly Operation[], author: Author): void {
    try {
      this.#store.write(operations, author.level);
    } catch (error) {
      if (!(error instanceof JournalWriteError)) throw error;
      const what = /^(Nothing was|Not known to be) saved: /.test(error.message) ? '' : 'Nothing was saved: ';
      throw new StoreError(
        phrase(
          "{0} Free disk space or check the folder's permissions, then save again.",
          `${what}${sentence(error.message)}`,
        ),
      );
    }
    this.#sync();
  }

  /** A use from above is not counted: what is visible below must not show what is done above. */
  #countUse(entries: readonly FoldedEntry[], reader: Reader): void {
    const ids = entries.filter(({ level }) => level === reader.level).map(({ id }) => id);
    this.#store.countUse(ids);
    this.#browser.update({ ids: new Set(ids), reset: false });
  }

  /** After a hard delete: nothing of what was erased may stay on disk. */
  #purge(): void {
    this.#browser.discard();
    try {
      this.#store.purge();
    } catch (error) {
      if (!(error instanceof JournalWriteError)) throw error;
      throw new StoreError(
        phrase(
          "Deleted, but the text is not yet gone from disk: {0} Free disk space or check the folder's permissions; it is tried again by itself.",
          sentence(error.message),
        ),
      );
    }
  }

  #require(level: Author['level'], key: string): Entry {
    const entry = this.#store.at(level, key);
    if (entry === undefined)
      throw new StoreError(
        phrase('"{0}" was deleted while it was being changed. Save it again.', oneLine(key)),
      );
    return this.#store.present(entry);
  }

  /** The author's own entry named by id or key; a lower one may be read but not written. */
  #own(target: string, author: Author): FoldedEntry {
    const entry = this.#store.resolve(target, author);
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
}

function longId({ level, key }: FoldedEntry): string {
  return entryIds(level, key).long;
}

function requireUsable({ pathScope }: EntryFilter): void {
  if (pathScope === undefined || isUsableScope(pathScope)) return;
  throw new StoreError('pathScope has braces that stand for too many paths. Use ** or fewer alternatives.');
}

/** Errors of the system end without a full stop. */
function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}
