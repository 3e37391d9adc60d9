/** The commands that act on all of a folder's memory at once. */
import * as vscode from 'vscode';
import { LEVELS } from '../policy/level.ts';
import { isSealed } from '../tools/sealing.ts';
import type { Apps } from './apps.ts';
import type { Person } from './person.ts';
import { sealOf } from './sealState.ts';
import { countLines, readStatistics } from './statistics.ts';

/** Saves all of a folder's memory to a file that the person chooses. Answers whether it was saved. */
export async function exportEverything(apps: Apps, person: Person): Promise<boolean> {
  const { folder } = apps;
  const clear = await asksClear(person, folder);
  if (clear === undefined) return false;
  const { text } = await person.invoke('memory_export', { clear }, { door: 'palette', folder });
  const name = `lodeline-memory-${new Date().toISOString().slice(0, 10)}.json`;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Everything'),
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
    filters: { JSON: ['json'] },
  });
  if (target === undefined) return false;
  await vscode.workspace.fs.writeFile(target, Buffer.from(text));
  const open = vscode.l10n.t('Open');
  void vscode.window
    .showInformationMessage(vscode.l10n.t('Memory was exported to {0}.', target.fsPath), open)
    .then((chosen) => (chosen === open ? vscode.window.showTextDocument(target) : undefined));
  return true;
}

/** Whether what leaves an encrypted folder is to be in the clear; undefined when the person closed the question. */
async function asksClear(person: Person, folder: Apps['folder']): Promise<boolean | undefined> {
  if (!isSealed(await sealOf(person, folder))) return false;
  const [sealed, clear] = [vscode.l10n.t('Export Encrypted'), vscode.l10n.t('Export in the Clear')];
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('The memory of this folder is encrypted. Encrypt the export, too?'),
    {
      modal: true,
      detail: vscode.l10n.t(
        'An encrypted export opens with the key of this folder alone (lodeline export --open FILE). Whoever has a clear one can read everything.',
      ),
    },
    ...[sealed, clear],
  );
  return chosen === undefined ? undefined : chosen === clear;
}

/** Deletes all of a folder's memory for good, after a preview, an offer to export, and the folder's name typed. */
export async function deleteEverything(apps: Apps, person: Person): Promise<void> {
  const { folder } = apps;
  const stats = await readStatistics(person, folder);
  const name = folder?.name ?? '';
  if (!(await chooseDelete(name, countLines(stats), () => exportEverything(apps, person)))) return;
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Delete everything Lodeline remembers about “{0}”', name),
    prompt: vscode.l10n.t('Type the name of the folder to delete its memory for good: {0}', name),
    ignoreFocusOut: true,
  });
  if (typed === undefined) return;
  if (typed.trim() !== name.trim()) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t('That is not the name of the folder. Nothing was deleted.'),
    );
    return;
  }
  // A call erases what its own level holds.
  for (const level of LEVELS) {
    await person.invoke('memory_erase', {}, { door: 'palette', folder, level, approved: true });
  }
  void vscode.window.showInformationMessage(vscode.l10n.t('All memory of “{0}” was deleted.', name));
}

/** Shows what would be deleted until the person decides; exporting comes back to the question. */
async function chooseDelete(
  name: string,
  preview: readonly string[],
  exportFirst: () => Promise<boolean>,
): Promise<boolean> {
  const erase = vscode.l10n.t('Delete…');
  const save = vscode.l10n.t('Export First…');
  for (;;) {
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Delete everything Lodeline remembers about “{0}”?', name),
      {
        modal: true,
        detail: [
          vscode.l10n.t(
            'All entries, their history, all file summaries, all chats with their plans, the work of subagents that did not land, with its branches and worktrees, and what waits for a memory server are removed from disk. This cannot be undone.',
          ),
          '',
          ...preview,
        ].join('\n'),
      },
      save,
      erase,
    );
    if (chosen !== save) return chosen === erase;
    await exportFirst();
  }
}
