/** The one warning for each time that the memory server begins not to take what is sent. */
import * as vscode from 'vscode';
import type { Phrase } from '../backendProtocol.ts';
import { shownText } from './shownText.ts';
import { localizedPhrase } from './toolTexts.ts';

/** Says that the server does not take what is sent, and leads to where it is shown. */
export async function warnOfServer(warning: Phrase): Promise<void> {
  const show = vscode.l10n.t('Show Memory');
  const chosen = await vscode.window.showWarningMessage(shownText(localizedPhrase(warning)), show);
  if (chosen === show) await vscode.commands.executeCommand('lodeline.browseMemory');
}
