/** The records of a transcript. */
import type { JsonValue } from '../journal/record.ts';
import type { Level } from '../policy/level.ts';
import type { Acknowledged, CallIntent, CallOutcome, Finding, RunState } from './effects.ts';
import { type BoundaryMeta, boundaryOf, isPrompt, type Message, type Usage } from './messages.ts';

/** Who owns the loop of a session, or through which door it is observed. */
export type SessionKind = 'participant' | 'subagent' | 'spawned' | 'copilot' | 'mcp';

/** First record of a transcript. `started` is Unix milliseconds. */
export interface SessionInfo {
  readonly key: string;
  readonly kind: SessionKind;
  /** The client or model behind it, as it names itself. */
  readonly source: string;
  readonly started: number;
  /** 0 for a session of its own, one more for each parent. */
  readonly depth: number;
  readonly title?: string;
  /** Id of the session that started this one. */
  readonly parent?: string;
  /** What a session that `sessions_spawn` started is from its birth. */
  readonly spawn?: SpawnInfo;
}

/** From the call that spawned a session. */
export interface SpawnInfo {
  readonly agentId: string;
  /** Canonical key of the session that asked. */
  readonly spawnedBy: string;
  readonly label?: string;
  readonly mode: 'run' | 'session';
  readonly cleanup: 'keep' | 'delete';
  readonly runId: string;
}

/** What happens to a checkpoint before it is rewound; `checkpoint` is the uuid of its `created` record. */
export type CheckpointEvent =
  | { readonly event: 'created'; readonly goal: string; readonly call_id?: string }
  | {
      readonly event: 'requested';
      readonly checkpoint: string;
      readonly report: string;
      readonly call_id?: string;
    }
  | { readonly event: 'cancelled'; readonly checkpoint: string };

/** The path that a rewind leaves: the records after `checkpoint`, up to `from`. */
export interface BranchSummary {
  readonly checkpoint: string;
  readonly from: string;
  readonly summary: string;
}

/** A rewind that took place: this record, and no other, changes the view. */
export interface RewindReport {
  readonly checkpoint: string;
  readonly goal: string;
  readonly report: string;
  readonly started_at: string;
  /** The call that asked for it, whose input repeats the report. */
  readonly call_id?: string;
}

export interface TodoTask {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'abandoned';
  readonly notes?: readonly string[];
}

export interface TodoPhase {
  readonly name: string;
  readonly tasks: readonly TodoTask[];
}

/** The list as it stands after the agent's `todo_write`. */
export interface TodoState {
  readonly phases: readonly TodoPhase[];
  /** The call that wrote it. */
  readonly call_id?: string;
  /** Finished tasks that time or a resume, and nobody by hand, took out since the list before. */
  readonly cleared?: readonly TodoPhase[];
}

/** The list as it stands after an edit outside the agent's tool. */
export interface TodoEdit extends TodoState {
  readonly by: 'person' | 'agent';
  /** How it was done, in English, such as `by /todo done`. */
  readonly action?: string;
}

/**
 * A person's edit that waits for the writer of the transcript, who makes a `todo_edit` of it. It holds steps and
 * not a list, so that what the agent does meanwhile stays.
 */
export interface TodoSteps {
  readonly by: 'person';
  readonly steps: readonly JsonValue[];
}

/** Of a message that another session sent: it is neither the person's words nor the model's. */
export interface InterSession {
  readonly kind: 'inter_session';
  /** Canonical key of the session that it comes from. */
  readonly sourceSessionKey: string;
  readonly sourceChannel: string;
  /** Such as `sessions_send`. */
  readonly sourceTool: string;
  /** How many messages led to this one, itself counted. */
  readonly hops?: number;
}

/** Where a text in this session came from, for whoever asks later. */
export interface Provenance {
  readonly source: string;
  readonly detail?: JsonValue;
}

/** What a resume took out of the view, and what it tells the model about it with the next prompt. */
export interface Reconciled {
  readonly calls: readonly ReconciledCall[];
  readonly report: string;
  /** How the turn that was open ended: whoever ran it is gone. */
  readonly ended?: 'interrupted';
  /** What it told of work in the background, each by a name for the state that it was in. */
  readonly told?: readonly string[];
}

export interface ReconciledCall {
  readonly id: string;
  readonly name: string;
  /** Set once somebody looked whether it took effect. */
  readonly finding?: Finding;
}

/** A person had a folded part of the conversation shown in full again. */
export interface FoldOpened {
  /** Such as `b3`. */
  readonly block: string;
  /** The call that folded it. */
  readonly call_id: string;
}

/** The person went back in the conversation, to the `end` of a turn; without `to`, to the beginning. */
export interface Returned {
  readonly to?: string;
}

