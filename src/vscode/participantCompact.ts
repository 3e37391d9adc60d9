/** `/compact` in a chat: the earlier conversation is summarized at once. */
import * as vscode from 'vscode';
import type { CompactedNow } from '../session/compaction/compactNow.ts';
import { EditorChatModel } from './chatModel.ts';
import { compactedText } from './compactedText.ts';
import type { Chat } from './participantChat.ts';
import type { AnswerMetadata } from './participantSession.ts';
import { staying } from './participantTurn.ts';

/** @param instructions what the summary must keep; may be empty */
export async function compactChat(chat: Chat, instructions: string): Promise<vscode.ChatResult> {
  const { place, request, stream } = chat;
  const session = await chat.sessionId();
  if (session === undefined) {
    chat.say(compactedText({ state: 'nothing' }));
    return staying(chat);
  }
  stream.progress(vscode.l10n.t('Summarizing the earlier conversation…'));
  const turn = place.turn === undefined ? {} : { turn: place.turn };
  const input = { session, instructions, ...turn };
  const { data } = await chat.invoke('session_compact', input, new EditorChatModel(request.model));
  const done = data as CompactedNow;
  chat.say(compactedText(done));
  if (done.state !== 'done') return staying(chat);
  // From here on the chat stands after the summary: going back before it takes it back.
  const metadata: AnswerMetadata = {
    session: place.key,
    ...(done.turn === undefined ? {} : { turn: done.turn }),
  };
  return { metadata };
}
