import { canFlowTo, levelRank } from '../policy/level.ts';
import type { Entry, Reader } from './entry.ts';
import { type FoldedEntry, present } from './fold.ts';
import { normalizeKey } from './operation.ts';
import type { MemoryStore } from './store.ts';

/** What it takes to read memory, now or as it stood once. */
export type ReadableMemory = Pick<
  MemoryStore,
  'all' | 'folded' | 'isExpired' | 'isVisible' | 'present' | 'resolve' | 'usage' | 'visible'
>;

/**
 * Memory as it stood at a moment: what was superseded, forgotten or archived since is back, what was written since is
 * not there, and texts are those of then. What was deleted for good stays deleted. How often entries were used has no
 * history and is as of today.
 */
export class PastMemory implements ReadableMemory {
  readonly #store: MemoryStore;
  readonly #moment: number;
  readonly #byId = new Map<string, FoldedEntry>();
  readonly #byKey = new Map<string, FoldedEntry[]>();

  /** `moment` in epoch milliseconds. It is a copy: what is written later does not reach it. */
  constructor(store: MemoryStore, moment: number) {
    this.#store = store;
    this.#moment = moment;
    for (const entry of store.all(moment)) {
      this.#byId.set(entry.id, entry);
      const same = this.#byKey.get(entry.key);
      if (same === undefined) this.#byKey.set(entry.key, [entry]);
      else same.push(entry);
    }
  }

  *all(): Generator<FoldedEntry> {
    yield* this.#byId.values();
  }

  folded(id: string): FoldedEntry | undefined {
    return this.#byId.get(id);
  }

  isExpired({ expires }: FoldedEntry): boolean {
    return expires !== undefined && expires <= this.#moment;
  }

  /** By the same rule as today: the highest level that a reader may see stands before the others. */
  isVisible(entry: FoldedEntry, reader: Reader): boolean {
    if (!canFlowTo(entry.level, reader.level)) return false;
    return !(this.#byKey.get(entry.key) ?? []).some(
      ({ level, status }) =>
        status !== 'draft' && levelRank(level) > levelRank(entry.level) && canFlowTo(level, reader.level),
    );
  }

  *visible(reader: Reader): Generator<FoldedEntry> {
    for (const entry of this.#byId.values()) if (this.isVisible(entry, reader)) yield entry;
  }

  resolve(idOrKey: string, reader: Reader): FoldedEntry | undefined {
    const key = normalizeKey(idOrKey);
    return [this.folded(key), ...(this.#byKey.get(key) ?? [])].find(
      (entry) => entry !== undefined && this.isVisible(entry, reader),
    );
  }

  usage(id: string): ReturnType<MemoryStore['usage']> {
    return this.#store.usage(id);
  }

  present(folded: FoldedEntry): Entry {
    return present(folded, this.usage(folded.id), this.#moment);
  }
}
