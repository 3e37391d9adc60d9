/** What the tools over the memory backend share. */

import type { Phrase } from '../../backendProtocol.ts';
import type { BackendCall, BackendHit } from '../../memory/backend.ts';
import { ServerError } from '../../memory/hindsight/serverError.ts';
import { BackendError, phrase } from '../../memory/hindsight/texts.ts';
import { askModel } from '../askModel.ts';
import { authorOf } from '../author.ts';
import { type ToolCall, type ToolContext, ToolError } from '../tool.ts';
import { savesDrafts } from './proactive.ts';

/** Hides the tools at every door. */
export const UNLESS_OFF = { setting: 'memory.backend', is: 'off' } as const;

/** A call as the backend knows it. */
export function backendCall(call: ToolCall, context: ToolContext): BackendCall {
  const { model, signal } = call;
  return {
    author: authorOf(call, context),
    signal,
    isDraft: savesDrafts(call, context.settings),
    // Without an answer there are the memories themselves.
    ...(model !== undefined && {
      ask: askModel(
        async () => model,
        () => {},
      ),
    }),
  };
}

/** Does something with the backend. @throws ToolError with what it says where it does not work out */
export async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ServerError) throw new ToolError(withAdvice(error));
    if (error instanceof BackendError) throw new ToolError(error.phrase);
    throw error;
  }
}

/** What a server's failure is, and what can be done about it. */
function withAdvice({ kind, statusCode, phrase: said, message }: ServerError): Phrase {
  // Without a status of its own something else than such a server answered.
  if (kind === 'unreachable' || (kind === 'busy' && statusCode === undefined))
    return phrase(
      '{0}. Start the memory server, or correct its address in the setting "hindsight.apiUrl"; until it answers, use memory_recall and memory_remember, which work on this machine.',
      message,
    );
  if (statusCode === 401 || statusCode === 403)
    return phrase(
      '{0}. The server wants another token: the person gives it with "Set the Hindsight Token…", or as HINDSIGHT_API_TOKEN.',
      message,
    );
  return said;
}

/** `- text [world] (2026-01-01)` (seed 000), without what a memory does not have. */
export function hitLine({ text, type, mentionedAt }: BackendHit): string {
  return `- ${text}${type === '' ? '' : ` [${type}]`}${mentionedAt === '' ? '' : ` (${mentionedAt})`}`;
}

/** The same as data, in the server's own words. */
export function hitData({ mentionedAt: mentioned_at, ...hit }: BackendHit) {
  return { ...hit, mentioned_at };
}
