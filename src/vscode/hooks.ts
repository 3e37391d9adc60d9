/** Commands that have the editor's agents observed wholly, through hooks, and that end it. */
import * as vscode from 'vscode';
import type { Apps } from './apps.ts';
import {
  HOOK_EVENTS,
  HOOK_FILE,
  hookCommand,
  hookFileOf,
  hookFileText,
  readHookFile,
  removeHookFile,
  writeHookFile,
} from './hooksFile.ts';

/** The editor's own setting, without which it runs no hooks. */
const USE_HOOKS = 'chat.useHooks';

/** Writes the hook file of the current folder, after the person has seen what will stand in it. */
export async function observeChats(apps: Apps): Promise<void> {
  const root = rootOf(apps);
  const { state, text } = readHookFile(root);
  if (state === 'foreign') return showForeign(root);
  const isWritten = text === hookFileText();
  if (!isWritten) {
    if (!(await agrees())) return;
    writeHookFile(root);
  }
  const isRunning = vscode.workspace.getConfiguration().get(USE_HOOKS) === true;
  if (!isRunning && !(await turnsSettingOn())) return;
  await offerReload(
    isWritten && isRunning
      ? vscode.l10n.t('Hooks are on in this folder. If a Copilot chat is not observed, reload this window.')
      : vscode.l10n.t('Copilot chats in this folder are observed once this window has been loaded again.'),
  );
}

/** Shows what will run, and on demand the whole file first. */
async function agrees(): Promise<boolean> {
  const write = vscode.l10n.t('Write File');
  const look = vscode.l10n.t('Show File First');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('Observe Copilot chats in this folder fully?'),
    {
      modal: true,
      detail: [
        vscode.l10n.t(
          'What is said and done in these chats is kept in this folder’s store on your machine, without secrets, and other sessions see which files they touch. For that {0} is written, by which the editor runs this command for its agents:',
          HOOK_FILE,
        ),
        '',
        hookCommand(process.platform),
        '',
        vscode.l10n.t('It runs at: {0}', HOOK_EVENTS.join(', ')),
      ].join('\n'),
    },
    write,
    look,
  );
  if (chosen !== look) return chosen === write;
  await vscode.window.showTextDocument(
    await vscode.workspace.openTextDocument({ language: 'json', content: hookFileText() }),
  );
  return (
    (await vscode.window.showInformationMessage(vscode.l10n.t('Write this to {0}?', HOOK_FILE), write)) ===
    write
  );
}

/** Removes the hook file of the current folder, if it is ours. */
export async function stopObserving(apps: Apps): Promise<void> {
  const root = rootOf(apps);
  if (readHookFile(root).state === 'foreign') return showForeign(root);
  const message = removeHookFile(root)
    ? vscode.l10n.t('{0} was removed. Copilot chats are no longer observed; what was kept stays.', HOOK_FILE)
    : vscode.l10n.t('There are no hooks of Lodeline in this folder.');
  void vscode.window.showInformationMessage(message);
}

/** The setting is the editor's and the person's: it is turned on only when they say so. */
async function turnsSettingOn(): Promise<boolean> {
  const turnOn = vscode.l10n.t('Turn On');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('The editor runs hooks only when its setting “{0}” is on.', USE_HOOKS),
    turnOn,
  );
  if (chosen !== turnOn) return false;
  await vscode.workspace.getConfiguration().update(USE_HOOKS, true, vscode.ConfigurationTarget.Global);
  return true;
}

/**
 * The editor takes up new hooks some time after they are written, and a chat that runs by then may go on without them.
 * Only a window that is loaded later has them for sure; when that is, is the person's to say.
 */
async function offerReload(message: string): Promise<void> {
  const reload = vscode.l10n.t('Reload Window');
  if ((await vscode.window.showInformationMessage(message, reload)) === reload)
    await vscode.commands.executeCommand('workbench.action.reloadWindow');
}

async function showForeign(root: string): Promise<void> {
  const open = vscode.l10n.t('Open');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      '{0} was changed by somebody else and is left alone. Remove it yourself, then try again.',
      HOOK_FILE,
    ),
    open,
  );
  if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(hookFileOf(root)));
}

function rootOf(apps: Apps): string {
  const { folder } = apps;
  if (folder === undefined)
    throw new Error(vscode.l10n.t('Lodeline keeps memory per folder. Open a folder, then try again.'));
  return folder.uri.fsPath;
}
