/** What the pane shows: a session's history, or the form that starts a new one. */
export type Shown =
  | { readonly session: string; readonly uuid?: string | undefined }
  | { readonly form: 'spawn' };

/** Everything that outlives hiding or reloading the panel. */
export interface SessionsState {
  readonly version: 1;
  /** Sessions whose children the person opened or closed; the others are open. */
  readonly open: Readonly<Record<string, boolean>>;
  /** Key of the active row. */
  readonly active: string;
  readonly scroll: number;
  readonly shown: Shown | null;
  readonly query: string;
  /** Whether archived sessions are listed too. */
  readonly archived: boolean;
  /** Whether the timeline is open. */
  readonly timeline: boolean;
  /** Whether the files that several sessions work on are open. */
  readonly conflicts: boolean;
  /** Messages that were begun and not sent, by session. */
  readonly drafts: Readonly<Record<string, string>>;
}

const INITIAL_STATE: SessionsState = {
  version: 1,
  open: {},
  active: '',
  scroll: 0,
  shown: null,
  query: '',
  archived: false,
  timeline: false,
  conflicts: true,
  drafts: {},
};

/** The stored state, or a fresh one when there is none or another version wrote it. */
export function restoreState(stored: unknown): SessionsState {
  const known = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  return known ? { ...INITIAL_STATE, ...(stored as SessionsState) } : INITIAL_STATE;
}
