import * as vscode from 'vscode';
import type { ParticipantParts } from './participantChat.ts';
import { metadataOf, PARTICIPANT } from './participantSession.ts';

/** Registers @lodeline. What answers is loaded with the first request. */
export function registerParticipant(extensionUri: vscode.Uri, parts: ParticipantParts): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(
    PARTICIPANT,
    async (request, context, stream, token) => {
      const { answer } = await import('./participantAnswer.ts');
      return await answer(parts, request, context, stream, token);
    },
  );
  participant.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
  participant.followupProvider = { provideFollowups: followups };
  return participant;
}

/** What the person may want to say next. */
function followups(result: vscode.ChatResult): vscode.ChatFollowup[] {
  if (metadataOf(result)?.next !== 'continue') return [];
  return [{ prompt: vscode.l10n.t('Continue') }];
}
