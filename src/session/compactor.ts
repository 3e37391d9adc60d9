/** The port through which a loop keeps its requests within the model's window. */
import type { ChatModel, ToolSpec } from './chatModel.ts';
import type { Message, Usage } from './messages.ts';
import type { Draft } from './record.ts';
import type { LoopTools } from './turnCalls.ts';

/** What the model is about to be asked. */
export interface CompactorRequest {
  readonly system: string;
  /** The request view, as the store tells it. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly model: ChatModel;
  /** Of the last answer in the messages; undefined when the model did not say, or the view changed since. */
  readonly usage: Usage | undefined;
  readonly signal: AbortSignal;
}

/** What is sent instead. */
export interface Prepared {
  readonly messages: readonly Message[];
  /**
   * To be recorded first. When there are any, the view is what the store says afterwards, and is prepared once
   * more; `messages` then counts only where nothing more may be recorded.
   */
  readonly drafts: readonly Draft[];
  /** What the person should know of it. */
  readonly notice?: string | undefined;
  /** Why it is of no use to ask the model with these messages: the loop ends with it. */
  readonly problem?: string | undefined;
}

/**
 * Keeps the requests of one loop within the window: a loop has one of these, or none. Nothing here throws, except
 * the signal's reason when it fires: then nothing is recorded.
 */
export interface Compactor {
  /** Offered to the model beside the loop's own. */
  readonly tools?: LoopTools | undefined;
  /** Called before every request. */
  before(request: CompactorRequest): Promise<Prepared>;
  /**
   * The model said that the request is too long. Answers something shorter, which is tried once; undefined when
   * there is nothing shorter.
   */
  overflow(request: CompactorRequest): Promise<Prepared | undefined>;
}
