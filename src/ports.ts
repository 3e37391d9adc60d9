import type { ChatModel } from './session/chatModel.ts';
import type { DiagnosticsOf } from './subagent/workspace/diagnostics.ts';

/** Reads a setting by the seed's own key, such as `task.simple`; undefined when the person set nothing. */
export interface Settings {
  get(key: string): unknown;
  /** Sets a value in the person's own settings; absent where there is no place for it. */
  set?(key: string, value: unknown): Promise<void>;
}

export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What the app needs from its host. */
export interface Ports {
  readonly settings: Settings;
  readonly log: Log;
  /** Epoch milliseconds. */
  now(): number;
  /** Whether the person trusts this workspace folder; untrusted folders are read only. */
  trusted(): boolean;
  /**
   * The chat model for loops of ours that no chat lends its own, by a name that the person's settings give it.
   * @throws ModelError when there is none; its message says how to get one.
   */
  chatModel(name?: string): Promise<ChatModel>;
  /** Through which door subagents call the tool layer. */
  readonly door: 'editor' | 'mcp' | 'cli';
  /** Problems that the host's language services know of in files; absent where there are none. */
  readonly diagnostics?: DiagnosticsOf | undefined;
}
