/** Memories that wait to be sent to a server. */
import type { SpoolItem } from '../memory/hindsight/item.ts';
import type { Level } from '../policy/level.ts';

export interface SpoolTaken {
  /** What is this process's to send and was not handed out before, oldest first. */
  readonly items: readonly SpoolItem[];
}

export interface SpoolLook {
  /** How many wait in the folder, whoever is to send them. */
  readonly waiting: number;
  /** Those of them that are sealed with a key that is not here. */
  readonly locked: number;
  /** When the oldest was queued, epoch milliseconds. */
  readonly oldest?: number | undefined;
}

/** Errors the caller can act on are `StoreError`s. */
export interface RetainSpoolApi {
  /** Keeps items for this process to send. They are on disk when this resolves. */
  spoolPut(items: readonly SpoolItem[]): Promise<void>;
  /**
   * Takes over what processes left that have ended.
   * @param own whether what this process has to send is handed out again, too
   */
  spoolTake(own?: boolean): Promise<SpoolTaken>;
  /** These arrived, or are no longer wanted: they are not handed out again. */
  spoolDone(keys: readonly string[]): Promise<void>;
  /** @param reader counts nothing above it, nor what may be; all of it without */
  spoolLook(reader?: Level): Promise<SpoolLook>;
  /** Removes everything that waits, also what others have still to send. @returns how many items that were */
  spoolErase(): Promise<number>;
}
