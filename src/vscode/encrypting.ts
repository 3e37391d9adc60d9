/** Encryption of what is kept of a folder, from the command palette: shown first, and undone the same way. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Switched } from '../tools/memory/encrypt.ts';
import type { SealShown } from '../tools/sealing.ts';
import type { Apps } from './apps.ts';
import { askForKey } from './keyNotice.ts';
import type { Person } from './person.ts';
import { readSetting } from './ports.ts';
import { sealOf } from './sealState.ts';
import { shownText } from './shownText.ts';
import { readStatistics } from './statistics.ts';

/** Milliseconds. What is over sooner would only flash. */
const PATIENCE = 700;

interface Parts {
  readonly apps: Apps;
  readonly person: Person;
}

/** What a preview tells of. */
interface Before extends SealShown {
  readonly folder: vscode.WorkspaceFolder | undefined;
  /** How many memories there are. */
  readonly total: number;
}

/** Encrypts what is kept of the current folder, once the person has seen what that means. */
export async function encryptMemory(parts: Parts): Promise<void> {
  const { l10n, window } = vscode;
  if (readSetting('memory.files', parts.apps.folder) === true) return refuseBesideFiles();
  const before = await lookBefore(parts, l10n.t('Looking at what is to be encrypted…'));
  if (before === undefined) return;
  const { folder, state, total } = before;
  if (state === 'sealed') {
    void window.showInformationMessage(l10n.t('The memory of this folder is encrypted already.'));
    return;
  }
  const isAgreed = await asks(
    l10n.t('Encrypt everything Lodeline keeps of “{0}”?', folder?.name ?? ''),
    [
      total === 1
        ? l10n.t(
            '1 memory with its history, backups, captured activity, chats, plans, messages and what subagents made. Other windows and agents follow by themselves.',
          )
        : l10n.t(
            '{0} memories with their history, backups, captured activity, chats, plans, messages and what subagents made. Other windows and agents follow by themselves.',
            total,
          ),
      process.env.LODELINE_KEY === undefined
        ? l10n.t(
            'You are shown the key once; on this computer it stays in ~/.lodeline/keys. Without it nobody, not even you, can read this memory again: keep a copy in a safe place.',
          )
        : l10n.t(
            'The key is the one in LODELINE_KEY. Without it nobody, not even you, can read this memory again: keep a copy in a safe place.',
          ),
      l10n.t(
        'What you keep for every folder stays as it is. “Decrypt the Memory of This Folder…” undoes it for as long as the key is here.',
      ),
    ],
    l10n.t('Encrypt'),
  );
  if (!isAgreed) return;
  const progress = l10n.t('Encrypting the memory of “{0}”…', folder?.name ?? '');
  const { others } = await switched(parts, 'memory_encrypt', folder, progress);
  void window.showInformationMessage(
    others === 0
      ? l10n.t('The memory of this folder is encrypted.')
      : l10n.t(
          'The memory of this folder is encrypted; {0} files of other running processes follow within a moment, or once they end.',
          others,
        ),
  );
}

/** Stores what is kept of the current folder in the clear again, once the person has seen what that means. */
export async function decryptMemory(parts: Parts): Promise<void> {
  const { l10n, window } = vscode;
  const before = await lookBefore(parts, l10n.t('Looking at what is to be decrypted…'));
  if (before === undefined) return;
  const { folder, state } = before;
  if (state === 'plain') {
    void window.showInformationMessage(l10n.t('The memory of this folder is not encrypted.'));
    return;
  }
  const isAgreed = await asks(
    l10n.t('Decrypt everything Lodeline keeps of “{0}”?', folder?.name ?? ''),
    [
      l10n.t(
        'It is stored in the clear again, except what its level or its nature (secrets) keeps encrypted. Whoever can read the files of this folder can then read it.',
      ),
      l10n.t(
        'The key stays in ~/.lodeline/keys. “Encrypt the Memory of This Folder…” encrypts everything again.',
      ),
    ],
    l10n.t('Decrypt'),
  );
  if (!isAgreed) return;
  const progress = l10n.t('Decrypting the memory of “{0}”…', folder?.name ?? '');
  const { others } = await switched(parts, 'memory_decrypt', folder, progress);
  void window.showInformationMessage(
    others === 0
      ? l10n.t('The memory of this folder is no longer encrypted.')
      : l10n.t(
          'The memory of this folder is no longer encrypted; {0} files of other running processes follow within a moment, or once they end.',
          others,
        ),
  );
}

