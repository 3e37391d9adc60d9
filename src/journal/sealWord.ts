/** What is said of a store as a whole. */

/**
 * `sealing`, `sealed`: everything is written sealed; with `sealing`, what was written before is still being rewritten.
 * `opening`, `plain`: only what its level asks for is sealed; with `opening`, the rest is still being rewritten.
 */
export const STATES = ['sealing', 'sealed', 'opening', 'plain'] as const;
export type SealState = (typeof STATES)[number];

export interface SealWord {
  readonly state: SealState;
  /** Id of the key that everything is, or was, sealed with; empty when nobody can tell. */
  readonly key: string;
}

/** Where it is said. */
export interface Seals {
  /** What counts at this moment. */
  read(): SealWord;
  /** Whether everything that is written has to be sealed. */
  sealsAll(): boolean;
  /** A record was met that only the switch can have sealed, with the key of this id. */
  found(key: string): void;
}
