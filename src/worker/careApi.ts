import type { CopyName } from '../memory/copies.ts';
import type { Author, Category, Entry, Reader } from '../memory/entry.ts';
import type { Edge } from '../memory/graph.ts';
import type { Reflection } from '../memory/reflect.ts';
import type { FileSummary, TakenEntry } from '../memory/taken.ts';
import type { Secret } from '../memory/vault.ts';
import type { ConflictKind, ConflictsFound, EntryName } from '../memoryProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { MemoryMap, Phrase } from '../protocol.ts';

export interface ArchiveOutcome {
  /** What was archived, each with the reason in English, and for the person's language. */
  readonly archived: readonly (EntryName & { readonly reason: string; readonly phrase: Phrase })[];
  /** How many entries recall can still return. */
  readonly active: number;
}

export const CONSOLIDATE_MODES = ['identical', 'similar', 'low-quality', 'versions'] as const;
export type ConsolidateMode = (typeof CONSOLIDATE_MODES)[number];

export interface ConsolidateInput {
  readonly mode: ConsolidateMode;
  /** With `low-quality`: entries below it, 0–1. */
  readonly minQuality: number;
  readonly dryRun: boolean;
}

/** Moments in epoch milliseconds. */
export interface TakeBackInput {
  readonly ids: readonly string[];
  readonly from: number;
  readonly to: number;
}

export interface ConsolidateOutcome {
  /** Entries that gave way, or would, and to which one; `winner` is null for what is archived. */
  readonly groups: readonly {
    readonly winner: EntryName | null;
    readonly losers: readonly EntryName[];
    readonly why: string;
  }[];
}

export interface PromoteInput {
  /** Accept exactly these drafts, by id or key, whatever their confidence. */
  readonly ids?: readonly string[] | undefined;
  readonly minConfidence: number;
  readonly max: number;
  /** Only drafts that were written after this moment, epoch milliseconds. */
  readonly since: number;
  readonly dryRun: boolean;
  /** What hooks captured, as drafts that are not in memory yet. */
  readonly captured?: readonly CapturedDraft[] | undefined;
}

/** What was captured, with the level of the session that did it. */
export interface CapturedDraft extends ImportedEntry {
  readonly level: Level;
}

/** A draft in memory, or one that was captured and has no id. */
export interface DraftName {
  readonly id: string | null;
  readonly key: string;
  readonly content: string;
  readonly confidence: number;
}

export interface PromoteOutcome {
  /** Accepted, or would be, the most confident first. */
  readonly promoted: readonly DraftName[];
  /** Drafts that stay drafts, each with the reason in English, and for the person's language. */
  readonly waiting: readonly (DraftName & { readonly reason: string; readonly phrase: Phrase })[];
}

export interface DraftsFound {
  /** Drafts in memory, newest first. */
  readonly entries: readonly Entry[];
  /** Places, in what was captured, of what nobody has decided about. */
  readonly captured: readonly number[];
}

export interface SettleInput {
  /** Drafts by id or key. */
  readonly ids: readonly string[];
  /** Else they are rejected. */
  readonly accept: boolean;
  /** What the draft says from now on. */
  readonly content?: string | undefined;
  readonly captured: readonly CapturedDraft[];
}

export interface HealthReport {
  readonly active: number;
  /** Links of active entries that lead to nothing. `inContent`: it stands in the text as `[[key]]`. */
  readonly orphanLinks: readonly (EntryName & { readonly link: string; readonly inContent: boolean })[];
  /** Groups of active entries with the same content. */
  readonly duplicates: readonly (readonly EntryName[])[];
  readonly expired: readonly (EntryName & { readonly expires: number })[];
  /** Files that active entries name, for the caller to look whether they are there. */
  readonly files: readonly (EntryName & { readonly file: string })[];
  /** Places in the journal that cannot be read. */
  readonly damaged: number;
}

export interface GraphReport {
  readonly nodes: readonly Entry[];
  readonly edges: readonly Edge[];
}

export interface MapInput {
  /** Only these and what lies beside them. */
  readonly ids?: readonly string[] | undefined;
  /** Only this category and what lies beside its entries. */
  readonly category?: Category | undefined;
  /** Entries without a link, too. */
  readonly loners: boolean;
  readonly limit: number;
}

/** What one session wrote. */
export interface SessionWork {
  readonly session: string;
  readonly source: string;
  /** Newest first; active ones and drafts. */
  readonly entries: readonly Entry[];
}

export interface MergeReport {
  readonly sessions: readonly SessionWork[];
  /** Entries of different sessions that say the same, by words in common (0–1). */
  readonly overlaps: readonly { readonly one: Entry; readonly other: Entry; readonly overlap: number }[];
  /** Entries that more than one session has written to, with texts beside the content. */
  readonly shared: readonly Entry[];
}

