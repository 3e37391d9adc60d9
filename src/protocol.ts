/**
 * Every message between a panel and the extension host. The host validates what panels send; panels take
 * only the types from here, so that zod stays out of their bundle.
 */
import { z } from 'zod';
import type { SealState } from './journal/sealWord.ts';
import type { Category, Importance, Origin, Status } from './memory/entry.ts';
import type { Level } from './policy/level.ts';

/** Tools a panel may call: the same registry the agents use. */
export const PANEL_TOOLS = [
  'memory_browse',
  'memory_open',
  'memory_map',
  'memory_remember',
  'memory_edit',
  'memory_tag',
  'memory_pin',
  'memory_unpin',
  'memory_forget',
  'memory_stats',
  'memory_drafts',
  'memory_promote',
  'memory_archive',
  'memory_consolidate',
  'memory_conflicts',
  'memory_take_back',
  'backend_status',
  'backend_retry',
  'context_health',
  'session_put_away',
  'todo_show',
  'todo_edit',
  'checkpoint_show',
  'checkpoint_rewind',
  'checkpoint_cancel',
  'checkpoint_enable',
  'fold_show',
  'fold_reopen',
  'session_acknowledge',
  'subagents_show',
  'subagents_diff',
  'subagents_apply',
  'subagents_discard',
  'subagents_revert',
  'subagents_cancel',
  'subagents_retry',
  'subagents_left',
  'subagents_left_files',
  'subagents_left_apply',
  'subagents_left_discard',
  'subagents_left_restore',
  'sessions_show',
  'sessions_read',
  'sessions_change',
  'sessions_stop',
  'sessions_send',
  'sessions_spawn',
  'transcripts_search',
] as const;

/** How work that was left behind is kept: under a name of ours, as a branch, or in its worktree. */
export const LEFT_KINDS = ['kept', 'branch', 'worktree'] as const;

/** Ids of batches, tasks and artifacts as panels send them. */
const id = z.string().max(256);

export const panelMessage = z.discriminatedUnion('type', [
  /** The panel's script runs and wants its state. */
  z.object({ type: z.literal('ready') }),
  /** Calls a tool; answered by a `result` with the same `seq`. */
  z.object({
    type: z.literal('invoke'),
    seq: z.number().int().nonnegative(),
    tool: z.enum(PANEL_TOOLS),
    input: z.record(z.string(), z.unknown()),
  }),
  /** Opens an entry's file reference, `path` or `path:line`, inside the workspace folder. */
  z.object({ type: z.literal('openFile'), file: z.string().max(4096) }),
  /** Opens the memory browser as an editor tab, optionally at an entry. */
  z.object({ type: z.literal('openInEditor'), id: z.string().max(64).optional() }),
  /** Opens a chat with @lodeline. */
  z.object({ type: z.literal('openChat') }),
  /** Goes on with a session in a chat. */
  z.object({ type: z.literal('resume'), session: z.string().max(64) }),
  /** Has the earlier conversation of a session summarized, with the editor's progress and its way to cancel. */
  z.object({ type: z.literal('compact'), session: z.string().max(64) }),
  /** Turns the managed model off. */
  z.object({ type: z.literal('turnOffManagedModel') }),
  /** What a person does about where recall, retain and reflect keep memories: a command of the palette. */
  z.object({
    type: z.literal('memoryBackend'),
    command: z.enum(['chooseMemoryBackend', 'copyToServer', 'copyToFolder', 'setHindsightToken']),
    backend: z.enum(['local', 'hindsight', 'off']).optional(),
  }),
  /** Asks the person to which level a session is to rise. */
  z.object({ type: z.literal('raiseLevel'), session: z.string().max(1_000) }),
  /** Begins a chat with what a checkpoint found. Far longer than the tools allow: agents of other versions write, too. */
  z.object({
    type: z.literal('continueFromReport'),
    goal: z.string().max(100_000),
    report: z.string().max(1_000_000),
  }),
  /** Shows what a task changed in the editor's own diff: one file, or all of them. */
  z.object({ type: z.literal('openChanges'), batch: id, task: id, path: z.string().max(4096).optional() }),
  /** The same of work that was left behind. */
  z.object({
    ...{ type: z.literal('openLeft'), kind: z.enum(LEFT_KINDS), id: z.string().max(4096) },
    path: z.string().max(4096).optional(),
  }),
  /** Opens the folder of a task's worktree. */
  z.object({ type: z.literal('openWorktree'), batch: id, task: id }),
  /** Opens what a task handed over as a document to read. The batch tells which session's artifact is meant. */
  z.object({ type: z.literal('openArtifact'), batch: id, id }),
  /** Puts a text on the clipboard. */
  z.object({ type: z.literal('copy'), text: z.string().max(1_000_000) }),
  /** Asks the person for the key of the folder's store. */
  z.object({ type: z.literal('enterKey') }),
]);
export type PanelMessage = z.infer<typeof panelMessage>;

