/** What messages between sessions need from the app. */
import type { Level } from '../policy/level.ts';
import type { Log, Settings } from '../ports.ts';
import type { ChatModel } from '../session/chatModel.ts';
import type { Compactor } from '../session/compactor.ts';
import type { LoopTools } from '../session/turnCalls.ts';
import type { SessionApi } from '../worker/sessionApi.ts';
import type { SessionAccess } from './access.ts';
import type { MessageEvent } from './event.ts';
import type { SessionRow } from './row.ts';

/** What led to a step. Tools that it calls carry it on, so that chains of messages come to an end. */
export interface Cause {
  readonly runId: string;
  /** How many messages led here. */
  readonly hops: number;
}

/** Who answers in a session whose loop is ours. */
export interface LoopAgent {
  readonly system: string;
  readonly tools: LoopTools;
  /** @throws ModelError when there is none. */
  model(): Promise<ChatModel>;
  /** How often the model may be asked; 200 when not given. */
  readonly maxSteps?: number | undefined;
  /** Keeps its requests within the model's window. */
  readonly compactor?: Compactor | undefined;
}

export interface MessagingHost {
  /** The workspace folder. */
  readonly root: string;
  /** The store's folder. */
  readonly storeDir: string;
  readonly defaultLevel: Level;
  readonly settings: Settings;
  readonly log: Log;
  /** Epoch milliseconds. */
  now(): number;
  trusted(): boolean;
  /** @throws ModelError when there is no such model. */
  chatModel(name?: string): Promise<ChatModel>;
  readonly sessions: SessionApi;
  readonly access: SessionAccess;
  /**
   * The agent of a session whose loop is ours, with the session's own tools. Nobody is asked for approval.
   * @param model of whoever starts it, where its agent names none
   */
  loopAgent(row: SessionRow, cause: Cause, model?: ChatModel): Promise<LoopAgent>;
  /** Whether an error says that somebody else has what a call needs, perhaps only for a moment. */
  isBusy(error: unknown): boolean;
  /** Opens a chat on a session of ours, by its id; absent where there is no editor. */
  readonly openSession?: ((id: string) => Promise<void>) | undefined;
  /** Must not throw. */
  notify(event: MessageEvent): void;
}
