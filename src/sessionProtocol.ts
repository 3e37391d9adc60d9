/** What the panel of sessions shows: part of the protocol between panels and host, for which see `protocol.ts`. */
import type { Level } from './policy/level.ts';
import type { Phrase } from './protocol.ts';

/** What a session is, for the person. `agent`: another agent of which only its presence is known. */
export const SESSION_KINDS = [
  'chat',
  'copilot',
  'mcp',
  'subagent',
  'spawned',
  'cron',
  'hook',
  'agent',
] as const;
export type SessionLineKind = (typeof SESSION_KINDS)[number];

export const SEND_POLICIES = ['allow', 'deny'] as const;
export type SendPolicyOverride = (typeof SEND_POLICIES)[number];

/** A session in the tree. Times are epoch milliseconds; what is not known is null. */
export interface SessionLine {
  /** Its canonical key, which is also its identity here. */
  readonly key: string;
  /** Null: there is no transcript of it. */
  readonly id: string | null;
  readonly kind: SessionLineKind;
  /** What the person or its first words call it; may be empty. */
  readonly title: string;
  readonly label: string;
  /** The agent, such as `copilot` or `claude-code`. */
  readonly source: string;
  readonly agentId: string;
  /** Key of the session that started it. */
  readonly parent: string | null;
  readonly state: 'running' | 'idle' | 'ended';
  /** Its last run was stopped or broke off. */
  readonly aborted: boolean;
  readonly updated: number | null;
  readonly model: string | null;
  /** How much of its model's window was in use last, and how large that is. */
  readonly tokens: number | null;
  readonly window: number | null;
  readonly level: Level;
  readonly archived: boolean;
  /** Null: as the settings say. */
  readonly sendPolicy: SendPolicyOverride | null;
  /** What the policy comes to. */
  readonly maySend: boolean;
  /** A loop of ours answers in it; else a message waits until its agent's next call. */
  readonly answers: boolean;
  /** It can be gone on with in a chat. */
  readonly canResume: boolean;
  /** A run in it that can be stopped from here. */
  readonly run: string | null;
  /** The other program that it is seen through. */
  readonly peer?: string | undefined;
  /** Files that it and others have touched within the last minutes; absent when there are none. */
  readonly conflicts?: readonly FileConflict[] | undefined;
}

/** A file that several sessions at work have touched. */
export interface FileConflict {
  /** From the top of the work tree, with `/`. */
  readonly file: string;
  /** Who has touched it, in a session's line without that session: `claude-code@main`, or the agent alone. */
  readonly sessions: readonly string[];
}

/** Something that happened to a message between sessions. */
export interface MessageLine {
  readonly id: string;
  readonly at: number;
  readonly event: 'sent' | 'replied' | 'announced' | 'failed' | 'waiting';
  /** Who sent it, and to whom; null: the person. One of them is a session. */
  readonly from: SessionName | null;
  readonly to: SessionName | null;
  /** The first characters of what was said, or why it failed. */
  readonly text: string;
}

export interface SessionName {
  readonly key: string;
  readonly name: string;
}

/** What `sessions_show` returns. */
export interface SessionsView {
  /** The one active last first. */
  readonly sessions: readonly SessionLine[];
  /** Newest first. */
  readonly timeline: readonly MessageLine[];
  /** Files that several sessions have touched, windows among them, which have no line of their own. */
  readonly conflicts?: readonly FileConflict[] | undefined;
  /** Ids of agents that can be started. */
  readonly agents: readonly string[];
}

/** A call of a tool, folded. */
export interface HistoryCall {
  readonly name: string;
  /** Its input and result in short; empty where there is none. */
  readonly input: string;
  readonly result: string;
  readonly isError: boolean;
}

/** A message of a session's history. */
export interface HistoryLine {
  /** Of its record. */
  readonly uuid: string;
  readonly at: number;
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
  readonly calls: readonly HistoryCall[];
  /** The session that said it, where it is no message of the person or the agent itself. */
  readonly from: SessionName | null;
}

/** What `sessions_read` returns: a page of the latest messages, oldest first, or of those before a record. */
export interface HistoryPage {
  readonly key: string;
  readonly messages: readonly HistoryLine[];
  /** What `before` has to be for the page before; null: there is none. */
  readonly older: number | null;
  /** Texts were cut or left out. */
  readonly truncated: boolean;
  /** Why the history cannot be shown; it is empty then. */
  readonly unreadable?: Phrase | undefined;
}

/** Where words were found in a transcript. */
export interface TranscriptFound {
  readonly session: { readonly id: string; readonly title: string; readonly source: string };
  readonly agentId?: string | undefined;
  readonly uuid: string;
  readonly role: string;
  readonly at: number;
  readonly excerpt: string;
}

/** What `sessions_change` takes beside the session's key. */
export interface SessionChange {
  readonly title?: string;
  readonly archived?: boolean;
  readonly sendPolicy?: SendPolicyOverride | null;
}

/** What `session_raise` returns. */
export interface SessionRaised {
  readonly before: Level;
  readonly after: Level;
  /** False: it was as high already. */
  readonly changed: boolean;
}

/** What `sessions_send`, `sessions_spawn` and the person's tools answer, as far as the panel reads it. */
export interface SessionDone {
  readonly status?: 'accepted' | 'ok' | 'timeout' | 'error' | 'forbidden' | undefined;
  readonly error?: string | undefined;
  readonly note?: string | undefined;
  readonly childSessionKey?: string | undefined;
}