export type HostMessage =
  | InitMessage
  | {
      readonly type: 'result';
      readonly seq: number;
      readonly ok: true;
      readonly text: string;
      readonly data: unknown;
      /** Between these moments of the host's clock, epoch milliseconds, it did what was asked. */
      readonly began: number;
      readonly ended: number;
    }
  | { readonly type: 'result'; readonly seq: number; readonly ok: false; readonly error: string }
  /** Memory changed, here or in another process: re-read what is shown. */
  | { readonly type: 'changed' }
  /** Other problems to show above the list than `init` told, and whether the folder's store is sealed. */
  | { readonly type: 'notices'; readonly notices: readonly string[]; readonly seal: SealView | null }
  /** A command asks the panel to show something. */
  | { readonly type: 'show'; readonly show: ShowRequest };

export interface InitMessage {
  readonly type: 'init';
  /** Translations by English text; empty in English. */
  readonly strings: Readonly<Record<string, string>>;
  /** BCP 47, for dates and numbers. */
  readonly locale: string;
  /** False: reads only, and the panel says why. */
  readonly trusted: boolean;
  /** Null: no folder is open. */
  readonly folder: string | null;
  readonly place: 'sidebar' | 'editor';
  /** Problems to show above the list, such as damage that was quarantined. */
  readonly notices: readonly string[];
  readonly seal: SealView | null;
  readonly show: ShowRequest | null;
}

/** Whether everything that is kept of the folder is sealed. */
export interface SealView {
  readonly state: SealState;
  /** Id of the key; empty where nobody can tell. */
  readonly key: string;
  /** Null: what is kept can be read. Else its key is not here. */
  readonly locked: KeyPlaces | null;
}

/** Where a key is looked for. */
export interface KeyPlaces {
  /** Its file; empty where nobody knows which key it is. */
  readonly file: string;
  /** LODELINE_KEY is set, and is not this key. */
  readonly otherGiven: boolean;
}

export type ShowRequest =
  | { readonly view: 'index'; readonly query?: string }
  | { readonly view: 'entry'; readonly id: string }
  | { readonly view: 'add'; readonly content?: string; readonly file?: string };

/** One line of the index view: what `memory_browse` returns as `rows`. Times are epoch milliseconds. */
export interface EntryRow {
  readonly id: string;
  readonly key: string;
  readonly category: Category;
  readonly updated: number;
  /** 0–1 when there is a query, else null. */
  readonly relevance: number | null;
  /** The first 160 characters of the content, on one line. */
  readonly preview: string;
  readonly tags: readonly string[];
  readonly pinned: boolean;
  readonly confirmed: boolean;
  /** The agent or surface that its content comes from. */
  readonly source: string;
  readonly status: Status;
  readonly level: Level;
  readonly expires: number | null;
}

/** What `memory_browse` returns. */
export interface BrowsePage {
  readonly rows: readonly EntryRow[];
  readonly total: number;
  readonly offset: number;
}

/** The fetch view: what `memory_open` returns, or null for an entry that is not there any more. */
export interface EntryDetail extends EntryRow {
  readonly content: string;
  readonly file: string;
  readonly created: number;
  readonly importance: Importance | null;
  readonly quality: number;
  readonly confidence: number;
  readonly origin: Origin;
  readonly branch: string;
  readonly session: string;
  readonly pathScope: string;
  readonly supersededBy: string;
  readonly reason: string;
  readonly used: number;
  readonly lastUsed: number | null;
  readonly revisions: readonly {
    readonly text: string;
    readonly at: number;
    readonly actor: 'person' | 'agent';
    readonly source: string;
    readonly addition: boolean;
  }[];
  /** Links and `[[key]]` references; `id` is null when there is no such entry. */
  readonly linked: readonly { readonly key: string; readonly id: string | null }[];
  /** Entries that link here. */
  readonly linkedFrom: readonly { readonly key: string; readonly id: string }[];
}

/** What `memory_map` returns: the graph view. */
export interface MemoryMap {
  /** What is asked for first, then by how many links they have. */
  readonly nodes: readonly Pick<EntryRow, 'id' | 'key' | 'category'>[];
  /** Places in `nodes`, two for each link: from, to. */
  readonly links: readonly number[];
  /** How many entries there are to show; more than `nodes` where not all are sent. */
  readonly total: number;
  /** Entries without a link among what was asked for, shown or not. */
  readonly loners: number;
  /** How many links there are between the nodes; more than are told where there are too many to draw. */
  readonly totalLinks: number;
}

/** A text for the person: English with holes `{0}`, `{1}` …, which is put into their language where it is shown. */
export interface Phrase {
  readonly text: string;
  readonly values: readonly (string | number)[];
}
