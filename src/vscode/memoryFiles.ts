/** Memory as Markdown files of the folder: what the person is told of it, and asked. */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../journal/errors.ts';
import type { MemoryFiles } from '../memoryFiles.ts';
import type { FileProblem, FilesReport } from '../worker/filesApi.ts';
import type { Apps, OpenedApp } from './apps.ts';
import { readSetting } from './ports.ts';
import { shownText } from './shownText.ts';

const SETTING = 'memory.files';

export class MemoryFileNotices implements vscode.Disposable {
  readonly #apps: Apps;
  readonly #log: vscode.LogOutputChannel;
  readonly #keepers = new Map<string, MemoryFiles>();
  /** What was told and is still so, by folder. */
  readonly #told = new Map<string, Set<string>>();
  readonly #subscriptions: vscode.Disposable;

  constructor(apps: Apps, log: vscode.LogOutputChannel) {
    this.#apps = apps;
    this.#log = log;
    // Opening folders is for after activation.
    const later = setTimeout(() => this.#openAll());
    this.#subscriptions = vscode.Disposable.from(
      { dispose: () => clearTimeout(later) },
      apps.onDidOpen((opened) => this.#keep(opened)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#openAll()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#openAll()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`lodeline.${SETTING}`)) this.#openAll();
      }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  /** A folder whose files are to be kept is opened for that, so that what changed meanwhile is taken in. */
  #openAll(): void {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      if (folder.uri.scheme !== 'file' || readSetting(SETTING, folder) !== true) continue;
      const known = this.#keepers.get(folder.uri.toString());
      if (known !== undefined) known.look();
      else
        this.#apps.app(folder).catch((error: unknown) => this.#log.warn(`memory files: ${messageOf(error)}`));
    }
  }

  #keep({ folder, app }: OpenedApp): void {
    const keeper = app.keepFiles((report) => this.#report(folder, keeper, app.workTree, report));
    this.#keepers.set(folder.uri.toString(), keeper);
    keeper.look();
  }

  #report(folder: vscode.WorkspaceFolder, keeper: MemoryFiles, workTree: string, report: FilesReport): void {
    const { created, changed, restored, forgotten, problems, missing } = report;
    if (created.length + changed.length + restored.length + forgotten.length > 0)
      this.#apps.noteMemory(folder);
    const before = this.#told.get(folder.uri.toString()) ?? new Set();
    const now = new Set<string>();
    const isNew = (what: string): boolean => {
      now.add(what);
      return !before.has(what);
    };
    const fresh = problems.filter(({ kind, file, detail }) => isNew(`${kind} ${file} ${detail}`));
    const asks = missing.length > 0 && isNew(`missing ${missing.length}`);
    this.#told.set(folder.uri.toString(), now);
    for (const { kind, file, detail } of fresh) this.#log.warn(`memory files: ${file}: ${kind}: ${detail}`);
    const [first] = fresh;
    if (first !== undefined) void this.#tell(first, workTree, fresh.length - 1);
    if (asks) void this.#ask(folder, keeper, missing.length);
  }

  async #tell(problem: FileProblem, workTree: string, more: number): Promise<void> {
    const rest = more > 0 ? ` ${vscode.l10n.t('The output channel names {0} more.', more)}` : '';
    if (problem.kind === 'sealed') {
      void vscode.window.showWarningMessage(`${textOf(problem)}${rest}`);
      return;
    }
    const open = vscode.l10n.t('Open File');
    const chosen = await vscode.window.showWarningMessage(`${textOf(problem)}${rest}`, open);
    if (chosen !== open) return;
    const path = join(workTree, '.lodeline', 'memory', problem.file);
    await vscode.window.showTextDocument(vscode.Uri.file(path)).then(undefined, () => {});
  }

  async #ask(folder: vscode.WorkspaceFolder, keeper: MemoryFiles, count: number): Promise<void> {
    const { l10n } = vscode;
    const [forget, restore] = [l10n.t('Forget Them'), l10n.t('Write Them Again')];
    const chosen = await vscode.window.showWarningMessage(
      l10n.t(
        '{0} memory files are gone from “{1}”. Forget what they held, or write them again? Until you choose nothing happens; if they come back, such as with another branch, all is as before.',
        count,
        folder.name,
      ),
      restore,
      forget,
    );
    if (chosen === undefined) return;
    try {
      await keeper.sync(chosen === forget ? 'forget' : 'restore');
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }
}

function textOf({ kind, file }: FileProblem): string {
  const { l10n } = vscode;
  const name = shownText(file);
  switch (kind) {
    case 'conflict':
      return l10n.t(
        'The memory file “{0}” holds both sides of a merge. Both texts are kept; choose one in the file.',
        name,
      );
    case 'secret':
      return l10n.t(
        'The memory file “{0}” holds a secret. It was remembered without it; take it out of the file, too.',
        name,
      );
    case 'forgotten':
      return l10n.t(
        'The memory file “{0}” came back, but what it says was forgotten here. Restore the memory or delete the file.',
        name,
      );
    case 'same-name':
      return l10n.t(
        'The memory file “{0}” has the same name in it as another one, so it was left out. Give it a name of its own.',
        name,
      );
    case 'level':
      return l10n.t(
        'The memory file “{0}” has a level above this folder’s. What is that high is not kept in files.',
        name,
      );
    case 'too-long':
      return l10n.t('The memory file “{0}” has too much text for a memory, so it was left out.', name);
    case 'sealed':
      return l10n.t(
        'This folder’s memory is encrypted, so it is not kept in files: they are clear text. Nothing in “{0}” is read or changed until memory is decrypted.',
        name,
      );
    case 'link':
      return l10n.t('“{0}” is a link or no plain file, so it was left out of memory.', name);
    case 'unreadable':
      return l10n.t('The memory file “{0}” could not be taken in. Nothing was changed.', name);
  }
}
