import type { SealState } from '../journal/sealWord.ts';
import type { AuditEvent } from '../policy/audit.ts';
import type { Level } from '../policy/level.ts';

export interface SealStatus {
  readonly state: SealState;
  /** Id of the store's key; empty where it was never sealed. */
  readonly key: string;
  /** What has to be done before the store can be read; absent when nothing. */
  readonly missing?: string | undefined;
}

export interface SealOutcome extends SealStatus {
  /** It was so before. */
  readonly already: boolean;
  /** How many files other processes still have to put into the new form; they do so within a moment, or once they end. */
  readonly others: number;
}

/** Who asked for the switch, for the audit log. */
export type SwitchedBy = Pick<AuditEvent, 'level' | 'actor' | 'session' | 'source' | 'tool'>;

/** What the store's thread does to seal a whole store. Errors the caller can act on are `StoreError`s. */
export interface SealingApi {
  sealStatus(): Promise<SealStatus>;
  /** Seals everything in the store. When this resolves, whatever is written from then on is sealed. */
  seal(by?: SwitchedBy): Promise<SealOutcome>;
  /** Opens everything that only `seal` has sealed. */
  unseal(by?: SwitchedBy): Promise<SealOutcome>;
  /**
   * The text of an export as it may leave a sealed store, one line; undefined where the store is not sealed.
   * @param level of what it holds, which it keeps
   */
  sealExport(text: string, level: Level): Promise<string | undefined>;
  /** What a sealed export says; undefined for a text that is none. @throws StoreError where its key is not here */
  openExport(text: string): Promise<OpenedExport | undefined>;
}

export interface OpenedExport {
  readonly text: string;
  readonly level: Level;
}
