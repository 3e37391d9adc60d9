/** What changed in a store, for what follows it. */
import type { Level } from '../policy/level.ts';

/**
 * Which entries changed since the last call. `reset`: the journal was rewritten, and what repeated it on disk went with
 * it; entries that came through it unchanged are not among the ids.
 */
export interface StoreChange {
  readonly ids: ReadonlySet<string>;
  /** Of these entries, also of those that are gone. */
  readonly levels: ReadonlySet<Level>;
  readonly reset: boolean;
}

/** The change of these entries, by id. */
export function changeOf(changed: ReadonlyMap<string, Level>, reset: boolean): StoreChange {
  return { ids: new Set(changed.keys()), levels: new Set(changed.values()), reset };
}
