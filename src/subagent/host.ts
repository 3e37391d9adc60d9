/** What subagents need from the app that runs them. */
import { join } from 'node:path';
import type { Level } from '../policy/level.ts';
import type { Log, Settings } from '../ports.ts';
import type { TurnOptions } from '../session/agentLoop.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { FoldingOptions } from '../session/folding/folding.ts';
import type { SessionKind } from '../session/record.ts';
import type { LoopTools } from '../session/turnCalls.ts';
import type { AgentDefinition, Spawns } from './agentFile.ts';
import type { Slot } from './limiter.ts';
import type { Approve } from './workspace/tool.ts';

/** The session that asks for subagents. */
export interface TaskCaller {
  readonly key: string;
  readonly kind: SessionKind;
  readonly source: string;
  readonly level: Level;
  /** Id of the call in the caller's transcript, where a loop of ours makes it. */
  readonly call?: string | undefined;
  /** Asks the person on behalf of the subagents. */
  readonly approve: Approve;
  /** The caller's model, which its subagents have unless they name another. */
  readonly model?: ChatModel | undefined;
  /** Where the caller is a subagent itself. */
  readonly nested?: NestedCaller | undefined;
}

/** A subagent that starts others. */
export interface NestedCaller {
  /** Id of the session at the top. */
  readonly session: string;
  /** Artifact id of the caller. */
  readonly id: string;
  /** 1 for a subagent of a session. */
  readonly depth: number;
  readonly spawns: Spawns;
  /** The schema that the caller itself has to fill, as its agent's file has it. */
  readonly schema: unknown;
  /** The folder that the caller works in. */
  readonly root: string;
  /** The caller's place among those that run. */
  readonly slot: Slot;
}

/** A subagent as the app makes tools for it. */
export interface Worker {
  /** Its artifact id. */
  readonly id: string;
  readonly agent: AgentDefinition;
  readonly caller: TaskCaller;
  /** Key of its own session. */
  readonly key: string;
  readonly depth: number;
  readonly root: string;
  /** The folder behind `local://`. */
  readonly localDir: string;
  /** Set when it may start subagents. */
  readonly nested: NestedCaller | undefined;
}

/** Where a session keeps what its subagents leave behind. */
export interface SessionFolders {
  readonly id: string;
  readonly artifacts: string;
  /** Shared by the session's subagents as `local://`. */
  readonly local: string;
}

/** Where a session's own folders are in a store. */
export function sessionFolders(storeDir: string, id: string): SessionFolders {
  const own = join(storeDir, 'sessions', id);
  // Beside the inbox, which only the session's own processes may write to.
  return { id, artifacts: join(own, 'artifacts'), local: join(own, 'local', 'files') };
}

export interface SubagentHost {
  /** The workspace folder. */
  readonly root: string;
  /** The person's home folder. */
  readonly home: string;
  /** The store's folder. */
  readonly storeDir: string;
  /** Level of what lies in plain files, as outputs and records do. */
  readonly defaultLevel: Level;
  readonly settings: Settings;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Epoch milliseconds. */
  now(): number;
  trusted(): boolean;
  /** @throws ModelError when there is no such model. */
  chatModel(name?: string): Promise<ChatModel>;
  readonly sessions: TurnOptions['sessions'];
  /** Where subagents keep what they fold; without it they do not fold. */
  readonly folds?: FoldingOptions['folds'] | undefined;
  /** Id of the session of a caller that is no subagent; it is started where it is new. */
  start(caller: Omit<TaskCaller, 'approve' | 'model' | 'nested'>): Promise<string>;
  /** Where a session keeps what its subagents leave behind. */
  folders(session: string): SessionFolders;
  /** What has been said in a session whose transcript is ours, in short; empty for others. */
  conversation(session: string): Promise<string>;
  /** The level that a session has come to; the highest where it cannot be told. */
  levelOf(session: { readonly key: string; readonly start: Level }): Level;
  /**
   * Raises the caller of a subagent to the level that the subagent's session has come to, since it is about to be told
   * what the subagent found. Answers that level as `levelOf` does. Never throws.
   */
  handsOver(worker: { readonly key: string }, caller: TaskCaller): Promise<Level>;
  /** Raises what lies in a session's `local` folder to the level of a caller who leaves something there. @throws TaintError */
  notes(session: string, caller: TaskCaller): Promise<void>;
  /** Whether a file of a folder, the workspace's or a copy of it, is above a level by the person's rules. */
  hides?(path: string, from: { readonly level: Level; readonly folder: string }): boolean;
  /** Everything that a subagent can call beside yield and report_finding, before its agent's list narrows it. */
  tools(worker: Worker): LoopTools;
}
