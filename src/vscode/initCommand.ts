/** The command that makes the project's vocabulary, as `lodeline init` does. */
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { initialize } from '../cli/init.ts';
import type { Apps } from './apps.ts';
import { shownText } from './shownText.ts';

/** Merges what the current folder's manifests name into its vocabulary, and says what became of it. */
export async function initializeVocabulary(apps: Apps): Promise<void> {
  const { folder } = apps;
  if (folder === undefined)
    throw new Error(vscode.l10n.t('Lodeline keeps memory per folder. Open a folder, then try again.'));
  const root = realpathSync(folder.uri.fsPath);
  const { vocabulary } = await initialize(
    { root, home: homedir(), env: process.env, platform: process.platform },
    [],
  );
  const { done, note, manifests, tags, file } = vocabulary;
  if (done === 'failed')
    throw new Error(vscode.l10n.t('The project vocabulary was not changed. {0}: {1}', file, note ?? ''));
  if (manifests.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t(
        'There is no package.json, Cargo.toml, requirements.txt, pyproject.toml or go.mod at the top of this folder.',
      ),
    );
    return;
  }
  apps.reopen(folder);
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showInformationMessage(
    shownText(
      vscode.l10n.t(
        'Tags of the project vocabulary from {1}: {0}. New memories that speak of them get their tags.',
        tags,
        manifests.join(', '),
      ),
    ),
    open,
  );
  if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(file));
}
