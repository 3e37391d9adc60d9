/** What the tools of the memory browser's views answer, for panels and tools alike. Times are epoch milliseconds. */
import type { Category } from './memory/entry.ts';
import type { Level } from './policy/level.ts';
import type { Phrase } from './protocol.ts';

/** An entry as a list needs it. */
export interface EntryName {
  readonly id: string;
  readonly key: string;
  readonly category: Category;
  readonly level: Level;
}

/** A draft that waits for the person's decision: one line of what `memory_drafts` returns. */
export interface Draft {
  /** By which the decision names it. */
  readonly name: string;
  /** Null: a hook captured it, and it is not in memory yet. */
  readonly id: string | null;
  readonly key: string;
  readonly category: Category;
  readonly content: string;
  readonly file: string;
  readonly level: Level;
  /** 0–1. */
  readonly confidence: number;
  /** The agent, where captured with its branch. */
  readonly source: string;
  readonly session: string;
  /** Which tool was captured; empty for a draft in memory. */
  readonly tool: string;
  readonly at: number;
}

/** What may say two things at once: texts of one entry, or entries. */
export const CONFLICT_KINDS = ['texts', 'similar', 'versions'] as const;
export type ConflictKind = (typeof CONFLICT_KINDS)[number];

/** One of the things that cannot all be right. */
export interface ConflictSide extends EntryName {
  readonly text: string;
  readonly at: number;
  readonly source: string;
  readonly tags: readonly string[];
  readonly links: readonly string[];
}

export interface Conflict {
  readonly kind: ConflictKind;
  /** At least two, what counts now first. Those of `texts` are of one entry. */
  readonly sides: readonly ConflictSide[];
}

/** What `memory_conflicts` returns. */
export interface ConflictsFound {
  /** How many there are; more than are told where that is too much to go through. */
  readonly total: number;
  readonly conflicts: readonly Conflict[];
}

export const FINDING_KINDS = [
  'orphan-link',
  'duplicate',
  'broken-file',
  'expired',
  'old-session',
  'damaged',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** Something to put right: one of what `context_health` returns. */
export interface Finding {
  readonly kind: FindingKind;
  /** The entry it is about, or null. */
  readonly entry: EntryName | null;
  /** English. */
  readonly detail: string;
  /** The same, for the person's language. */
  readonly phrase: Phrase;
  /** The call that a person puts it right with; null where nothing has to be done. */
  readonly fix: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> } | null;
}
