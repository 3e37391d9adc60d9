import type { MessageEvent } from './messaging/event.ts';
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

/** A place in a file, from the workspace folder, with slashes. Lines and columns from 1. */
export interface CodePlace {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Something that code defines: a function, a class, a constant. */
export interface CodeSymbol extends CodePlace {
  readonly name: string;
}

/** What a host's language services know of the code in the folder. Each answers nothing where they know nothing. */
export interface Code {
  /** The file in front of the person, from the folder. */
  currentFile(): string | undefined;
  /** Where the folder's code defines this name. */
  symbolsNamed(name: string): Promise<readonly CodeSymbol[]>;
  /** What a file defines at its top, in order. */
  symbolsIn(path: string): Promise<readonly CodeSymbol[]>;
  /** Where a symbol is used in the folder, its definition left out. */
  usesOf(symbol: CodeSymbol): Promise<readonly CodePlace[]>;
}

/** Where gists are kept, for the person who shares memory with themselves or others. */
export interface GitHub {
  /** Base address of the REST API, such as `https://api.github.com`. */
  readonly api: string;
  /** The person's token, or undefined where there is none. It goes to `api` only and is never logged. */
  token(): Promise<string | undefined>;
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
  /** Absent where memory is not shared through GitHub. */
  readonly github?: GitHub | undefined;
  /** The person's token for the memory server at an address; absent where there is no place for one. */
  hindsightToken?(server: string): Promise<string | undefined>;
  /** Absent where there are no language services. */
  readonly code?: Code | undefined;
  /** Shows a new key to the person, and to nobody else; absent where there is no place for it. */
  showKey?(key: string): void;
  /** Opens a chat on a session of ours, by its id; absent where there is no editor. */
  readonly openSession?: ((id: string) => Promise<void>) | undefined;
  /** Tells the person what came of a message between sessions; absent where there is nobody to tell. */
  messageArrived?(event: MessageEvent): void;
}
