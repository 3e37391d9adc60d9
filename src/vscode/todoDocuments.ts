/** A chat's todo list as a Markdown document of the editor: saving it changes the list. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { TodoCommandData } from '../tools/todo/command.ts';
import { type Apps, unobservedLevel } from './apps.ts';
import type { Person } from './person.ts';

const SCHEME = 'lodeline-todo';

/** The document of a chat's list. Its URI says which list it is, also after a reload of the window. */
export function todoDocument({
  place,
  folder,
}: {
  readonly place: { readonly key: string };
  readonly folder: vscode.WorkspaceFolder;
}): vscode.Uri {
  const query = JSON.stringify({ session: place.key, folder: folder.uri.toString() });
  // Two chats' documents are two tabs, which differ in what stands before the name.
  const part = createHash('sha256').update(place.key).digest('hex').slice(0, 8);
  return vscode.Uri.from({ scheme: SCHEME, path: `/${part}/${vscode.l10n.t('Todo List')}.md`, query });
}

/** The file system that these documents are in. Nothing of it is on disk but in the session. */
export class TodoDocuments implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #person: Person;
  readonly #apps: Apps;
  readonly #registration: vscode.Disposable;
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  /** What a list was when somebody last looked, and when it became so: the editor asks to tell edits apart. */
  readonly #seen = new Map<string, { text: string; mtime: number }>();

  readonly onDidChangeFile = this.#changed.event;

  constructor(person: Person, apps: Apps) {
    this.#person = person;
    this.#apps = apps;
    this.#registration = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider(SCHEME, this, { isCaseSensitive: true }),
      apps.onDidChangeMemory(() => void this.#lookForChanges()),
    );
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.#look(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: Buffer.byteLength(text) };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return Buffer.from((await this.#look(uri)).text);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const data = await this.#run(uri, { text: 'edit', markdown: Buffer.from(content).toString('utf8') });
    if ('problem' in data) throw new Error(data.problem);
    this.#remember(uri, data.markdown);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {});
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }

  async #look(uri: vscode.Uri): Promise<{ text: string; mtime: number }> {
    const data = await this.#run(uri, { text: 'edit' });
    if ('problem' in data) throw vscode.FileSystemError.Unavailable(data.problem);
    return this.#remember(uri, data.markdown);
  }

  #remember(uri: vscode.Uri, text: string): { text: string; mtime: number } {
    const known = this.#seen.get(uri.toString());
    if (known?.text === text) return known;
    const seen = { text, mtime: Math.max(Date.now(), (known?.mtime ?? 0) + 1) };
    this.#seen.set(uri.toString(), seen);
    return seen;
  }

  async #run(uri: vscode.Uri, input: { text: string; markdown?: string }): Promise<TodoCommandData> {
    const { session, folder } = targetOf(uri);
    if (session === undefined || folder === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const app = await this.#apps.app(folder);
    const level = unobservedLevel(app, folder);
    const call = { door: 'editor', chat: session, folder, level } as const;
    return (await this.#person.invoke('todo_command', input, call)).data as TodoCommandData;
  }

  /** Documents that are open and have no edits of the person's show what the agent wrote. */
  async #lookForChanges(): Promise<void> {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme !== SCHEME) continue;
      const before = this.#seen.get(uri.toString());
      // A list that cannot be read now is told of when the person saves.
      const now = await this.#look(uri).catch(() => before);
      if (now !== before) this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    }
  }
}

function targetOf(uri: vscode.Uri): { session?: string; folder?: vscode.WorkspaceFolder | undefined } {
  try {
    const { session, folder } = JSON.parse(uri.query) as { session?: unknown; folder?: unknown };
    if (typeof session !== 'string' || session === '' || typeof folder !== 'string') return {};
    const known = vscode.workspace.workspaceFolders?.find((one) => one.uri.toString() === folder);
    return { session, folder: known };
  } catch {
    return {};
  }
}
