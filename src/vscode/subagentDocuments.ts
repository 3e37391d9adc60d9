/** What subagents left behind, as files to read: outputs, and what they changed as it was before and after. */
import * as vscode from 'vscode';
import type { ChangedFile } from '../subagent/batchRecord.ts';
import type { LeftName } from '../subagent/leftBehindActions.ts';
import type { LeftFiles, SubagentWork } from '../subagentProtocol.ts';
import type { Outcome } from '../tools/registry.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';

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
  readonly tree: string | null;
}

/**
 * Opens these files, and answers the editor what is in them. As bytes: the editor knows encodings and pictures, and
 * says so itself of what is neither.
 */
export class SubagentDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #person: Person;
  readonly #subscriptions: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  constructor(person: Person) {
    this.#person = person;
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
      return await this.#read(JSON.parse(uri.query) as Wanted);
    } catch (error) {
      throw vscode.FileSystemError.Unavailable(error instanceof Error ? error.message : String(error));
    }
  }

  async #read(wanted: Wanted): Promise<Uint8Array> {
    if (wanted.kind === 'output') {
      const { batch, id } = wanted;
      return Buffer.from((await this.#ask('subagents_output', { batch, id })).text);
    }
    const { path, side } = wanted;
    const { data } =
      wanted.kind === 'left'
        ? await this.#ask('subagents_left_file', { ...wanted.left, path, side })
        : await this.#ask('subagents_file', { batch: wanted.batch, task: wanted.task, path, side });
    return data as Uint8Array;
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
    const { name, files, tree } = (await this.#ask('subagents_work', { batch, task })).data as SubagentWork;
    const at = (file: string, side: Side) =>
      uriOf(file, { kind: 'file', batch, task, path: file, side, tree });
    await showChanges(name, files, path, at);
  }

  /** The same of work that was left behind. */
  async openLeft(kind: LeftName['kind'], id: string, path: string | undefined): Promise<void> {
    const name = { kind, id };
    const { data } = await this.#ask('subagents_left_files', name);
    const { files, tree, name: title } = data as LeftFiles;
    const at = (file: string, side: Side) =>
      uriOf(file, { kind: 'left', left: name, path: file, side, tree });
    await showChanges(title, files, path, at);
  }

  /** Opens a task's worktree in a window of its own. */
  async openWorktree(batch: string, task: string): Promise<void> {
    const { name, worktree } = (await this.#ask('subagents_work', { batch, task })).data as SubagentWork;
    if (worktree === null) {
      void vscode.window.showInformationMessage(
        shownText(vscode.l10n.t('The worktree of “{0}” is gone.', name)),
      );
      return;
    }
    const folder = vscode.Uri.file(worktree);
    await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  #ask(tool: string, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return this.#person.invoke(tool, input, { door: 'panel' });
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