/** Takes in the key of the current folder's store, where it is missing. */
export async function enterKey({ apps, person }: Parts): Promise<void> {
  const { l10n, window } = vscode;
  const { folder } = apps;
  const app = await apps.app(folder);
  const { key, locked } = await sealOf(person, folder);
  if (locked === null || key === '') {
    void window.showInformationMessage(l10n.t('The memory of this folder needs no key: it can be read.'));
    return;
  }
  const isKept = await askForKey(key, async (text) => {
    const came = await app.enterKey(text);
    if (came === 'malformed') return l10n.t('That was no key. A key has 64 hexadecimal digits.');
    if (came === 'other') return l10n.t('That was another key. The one with the id {0} is needed.', key);
    return undefined;
  });
  if (!isKept) return;
  if (folder !== undefined) apps.noteMemory(folder);
  void window.showInformationMessage(l10n.t('The memory of this folder can be read again.'));
}

/** What there is, read while the person can still cancel; undefined when they did, or when the key is missing. */
async function lookBefore({ apps, person }: Parts, title: string): Promise<Before | undefined> {
  const { l10n, window } = vscode;
  const { folder } = apps;
  const before = await cancellable(title, async (signal): Promise<Before> => {
    const seal = await sealOf(person, folder, signal);
    const total = seal.locked === null ? (await readStatistics(person, folder, signal)).total : 0;
    return { ...seal, folder, total };
  });
  if (before === undefined) {
    void window.showInformationMessage(l10n.t('Nothing was changed.'));
    return undefined;
  }
  if (before.locked === null) return before;
  const enter = l10n.t('Enter Key…');
  const chosen = await window.showWarningMessage(
    l10n.t(
      'The memory of this folder is encrypted, and its key is not on this computer. Nothing was changed.',
    ),
    enter,
  );
  if (chosen === enter) await enterKey({ apps, person });
  return undefined;
}

/** Shows that it takes its time, when it does; undefined when the person cancelled it. */
async function cancellable<T>(
  title: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  const running = run(controller.signal);
  const isDone = await Promise.race([running.then(() => true), sleep(PATIENCE).then(() => false)]);
  if (isDone) return running;
  const { window, ProgressLocation } = vscode;
  const options = { location: ProgressLocation.Notification, title, cancellable: true };
  return window.withProgress(options, async (_, token) => {
    token.onCancellationRequested(() => controller.abort());
    try {
      return await running;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    }
  });
}

/** The tool refuses it, too; here nothing is previewed that will not be done. */
async function refuseBesideFiles(): Promise<void> {
  const { commands, l10n, window } = vscode;
  const open = l10n.t('Open Setting');
  const chosen = await window.showWarningMessage(
    l10n.t(
      'Memory of this folder is also kept as Markdown files, which are clear text. Turn that off first, and decide what becomes of the files. Nothing was changed.',
    ),
    open,
  );
  if (chosen === open)
    await commands.executeCommand('workbench.action.openSettings', 'lodeline.memory.files');
}

async function asks(title: string, paragraphs: readonly string[], go: string): Promise<boolean> {
  const detail = paragraphs.join('\n\n');
  return (await vscode.window.showWarningMessage(title, { modal: true, detail }, go)) === go;
}

/** From here on there is nothing to cancel: what is left would be gone on with by itself. */
async function switched(
  { person }: Parts,
  tool: 'memory_encrypt' | 'memory_decrypt',
  folder: vscode.WorkspaceFolder | undefined,
  title: string,
): Promise<Switched> {
  const { window, ProgressLocation } = vscode;
  const options = { location: ProgressLocation.Notification, title: shownText(title) };
  const call = { door: 'palette', folder, approved: true } as const;
  const { data } = await window.withProgress(options, async () => person.invoke(tool, {}, call));
  return data as Switched;
}
