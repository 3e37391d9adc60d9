import type { JsonValue } from '../journal/record.ts';
import type { CaptureQuery, Captures } from '../memory/capture.ts';
import type { Author } from '../memory/entry.ts';
import type { CheckpointView, FoldLine, SessionRow, TodoPhase, TodoView } from '../planProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { ContextMeasure } from '../session/contextMeter.ts';
import type { Acknowledged, PolicyValues } from '../session/effects.ts';
import type { TurnOutcome } from '../session/liveSession.ts';
import type { Message } from '../session/messages.ts';
import type { OverrideChange } from '../session/overrides.ts';
import type { Attendance, PresenceView } from '../session/presence.ts';
import type { FileHolder, FilesInUse } from '../session/presenceConflicts.ts';
import type { Draft, RunRecord, SessionKind, SpawnInfo, TurnEnd } from '../session/record.ts';
import type { Found } from '../session/resume/findings.ts';
import type { UnknownCall } from '../session/resume/ledger.ts';
import type { HostRun, LoopRun } from '../session/resume/run.ts';
import type { RunEntry, StepState } from '../session/steps.ts';
import type { Command, Problem } from '../todo/commands.ts';
import type { Applied } from '../todo/list.ts';
import type { Step } from '../todo/steps.ts';
import type { Damage } from './api.ts';
import type { SessionFoldApi } from './sessionFoldApi.ts';
import type {
  OpenQuestions,
  PageQuery,
  SessionFacts,
  SessionLeft,
  TranscriptPage,
} from './sessionLookApi.ts';

export type { OpenQuestions, SessionLeft, TurnOutcome };

/** The session that a call belongs to, as its door names it. */
export interface SessionCaller {
  readonly key: string;
  readonly kind: SessionKind;
  /** The agent, such as `copilot` or `claude-code`. */
  readonly source: string;
  readonly level: Level;
  /** The loop of ours that makes the call; absent for a chat that is only observed. */
  readonly loop?: LoopCall | undefined;
}

/** A call in a loop of ours. */
export interface LoopCall {
  /** The tool call's id in the transcript. */
  readonly callId: string;
  /** 0 for a session of its own, one more for each parent. */
  readonly depth: number;
}

/** Whose turn begins. */
export interface TurnOwner extends Omit<SessionCaller, 'loop'> {
  /** For a subagent: its id under the session `parent`, with a transcript of its own there. */
  readonly agent?: { readonly id: string; readonly parent: string; readonly depth: number } | undefined;
  /** Names the session where its first message would not. */
  readonly title?: string | undefined;
  /**
   * The person went back to an earlier point of the chat: `turn` of the outcome after which this turn begins, null
   * for the beginning. Something unknown, or the latest turn, changes nothing.
   */
  readonly returnTo?: string | null | undefined;
  /**
   * Another session asks for this turn: the uuid of its first message, which must not be in the transcript yet. The
   * session's own level counts where it is above `level`.
   */
  readonly step?: string | undefined;
  /** Of a spawned session, for its first record. */
  readonly born?: { readonly spawn: SpawnInfo; readonly parent?: string; readonly depth: number } | undefined;
  /** With what it is run; recorded where it is whole. */
  readonly run?: (LoopRun & Partial<HostRun>) | undefined;
}

/** A turn as its loop sees it: the request view, told as what changed since the last answer. */
export interface TurnView {
  /** Names the session in the following calls. */
  readonly id: string;
  /** How many of the messages told before are still the first ones. */
  readonly keep: number;
  /** What comes after them. */
  readonly messages: readonly Message[];
  /** Calls of an earlier turn of which nobody knows whether they took effect; absent where there are none. */
  readonly unknowns?: readonly UnknownCall[] | undefined;
  /** At the beginning: values that count instead of what the settings say, since those are looser than before. */
  readonly policy?: PolicyValues | undefined;
}

/** How often an agent that wants to stop is told of what is open. */
export interface StopLimits {
  /** `todo.reminders.max`, 3 by default; 0 for loops without a list. */
  readonly reminders: number;
}

/** A call of an observed chat, as its transcript keeps it. */
export interface ObservedCall {
  readonly name: string;
  readonly input: JsonValue;
  readonly text: string;
  readonly isError: boolean;
}

/** What is listed and shown to whom: the person sees every level. */
export interface SessionReader {
  readonly level: Level;
}

export interface TodoWritten extends Applied {
  /** What a person changed since the agent last saw the list; told before the result. */
  readonly notice: string | undefined;
}

export type CheckpointOutcome =
  | { readonly ok: true; readonly text: string; readonly report: string | undefined }
  | { readonly ok: false; readonly error: string };

export interface ExportedSession {
  readonly session: SessionRow;
  readonly phases: readonly TodoPhase[];
  readonly checkpoints: CheckpointView['history'];
  readonly folds: readonly FoldLine[];
}

/** A session as a list of sessions shows it. */
export interface SessionEntry extends SessionRow {
  readonly key: string;
  readonly kind: SessionKind;
}

