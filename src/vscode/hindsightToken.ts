/** The token of the Hindsight server: in the editor's secret storage, and nowhere else. */
import * as vscode from 'vscode';

const KEY = 'hindsight.apiToken';

/** The token that the person gave; undefined where there is none. */
export async function hindsightToken(secrets: vscode.SecretStorage): Promise<string | undefined> {
  return (await secrets.get(KEY)) || undefined;
}

/** Asks for the token. An empty one removes what was kept. Answers whether the person gave one. */
export async function setHindsightToken(secrets: vscode.SecretStorage): Promise<boolean> {
  const { l10n, window } = vscode;
  const known = await hindsightToken(secrets);
  const given = await window.showInputBox({
    title: l10n.t('Token of the Hindsight server'),
    prompt:
      known === undefined
        ? l10n.t('It is kept in the secret storage of the editor.')
        : l10n.t('A token is set. Give another one, or nothing to remove it.'),
    password: true,
    ignoreFocusOut: true,
  });
  if (given === undefined) return false;
  const token = given.trim();
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
