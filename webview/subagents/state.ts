/** Which task is shown beside or in place of the tree. */
export interface Place {
  readonly batch: string;
  readonly task: string;
}

/** Everything that outlives hiding or reloading the panel. */
export interface SubagentsState {
  readonly version: 1;
  /** Batches that the person opened or closed; of the others the running ones and the latest are open. */
  readonly open: Readonly<Record<string, boolean>>;
  /** Key of the active row. */
  readonly active: string;
  readonly scroll: number;
  readonly shown: Place | null;
  /** The file whose changes are shown. */
  readonly file: string | null;
  readonly paneScroll: number;
  /** Whether long lines of changes wrap; null: where there is little room. */
  readonly wrap: boolean | null;
  /** Whether what was left behind is shown; null: where nothing else is. */
  readonly left: boolean | null;
}

const INITIAL_STATE: SubagentsState = {
  version: 1,
  open: {},
  active: '',
  scroll: 0,
  shown: null,
  file: null,
  paneScroll: 0,
  wrap: null,
  left: null,
};

/** The stored state, or a fresh one when there is none or another version wrote it. */
export function restoreState(stored: unknown): SubagentsState {
  const known = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  return known ? { ...INITIAL_STATE, ...(stored as SubagentsState) } : INITIAL_STATE;
}
