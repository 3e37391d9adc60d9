import type { Level } from '../policy/level.ts';
import type { CheckpointView, SessionRow, TodoPhase, TodoView } from '../protocol.ts';
import type { SessionKind } from '../session/record.ts';
import type { Applied } from '../todo/list.ts';
import type { Step } from '../todo/steps.ts';

/** The session that a call belongs to, as its door names it. */
export interface SessionCaller {
  readonly key: string;
  readonly kind: SessionKind;
  /** The agent, such as `copilot` or `claude-code`. */
  readonly source: string;
  readonly level: Level;
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
}

/** What the store's thread answers about sessions. Errors the caller can act on are `StoreError`s. */
export interface SessionApi {
  /** Applies an agent's operations to its session's list. `clearDelay`: `tasks.todoClearDelay`, seconds. */
  todoWrite(caller: SessionCaller, ops: unknown, clearDelay: number): Promise<TodoWritten>;
  /** The list of a session named by its id, by default the one active last. */
  todoShow(id: string | undefined, reader: SessionReader, clearDelay: number): Promise<TodoView>;
  /** A person's edit, all or nothing. It reaches the session whichever process works on it. */
  todoEdit(id: string, steps: readonly Step[], clearDelay: number): Promise<Applied>;
  checkpoint(caller: SessionCaller, goal: string): Promise<CheckpointOutcome>;
  /** Ends the checkpoint of a session whose context we do not own: the report is recorded and returned. */
  rewind(caller: SessionCaller, report: string): Promise<CheckpointOutcome>;
  checkpointShow(id: string | undefined, reader: SessionReader): Promise<Omit<CheckpointView, 'enabled'>>;
  /** Every session's list and checkpoints, for "export everything". */
  exportSessions(reader: SessionReader): Promise<readonly ExportedSession[]>;
  /** Removes every transcript from disk, for "delete everything". */
  eraseSessions(): Promise<void>;
  /** A person ends the checkpoint: with a report it is a rewind, without one it is given up. */
  checkpointSettle(id: string, report: string | undefined): Promise<CheckpointOutcome>;
}
