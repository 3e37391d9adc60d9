import { JournalWriteError } from '../journal/errors.ts';
import type { Author, Entry, EntryFilter, Reader } from '../memory/entry.ts';
import { isUsableScope, passes } from '../memory/filter.ts';
import type { FoldedEntry } from '../memory/fold.ts';
import { normalizeKey } from '../memory/operation.ts';
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
import { StoreError } from './api.ts';
import type { AuditService } from './audit.ts';
import type { CareService } from './care.ts';
import { editOperations, goneBecause, rememberOperation, signature } from './changes.ts';
import { eraseAll, forget } from './forgetting.ts';
import type { HeldMemory } from './heldMemory.ts';
import type { FilesService } from './memoryFiles.ts';
import { Recaller } from './recaller.ts';
import type { RecordsService } from './records.ts';
import { relationsOf } from './relations.ts';
import { statistics } from './statistics.ts';

export interface ServiceParts {
  readonly memory: HeldMemory;
  readonly care: CareService;
  readonly files: FilesService;
  readonly records: RecordsService;
  readonly audit: AuditService;
  /** The project's own tag vocabulary, `{tag: [keyword]}`. */
  readonly vocabulary: Readonly<Record<string, readonly string[]>>;
}

/** The store's calls over one folder's memory and index. Lives in the store's thread. */
export class StoreService implements StoreApi {
  /** Keeps the same memory in order. */
  readonly care: CareService;
  /** The same memory as files of the work tree. */
  readonly files: FilesService;
  /** The same memory by key. */
  readonly records: RecordsService;
  readonly audit: AuditService;
  readonly #memory: HeldMemory;
  readonly #store: MemoryStore;
  readonly #vocabulary: ServiceParts['vocabulary'];
  readonly #now: () => number;
  readonly #recaller: Recaller;

  constructor(parts: ServiceParts) {
    this.care = parts.care;
    this.files = parts.files;
    this.records = parts.records;
    this.audit = parts.audit;
    this.#memory = parts.memory;
    this.#store = parts.memory.store;
    this.#vocabulary = parts.vocabulary;
    this.#now = parts.memory.now;
    this.#recaller = new Recaller(this.#store, parts.memory.searcher, this.#now);
  }

