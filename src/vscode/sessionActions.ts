/** Commands for what the panel of sessions does, for those who use the palette. */
import * as vscode from 'vscode';
import type { SessionDone, SessionLine, SessionsView } from '../sessionProtocol.ts';
import { ago } from './chatText.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';

interface Parts {
  readonly person: Person;
}

/** Opens a new chat with @lodeline. */
export async function openLodelineChat(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.newChat');
  await vscode.commands.executeCommand('workbench.action.chat.open', {
    query: '@lodeline ',
    isPartialQuery: true,
  });
}

/** Sends a message to a session that the person chooses. */
export async function sendToSession({ person }: Parts): Promise<void> {
  const { l10n, window } = vscode;
  const session = await pickSession(
    person,
    l10n.t('Send a message to a session'),
    ({ maySend, id }) => maySend && id !== null,
  );
  if (session === undefined) return;
  const message = await window.showInputBox({ title: nameOf(session), prompt: l10n.t('The message') });
  if (message === undefined || message.trim() === '') return;
  const input = { sessionKey: session.key, message, timeoutSeconds: 0 };
  await act(person, 'sessions_send', input, l10n.t('Sent to “{0}”.', nameOf(session)));
}

/** Starts a session of its own for a task. */
export async function startSession({ person }: Parts): Promise<void> {
  const { l10n, window } = vscode;
  const title = l10n.t('Start a session');
  const task = await window.showInputBox({ title, prompt: l10n.t('What is to be done') });
  if (task === undefined || task.trim() === '') return;
  await act(person, 'sessions_spawn', { task }, l10n.t('Started. The Sessions view shows how it goes.'));
}

/** Stops the run of a session. */
export async function stopSession({ person }: Parts): Promise<void> {
  const { l10n } = vscode;
  const session = await pickSession(person, l10n.t('Stop a session'), ({ run }) => run !== null);
  if (session === undefined) return;
  await act(person, 'sessions_stop', { session: session.key }, l10n.t('Stopping “{0}”.', nameOf(session)));
}

/** Gives a session another name. */
export async function renameSession({ person }: Parts): Promise<void> {
  const { l10n, window } = vscode;
  const session = await pickSession(person, l10n.t('Rename a session'), ({ id }) => id !== null);
  if (session === undefined) return;
  const title = await window.showInputBox({ title: l10n.t('Rename a session'), value: session.title });
  if (title === undefined) return;
  await act(
    person,
    'sessions_change',
    { session: session.key, title },
    l10n.t('Renamed “{0}”.', nameOf(session)),
  );
}

/** Archives a session, or restores one that is archived. */
export async function archiveSession({ person }: Parts): Promise<void> {
  const { l10n } = vscode;
  const session = await pickSession(person, l10n.t('Archive or restore a session'), ({ id }) => id !== null);
  if (session === undefined) return;
  const archived = !session.archived;
  const said = archived
    ? l10n.t('Archived “{0}”.', nameOf(session))
    : l10n.t('Restored “{0}”.', nameOf(session));
  await act(person, 'sessions_change', { session: session.key, archived }, said);
}

/** Sets whether other sessions may write to a session. */
export async function setSessionPolicy({ person }: Parts): Promise<void> {
  const { l10n, window } = vscode;
  const title = l10n.t('Messages to a session');
  const session = await pickSession(person, title, ({ id }) => id !== null);
  if (session === undefined) return;
  const items = [
    { label: l10n.t('As the settings say'), sendPolicy: null },
    { label: l10n.t('Allow'), sendPolicy: 'allow' },
    { label: l10n.t('Deny'), sendPolicy: 'deny' },
  ];
  const chosen = await window.showQuickPick(items, { title, placeHolder: nameOf(session) });
  if (chosen === undefined) return;
  const input = { session: session.key, sendPolicy: chosen.sendPolicy };
  await act(person, 'sessions_change', input, `“${nameOf(session)}”: ${chosen.label}`);
}

/** The session that the person chooses of those that fit; undefined where there is none. */
export async function pickSession(
  person: Person,
  title: string,
  fits: (session: SessionLine) => boolean | Promise<boolean>,
): Promise<SessionLine | undefined> {
  const { l10n, window } = vscode;
  const { data } = await person.invoke('sessions_show', {}, { door: 'palette' });
  const { sessions } = data as SessionsView;
  const fitting = await Promise.all(sessions.map(fits));
  const items = sessions
    .filter((_, at) => fitting[at])
    .map((session) => ({
      session,
      label: nameOf(session),
      description: [
        shownText(session.source),
        session.updated === null ? '' : ago(session.updated, Date.now()),
        session.archived ? l10n.t('archived') : '',
      ]
        .filter((each) => each !== '')
        .join(' · '),
    }));
  if (items.length === 0) {
    void window.showInformationMessage(l10n.t('There is no session for this in this folder.'));
    return undefined;
  }
  return (await window.showQuickPick(items, { title, matchOnDescription: true }))?.session;
}

async function act(
  person: Person,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  said: string,
): Promise<void> {
  const { data } = await person.invoke(tool, input, { door: 'palette' });
  const { status, error } = (data ?? {}) as SessionDone;
  if (status === 'error' || status === 'forbidden') throw new Error(error ?? status);
  void vscode.window.showInformationMessage(said);
}

/** What a session is called, on one line. */
export function nameOf({ title, label, source }: SessionLine): string {
  const name = [title, label].find((each) => each.trim() !== '');
  return shownText(name ?? vscode.l10n.t('Untitled, {0}', source));
}
