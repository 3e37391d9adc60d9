/** The one time that a key is shown, and the question for one. */
import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../journal/errors.ts';
import { isInside } from './fileReference.ts';
import { shownText } from './shownText.ts';

/** Shows a key to the person alone: no log, chat or model gets it. */
export function showKey(key: string): void {
  void offer(key);
}

/** When the key was not saved after all, it is shown again: there is no other time for it. */
async function offer(key: string): Promise<void> {
  const { l10n, window } = vscode;
  const copy: vscode.MessageItem = { title: l10n.t('Copy Key') };
  const save: vscode.MessageItem = { title: l10n.t('Save to a File…') };
  const done: vscode.MessageItem = { title: l10n.t('Done'), isCloseAffordance: true };
  const detail = l10n.t(
    '{0}\n\nIt is shown only now. Without it nobody can read this memory again, so keep a copy in a safe place. On this computer it stays in ~/.lodeline/keys.',
    key,
  );
  for (;;) {
    const chosen = await window.showWarningMessage(
      l10n.t('The key of this folder’s memory'),
      { modal: true, detail },
      ...[copy, save, done],
    );
    if (chosen === copy) {
      await vscode.env.clipboard.writeText(key);
      void window.showInformationMessage(
        l10n.t('The key is on the clipboard. Put it in a safe place, such as a password manager.'),
      );
    }
    if (chosen !== save || (await saveKey(key))) return;
  }
}

/** Saves a key to a file of the person's choice that only they can read. Answers whether it was saved. */
async function saveKey(key: string): Promise<boolean> {
  const { l10n, window } = vscode;
  const target = await window.showSaveDialog({
    title: l10n.t('Save the Key'),
    defaultUri: vscode.Uri.file(join(homedir(), 'lodeline.key')),
  });
  if (target === undefined) return false;
  const { fsPath } = target;
  if ((vscode.workspace.workspaceFolders ?? []).some(({ uri }) => isInside(uri.fsPath, fsPath))) {
    await window.showWarningMessage(
      l10n.t('Beside what it opens a key protects nothing. Save it outside of this folder.'),
      { modal: true },
    );
    return false;
  }
  // A file that was there would keep its mode, and a link its target.
  const draft = `${fsPath}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(draft, `${key}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, fsPath);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    await window.showErrorMessage(shownText(l10n.t('The key was not saved: {0}', messageOf(error))), {
      modal: true,
    });
    return false;
  }
  void window.showInformationMessage(shownText(l10n.t('The key was saved to {0}.', fsPath)));
  return true;
}

/**
 * Asks the person for a key until it is taken. Answers false when they gave up.
 * @param id of the key that is wanted
 * @param take what is wrong with a key, undefined when nothing is
 */
export function askForKey(id: string, take: (text: string) => Promise<string | undefined>): Promise<boolean> {
  const { l10n } = vscode;
  const box = vscode.window.createInputBox();
  box.title = l10n.t('Enter the key {0}', id);
  box.prompt = l10n.t('64 hexadecimal digits. It is kept in ~/.lodeline/keys, where only you can read it.');
  box.password = true;
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    box.onDidAccept(async () => {
      box.enabled = false;
      const problem = await take(box.value).catch(messageOf);
      box.enabled = true;
      box.validationMessage = problem;
      if (problem !== undefined) return;
      resolve(true);
      box.hide();
    });
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidHide(() => {
      resolve(false);
      box.dispose();
    });
    box.show();
  });
}