  async remember(input: RememberInput, author: Author): Promise<RememberOutcome> {
    const { fields, found } = await redactFields({ ...input, key: normalizeKey(input.key.toWellFormed()) });
    this.#memory.sync();
    const before = this.#store.at(author.level, fields.key);
    if (input.draft !== undefined && before !== undefined && before.status !== 'draft')
      return untouched(this.#store.present(before));
    const gone = before !== undefined && (before.status !== 'active' || this.#store.isExpired(before));
    const change = rememberOperation(fields, author, before, gone, this.#vocabulary, this.#now());
    this.#memory.write([change.operation], author);
    const entry = this.#memory.require(author.level, fields.key);
    return {
      entry,
      created: before === undefined,
      revived: gone,
      keptContent: change.keptContent,
      inferredTags: change.inferredTags,
      unlinked: change.unlinked,
      redacted: found,
      ...relationsOf(entry, author, this.#store, this.#memory.searcher),
    };
  }

  async recall(input: RecallInput, reader: Reader): Promise<RecallOutcome> {
    requireUsable(input.filter);
    this.#memory.sync();
    const outcome = this.#recaller.recall(input, reader);
    if (input.count && input.asOf === undefined)
      this.#memory.countUse(
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
    asOf?: number,
  ): Promise<readonly Entry[]> {
    requireUsable(filter);
    this.#memory.sync();
    if (asOf !== undefined) return this.#recaller.fetchAt(idsOrKeys, reader, filter, asOf);
    const found = idsOrKeys.flatMap((name) => {
      const entry = this.#store.resolve(name, reader);
      // Whatever is named may be history: the filter's default status does not apply.
      if (entry === undefined || !passes(entry, { ...filter, status: filter.status ?? entry.status }))
        return [];
      if (count && (entry.status === 'forgotten' || this.#store.isExpired(entry))) return [];
      return [entry];
    });
    const unique = [...new Map(found.map((entry) => [entry.id, entry])).values()];
    if (count) this.#memory.countUse(unique, reader);
    return unique.map((entry) => this.#store.present(entry));
  }

  async neighbours(id: string, reader: Reader): Promise<Neighbours> {
    this.#memory.sync();
    const entry = this.#store.resolve(id, reader);
    if (entry === undefined) return { linked: [], linkedFrom: [] };
    const linksOf = (of: FoldedEntry) => [
      ...new Set([...of.links.map(normalizeKey), ...referencedKeys(of.content)]),
    ];
    const linked = linksOf(entry).map((key) => ({ key, id: this.#store.resolve(key, reader)?.id ?? null }));
    const linkedFrom = this.#memory.searcher.linkedFrom(entry, reader);
    return { linked, linkedFrom };
  }

  async browse(input: BrowseInput, reader: Reader): Promise<BrowseOutcome> {
    requireUsable(input.filter);
    this.#memory.sync();
    const { ids, total } = await this.#memory.browser.page(input, reader);
    const entries = ids.flatMap((id) => {
      const entry = this.#store.folded(id);
      return entry === undefined ? [] : [this.#store.present(entry)];
    });
    return { entries, total };
  }

  async edit(target: string, input: EditInput, author: Author) {
    const { fields, found } = await redactFields({ ...input });
    this.#memory.sync();
    const before = this.#memory.own(target, author);
    // A person edits what the browser shows them, with its state; an agent would take it for recalled.
    const gone = goneBecause(before, this.#store.isExpired(before));
    if (author.actor === 'agent' && gone !== undefined) throw new StoreError(`Nothing was changed: ${gone}`);
    this.#memory.write(editOperations(before, fields, author, this.#now()), author);
    return { entry: this.#memory.require(before.level, before.key), redacted: found };
  }

  async forget(input: ForgetInput, author: Author): Promise<Entry> {
    const reason = input.reason === undefined ? '' : (await redactSecrets(input.reason)).text;
    this.#memory.sync();
    return forget(this.#memory, { ...input, reason }, author);
  }

  async stats(reader: Reader): Promise<Stats> {
    this.#memory.sync();
    const entries = [...this.#store.visible(reader)].map((entry) => this.#store.present(entry));
    return statistics(entries, Object.keys(this.#store.summaries(reader)).length, this.#now());
  }

  async changes(since: number, reader: Reader): Promise<Changes> {
    this.#memory.sync();
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
    this.#memory.sync();
    return this.#store.summaries(reader);
  }

  async setSummary(file: string, text: string, author: Author) {
    const { fields, found } = await redactFields({ file, text });
    this.#memory.sync();
    this.#memory.write([{ op: 'summary', ...fields, at: this.#now(), by: signature(author) }], author);
    return { redacted: found };
  }

  async fit(blocks: readonly string[], budgetTokens: number): Promise<Fitted> {
    return fitBlocks([...blocks], budgetTokens);
  }

  async exportAll(reader: Reader): Promise<readonly Entry[]> {
    this.#memory.sync();
    return [...this.#store.visible(reader)]
      .sort((a, b) => a.created - b.created)
      .map((entry) => this.#store.present(entry));
  }

  async eraseAll(author: Author): Promise<{ erased: number }> {
    this.#memory.sync();
    return eraseAll(this.#memory, author);
  }

  async damage(): Promise<readonly Damage[]> {
    return this.#store.damage();
  }

  /** Takes in other processes' writes; true when something changed since the last call. */
  poll(): boolean {
    try {
      return this.#memory.poll();
    } catch (error) {
      // A folder that is away for now: the next call says so.
      if (error instanceof StoreError) return false;
      throw error;
    }
  }

  /** See `HeldMemory.refit`; with the audit log, which is memory's. */
  refit(force: boolean): number {
    this.files.refit();
    return this.#memory.refit(force) + this.audit.refit();
  }

  /** Work for idle moments. */
  async tidy(): Promise<void> {
    await this.#memory.tidy();
    this.care.tidy();
    this.#recaller.tidy();
  }

  async close(): Promise<void> {
    try {
      await this.tidy();
    } catch (error) {
      // A folder that is away or full: what is left to tidy waits for the next process.
      if (!(error instanceof StoreError || error instanceof JournalWriteError)) throw error;
    } finally {
      this.#memory.browser.close();
      this.audit.close();
      this.#store.close();
    }
  }
}

/** What a draft is told whose key is taken. */
function untouched(entry: Entry): RememberOutcome {
  const none = {
    inferredTags: [],
    unlinked: [],
    redacted: [],
    related: [],
    duplicates: [],
    contradictions: [],
    rejected: [],
  };
  return { entry, created: false, revived: false, keptContent: false, ...none };
}

function requireUsable({ pathScope }: EntryFilter): void {
  if (pathScope === undefined || isUsableScope(pathScope)) return;
  throw new StoreError('pathScope has braces that stand for too many paths. Use ** or fewer alternatives.');
}
