/** Encryption of what is kept of a folder, from the command palette. */
import * as vscode from 'vscode';
import type { SealOutcome } from '../worker/sealingApi.ts';
import type { Person } from './person.ts';

export async function encryptMemory(person: Person): Promise<void> {
  const { data } = await person.invoke('memory_encrypt', {}, { door: 'palette' });
  const { already } = data as SealOutcome;
  void vscode.window.showInformationMessage(
    already
      ? vscode.l10n.t('The memory of this folder is encrypted already.')
      : vscode.l10n.t('The memory of this folder is encrypted.'),
  );
}

export async function decryptMemory(person: Person): Promise<void> {
  const { data } = await person.invoke('memory_decrypt', {}, { door: 'palette' });
  const { already } = data as SealOutcome;
  void vscode.window.showInformationMessage(
    already
      ? vscode.l10n.t('The memory of this folder is not encrypted.')
      : vscode.l10n.t('The memory of this folder is no longer encrypted.'),
  );
}
