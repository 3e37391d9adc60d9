/** Backups of the memory and their return, from the command palette. */
import * as vscode from 'vscode';
import type { CopyName } from '../memory/copies.ts';
import type { CopyMade, RestoreOutcome } from '../worker/careApi.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';

export async function backupMemory(person: Person): Promise<void> {
  const { data } = await person.invoke('memory_backup', {}, { door: 'palette' });
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Backed up {0} memories.', (data as CopyMade).entries),
  );
}

export async function restoreMemory(person: Person): Promise<void> {
  const { data } = await person.invoke('memory_copies', {}, { door: 'palette' });
  const { copies } = data as { copies: readonly CopyName[] };
  if (copies.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There are no backups or snapshots yet.'));
    return;
  }
  const items = copies.map(({ name, kind, at, note }) => ({
    label: new Date(at).toLocaleString(vscode.env.language),
    description: kind === 'backup' ? vscode.l10n.t('Backup') : vscode.l10n.t('Snapshot, kept for 7 days'),
    ...(note ? { detail: shownText(note) } : {}),
    name,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Restore memory from…'),
  });
  if (chosen === undefined) return;
  const outcome = await person.invoke('memory_restore', { name: chosen.name }, { door: 'palette' });
  const { restored, unchanged } = outcome.data as RestoreOutcome;
  void vscode.window.showInformationMessage(
    vscode.l10n.t('Restored {0} memories; {1} were the same already.', restored, unchanged),
  );
}