export interface ResumedSession {
  readonly key: string;
  readonly title: string;
  /** English, for the model; empty when there is nothing to say. */
  readonly report: string;
  /** The turn that it stands after, as `TurnOutcome.turn` names it; null before the first one. */
  readonly turn: string | null;
}

/** Something that was said in a session. */
export interface TranscriptHit {
  readonly session: Pick<SessionEntry, 'id' | 'key' | 'kind' | 'title' | 'source'>;
  /** Set where a subagent of that session said it. */
  readonly agentId?: string | undefined;
  /** Of the record. */
  readonly uuid: string;
  readonly role: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly level: Level;
  /** The part of the text that has the words. */
  readonly excerpt: string;
  /** 0–1; the best match of a query is 1. */
  readonly relevance: number;
}

/** The list after a command, or why it stayed as it was. */
export type TodoCommanded =
  | { readonly phases: readonly TodoPhase[]; readonly markdown: string; readonly problem?: undefined }
  | { readonly problem: Problem };

/** What the store's thread answers about sessions. Errors the caller can act on are `StoreError`s. */
export interface SessionApi extends SessionFoldApi {
  /** Applies an agent's operations to its session's list. `clearDelay`: `tasks.todoClearDelay`, seconds. */
  todoWrite(caller: SessionCaller, ops: unknown, clearDelay: number): Promise<TodoWritten>;
  /** The list of a session named by its id, by default the one active last. */
  todoShow(id: string | undefined, reader: SessionReader, clearDelay: number): Promise<TodoView>;
  /** A person's edit, all or nothing. It reaches the session whichever process works on it. */
  todoEdit(id: string, steps: readonly Step[], reader: SessionReader, clearDelay: number): Promise<Applied>;
  checkpoint(caller: SessionCaller, goal: string): Promise<CheckpointOutcome>;
  /**
   * Ends the checkpoint: the report is recorded and returned. In a turn of a loop of ours it takes effect when each
   * call of the step has its result; elsewhere at once, though the context is not ours to change.
   */
  rewind(caller: SessionCaller, report: string): Promise<CheckpointOutcome>;
  checkpointShow(
    id: string | undefined,
    reader: SessionReader,
  ): Promise<Pick<CheckpointView, 'session' | 'sessions' | 'active' | 'history'>>;
  /** How full the model's window was with a session's last answer; undefined where no model has counted. */
  contextMeasure(id: string, reader: SessionReader): Promise<ContextMeasure | undefined>;
  /** Every session's list and checkpoints, for "export everything". */
  exportSessions(reader: SessionReader): Promise<readonly ExportedSession[]>;
  /** Removes every transcript from disk, for "delete everything". */
  eraseSessions(): Promise<void>;
  /**
   * A person ends the checkpoint: with a report it is a rewind, without one it is given up. It reaches the session
   * whichever process works on it. `startedAt`: of the checkpoint that the person saw, epoch milliseconds.
   * @throws StoreError when another checkpoint is open by now.
   */
  checkpointSettle(
    id: string,
    report: string | undefined,
    reader: SessionReader,
    startedAt?: number,
  ): Promise<CheckpointOutcome>;
  /** What was damaged in transcripts when they were opened here; the bytes were put aside. */
  sessionDamage(): Promise<readonly Damage[]>;
  /**
   * Begins a turn of a session whose loop is ours: opens it, or starts it, and appends what the person or the
   * parent said. It is held for this loop until the turn ends.
   */
  turnBegin(owner: TurnOwner, drafts: readonly Draft[]): Promise<TurnView>;
  /**
   * Appends one step of the turn (what the model said; the results of its calls), carries out a rewind that was
   * requested in it, and tells the agent of a person's edits.
   */
  turnStep(id: string, drafts: readonly Draft[]): Promise<TurnView>;
  /**
   * The agent wants to stop after what it said last. With an open checkpoint it is warned, with open tasks it is
   * reminded, each a bounded number of times in a turn, and goes on; else the turn ends.
   */
  turnStop(id: string, drafts: readonly Draft[], limits: StopLimits): Promise<TurnView | TurnOutcome>;
  /** Ends the turn in another way than by the agent's own wish. */
  turnEnd(id: string, drafts: readonly Draft[], end: TurnEnd): Promise<TurnOutcome>;
  /** Lets go of a turn that nothing came of; of it, nothing is recorded. */
  turnDrop(id: string): Promise<void>;
  /**
   * Records a call of a chat that is only observed. Answers what the agent has to be told of a person's edits;
   * the call's own success does not depend on this.
   */
  observe(caller: SessionCaller, call: ObservedCall): Promise<string | undefined>;
  /** What was said in sessions this reader may know of, subagents' too, best match of the query first. */
  searchTranscripts(query: string, reader: SessionReader, limit: number): Promise<readonly TranscriptHit[]>;
  /** Every session that may be listed to this reader, subagents' apart, last active first. */
  sessionsBrowse(reader: SessionReader): Promise<readonly SessionEntry[]>;
  /** Every session that this reader may know of, subagents' and those known from presence too, last active first. */
  sessionFacts(reader: SessionReader): Promise<readonly SessionFacts[]>;
  /** A part of a session's transcript. It costs what is shown, not what there is. @throws StoreError */
  sessionPage(
    place: Pick<SessionFacts, 'id' | 'agentId'>,
    query: PageQuery,
    reader: SessionReader,
  ): Promise<TranscriptPage>;
  /** What a person says about a session; null takes it back. @throws StoreError when it is not there. */
  sessionOverride(
    place: Pick<SessionFacts, 'id' | 'agentId'>,
    change: OverrideChange,
    reader: SessionReader,
  ): Promise<void>;
  /** Takes sessions out of the lists, or back into them; going on with one brings it back. */
  putAway(ids: readonly string[], isAway: boolean, reader: SessionReader): Promise<void>;
  /**
   * Opens a session so that this process can go on with it. Its next prompt begins with what the resume found and
   * the work that remains, which is the report.
   */
  sessionResume(id: string, reader: SessionReader, found?: Found): Promise<ResumedSession>;
  /**
   * Opens a session that is there, and tells what a turn of it, or a resume, has to look at first; undefined when there
   * is no such session, or a turn of it runs.
   */
  sessionLeft(id: string): Promise<SessionLeft | undefined>;
  /** Records what was found around a session that was left; its next prompt begins with it. */
  sessionSettle(id: string, found: Found): Promise<void>;
  /** What keeps tools of a session from acting. */
  openQuestions(id: string, reader: SessionReader): Promise<OpenQuestions>;
  /** A person answers them. It reaches the session whichever process works on it. @throws StoreError */
  acknowledge(id: string, said: Omit<Acknowledged, 'by'>, reader: SessionReader): Promise<OpenQuestions>;
  /**
   * A person's `/todo` command on the list of the caller's session, all or nothing. `markdown` is the text that
   * `import` and `edit` put in the list's place.
   */
  todoCommand(
    caller: SessionCaller,
    command: Command,
    markdown: string | undefined,
    clearDelay: number,
  ): Promise<TodoCommanded>;
  /** The id of a caller's session, which is started when it is new. */
  sessionStart(caller: SessionCaller): Promise<string>;
  /**
   * What was said in a session that this process works on and whose loop is ours, in short; empty for others, of
   * which we do not see what was said.
   */
  conversation(id: string): Promise<string>;
  /** The last things that were said in such a session, oldest first: the text of at most `most` messages. */
  said(
    id: string,
    most: number,
  ): Promise<readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]>;
  /** Marks of memories that stand before prompts in a session's view, see `markOf`; the session is started when new. */
  memoriesShown(owner: TurnOwner): Promise<readonly string[]>;
  /** What became of the message with this uuid in the session with this id, and of the turn that began with it. */
  stepState(id: string, uuid: string): Promise<StepState>;
  /**
   * Leaves a message for the session with this id, durably; one with the same uuid is taken in once. In a chat that is
   * only observed its agent is told with its next call.
   */
  give(id: string, draft: Draft & { readonly uuid: string }): Promise<void>;
  /**
   * Puts a run into the outbox, durably, and holds it for this process; one that is there under this id stays as it is.
   * @returns the run that is there, and whether this call put it there.
   */
  runPut(run: RunRecord): Promise<{ readonly run: RunRecord; readonly isNew: boolean }>;
  /** Takes over a run that no living process holds; undefined when one does, or it has ended. */
  runTake(id: string): Promise<RunRecord | undefined>;
  /** Replaces a run that this process holds, durably; one that has ended is let go. */
  runSave(run: RunRecord): Promise<void>;
  /** Lets another process go on with it. */
  runRelease(id: string): Promise<void>;
  /** The runs whose level this reader may know of, newest first. */
  runs(reader: SessionReader): Promise<readonly RunEntry[]>;
  /** One of them, without a look at the others. */
  run(id: string): Promise<RunEntry | undefined>;
  /** Says that a session is at work, on which branch and on which files. */
  attend(attendance: Attendance): Promise<void>;
  /** Marks a session that this process said is at work as ended, which frees its files. */
  leave(key: string): Promise<void>;
  /** The active sessions up to the reader's level, and the files that several of them have touched. */
  presences(reader: SessionReader): Promise<PresenceView>;
  /**
   * Which other active sessions, up to the reader's level, have touched files that a session is about to use. Of each
   * file and session it is told once in a while.
   */
  fileHolders(use: FilesInUse, reader: SessionReader): Promise<readonly FileHolder[]>;
  /** What hooks captured, where the person turned that on. */
  captured(query: CaptureQuery, reader: SessionReader): Promise<Captures>;
  /** Forgets what was captured: a person all that they see, an agent what is of its own level. Answers how much. */
  clearCaptured(author: Pick<Author, 'actor' | 'level'>): Promise<number>;
}
