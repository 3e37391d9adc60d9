/** Tells the person of messages between sessions that are theirs to read. */
import * as vscode from 'vscode';
import type { MessageEvent } from '../messaging/event.ts';
import { spokenText } from '../messaging/messageText.ts';
import type { SessionsView } from '../sessionProtocol.ts';
import { inShort } from './announced.ts';
import type { Apps, ArrivedMessage } from './apps.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';

/** Agents write in bursts: one notification tells of all of them. Milliseconds. */
const PAUSE = 1_500;
const SAID = 160;

export class Messages implements vscode.Disposable {
  readonly #person: Person;
  readonly #log: vscode.LogOutputChannel;
  readonly #subscription: vscode.Disposable;
  #arrived: ArrivedMessage[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(apps: Apps, person: Person, log: vscode.LogOutputChannel) {
    this.#person = person;
    this.#log = log;
    this.#subscription = apps.onDidReceiveMessage((message) => {
      // What one agent answers another is in the panel; a person need not be told of each.
      if (message.event.kind === 'reply') return;
      this.#arrived.push(message);
      this.#timer ??= setTimeout(() => void this.#tell(), PAUSE);
    });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  async #tell(): Promise<void> {
    const arrived = this.#arrived;
    this.#arrived = [];
    this.#timer = undefined;
    const [first] = arrived;
    if (first === undefined) return;
    try {
      if (arrived.length === 1) await this.#tellOne(first);
      else await tellMany(arrived.length);
    } catch (error) {
      this.#log.warn(`A message could not be shown: ${String(error)}`);
    }
  }

  async #tellOne({ folder, event }: ArrivedMessage): Promise<void> {
    const { data } = await this.#person.invoke('sessions_show', {}, { door: 'palette', folder });
    const { sessions } = data as SessionsView;
    const { title, label, source } = sessions.find(({ key }) => key === event.from) ?? {};
    const from = [label, title, source].find((name) => name !== undefined && name.trim() !== '');
    const open = vscode.l10n.t('Open Chat');
    // What it takes is loaded when it is needed: the editor starts without.
    const { redactSecrets } = await import('../policy/redact.ts');
    const said = (await redactSecrets(spokenText(event.text))).text;
    const text = shownText(textOf(event.kind, from ?? event.from, inShort(said, SAID)));
    if ((await vscode.window.showInformationMessage(text, open)) !== open) return;
    if (event.to.isOurs) await vscode.commands.executeCommand('lodeline.resumeSession', event.to.id);
    // No stable command opens a certain chat of another agent.
    else await vscode.commands.executeCommand('workbench.action.chat.open');
  }
}

async function tellMany(count: number): Promise<void> {
  const open = vscode.l10n.t('Show Sessions');
  const text = vscode.l10n.t('{0} messages between sessions have arrived.', count);
  if ((await vscode.window.showInformationMessage(text, open)) === open)
    await vscode.commands.executeCommand('lodeline.openSessions');
}

function textOf(kind: MessageEvent['kind'], from: string, said: string): string {
  if (kind === 'failed') return vscode.l10n.t('“{0}” did not end well: {1}', from, said);
  if (kind === 'announce') return vscode.l10n.t('“{0}” announces: {1}', from, said);
  return vscode.l10n.t('“{0}” writes to a chat of yours: {1}', from, said);
}
