import * as vscode from 'vscode';
import { contributedTools } from './manifest.ts';

const TOLD = 'nameClashes.told';

/**
 * Notices about tools that another extension contributes under our names: the editor drops the second one without
 * a word. New ones are also shown once as a notification.
 */
export function findNameClashes(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): string[] {
  const ours = new Set(contributedTools(context.extension.packageJSON));
  const notices = vscode.extensions.all.flatMap(({ id, packageJSON }) => {
    if (id === context.extension.id) return [];
    const names = contributedTools(packageJSON).filter((name) => ours.has(name));
    if (names.length === 0) return [];
    return [
      vscode.l10n.t(
        'The extension {0} has tools of the same name as Lodeline: {1}. The editor offers agents only one of each. Disable one of the extensions.',
        id,
        names.join(', '),
      ),
    ];
  });
  for (const notice of notices) log.warn(notice);
  const told = context.globalState.get<readonly string[]>(TOLD, []);
  const news = notices.filter((notice) => !told.includes(notice));
  for (const notice of news) void vscode.window.showWarningMessage(notice);
  if (news.length > 0) void context.globalState.update(TOLD, notices);
  return notices;
}
