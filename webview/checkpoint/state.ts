import type { SessionState } from '../kit/session-panel.ts';

/** A report that is being written for a checkpoint. */
export interface Draft {
  readonly session: string;
  /** When its checkpoint started; another one needs another report. */
  readonly startedAt: number;
  readonly text: string;
}

/** Everything that outlives hiding or reloading the panel. */
export interface CheckpointState extends SessionState {
  readonly draft: Draft | null;
  /** The editor is shown; a draft outlives closing it. */
  readonly writing: boolean;
  /** Starts of the ended checkpoints that are unfolded. */
  readonly unfolded: readonly number[];
  /** The folded parts of a session that are unfolded. */
  readonly openFolds: { readonly session: string; readonly blocks: readonly string[] };
  readonly scroll: number;
}

const INITIAL_STATE: CheckpointState = {
  version: 1,
  session: '',
  draft: null,
  writing: false,
  unfolded: [],
  openFolds: { session: '', blocks: [] },
  scroll: 0,
};

/** The stored state, or a fresh one when there is none or another version wrote it. */
export function restoreState(stored: unknown): CheckpointState {
  const known = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  return known ? { ...INITIAL_STATE, ...(stored as CheckpointState) } : INITIAL_STATE;
}
