/** Answers a request to @lodeline; loaded with the first one. */
import type * as vscode from 'vscode';
import { messageOf } from '../journal/errors.ts';
import { PhraseError } from '../worker/api.ts';
import { withSignal } from './cancellation.ts';
import { Chat, type ParticipantParts } from './participantChat.ts';
import { answerCommand } from './participantCommands.ts';
import { placeOf } from './participantSession.ts';
import { staying, takeTurn } from './participantTurn.ts';
import { localizedPhrase } from './toolTexts.ts';

/** Never throws: what goes wrong is told in the chat, which goes on with the same session. */
export async function answer(
  parts: ParticipantParts,
  request: vscode.ChatRequest,
  context: vscode.ChatContext,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const place = placeOf(request, context.history);
  try {
    return await withSignal(token, async (signal) => {
      const chat = await Chat.open(parts, { request, stream, signal, place });
      return (await answerCommand(chat)) ?? (await takeTurn(chat, { prompt: request.prompt }));
    });
  } catch (error) {
    if (token.isCancellationRequested) return staying({ place });
    parts.log.warn(`@lodeline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return { ...staying({ place }), errorDetails: { message: textFor(error) } };
  }
}

function textFor(error: unknown): string {
  const said = error instanceof PhraseError ? error.phrase : undefined;
  return said === undefined ? messageOf(error) : localizedPhrase(said);
}
