/** What subagents left behind, as files to read: outputs, and what they changed as it was before and after. */
import * as vscode from 'vscode';
import type { BatchActions } from '../subagent/batchActions.ts';
import type { ChangedFile } from '../subagent/batchRecord.ts';
import type { LeftName } from '../subagent/leftBehindActions.ts';
import { toldPhrase } from '../tools/subagent/told.ts';
import type { Apps } from './apps.ts';
import { shownText } from './shownText.ts';
import { localizedPhrase } from './toolTexts.ts';

/** Scheme of these files; the query says which. */
const SCHEME = 'lodeline-task';

type Side = 'before' | 'after';

type Wanted =
  | { readonly kind: 'output'; readonly batch: string; readonly id: string }
  | ({ readonly kind: 'file'; readonly batch: string; readonly task: string } & FileOf)
  | ({ readonly kind: 'left'; readonly left: LeftName } & FileOf);

interface FileOf {
  readonly path: string;
  readonly side: Side;
  /** Tree of the task's files: after other work it is another file. */
  readonly tree: string | undefined;
}

/**
 * Opens these files, and answers the editor what is in them. As bytes: the editor knows encodings and pictures, and
 * says so itself of what is neither.
 */
export class SubagentDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #apps: Apps;
  readonly #subscriptions: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(apps: Apps) {
    this.#apps = apps;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isReadonly: true, isCaseSensitive: true }),
    );
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { length } = await this.readFile(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: length };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    try {
      const wanted = JSON.parse(uri.query) as Wanted;
      if (wanted.kind === 'left') {
        const { left } = (await this.#apps.app()).subagents;
        return await left.fileAt(wanted.left, wanted.path, wanted.side);
      }
      const actions = await this.#actions();
      if (wanted.kind === 'output') return Buffer.from(await actions.output(wanted.batch, wanted.id));
      return await actions.fileAt(wanted.batch, wanted.task, wanted.path, wanted.side);
    } catch (error) {
      const said = toldPhrase(error instanceof Error ? error.message : String(error));
      throw vscode.FileSystemError.Unavailable(localizedPhrase(said));
    }
  }

  /** They never change. */
  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  /** Opens what a task handed over. */
  async openOutput(batch: string, id: string): Promise<void> {
    const uri = uriOf(`${id}.md`, { kind: 'output', batch, id });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Opens the editor's own diff of what a task changed: of one file, or of all. */
  async openChanges(batch: string, task: string, path: string | undefined): Promise<void> {
    const { found } = await (await this.#actions()).find(batch, task);
    const tree = found.landing?.work?.tree;
    const at = (file: string, side: Side) =>
      uriOf(file, { kind: 'file', batch, task, path: file, side, tree });
    await showChanges(found.name, found.files, path, at);
  }

  /** The same of work that was left behind. */
  async openLeft(kind: LeftName['kind'], id: string, path: string | undefined): Promise<void> {
    const { left } = (await this.#apps.app()).subagents;
    const name = { kind, id };
    const { files, tree, id: title } = await left.work(name);
    const at = (file: string, side: Side) =>
      uriOf(file, { kind: 'left', left: name, path: file, side, tree });
    await showChanges(title, files, path, at);
  }

  /** Opens a task's worktree in a window of its own. */
  async openWorktree(batch: string, task: string): Promise<void> {
    const { found } = await (await this.#actions()).find(batch, task);
    if (found.worktree === undefined) {
      void vscode.window.showInformationMessage(
        shownText(vscode.l10n.t('The worktree of “{0}” is gone.', found.name)),
      );
      return;
    }
    const folder = vscode.Uri.file(found.worktree);
    await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  async #actions(): Promise<BatchActions> {
    return (await this.#apps.app()).subagents.actions;
  }
}

async function showChanges(
  name: string,
  changed: readonly Pick<ChangedFile, 'path' | 'status'>[],
  path: string | undefined,
  at: (file: string, side: Side) => vscode.Uri,
): Promise<void> {
  if (path !== undefined) {
    const title = vscode.l10n.t('{0} ({1})', path, name);
    await vscode.commands.executeCommand('vscode.diff', at(path, 'before'), at(path, 'after'), title);
    return;
  }
  const files = changed.map(({ path: file, status }) => [
    at(file, status === 'deleted' ? 'before' : 'after'),
    status === 'added' ? undefined : at(file, 'before'),
    status === 'deleted' ? undefined : at(file, 'after'),
  ]);
  await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Changes of {0}', name), files);
}

function uriOf(name: string, wanted: Wanted): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: JSON.stringify(wanted) });
}
