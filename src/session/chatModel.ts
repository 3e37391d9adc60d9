/** The port to a chat model: what a loop of ours asks it, and what it says. */
import type { JsonValue } from '../journal/record.ts';
import type { Message, TextBlock, ThinkingBlock, ToolUseBlock, Usage } from './messages.ts';

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: { readonly [key: string]: JsonValue };
  /** Makes arguments of what a model wrote that is no JSON object, where the tool can; undefined when it cannot. */
  readonly repair?: (written: string) => { readonly [key: string]: JsonValue } | undefined;
}

/** One call of a model. */
export interface ModelRequest {
  readonly system: string;
  /** The request view. What has the role `system` stands where it was said, also between the others. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Name of the tool that the model must call; without one it chooses. */
  readonly mustCall?: string | undefined;
}

/** What a model says, as it comes. Text and thinking come in pieces; a call comes whole. */
export type ModelPart =
  | TextBlock
  | ThinkingBlock
  /** `input` is undefined when what the model wrote is no JSON; `raw` is then what it wrote. */
  | (Omit<ToolUseBlock, 'input'> & { readonly input: JsonValue | undefined; readonly raw?: string })
  | { readonly type: 'usage'; readonly usage: Usage };

/** A chat model that a host or a person's setting provides. */
export interface ChatModel {
  /** As it names itself. */
  readonly name: string;
  /** Tokens that fit into one request; undefined when it does not say. */
  readonly maxInputTokens?: number | undefined;
  /**
   * Asks the model.
   * @throws ModelError, whose message says what a person can do; or the signal's reason when it is cancelled.
   */
  send(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** What else is known of a model's failure. */
export interface ModelErrorOptions {
  /** The same request may succeed a little later: the network, a busy server. */
  readonly isTransient?: boolean;
  /** How long the server asks to wait before the next request. */
  readonly retryAfterMs?: number | undefined;
  /** The answer is cut where it reached the most that the model may say. */
  readonly isLimit?: boolean;
  /** The request is longer than the model's window. */
  readonly isOverflow?: boolean;
}

/** A model that cannot be asked, or did not answer. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly isTransient: boolean;
  readonly retryAfterMs: number | undefined;
  readonly isLimit: boolean;
  readonly isOverflow: boolean;

  constructor(
    message: string,
    { isTransient = false, retryAfterMs, isLimit = false, isOverflow = false }: ModelErrorOptions = {},
  ) {
    super(message);
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
    this.isLimit = isLimit;
    this.isOverflow = isOverflow;
  }
}
