/** The token of the Hindsight server: in the editor's secret storage, and nowhere else. */
import * as vscode from 'vscode';

const KEY = 'hindsight.apiToken';
/** Address of the server that the token was first used for. */
const SERVER = 'hindsight.apiTokenServer';

/**
 * The token that the person gave; undefined where there is none for this server. It belongs to the first server that
 * it is asked for: another one that the person chooses later does not get it.
 */
export async function hindsightToken(
  secrets: vscode.SecretStorage,
  server: string,
): Promise<string | undefined> {
  const token = await secrets.get(KEY);
  if (token === undefined || token === '') return undefined;
  const own = await secrets.get(SERVER);
  if (own === undefined) await secrets.store(SERVER, server);
  return own === undefined || own === server ? token : undefined;
}

/** Asks for the token. An empty one removes what was kept. Answers whether the person gave one. */
export async function setHindsightToken(secrets: vscode.SecretStorage): Promise<boolean> {
  const { l10n, window } = vscode;
  const known = await secrets.get(KEY);
  const given = await window.showInputBox({
    title: l10n.t('Token of the Hindsight server'),
    prompt:
      known === undefined || known === ''
        ? l10n.t('It is kept in the secret storage of the editor.')
        : l10n.t('A token is set. Give another one, or nothing to remove it.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (given === undefined) return false;
  const token = given.trim();
  await secrets.delete(SERVER);
  if (token === '') await secrets.delete(KEY);
  else await secrets.store(KEY, token);
  const isFixed = (process.env.HINDSIGHT_API_TOKEN ?? '') !== '';
  void window.showInformationMessage(
    isFixed
      ? l10n.t('Noted. HINDSIGHT_API_TOKEN of the environment wins as long as it is set.')
      : token === ''
        ? l10n.t('The token was removed.')
        : l10n.t('The token was set.'),
  );
  return true;
}
