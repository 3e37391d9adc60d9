import type { SealState } from '../journal/sealWord.ts';

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

/** What the store's thread does to seal a whole store. Errors the caller can act on are `StoreError`s. */
export interface SealingApi {
  sealStatus(): Promise<SealStatus>;
  /** Seals everything in the store. When this resolves, whatever is written from then on is sealed. */
  seal(): Promise<SealOutcome>;
  /** Opens everything that only `seal` has sealed. */
  unseal(): Promise<SealOutcome>;
}
