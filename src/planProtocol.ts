/** What the session panels show: the plan, the checkpoint, and how full the model is. */
import type { Phrase } from './protocol.ts';
import type { Step } from './todo/steps.ts';

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
