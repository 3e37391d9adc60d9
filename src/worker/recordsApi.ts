import type { Author, Reader } from '../memory/entry.ts';
import type { Level } from '../policy/level.ts';

/** An entry as the tools of classified memory show it (seed 004). */
export interface MemoryRecord {
  readonly key: string;
  readonly content: string;
  readonly classification: Level;
  readonly tags: readonly string[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SavedRecord {
  readonly key: string;
  readonly classification: Level;
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
}

/** Classified memory by key, over the same entries as all of memory. Errors the caller can act on are `StoreError`s. */
export interface RecordsApi {
  /**
   * Makes a text the content of the author's own entry of this key; what it was before stays as a revision. Tags
   * replace those it had; undefined leaves them.
   */
  recordSave(
    input: { readonly key: string; readonly content: string; readonly tags?: readonly string[] | undefined },
    author: Author,
  ): Promise<SavedRecord>;
  /** The entry of this key at the highest level that the reader may see; undefined when that one is out of recall. */
  recordGet(key: string, reader: Reader): Promise<MemoryRecord | undefined>;
  /** Every entry in recall, with a tag those that have it, last updated first. */
  recordList(tag: string | undefined, limit: number, reader: Reader): Promise<RecordList>;
  /** Takes the author's own entry of this key out of recall; it stays for audit. */
  recordDelete(key: string, author: Author): Promise<{ readonly key: string }>;
}

export interface RecordList {
  readonly records: readonly MemoryRecord[];
  /** Of which so many are listed. */
  readonly total: number;
}