/** An entry that comes from elsewhere. Its texts are redacted before they are saved. */
export interface ImportedEntry
  extends Pick<
    TakenEntry,
    | 'key'
    | 'category'
    | 'content'
    | 'file'
    | 'tags'
    | 'links'
    | 'importance'
    | 'origin'
    | 'confidence'
    | 'pinned'
    | 'pathScope'
    | 'expires'
  > {
  /** It waits to be accepted. */
  readonly isDraft?: boolean | undefined;
}

export interface ImportOutcome {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Keys that are forgotten, archived or superseded here, and stay so. */
  readonly skipped: readonly string[];
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
}

/** What taking in another tool's memories did. */
export interface TakeInOutcome extends ImportOutcome {
  /** Summaries of files that were new. */
  readonly summaries: number;
  /** Files whose summary here says something else and stays. */
  readonly keptSummaries: readonly string[];
}

export interface CopyMade extends CopyName {
  /** Entries in it that its author may see. */
  readonly entries: number;
  /** How many copies of the kind there are now. */
  readonly kept: number;
}

export interface RestoreOutcome {
  readonly restored: number;
  readonly unchanged: number;
  /** Lines of the copy that cannot be read. */
  readonly unreadable: number;
  /** The snapshot of what was there before. */
  readonly before: string;
}

export type SecretName = Omit<Secret, 'value'>;

/** What the store's thread does to keep a memory in order. Errors the caller can act on are `StoreError`s. */
export interface CareApi {
  /**
   * Takes entries out of recall that are expired or unchanged since `before`; never pinned ones or the newest. A dry
   * run only says which.
   */
  archive(before: number, dryRun: boolean, author: Author): Promise<ArchiveOutcome>;
  /** Once `signal` fires it throws an AbortError, if nothing was changed yet. */
  consolidate(
    input: ConsolidateInput,
    author: Author,
    signal?: AbortSignal | undefined,
  ): Promise<ConsolidateOutcome>;
  promote(input: PromoteInput, author: Author): Promise<PromoteOutcome>;
  drafts(captured: readonly CapturedDraft[], reader: Reader): Promise<DraftsFound>;
  /** Accepts or rejects drafts; answers the ids of their entries. */
  settleDrafts(input: SettleInput, author: Author): Promise<readonly string[]>;
  /** What a person has to decide about, the newest first. */
  conflicts(kind: ConflictKind, author: Author): Promise<ConflictsFound>;
  /** Takes back what was done to entries between two moments; answers the ids of those that changed. */
  takeBack(input: TakeBackInput, author: Author): Promise<readonly string[]>;
  health(reader: Reader): Promise<HealthReport>;
  /** Entries by how much they need attention, at most `limit`. */
  reflect(limit: number, category: Category | undefined, reader: Reader): Promise<readonly Reflection[]>;
  /** Active entries and their links; with ids only those and what lies beside them. At most `limit` nodes. */
  graph(ids: readonly string[] | undefined, limit: number, reader: Reader): Promise<GraphReport>;
  /** The same for the eye: names and links only. */
  map(input: MapInput, reader: Reader): Promise<MemoryMap>;
  /** Entries on a shortest way between two, which are named by id or key; undefined when there is none. */
  path(from: string, to: string, reader: Reader): Promise<GraphReport | undefined>;
  /** What sessions wrote since a moment. */
  sessionWork(since: number, reader: Reader): Promise<MergeReport>;
  /** Saves entries from elsewhere; `replace` makes their texts the content, and what was there history. */
  importEntries(entries: readonly ImportedEntry[], replace: boolean, author: Author): Promise<ImportOutcome>;
  /**
   * Saves what another tool kept, with its dates, states and counts, as not confirmed. Once taken it changes nothing
   * again. A text that differs from what is here becomes a dated revision; where what is here came from the same
   * source and nobody confirmed it, the new text becomes the content.
   */
  takeIn(
    entries: readonly TakenEntry[],
    summaries: readonly FileSummary[],
    author: Author,
  ): Promise<TakeInOutcome>;
  /** `note`, without secrets, is kept with it: why it was made. */
  copy(kind: CopyName['kind'], author: Author, note?: string): Promise<CopyMade>;
  /** With the notes that the reader may see. */
  copies(reader: Reader): Promise<readonly CopyName[]>;
  /** Puts every entry of a copy back as it was. What was written since stays, as history or as it is. */
  restore(name: string, author: Author): Promise<RestoreOutcome>;
  /** Keeps a secret, sealed. `expires`: epoch milliseconds. */
  putSecret(secret: Omit<Secret, 'at'>, author: Author): Promise<void>;
  secret(name: string, reader: Reader): Promise<Secret | undefined>;
  secrets(reader: Reader): Promise<readonly SecretName[]>;
  /** True when there was one. */
  dropSecret(name: string, author: Author): Promise<boolean>;
  /** A number that grows in this process when something changes that the reader may see. */
  version(reader: Reader): Promise<number>;
}
