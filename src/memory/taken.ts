/** Memories that other tools keep, as their files say them. */
import type { Category, Importance, Origin, Status } from './entry.ts';

/** One memory from elsewhere. Times are epoch milliseconds. */
export interface TakenEntry {
  readonly key: string;
  readonly category: Category;
  readonly content: string;
  readonly file?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly links?: readonly string[] | undefined;
  readonly importance?: Importance | undefined;
  readonly origin?: Origin | undefined;
  /** 0–1 */
  readonly confidence?: number | undefined;
  readonly pinned?: boolean | undefined;
  readonly pathScope?: string | undefined;
  readonly expires?: number | undefined;
  /** Active when not given. */
  readonly status?: Status | undefined;
  /** Key of what took its place. */
  readonly supersededBy?: string | undefined;
  /** When it came to have that status. */
  readonly statusAt?: number | undefined;
  /** When it was written; the moment of the import when not known. */
  readonly at?: number | undefined;
  readonly used?: number | undefined;
  readonly lastUsed?: number | undefined;
}

/** A place in what was read, such as `line 12` or `notes/auth.md`. */
export type Place = string;

export interface Placed<Value> {
  readonly place: Place;
  readonly value: Value;
}

/** Something that could not be taken, and why. */
export interface Untaken {
  readonly place: Place;
  readonly reason: string;
}

export interface FileSummary {
  readonly file: string;
  readonly text: string;
}

/** What a reader of another tool's files found. */
export interface Taken {
  readonly entries: readonly Placed<TakenEntry>[];
  readonly summaries: readonly Placed<FileSummary>[];
  /** What is damaged, and so was left where it is. */
  readonly damaged: readonly Untaken[];
  /** What has no place here, a sentence each. */
  readonly notes: readonly string[];
}

/** Counts things that have no place in a format, and tells of each kind once. */
export class Losses {
  readonly #counts = new Map<string, number>();

  /** `what`: such as `quality figures, which are computed here`. */
  add(what: string, count = 1): void {
    if (count > 0) this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  /** `3 × quality figures`, in the order in which they came up. */
  lines(): string[] {
    return [...this.#counts].map(([what, count]) => `${count} × ${what}`);
  }
}