/** Something that one session has another one do, as the outbox keeps it. */
export interface RunRecord {
  readonly id: string;
  readonly kind: 'send' | 'spawn' | 'cron';
  /** Of the session that asked. */
  readonly level: Level;
  /** Unix milliseconds. */
  readonly created: number;
  /** Canonical keys. */
  readonly requester: string;
  readonly target: string;
  /** The call that asked, by its id in the requester's transcript; absent where no loop of ours made it. */
  readonly call?: string;
  /** What is asked, as far as its kind needs it to go on after a crash. */
  readonly request: JsonValue;
  /** What came of it; absent while its main part goes on. */
  readonly outcome?: RunOutcome;
  /** When nothing more was to be done for it; absent while something is. Unix milliseconds. */
  readonly ended?: number;
}

/** What came of a run's main part. */
export interface RunOutcome {
  readonly status: 'ok' | 'error' | 'timeout' | 'cancelled' | 'interrupted' | 'delivered';
  /** The answer, or why there is none. */
  readonly text: string;
  /** Of the answer. */
  readonly level: Level;
  /** Unix milliseconds. */
  readonly at: number;
}

/** How a turn ended. */
export interface TurnEnd {
  readonly reason: 'completed' | 'aborted' | 'error' | 'limit';
  readonly detail?: string;
}

/** A message, and what is known of it beside what it says. */
export interface MessageBody {
  readonly type: 'message';
  readonly message: Message;
  readonly usage?: Usage;
  /** Of the model's answers: its name, and how many tokens fit into its window. */
  readonly model?: string;
  readonly window?: number;
  readonly provenance?: InterSession;
  /** A turn begins with it, as one does with a person's prompt: another session asks for an answer. */
  readonly begins?: true;
  /** It is the summary that belongs to a boundary: the uuid of the boundary's message. Nobody said it. */
  readonly summary_of?: string;
}

/** Whether a record is what the person, or the parent, says, and not what a compaction put in its place. */
export function isPromptRecord({ message, summary_of }: MessageBody): boolean {
  return isPrompt(message) && summary_of === undefined && boundaryOf(message) === undefined;
}

/** What a record says, by its type. The fields are also the names on disk. */
export type RecordBody =
  | { readonly type: 'session'; readonly session: SessionInfo }
  | MessageBody
  /** That a compaction took place; its effect is in the messages. */
  | { readonly type: 'boundary'; readonly boundary: BoundaryMeta }
  | { readonly type: 'checkpoint'; readonly checkpoint: CheckpointEvent }
  | { readonly type: 'branch_summary'; readonly branch_summary: BranchSummary }
  | { readonly type: 'rewind_report'; readonly rewind_report: RewindReport }
  | { readonly type: 'todo'; readonly todo: TodoState }
  | { readonly type: 'todo_edit'; readonly todo_edit: TodoEdit }
  | { readonly type: 'todo_steps'; readonly todo_steps: TodoSteps }
  /** The agent was told of the list as it stands here. */
  | { readonly type: 'todo_told'; readonly todo_told: Readonly<Record<string, never>> }
  /** The agent of an observed chat was told of all messages that other sessions have sent so far. */
  | { readonly type: 'told'; readonly told: Readonly<Record<string, never>> }
  | { readonly type: 'provenance'; readonly provenance: Provenance }
  /** What is to be done between sessions: in the outbox, never in a transcript. */
  | { readonly type: 'run'; readonly run: RunRecord }
  | { readonly type: 'reconciled'; readonly reconciled: Reconciled }
  | { readonly type: 'run_record'; readonly run_record: RunState }
  | { readonly type: 'intent'; readonly intent: { readonly calls: readonly CallIntent[] } }
  | { readonly type: 'outcome'; readonly outcome: { readonly calls: readonly CallOutcome[] } }
  | { readonly type: 'acknowledged'; readonly acknowledged: Acknowledged }
  | { readonly type: 'fold_opened'; readonly fold_opened: FoldOpened }
  | { readonly type: 'returned'; readonly returned: Returned }
  | { readonly type: 'end'; readonly end: TurnEnd };

/** Why a record's content is not there. */
export type OpaqueReason = 'newer-version' | 'malformed' | 'key-missing' | 'seal-broken' | 'withheld';

/** Stands for a record that is verified but cannot, or must not, be read here. */
export interface OpaqueBody {
  readonly type: 'opaque';
  readonly reason: OpaqueReason;
}

/** The fields that every record has, always in the clear. */
export interface RecordHead {
  readonly uuid: string;
  readonly parent_uuid?: string;
  readonly session_id: string;
  readonly agent_id?: string;
  readonly is_sidechain?: boolean;
  /** UTC, ISO 8601. */
  readonly timestamp: string;
  readonly level: Level;
  /** Position in the transcript, from 0. */
  readonly seq: number;
}

export type SessionRecord = RecordHead & (RecordBody | OpaqueBody);

/** A record to be appended: what it says, and what the writer does not know by itself. */
export type Draft = RecordBody & {
  /** The record it follows, when that is not the last one. */
  readonly parent_uuid?: string;
  /** Given by whoever made the record elsewhere; a writer never takes the same one twice. */
  readonly uuid?: string;
  readonly timestamp?: string;
  /** The session's level when not given. */
  readonly level?: Level;
};
