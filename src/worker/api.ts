import type { Author, Category, Entry, EntryFilter, Importance, Origin, Reader } from '../memory/entry.ts';
import type { Phrase } from '../protocol.ts';
import type { Signals } from '../recall/signals.ts';

/** What `memory_remember` saves. Text fields are redacted before anything else is done with them. */
export interface RememberInput {
  readonly category: Category;
  readonly key: string;
  readonly content: string;
  readonly file?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly links?: readonly string[] | undefined;
  readonly ttl?: string | undefined;
  readonly importance?: Importance | undefined;
  readonly origin?: Origin | undefined;
  readonly pathScope?: string | undefined;
  /** Links that are to go, and the file when it is named. */
  readonly unlink?: readonly string[] | undefined;
  /** Make the text the content even when the key exists; the old content becomes a revision. */
  readonly replace?: boolean | undefined;
  /**
   * Save it as a draft, which recall leaves out until somebody accepts it, with so much confidence (0–1). A key that
   * already has an entry other than a draft stays as it is.
   */
  readonly draft?: { readonly confidence: number } | undefined;
}

export interface RememberOutcome {
  readonly entry: Entry;
  /** What of `unlink` was there and is gone. */
  readonly unlinked: readonly string[];
  readonly created: boolean;
  /** The key had been out of recall (forgotten, archived, expired, a draft) and is active again. */
  readonly revived: boolean;
  /** The text differed from a content that was kept, so it became a revision. */
  readonly keptContent: boolean;
  readonly inferredTags: readonly string[];
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
  readonly related: readonly Entry[];
  readonly duplicates: readonly Similar[];
  /** Warnings that speak against what was saved. */
  readonly contradictions: readonly Similar[];
  /** Rejected decisions on the topic. */
  readonly rejected: readonly Entry[];
}

/** An entry and how much its words overlap (Jaccard, 0–1). */
export interface Similar {
  readonly entry: Entry;
  readonly overlap: number;
}

export interface RecallInput {
  /** Empty: everything that passes the filter, pinned and newest first. */
  readonly query: string;
  readonly filter: EntryFilter;
  readonly limit: number;
  /** Whether returning an entry counts as a use of it (false while a person browses). */
  readonly count: boolean;
  /** Leave out pinned entries that do not match the query. */
  readonly matchesOnly?: boolean | undefined;
  /** Other weights than the usual ones, for measuring what a signal is worth. */
  readonly signals?: Partial<Signals> | undefined;
  /** Fuse the ranks of text and centrality (the default); false: add up the scores. */
  readonly rrf?: boolean | undefined;
  /** What the session works on: lifts entries of its branch and about its files among near-ties. */
  readonly session?: SessionFocus | undefined;
  /** The file in front of the person, from the folder: lifts entries whose scope matches it. */
  readonly currentFile?: string | undefined;
  /** Go on from the matches along links and `[[key]]`, so many steps (seed 001: 1 or 2). Absent: matches only. */
  readonly hops?: number | undefined;
  /** Ids or keys from which to go along links, whatever they match. */
  readonly from?: readonly string[] | undefined;
  /** Memory as it stood at this moment, epoch milliseconds. Reading the past is no use of an entry. */
  readonly asOf?: number | undefined;
}

/** What the session that asks works on. */
export interface SessionFocus {
  /** Current git branch; empty when there is none. */
  readonly branch: string;
  /** Files it has touched, from the folder. */
  readonly files: readonly string[];
}

export interface Recalled {
  readonly entry: Entry;
  /** 0–1; the best match of a query is 1. */
  readonly relevance: number;
  /** The seed's reason line, such as `92% relevance · used 14× · used today · importance HIGH`. */
  readonly reason: string;
  /** For an entry that was reached along links: steps from the nearest match. */
  readonly hops?: number | undefined;
  /** For an entry as it stood in the past that is out of recall today: what became of it. */
  readonly now?: Pick<Entry, 'status' | 'supersededBy'> | undefined;
}

export interface RecallOutcome {
  readonly results: readonly Recalled[];
  /** Without a query: how many pass the filter. With one: how many results there are. */
  readonly total: number;
  /** Nothing matches the query: what came back is pinned. */
  readonly unmatched?: boolean | undefined;
}

export interface Neighbours {
  /** `id` is null when there is no such entry. */
  readonly linked: readonly { readonly key: string; readonly id: string | null }[];
  readonly linkedFrom: readonly { readonly key: string; readonly id: string }[];
}

export const SORTS = ['updated', 'created', 'key', 'category', 'quality', 'used'] as const;
export type Sort = (typeof SORTS)[number];

