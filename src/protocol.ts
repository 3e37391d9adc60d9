/**
 * Every message between a panel and the extension host. The host validates what panels send; panels take
 * only the types from here, so that zod stays out of their bundle.
 */
import { z } from 'zod';
import type { Category, Importance, Origin, Status } from './memory/entry.ts';
import type { Level } from './policy/level.ts';
import type { Step } from './todo/steps.ts';

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
  /** Other problems to show above the list than `init` told. */
  | { readonly type: 'notices'; readonly notices: readonly string[] }
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
  readonly show: ShowRequest | null;
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
  readonly source: string;
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

/** A session that a panel can show, most recently active first. Times are epoch milliseconds. */
export interface SessionRow {
  readonly id: string;
  /** The first words said in it; empty when we do not see them. */
  readonly title: string;
  /** The agent, such as `copilot` or `claude-code`. */
  readonly source: string;
  /** A process works on it now. */
  readonly live: boolean;
  readonly lastActive: number;
}

export interface TodoTask {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'abandoned';
  readonly notes: readonly string[];
}

export interface TodoPhase {
  readonly name: string;
  readonly tasks: readonly TodoTask[];
}

/** What `todo_show` returns for a session, by default the most recently active one. */
export interface TodoView {
  readonly session: SessionRow | null;
  readonly sessions: readonly SessionRow[];
  readonly phases: readonly TodoPhase[];
  /** Why the list cannot be shown; it is empty then. */
  readonly unreadable?: Phrase | undefined;
}

/** One step of a person's `todo_edit`. */
export type TodoStep = Step;

/** What has happened since a checkpoint. */
export interface CheckpointSince {
  readonly messages: number;
  readonly tools: number;
  readonly tokens: number;
}

/** What `checkpoint_show` returns for a session. */
export interface CheckpointView {
  /** The setting `lodeline.checkpoint.enabled`. */
  readonly enabled: boolean;
  readonly session: SessionRow | null;
  readonly sessions: readonly SessionRow[];
  /** Why the checkpoints cannot be shown; there are none then. */
  readonly unreadable?: Phrase | undefined;
  readonly active: {
    readonly goal: string;
    readonly startedAt: number;
    readonly since: CheckpointSince;
    /** A rewind was asked for and takes effect when the turn ends. */
    readonly pending: boolean;
  } | null;
  /** Ended checkpoints, newest first. */
  readonly history: readonly {
    readonly goal: string;
    readonly startedAt: number;
    readonly endedAt: number;
    /** Null: it was cancelled. */
    readonly report: string | null;
    readonly since: CheckpointSince;
  }[];
  /** Null while no model has counted. */
  readonly context: ContextLine | null;
  /** Parts of the conversation that the agent has folded, in the order in which it did. */
  readonly folds: readonly FoldLine[];
  /** Calls of which nobody knows whether they took effect: until somebody says, tools with side effects are refused. */
  readonly unknowns: readonly { readonly id: string; readonly name: string; readonly announced: string }[];
  /** Settings that are looser than when the session was left, as JSON: what counts for it, and what they say. */
  readonly looser: readonly { readonly key: string; readonly counts: string; readonly says: string }[];
  /** Whether models are offered under Lodeline's view. */
  readonly managed: boolean;
}

/** How full a session's model is. All figures but the last are tokens. */
export interface ContextLine {
  /** As of the last answer. */
  readonly used: number;
  /** What fits into the model; null where nobody says. */
  readonly window: number | null;
  /** Above this the conversation is compacted; null where that is off. */
  readonly next: number | null;
  readonly strategy: 'summary' | 'folding' | 'off';
  readonly compactions: number;
  /** Whether a person can have it summarized now. */
  readonly canCompact: boolean;
}

/** A part of a conversation that a summary of the agent stands for. */
export interface FoldLine {
  /** Such as `b3`. */
  readonly block: string;
  /** 1 folds messages, 2 and 3 parts that were folded already. */
  readonly tier: number;
  readonly topic: string;
  readonly summary: string;
  readonly messages: number;
  /** What was folded had so many, about. */
  readonly tokens: number;
  /** Whether it stands in the place of its messages now: neither reopened nor folded with others. */
  readonly active: boolean;
}
