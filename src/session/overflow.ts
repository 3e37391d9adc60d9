/** How a request that is longer than the model's window is told from other failures. */

/** What servers name it: OpenAI and those like it, Copilot, Anthropic's and Google's gateways. */
const CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'model_max_prompt_tokens_exceeded',
  'model_context_window_exceeded',
  'max_prompt_tokens_exceeded',
  'prompt_too_long',
  'request_too_large',
  'exceed_context_size_error',
]);
/** Names of failures that have nothing to do with length, whatever their texts say. */
const OTHERS = /rate.?limit|quota|billing|insufficient|auth|permission|content.?filter/i;
/**
 * For servers that name nothing. Each speaks of the request, its tokens or the window: "file name too long" and
 * "context deadline exceeded" are other things.
 */
const TEXTS = [
  /context[_ ](?:length|window|size)[^.]{0,40}exceed/i,
  /exceed[^.]{0,80}context[_ ](?:length|window|size)/i,
  /maximum (?:context|prompt) (?:length|size|window)/i,
  /(?:prompt|input|request|conversation|messages?) (?:is|are|was) too long/i,
  /(?:prompt|request|input|conversation) too (?:long|large)\b/i,
  /(?:prompt|input) tokens?[^.]{0,60}exceed/i,
  /exceed[^.]{0,60}(?:maximum|limit|number)[^.]{0,40}(?:prompt|input) tokens/i,
  /exceeds? the (?:model.?s )?(?:maximum|available) (?:context|number of tokens)/i,
  /prompt token count[^.]{0,40}exceeds/i,
  /too many (?:input |prompt )?tokens in (?:the |your )?(?:request|prompt|input)/i,
  // Copilot Chat 0.67 to other extensions.
  /messages? exceeds? (?:the )?token limit/i,
  /reduce the length of (?:the |your )?(?:messages|prompt|input)/i,
];
/** What a text says first is what went wrong. In UTF-16 units. */
const MOST_READ = 10_000;
/** A server's limit on how much is asked in a minute counts tokens, too. */
const PER_TIME = /per (?:minute|day|hour)|\bTPM\b|\bRPM\b/i;

/** What is known of a failed request. */
export interface RequestFailure {
  /** Of the HTTP response, or of the error in an answer that began well; 0 when there is none. */
  readonly status?: number | undefined;
  /** The names that the server gives the error: its code, its type. */
  readonly names?: readonly unknown[] | undefined;
  readonly text: string;
}

/** By the error's type where there is one, and only else by its text. */
export function isOverflow({ status = 0, names = [], text }: RequestFailure): boolean {
  const known = names.filter((name) => typeof name === 'string');
  if (known.some((name) => CODES.has(name.toLowerCase()))) return true;
  if (status === 413) return true;
  if (status === 401 || status === 403 || status === 404 || status === 429) return false;
  if (known.some((name) => OTHERS.test(name))) return false;
  const said = text.slice(0, MOST_READ);
  return !PER_TIME.test(said) && TEXTS.some((pattern) => pattern.test(said));
}