export interface BrowseInput {
  readonly filter: EntryFilter;
  readonly sort: Sort;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface BrowseOutcome {
  readonly entries: readonly Entry[];
  readonly total: number;
}

/** What a person may change; absent fields stay. Adds and removes are deltas. */
export interface EditInput {
  readonly content?: string | undefined;
  readonly category?: Category | undefined;
  readonly file?: string | undefined;
  readonly addTags?: readonly string[] | undefined;
  readonly removeTags?: readonly string[] | undefined;
  readonly setTags?: readonly string[] | undefined;
  readonly addLinks?: readonly string[] | undefined;
  readonly removeLinks?: readonly string[] | undefined;
  readonly setLinks?: readonly string[] | undefined;
  /** Links that are to go wherever they are: among the links, and as `[[key]]` in the content, of which the key stays. */
  readonly dropLinks?: readonly string[] | undefined;
  readonly ttl?: string | undefined;
  readonly importance?: Importance | 'automatic' | undefined;
  readonly pathScope?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly confirmed?: boolean | undefined;
}

export type ForgetAction = 'soft' | 'restore' | 'supersede' | 'hard';

export interface ForgetInput {
  readonly target: string;
  readonly action: ForgetAction;
  readonly newKey?: string | undefined;
  readonly reason?: string | undefined;
}

export interface Stats {
  readonly total: number;
  readonly byCategory: Readonly<Record<string, number>>;
  readonly byOrigin: Readonly<Record<string, number>>;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byLevel: Readonly<Record<string, number>>;
  readonly withTtl: number;
  readonly expired: number;
  readonly averageQuality: number;
  /** Counts of quality in [0,.2), [.2,.4), [.4,.6), [.6,.8), [.8,1]. */
  readonly qualityBuckets: readonly number[];
  /** Shares 0–1: recalled at least once; identical content; forgotten or superseded. */
  readonly hitRate: number;
  readonly duplicateRate: number;
  readonly deadRate: number;
  readonly unconfirmed: number;
  readonly pinned: number;
  readonly summaries: number;
  readonly newest: readonly Entry[];
  readonly mostUsed: readonly Entry[];
  /** Quality below 0.4, used less than twice and older than 30 days. */
  readonly cold: readonly Entry[];
}

export interface Changes {
  readonly created: readonly Entry[];
  readonly updated: readonly Entry[];
}

/** An unreadable place in a journal file. */
export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly reason: string;
}

/** Blocks of text cut to a hard token budget. */
export interface Fitted {
  readonly kept: readonly string[];
  readonly cut: boolean;
  readonly dropped: number;
}

/** A text for the person, whose English is a literal with holes `{0}`, `{1}` …, so that it can be translated. */
export function phrase(text: string, ...values: readonly (string | number)[]): Phrase {
  return { text, values };
}

/** A phrase with its holes filled. */
export function fill({ text, values }: Phrase): string {
  return text.replace(/\{(\d)\}/g, (hole, index: string) => String(values[Number(index)] ?? hole));
}

/** An error whose message is for whoever called; as a phrase it can be put into the person's language. */
export class PhraseError extends Error {
  readonly phrase: Phrase | undefined;

  constructor(message: string | Phrase) {
    super(typeof message === 'string' ? message : fill(message));
    this.phrase = typeof message === 'string' ? undefined : message;
  }
}

/** A failure the caller can act on; its message says what to do next. Nothing was changed. */
export class StoreError extends PhraseError {
  override readonly name = 'StoreError';
}

/** Another process or turn has what the call needs, perhaps only for a moment. Nothing was changed. */
export class BusyError extends StoreError {}

/** What the store's thread answers: one message each way for every call. */
export interface StoreApi {
  remember(input: RememberInput, author: Author): Promise<RememberOutcome>;
  recall(input: RecallInput, reader: Reader): Promise<RecallOutcome>;
  /**
   * Entries by id or key, in the order asked; unknown ones, and those that fail the filter, are left out. What
   * counts as a use leaves out forgotten and expired ones too. `asOf`: as they stood then, epoch milliseconds.
   */
  fetch(
    idsOrKeys: readonly string[],
    reader: Reader,
    count: boolean,
    filter?: EntryFilter,
    asOf?: number,
  ): Promise<readonly Entry[]>;
  /** What an entry links to (links and `[[key]]`), and what links to it. */
  neighbours(id: string, reader: Reader): Promise<Neighbours>;
  browse(input: BrowseInput, reader: Reader): Promise<BrowseOutcome>;
  /** Changes one entry of the author's own level, named by id or key. */
  edit(
    target: string,
    input: EditInput,
    author: Author,
  ): Promise<{ entry: Entry; redacted: readonly string[] }>;
  forget(input: ForgetInput, author: Author): Promise<Entry>;
  stats(reader: Reader): Promise<Stats>;
  changes(since: number, reader: Reader): Promise<Changes>;
  summaries(reader: Reader): Promise<Readonly<Record<string, string>>>;
  setSummary(file: string, text: string, author: Author): Promise<{ redacted: readonly string[] }>;
  /** Cuts blocks to a hard budget in cl100k tokens. */
  fit(blocks: readonly string[], budgetTokens: number): Promise<Fitted>;
  /** Every visible entry, forgotten and superseded ones too. */
  exportAll(reader: Reader): Promise<readonly Entry[]>;
  /** Removes every entry and summary the author may see from disk; for the person only. */
  eraseAll(author: Author): Promise<{ erased: number }>;
  damage(): Promise<readonly Damage[]>;
}
