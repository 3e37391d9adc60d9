/** The one time that a key is shown. */
import * as vscode from 'vscode';

/** Shows a key to the person alone: no log, chat or model gets it. */
export function showKey(key: string): void {
  const copy = vscode.l10n.t('Copy Key');
  const detail = vscode.l10n.t(
    '{0}\n\nIt is shown only now. Without it nobody can read this memory again, so keep a copy in a safe place. On this computer it stays in ~/.lodeline/keys.',
    key,
  );
  void vscode.window
    .showWarningMessage(vscode.l10n.t('The key of this folder’s memory'), { modal: true, detail }, copy)
    .then((chosen) => (chosen === copy ? vscode.env.clipboard.writeText(key) : undefined));
}
