/** What subagents left behind, as documents to read: outputs, and files before and after a task. */
import * as vscode from 'vscode';
import type { BatchActions } from '../subagent/batchActions.ts';
import type { Apps } from './apps.ts';

/** Scheme of these documents; the query says which. */
const SCHEME = 'lodeline-task';

type Wanted =
  | { readonly kind: 'output'; readonly batch: string; readonly id: string }
  | {
      readonly kind: 'file';
      readonly batch: string;
      readonly task: string;
      readonly path: string;
      readonly side: 'before' | 'after';
    };

/** Opens the documents, and answers the editor what is in them. They are for reading. */
export class SubagentDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #apps: Apps;
  readonly #registration: vscode.Disposable;

  constructor(apps: Apps) {
    this.#apps = apps;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const wanted = JSON.parse(uri.query) as Wanted;
    const { actions } = (await this.#apps.app()).subagents;
    if (wanted.kind === 'output') return await actions.output(wanted.batch, wanted.id);
    const bytes = await actions.fileAt(wanted.batch, wanted.task, wanted.path, wanted.side);
    return bytes.includes(0) ? vscode.l10n.t('This file is binary.') : bytes.toString('utf8');
  }

  /** Opens what a task handed over. */
  async openOutput(batch: string, id: string): Promise<void> {
    const uri = uriOf(`${id}.md`, { kind: 'output', batch, id });
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /** Opens the editor's own diff of what a task changed: of one file, or of all. */
  async openChanges(batch: string, task: string, path: string | undefined): Promise<void> {
    const { found } = await (await this.#actions()).find(batch, task);
    const side = (file: string, which: 'before' | 'after') =>
      uriOf(file, { kind: 'file', batch, task, path: file, side: which });
    if (path !== undefined) {
      const title = vscode.l10n.t('{0} ({1})', path, found.name);
      await vscode.commands.executeCommand('vscode.diff', side(path, 'before'), side(path, 'after'), title);
      return;
    }
    const files = found.files.map(({ path: file, status }) => [
      uriOf(file, { kind: 'file', batch, task, path: file, side: 'after' }),
      status === 'added' ? undefined : side(file, 'before'),
      status === 'deleted' ? undefined : side(file, 'after'),
    ]);
    await vscode.commands.executeCommand(
      'vscode.changes',
      vscode.l10n.t('Changes of {0}', found.name),
      files,
    );
  }

  /** Opens a task's worktree in a window of its own. */
  async openWorktree(batch: string, task: string): Promise<void> {
    const { found } = await (await this.#actions()).find(batch, task);
    if (found.worktree === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('The worktree of “{0}” is gone.', found.name));
      return;
    }
    const folder = vscode.Uri.file(found.worktree);
    await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  async #actions(): Promise<BatchActions> {
    return (await this.#apps.app()).subagents.actions;
  }
}

function uriOf(name: string, wanted: Wanted): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: JSON.stringify(wanted) });
}
