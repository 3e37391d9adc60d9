/** What a loop makes of a model's answer, and of one that did not come. */
import { type ChatModel, ModelError } from './chatModel.ts';
import type { Message } from './messages.ts';
import type { Answer } from './modelAnswer.ts';
import type { Draft } from './record.ts';
import { type LoopResult, resultBlock } from './turnCalls.ts';

/** Before the first retry where the server does not say; four times as long before the next. */
const RETRY_MS = 1_000;
/** Nobody waits longer than this without knowing why. */
const LONGEST_WAIT_MS = 60_000;

/** Whether a request was refused as too long. */
export function isOverflow({ content, failure }: Answer): boolean {
  return content.length === 0 && failure instanceof ModelError && failure.isOverflow;
}

/** Neither a text nor a call: thinking alone is no answer. */
export function saysNothing({ content, calls }: Answer): boolean {
  return calls.length === 0 && content.every((block) => block.type !== 'text' || block.text.trim() === '');
}

/** Milliseconds before a failed request is sent again; undefined when it is not. */
export function waitBefore(failure: Error, retries: number): number | undefined {
  if (!(failure instanceof ModelError && failure.isTransient)) return undefined;
  const wait = failure.retryAfterMs ?? RETRY_MS * 4 ** retries;
  return wait <= LONGEST_WAIT_MS ? wait : undefined;
}

/** Says also whose answer it is, and how large the window is that it took up a part of. */
export function answerDraft(
  { content, usage }: Answer,
  { name: model, maxInputTokens: window }: ChatModel,
): Draft {
  const message = { role: 'assistant', content } as const;
  return { type: 'message', message, ...(usage && { usage }), model, ...(window && { window }) };
}

/** The results of an answer's calls: one message, in the order of writing. */
export function resultsDraft({ calls }: Answer, results: readonly LoopResult[]): Draft {
  const content = calls.map((call, at) => resultBlock(call, results[at] as LoopResult));
  return messageDraft({ role: 'user', content });
}

/** A message as it is recorded, with nothing said of it. */
export function messageDraft(message: Message): Draft {
  return { type: 'message', message };
}
