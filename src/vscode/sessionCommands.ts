/** Commands that begin a chat with @lodeline. */
import * as vscode from 'vscode';
import type { SessionEntry } from '../worker/sessionApi.ts';
import { type Apps, unobservedLevel } from './apps.ts';
import { ago } from './chatText.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';

interface Parts {
  readonly apps: Apps;
  readonly person: Person;
}

/** Goes on with a session in a new chat: the one with the given id, else one that the person chooses. */
export async function resumeSession(parts: Parts, given?: unknown): Promise<void> {
  const id = typeof given === 'string' ? given : await pickSession(parts);
  if (id === undefined) return;
  await openChat({ query: `@lodeline /resume ${id}` });
}

/** Begins a new chat with what a checkpoint found as the draft of its first prompt. */
export async function continueFromReport(_parts: Parts, goal?: unknown, report?: unknown): Promise<void> {
  if (typeof goal !== 'string' || typeof report !== 'string') return;
  const { l10n } = vscode;
  const prompt = `${l10n.t('Go on from what “{0}” found:', goal)}\n\n${report}`;
  await openChat({ query: `@lodeline ${prompt}`, isPartialQuery: true });
}

/** Lets agents use checkpoint and rewind. */
export async function enableCheckpoints({ person }: Parts): Promise<void> {
  await person.invoke('checkpoint_enable', {}, { door: 'palette' });
  void vscode.window.showInformationMessage(vscode.l10n.t('Checkpoints are on.'));
}

async function openChat(options: { query: string; isPartialQuery?: boolean }): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.chat.newChat');
  await vscode.commands.executeCommand('workbench.action.chat.open', options);
}

async function pickSession({ apps, person }: Parts): Promise<string | undefined> {
  const { l10n, window } = vscode;
  const { folder } = apps;
  // As the chat will see it, which is what resumes it.
  const level = unobservedLevel(await apps.app(folder), folder);
  const { data } = await person.invoke('sessions_browse', {}, { door: 'palette', folder, level });
  const { sessions } = data as { sessions: readonly SessionEntry[] };
  const items = sessions.map(({ id, title, source, lastActive }) => ({
    id,
    label: title.trim() === '' ? l10n.t('Untitled session') : shownText(title),
    description: `${shownText(source)} · ${ago(lastActive, Date.now())}`,
  }));
  if (items.length === 0) {
    void window.showInformationMessage(l10n.t('There is no session to go on with in this folder.'));
    return undefined;
  }
  const title = l10n.t('Resume a session with @lodeline');
  return (await window.showQuickPick(items, { title, matchOnDescription: true }))?.id;
}
