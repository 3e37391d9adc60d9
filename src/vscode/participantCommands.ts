/** What the slash commands of @lodeline do. Each answers in the chat. */
import * as vscode from 'vscode';
import type { TodoView } from '../planProtocol.ts';
import type { ResumedSession, SessionEntry } from '../worker/sessionApi.ts';
import { ago, checklist, plain, verbatim } from './chatText.ts';
import type { Chat } from './participantChat.ts';
import { compactChat } from './participantCompact.ts';
import { setSendPolicy } from './participantMessages.ts';
import { acknowledge, tellOfOpen } from './participantOpen.ts';
import type { AnswerMetadata } from './participantSession.ts';
import { answerTodo } from './participantTodo.ts';
import { staying, takeTurn } from './participantTurn.ts';

const SHOWN_SESSIONS = 10;
/** `/rewind` without a report lets the agent write it. */
const WRITE_REPORT =
  'End the checkpoint now: call rewind with a report of what you found since it, with evidence and dead ends.';

/** Answers a slash command; undefined for one that is not ours. */
export async function answerCommand(chat: Chat): Promise<vscode.ChatResult | undefined> {
  const text = chat.request.prompt.trim();
  switch (chat.request.command) {
    case 'todo':
      await answerTodo(chat, text);
      return staying(chat);
    case 'checkpoint':
      await setCheckpoint(chat, text);
      return staying(chat);
    case 'rewind':
      return await rewind(chat, text);
    case 'sessions':
      listSessions(chat, await otherSessions(chat));
      return staying(chat);
    case 'resume':
      return await resume(chat, text);
    case 'compact':
      return await compactChat(chat, text);
    case 'acknowledge':
      await acknowledge(chat, text);
      return staying(chat);
    case 'send':
      await setSendPolicy(chat, text);
      return staying(chat);
    case 'brief':
      chat.say((await chat.invoke('context_brief', { task: text })).text);
      return staying(chat);
    default:
      if (text !== '') return undefined;
      chat.say(vscode.l10n.t('Say what you want to do, or type `/` to see the commands.'));
      return staying(chat);
  }
}

async function setCheckpoint(chat: Chat, goal: string): Promise<void> {
  const { l10n } = vscode;
  if (!offersCheckpoints(chat)) return;
  if (goal === '') return chat.say(l10n.t('Say what you want to find out: `/checkpoint goal`'));
  await chat.invoke('checkpoint', { goal });
  chat.say(
    l10n.t(
      'The checkpoint is set. Explore, then end it with `/rewind` and what you found: only the report stays in the conversation. Files and git are not touched.',
    ),
  );
}

async function rewind(chat: Chat, report: string): Promise<vscode.ChatResult> {
  if (!offersCheckpoints(chat)) return staying(chat);
  if (report === '') return await takeTurn(chat, { prompt: WRITE_REPORT, forced: 'rewind' });
  await chat.invoke('rewind', { report });
  chat.say(vscode.l10n.t('The checkpoint is ended. From here on the report stands for what came after it.'));
  return staying(chat);
}

/** Whether checkpoints are on; where they are not, the chat says so and offers them. */
function offersCheckpoints(chat: Chat): boolean {
  if (chat.hasCheckpoints) return true;
  chat.say(
    vscode.l10n.t(
      'Checkpoints are off. Once they are on, agents can set them, too; send the command again then.',
    ),
  );
  chat.stream.button({
    command: 'lodeline.enableCheckpoints',
    title: vscode.l10n.t('Turn On Checkpoints'),
  });
  return false;
}

async function otherSessions(chat: Chat): Promise<readonly SessionEntry[]> {
  return (await chat.sessions()).filter(({ key }) => key !== chat.place.key);
}

function listSessions(chat: Chat, sessions: readonly SessionEntry[]): void {
  const { l10n } = vscode;
  if (sessions.length === 0) chat.say(l10n.t('There are no other sessions in this folder.'));
  for (const { id, title, source, lastActive } of sessions.slice(0, SHOWN_SESSIONS)) {
    const name = title.trim() === '' ? l10n.t('Untitled session') : title;
    chat.say(`**${plain(name)}**\n\n${plain(`${source} · ${ago(lastActive, Date.now())}`)}`);
    chat.stream.button({ command: 'lodeline.resumeSession', title: l10n.t('Resume'), arguments: [id] });
  }
  const more = sessions.length - SHOWN_SESSIONS;
  if (more > 0) chat.say(l10n.t('{0} older ones are found by words of their title: `/resume words`', more));
}

async function resume(chat: Chat, text: string): Promise<vscode.ChatResult> {
  const { l10n } = vscode;
  const found = fitting(await otherSessions(chat), text);
  const [session] = found;
  if (session === undefined || found.length > 1) {
    if (session === undefined && text !== '') chat.say(l10n.t('No session fits “{0}”.', plain(text)));
    else listSessions(chat, found);
    return staying(chat);
  }
  const resumed = (await chat.invoke('session_resume', { session: session.id })).data as ResumedSession;
  const name = resumed.title.trim() === '' ? l10n.t('Untitled session') : resumed.title;
  chat.say(l10n.t('This chat goes on with **{0}**.', plain(name)));
  const { phases } = (await chat.invoke('todo_show', { session: session.id })).data as TodoView;
  if (phases.length > 0) chat.say(checklist(phases));
  if (resumed.report !== '')
    chat.say(`${l10n.t('With your next message the agent is told:')}\n\n${verbatim(resumed.report)}`);
  tellOfOpen(chat, session.id, await chat.checkpointView(session.id));
  const { key, turn } = resumed;
  const metadata: AnswerMetadata = { session: key, turn, next: 'continue' };
  return { metadata };
}

/** The session with this id, else those whose title has all the words; without words all. */
function fitting(sessions: readonly SessionEntry[], text: string): readonly SessionEntry[] {
  const named = sessions.filter(({ id }) => id === text);
  if (named.length > 0) return named;
  const words = fold(text)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return sessions.filter(({ title }) => words.every((word) => fold(title).includes(word)));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
