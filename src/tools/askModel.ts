/** One question to a chat model, without tools. */
import type { AskModel } from '../memory/backend.ts';
import type { ChatModel } from '../session/chatModel.ts';
import { textMessage } from '../session/messages.ts';

/**
 * Asks a model. Undefined where it does not answer; that nobody waits any more is thrown.
 * @param model finds the model; what keeps it from being found means that there is none
 */
export function askModel(model: () => Promise<ChatModel>, warn: (reason: string) => void): AskModel {
  return async ({ system, prompt }, signal) => {
    try {
      const found = await model();
      let text = '';
      const request = { system, messages: [textMessage('user', prompt)], tools: [] };
      for await (const part of found.send(request, signal)) if (part.type === 'text') text += part.text;
      return text;
    } catch (error) {
      signal.throwIfAborted();
      warn(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
}
