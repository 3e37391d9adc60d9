import type { SessionState } from '../kit/session-panel.ts';

/** What is being written in place. One thing at a time. */
export type Edit = { readonly text: string } & (
  | { readonly kind: 'rename'; readonly task: string; readonly phase: string }
  | { readonly kind: 'note'; readonly task: string; readonly phase: string }
  /** Adds tasks to a phase, which may not exist yet. */
  | { readonly kind: 'add'; readonly phase: string }
  /** Names a phase that is to come, or one that is there. */
  | { readonly kind: 'phase' }
  | { readonly kind: 'rename-phase'; readonly phase: string }
);

/** Everything that outlives hiding or reloading the panel. */
export interface TodoState extends SessionState {
  /** Phases that the person opened or closed; the others are open until they are complete. */
  readonly open: Readonly<Record<string, boolean>>;
  /** Tasks whose notes are shown. */
  readonly expanded: readonly string[];
  /** Key of the active row. */
  readonly active: string;
  readonly scroll: number;
  readonly edit: Edit | null;
  /** The session that the edit belongs to. */
  readonly editSession: string;
}

const INITIAL_STATE: TodoState = {
  version: 1,
  session: '',
  open: {},
  expanded: [],
  active: '',
  scroll: 0,
  edit: null,
  editSession: '',
};

/** The stored state, or a fresh one when there is none or another version wrote it. */
export function restoreState(stored: unknown): TodoState {
  const known = typeof stored === 'object' && stored !== null && 'version' in stored && stored.version === 1;
  return known ? { ...INITIAL_STATE, ...(stored as TodoState) } : INITIAL_STATE;
}

/** Tells edits of different things apart, whatever is typed in them. */
export function editId(edit: Edit): string {
  return JSON.stringify({ ...edit, text: '' });
}
