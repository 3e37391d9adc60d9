import type { z } from 'zod';
import type { FolderBackend } from '../memory/backend.ts';
import type { SessionAccess } from '../messaging/access.ts';
import type { Cause } from '../messaging/host.ts';
import type { Messaging } from '../messaging/messaging.ts';
import type { Level } from '../policy/level.ts';
import type { Taint } from '../policy/taint.ts';
import type { GitHub, Settings } from '../ports.ts';
import type { KeyPlaces, Phrase } from '../protocol.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { NestedCaller } from '../subagent/host.ts';
import type { Subagents } from '../subagent/subagents.ts';
import { fill, PhraseError, type StoreApi } from '../worker/api.ts';
import type { AuditApi } from '../worker/auditApi.ts';
import type { CareApi } from '../worker/careApi.ts';
import type { RecordsApi } from '../worker/recordsApi.ts';
import type { SealingApi } from '../worker/sealingApi.ts';
import type { LoopCall, SessionApi } from '../worker/sessionApi.ts';
import type { FolderView } from './folderView.ts';
import type { LeftExaminer } from './left.ts';

/**
 * Which callers see a tool. `person` tools are for panels and commands only; `client` tools for what a client reads for
 * itself, such as a resource.
 */
export type Profile = 'core' | 'full' | 'person' | 'client';

/** What a call does to the world; decides trust, approval and annotations. */
export type Effect = 'read' | 'write' | 'destructive' | 'execute';

export type Door = 'editor' | 'mcp' | 'panel' | 'palette' | 'cli';

/** Who calls, through which door, with which rights. Made anew for every call. */
export interface ToolCall {
  readonly door: Door;
  readonly actor: 'person' | 'agent';
  /** The calling session's level as its door knows it; tools get the one that it has at this moment, where that is higher. */
  readonly level: Level;
  /** Identity of the calling session. */
  readonly session: string;
  /** The agent or surface, such as `copilot`, `claude-code`, `panel`. */
  readonly source: string;
  readonly signal: AbortSignal;
  /** The loop of ours that makes the call; absent for agents that are only observed. */
  readonly loop?: LoopCall | undefined;
  /** A client reads for itself, such as a resource: it is no call of an agent's, and its chat keeps no record. */
  readonly isUnobserved?: boolean | undefined;
  /** It runs in a sandbox, and so may see only sessions of its own making. */
  readonly sandboxed?: boolean | undefined;
  /** The message of another session that led to this call. */
  readonly cause?: Cause | undefined;
  /** Hears how far a call of a person has come that takes long. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
  /** The model of that loop. */
  readonly model?: ChatModel | undefined;
  /** Set where that loop is a subagent's that may start others. */
  readonly nested?: NestedCaller | undefined;
  /**
   * Asks the person. `unavailable`: nobody can be asked through this door.
   */
  approve(question: Approval): Promise<'approved' | 'declined' | 'unavailable'>;
}

/** What is about to happen, for a person to decide. */
export interface Approval {
  readonly title: string;
  readonly detail: string;
  /** The same for a person's own language, where the texts are phrases. */
  readonly phrases?: { readonly title: Phrase; readonly detail: Phrase } | undefined;
}

/** A question whose texts can be put into the person's language. */
export function question<Undoable extends boolean>(
  title: Phrase,
  detail: Phrase,
  undoable: Undoable,
): Approval & { readonly undoable: Undoable } {
  return { title: fill(title), detail: fill(detail), undoable, phrases: { title, detail } };
}

/** How the person got a key: they gave it themselves, it was shown, or it is in a file that only they can read. */
export type RevealedKey =
  | { readonly how: 'given' }
  | { readonly how: 'shown' }
  | { readonly how: 'file'; readonly file: string };

/** What a tool may use. */
export interface ToolContext {
  /** The workspace folder. */
  readonly root: string;
  /** Top folder of the git work tree that it lies in, else the folder itself. */
  readonly workTree: string;
  readonly store: StoreApi;
  readonly care: CareApi;
  readonly records: RecordsApi;
  readonly audit: AuditApi;
  /** Levels that sessions rose to. */
  readonly taint: Pick<Taint, 'levelOf' | 'raise'>;
  /** Whether the whole store is sealed. */
  readonly sealing: SealingApi;
  /** Gives the store's key to the person, past whoever called. */
  revealKey(id: string): Promise<RevealedKey>;
  /** Where the store's key is looked for. */
  keyPlaces(id: string): KeyPlaces;
  /** Memory of this user for every folder. */
  userWide(): { readonly store: StoreApi; readonly care: CareApi; readonly sealing: SealingApi };
  readonly github?: GitHub | undefined;
  /** Where `recall`, `retain` and `reflect` keep memories. */
  readonly backend: FolderBackend;
  readonly sessions: SessionApi;
  /** Looks what became of what sessions left. */
  readonly examiner: LeftExaminer;
  /** Decides who may see and send to which sessions. */
  readonly access: SessionAccess;
  /** What sessions send and spawn. */
  readonly messaging: Messaging;
  readonly subagents: Subagents;
  readonly settings: Settings;
  /** Epoch milliseconds. */
  now(): number;
  /** Current git branch of the workspace folder; empty outside a repository. */
  branch(): string;
  /** The folder's files, code and git, as a session at this level is told of them. */
  folder(level: Level): FolderView;
}

export interface ToolResult {
  /** What the model reads (English). */
  readonly text: string;
  /** The same as data, for panels and structured content. */
  readonly data?: unknown;
}

/** An error the caller can act on; its message says what to do next. */
export class ToolError extends PhraseError {
  override readonly name = 'ToolError';
}

export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly family: 'memory' | 'context' | 'session' | 'subagent';
  readonly profile: Profile;
  readonly effect: Effect;
  /** A setting that must be true for the tool to exist; absent: it always does. */
  readonly setting?: string;
  /** A setting that hides the tool where it has this value. */
  readonly unless?: { readonly setting: string; readonly is: string };
  /** Whether the settings leave anything for the tool to do; absent: they always do. */
  enabled?(settings: Settings): boolean;
  /** The effect of one input, where a tool both reads and writes; `effect` is then the strongest. */
  effectOf?(input: z.output<Input>): Effect;
  /** Short English title; the localised one has the key `tool.<name>.title`. */
  readonly title: string;
  /** What the model reads to decide when to call it: at most 1,024 characters, in words that users use. */
  readonly description: string;
  readonly input: Input;
  /**
   * What callers are told of the input, where that is stricter than what is taken, or depends on the settings;
   * without settings everything that can be there.
   */
  shown?(settings?: Settings): z.ZodObject;
  /** Why this caller may not do this, before anybody is asked; undefined when it may. */
  refuse?(input: z.output<Input>, call: Pick<ToolCall, 'actor'>): string | undefined;
  /** For destructive tools: the question to the person, or undefined when this input needs none. */
  confirm?(input: z.output<Input>): (Approval & { readonly undoable: boolean }) | undefined;
  run(input: z.output<Input>, call: ToolCall, context: ToolContext): Promise<ToolResult>;
}

/** Types a definition by its own schema. */
export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
): ToolDefinition<Input> {
  return definition;
}
