/** Where `recall`, `retain` and `reflect` keep and find memories: the folder's own store, or a server. */
import type { BackendView, Phrase } from '../backendProtocol.ts';
import type { Level } from '../policy/level.ts';
import type { Author } from './entry.ts';
import type { DocumentPage } from './hindsight/documents.ts';

/** Whoever calls: nothing above its level is shown to it, and what it keeps has its level. */
export interface BackendCall {
  readonly author: Author;
  readonly signal: AbortSignal;
  /** A memory is kept as a draft until the person accepts it, where the backend knows drafts. */
  readonly isDraft?: boolean | undefined;
  /** Asks the model of the loop that calls; absent: the person's own model is asked. */
  readonly ask?: AskModel | undefined;
}

/** Asks a chat model one question. Undefined where there is no model, or it does not answer. */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<string | undefined>;

export interface ModelQuestion {
  readonly system: string;
  readonly prompt: string;
}

/** A memory that was found. */
export interface BackendHit {
  readonly id: string;
  readonly text: string;
  /** Such as `world` or `experience`; empty where it has none. */
  readonly type: string;
  /** When it was said: a date, or what the server tells of it; empty where it is not known. */
  readonly mentionedAt: string;
}

export interface RetainItem {
  readonly content: string;
  /** Where it comes from. */
  readonly context?: string | undefined;
  /** Of this id there is one document alone: a later one takes its place. Absent: a new id. */
  readonly documentId?: string | undefined;
}

/** `queued`: it is on disk and will be sent; `stored`: it is there. */
export interface RetainOutcome {
  readonly state: 'queued' | 'stored';
  readonly count: number;
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
}

export interface Reflection {
  /** Empty where nothing was found. */
  readonly text: string;
  /** What the answer names as its source; empty where the server does not tell. */
  readonly sources: readonly { readonly key: string; readonly id: string }[];
}

export interface MemoryBackend {
  recall(query: string, call: BackendCall): Promise<readonly BackendHit[]>;
  retain(items: readonly RetainItem[], call: BackendCall): Promise<RetainOutcome>;
  reflect(query: string, context: string | undefined, call: BackendCall): Promise<Reflection>;
  /** What a server keeps of the project at the author's level, some at a time; absent where there is no server. */
  documents?(offset: number, call: BackendCall): Promise<DocumentPage>;
  /** @param reader tells of nothing above it; all is told without */
  status(reader?: Level): Promise<BackendView>;
  /**
   * Tries at once what waits for its next try, or was refused.
   * @param isForAll also what was kept for another server, which goes to this one then; true by default
   */
  retryNow(isForAll?: boolean): Promise<void>;
  /** Called when the view may have changed. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
  /** Called with what the person should be told of, once for each time that it comes up. */
  onWarning(listener: (warning: Phrase) => void): () => void;
  /** Sends what waits, as far as it can be sent now. */
  flush(signal: AbortSignal): Promise<void>;
  dispose(): Promise<void>;
}

/** The backend of a folder, whichever it is at the moment. */
export interface FolderBackend extends MemoryBackend {
  /** Removes what waits to be sent, on disk and in this process. @returns how many items that were */
  erase(): Promise<number>;
  /** Says that an agent's turn has ended: what it queued goes at once, unless the server was failing (seed 000). */
  turnEnded(): void;
}
