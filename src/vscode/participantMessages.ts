/** What other sessions have written into a chat with @lodeline, and the person's word on whether they may. */
import * as vscode from 'vscode';
import { idOf } from '../session/sessionId.ts';
import type { HistoryLine, HistoryPage } from '../sessionProtocol.ts';
import { inShort } from './announced.ts';
import { plain } from './chatText.ts';
import type { Chat } from './participantChat.ts';

/** As many messages are looked back on, and as many are quoted. */
const LOOKED_AT = 40;
const QUOTED = 5;
const QUOTE = 200;

/**
 * Shows what has arrived since the person's last prompt, one short quote each. Called in a turn, whose prompt is in the
 * transcript then, and with it what waited for it.
 */
export async function quoteArrived(chat: Chat): Promise<void> {
  const input = { session: idOf(chat.place.key), limit: LOOKED_AT };
  const { messages } = (await chat.invoke('sessions_read', input)).data as HistoryPage;
  const arrived = arrivedSince(messages);
  if (arrived.length === 0) return;
  const quotes = arrived.slice(-QUOTED).map(({ from, text }) => {
    return `> **${plain(from?.name ?? vscode.l10n.t('You'))}**: ${plain(inShort(text, QUOTE))}`;
  });
  const more = arrived.length - quotes.length;
  if (more > 0) quotes.unshift(`> ${vscode.l10n.t('{0} earlier messages', more)}`);
  chat.say(`${vscode.l10n.t('Since your last message other sessions wrote:')}\n\n${quotes.join('\n>\n')}`);
}

/** Messages of other sessions after the prompt before this turn's. */
function arrivedSince(messages: readonly HistoryLine[]): readonly HistoryLine[] {
  const prompts = messages.flatMap(({ role, from }, at) => (role === 'user' && from === null ? [at] : []));
  return messages.slice((prompts.at(-2) ?? -1) + 1).filter(({ from }) => from !== null);
}

/** `/send on|off|inherit`: whether other sessions may write into this chat. */
export async function setSendPolicy(chat: Chat, word: string): Promise<void> {
  const { l10n } = vscode;
  const policies: Readonly<Record<string, 'allow' | 'deny' | null>> = {
    on: 'allow',
    off: 'deny',
    inherit: null,
  };
  const given = word.toLowerCase();
  if (!Object.hasOwn(policies, given)) {
    chat.say(
      l10n.t(
        'Say whether other sessions may write into this chat: `/send on`, `/send off` or `/send inherit`',
      ),
    );
    return;
  }
  const { key } = chat.place;
  // A chat in which nothing was said yet has no session; the word is kept in one.
  await chat.app
    .loopOf(key)
    .sessionStart({ key, kind: 'participant', source: 'lodeline', level: chat.level });
  await chat.invoke('sessions_change', { session: idOf(key), sendPolicy: policies[given] ?? null });
  const said = {
    allow: l10n.t('Other sessions may write into this chat.'),
    deny: l10n.t('No other session may write into this chat.'),
  };
  const policy = policies[given];
  chat.say(
    policy
      ? said[policy]
      : l10n.t('Whether other sessions may write into this chat is as your settings say.'),
  );
}
