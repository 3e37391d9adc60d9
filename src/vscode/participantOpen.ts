/** What is open in a chat that was left in the middle of something, and the person's word on it. */
import * as vscode from 'vscode';
import type { CheckpointView } from '../planProtocol.ts';
import type { Finding } from '../session/effects.ts';
import { calledText, FINDINGS, findingText } from './acknowledging.ts';
import { inShort } from './announced.ts';
import { plain } from './chatText.ts';
import type { Chat } from './participantChat.ts';

/** Each has three buttons; of more, the panel has them. */
const WITH_BUTTONS = 5;
const QUOTE = 200;

type OpenQuestions = Pick<CheckpointView, 'unknowns' | 'looser'>;

/** `/acknowledge`: lists what is open, or takes the person's answer to it. */
export async function acknowledge(chat: Chat, text: string): Promise<void> {
  const { l10n } = vscode;
  const session = await chat.sessionId();
  const open = session === undefined ? undefined : await chat.checkpointView(session);
  if (session === undefined || open === undefined || isSettled(open))
    return chat.say(l10n.t('Nothing is open in this chat: its tools may act.'));
  if (text === '') return tellOfOpen(chat, session, open);
  const input = answerIn(text, open);
  if (input === undefined) {
    chat.say(usage());
    return tellOfOpen(chat, session, open);
  }
  await chat.invoke('session_acknowledge', { session, ...input });
  const left = await chat.checkpointView(session);
  chat.say(
    isSettled(left)
      ? l10n.t('Noted. Nothing is open any more: the agent is told, and its tools may act again.')
      : l10n.t('Noted.'),
  );
  tellOfOpen(chat, session, left);
}

function isSettled({ unknowns, looser }: OpenQuestions): boolean {
  return unknowns.length + looser.length === 0;
}

interface Answer {
  readonly calls?: readonly {
    readonly id: string;
    readonly finding: Finding;
    readonly evidence?: string;
  }[];
  readonly settings?: readonly string[];
}

/**
 * `[which] succeeded|failed|unknown [why]`, where `which` is a number, an id or `all` and may be left out where one call
 * is open; or `settings`. Undefined for anything else.
 */
export function answerIn(text: string, open: OpenQuestions): Answer | undefined {
  const words = text.split(/\s+/u);
  if (text === 'settings') return { settings: open.looser.map(({ key }) => key) };
  const at = words.slice(0, 2).findIndex((word) => FINDINGS.some((each) => each === word.toLowerCase()));
  const finding = FINDINGS.find((each) => each === words[at]?.toLowerCase());
  if (finding === undefined) return undefined;
  const which = at === 0 ? undefined : words[0];
  const calls = open.unknowns.filter(({ id }, place) => {
    if (which === undefined) return open.unknowns.length === 1;
    return which.toLowerCase() === 'all' || which === id || which === String(place + 1);
  });
  if (calls.length === 0) return undefined;
  const evidence = words.slice(at + 1).join(' ');
  return { calls: calls.map(({ id }) => ({ id, finding, ...(evidence === '' ? {} : { evidence }) })) };
}

/** Shows what keeps the tools of a session from acting, with buttons to settle it; nothing where nothing is open. */
export function tellOfOpen(chat: Chat, session: string, { unknowns: calls, looser }: OpenQuestions): void {
  const { l10n } = vscode;
  if (isSettled({ unknowns: calls, looser })) return;
  // What an answer says must not run on into this.
  chat.stream.markdown('\n\n');
  if (calls.length > 0) {
    chat.say(
      l10n.t(
        'This session was left in the middle of a call. Until somebody says what became of it, tools with side effects are refused.',
      ),
    );
  }
  for (const [at, { id, name, announced }] of calls.entries()) {
    const said = announced.trim() === '' ? '' : `\n\n> ${plain(inShort(announced, QUOTE))}`;
    chat.say(`**${at + 1}.** ${plain(calledText(name))}${said}`);
    if (at >= WITH_BUTTONS) continue;
    for (const finding of FINDINGS) {
      chat.stream.button({
        command: 'lodeline.acknowledgeCalls',
        title: findingText(finding),
        arguments: [session, id, finding],
      });
    }
  }
  if (calls.length > WITH_BUTTONS) chat.say(usage());
  if (looser.length === 0) return;
  chat.say(
    l10n.t(
      'These settings are looser now than when the session was left. For it they count as they were, until you say otherwise:',
    ),
  );
  chat.say(looser.map(({ key, counts, says }) => `- ${plain(`${key}: ${counts} → ${says}`)}`).join('\n'));
  chat.stream.button({
    command: 'lodeline.acknowledgeCalls',
    title: l10n.t('Let the New Values Count'),
    arguments: [session, looser.map(({ key }) => key)],
  });
}

function usage(): string {
  return vscode.l10n.t(
    'Say what you found: `/acknowledge 1 succeeded`, `failed` or `unknown`, and why if you like; `all` instead of the number means every call; `/acknowledge settings` lets the new values count.',
  );
}
