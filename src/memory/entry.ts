import type { Level } from '../policy/level.ts';

/** Kinds of memory (seed 001, "Categories"). */
export const CATEGORIES = ['decision', 'pattern', 'bug', 'knowledge', 'warning'] as const;
export type Category = (typeof CATEGORIES)[number];

/** Explicit importance, highest first (seed 001, "Explicit importance"). Absent means automatic. */
export const IMPORTANCE = ['critical', 'high', 'medium', 'low'] as const;
export type Importance = (typeof IMPORTANCE)[number];

/** Who the knowledge comes from; `inferred` lowers the confidence. */
export const ORIGINS = ['human', 'agent', 'inferred'] as const;
export type Origin = (typeof ORIGINS)[number];

/**
 * Only active entries are recalled. `draft`: captured or inferred and not accepted yet. `archived`: old or expired,
 * out of recall, and found by a search that asks for it.
 */
export const STATUSES = ['active', 'draft', 'archived', 'forgotten', 'superseded'] as const;
export type Status = (typeof STATUSES)[number];

/** The source of what a file of the work tree says: a person's hand, a teammate's, or whatever a clone brought. */
export const FILE_SOURCE = 'file';

/** Who writes: the person at the keyboard or an agent, through which door and session. */
export interface Author {
  readonly actor: 'person' | 'agent';
  /** The session's level: what is written is stored at this level. */
  readonly level: Level;
  /** The agent or surface, such as `copilot`, `claude-code`, `panel`. */
  readonly source: string;
  readonly session: string;
  readonly branch: string;
}

/** Who reads. Nothing above `level` is visible to it. */
export interface Reader {
  readonly level: Level;
}

/** A text of an entry other than its current content. */
export interface Revision {
  readonly text: string;
  /** When it was written, epoch milliseconds. */
  readonly at: number;
  readonly actor: Author['actor'];
  readonly source: string;
  /** Written after the current content without replacing it, so it is shown (and searched) with it. */
  readonly addition: boolean;
}

/** One memory as readers see it: the fold of its operations. Times are epoch milliseconds. */
export interface Entry {
  /** Eight base-36 characters, derived from level and key. */
  readonly id: string;
  readonly level: Level;
  readonly key: string;
  readonly category: Category;
  readonly content: string;
  /** `path` or `path:line`, relative to the workspace folder; empty when there is none. */
  readonly file: string;
  readonly tags: readonly string[];
  readonly links: readonly string[];
  readonly created: number;
  readonly updated: number;
  /** After this moment the entry is out of every read. */
  readonly expires: number | undefined;
  readonly importance: Importance | undefined;
  /** 0–1, seed 001 "Quality score". */
  readonly quality: number;
  /** 1 when asserted, 0.65–0.75 when inferred. */
  readonly confidence: number;
  readonly pinned: boolean;
  readonly pathScope: string;
  readonly origin: Origin;
  readonly status: Status;
  /** A person wrote, edited or confirmed the current content. */
  readonly confirmed: boolean;
  readonly branch: string;
  readonly session: string;
  readonly source: string;
  readonly supersededBy: string;
  /** Why it was forgotten or superseded. */
  readonly reason: string;
  /** Newest first. */
  readonly revisions: readonly Revision[];
  /** How often, and when last, it was returned to a reader. */
  readonly used: number;
  readonly lastUsed: number | undefined;
}

/** What selects entries, combined with AND. A filter is a filter: nothing that fails one is returned. */
export interface EntryFilter {
  readonly category?: Category | undefined;
  /** All of them must be present (seed 001: AND logic). */
  readonly tags?: readonly string[] | undefined;
  /** Inclusive bounds on `updated`, epoch milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** A path or glob that the entry's file must match. */
  readonly pathScope?: string | undefined;
  readonly status?: Status | undefined;
  readonly confirmed?: boolean | undefined;
  readonly pinned?: boolean | undefined;
  readonly level?: Level | undefined;
}

/** Whether a pin puts the entry first: one that nobody here has confirmed may have come pinned with a file. */
export function isLifted({
  pinned,
  confirmed,
  source,
}: Pick<Entry, 'pinned' | 'confirmed' | 'source'>): boolean {
  return pinned && (confirmed || source !== FILE_SOURCE);
}
