import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { App, AppThread } from '../appApi.ts';
import type { MessageEvent } from '../messaging/event.ts';
import { type Level, maxLevel, parseLevel } from '../policy/level.ts';
import type { ToolCall } from '../tools/tool.ts';
import { isInside } from './fileReference.ts';
import { showOpening } from './opening.ts';
import { portsOf, readSetting } from './ports.ts';
import { warnOfServer } from './serverWarning.ts';

/** Settings that an app reads once, when it is made. */
const READ_ONCE = ['lodeline.classification.defaultLevel', 'lodeline.vocab'];

/** A message and the folder whose sessions it is between. */
export interface ArrivedMessage {
  readonly folder: vscode.WorkspaceFolder;
  readonly event: MessageEvent;
}

/** A call of a tool in a folder, by an agent or the person. */
export interface MadeCall {
  readonly folder: vscode.WorkspaceFolder;
  readonly call: ToolCall;
}

/** An app that was opened, and its folder. */
export interface OpenedApp {
  readonly folder: vscode.WorkspaceFolder;
  readonly app: App;
}

/** One app for each workspace folder, made at its first use; they share one store thread. */
export class Apps implements vscode.Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #secrets: vscode.SecretStorage;
  readonly #apps = new Map<string, Promise<App>>();
  readonly #changed = new vscode.EventEmitter<vscode.WorkspaceFolder>();
  readonly #moved = new vscode.EventEmitter<void>();
  readonly #messages = new vscode.EventEmitter<ArrivedMessage>();
  readonly #calls = new vscode.EventEmitter<MadeCall>();
  readonly #opened = new vscode.EventEmitter<OpenedApp>();
  readonly #subscriptions: vscode.Disposable;
  #thread: AppThread | undefined;
  /** The folder of the editor that was last active in one. */
  #active: vscode.WorkspaceFolder | undefined;

  /** Memory of a folder changed, here or in another process. */
  readonly onDidChangeMemory = this.#changed.event;
  /** A message between sessions has come to where it is to be read. */
  readonly onDidReceiveMessage = this.#messages.event;
  /** Something calls a tool. */
  readonly onDidCall = this.#calls.event;
  /** An app was opened. */
  readonly onDidOpen = this.#opened.event;
  /** Another folder became the current one, or its app has to be opened anew. */
  readonly onDidChangeFolder = this.#moved.event;

  constructor(log: vscode.LogOutputChannel, secrets: vscode.SecretStorage) {
    this.#log = log;
    this.#secrets = secrets;
    this.#follow(vscode.window.activeTextEditor);
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      this.#moved,
      this.#messages,
      this.#calls,
      this.#opened,
      vscode.window.onDidChangeActiveTextEditor((editor) => this.#follow(editor)),
      vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
        for (const folder of removed) this.#close(folder.uri.toString());
        if (this.#active !== undefined && removed.includes(this.#active)) this.#active = undefined;
        this.#moved.fire();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!READ_ONCE.some((setting) => event.affectsConfiguration(setting))) return;
        for (const key of this.#apps.keys()) this.#close(key);
        this.#moved.fire();
      }),
    );
  }

  /** The folder that a call means which names no path. */
  get folder(): vscode.WorkspaceFolder | undefined {
    return this.#active ?? localFolders()[0];
  }

  /** The folder that holds one of the absolute paths, else the current one. */
  folderOf(paths: readonly (string | undefined)[]): vscode.WorkspaceFolder | undefined {
    const named = localFolders().find(({ uri }) =>
      paths.some(
        (path) =>
          path !== undefined && isAbsolute(path) && (path === uri.fsPath || isInside(uri.fsPath, path)),
      ),
    );
    return named ?? this.folder;
  }

  /** The app of a folder; without one an error that says what to do. */
  async app(folder: vscode.WorkspaceFolder | undefined = this.folder): Promise<App> {
    if (folder === undefined) {
      throw new Error(vscode.l10n.t('Lodeline keeps memory per folder. Open a folder, then try again.'));
    }
    const key = folder.uri.toString();
    const known = this.#apps.get(key);
    if (known !== undefined) return known;
    const app = this.#open(folder);
    this.#apps.set(key, app);
    app.catch(() => this.#apps.delete(key));
    return app;
  }

  /** Says that a folder's memory changed, where nothing else does. */
  noteMemory(folder: vscode.WorkspaceFolder): void {
    this.#changed.fire(folder);
  }

  /** Opens a folder's app anew at its next use, after something changed that it reads once. */
  reopen(folder: vscode.WorkspaceFolder): void {
    this.#close(folder.uri.toString());
    this.#moved.fire();
  }

  /** Closes every store, so that nothing is left unsaved, and ends their thread. */
  async close(): Promise<void> {
    this.dispose();
    const apps = await Promise.allSettled(this.#apps.values());
    this.#apps.clear();
    await Promise.allSettled(
      apps.map(async (app) => (app.status === 'fulfilled' ? app.value.close() : undefined)),
    );
    await this.#thread?.dispose();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #open(folder: vscode.WorkspaceFolder): Promise<App> {
    const { createApp, startThread } = await import('../app.ts');
    this.#thread ??= startThread();
    const app = createApp({
      root: folder.uri.fsPath,
      ports: {
        ...portsOf(folder, this.#log, this.#secrets),
        messageArrived: (event) => {
          this.#messages.fire({ folder, event });
          this.#changed.fire(folder);
        },
      },
      thread: this.#thread,
    });
    app.news.onMemory(() => this.#changed.fire(folder));
    showOpening(app.news);
    app.registry.onCall((call) => this.#calls.fire({ folder, call }));
    app.registry.onWrite(() => this.#changed.fire(folder));
    app.taint.onRaise(() => this.#changed.fire(folder));
    app.backend.onChange(() => this.#changed.fire(folder));
    app.backend.onWarning((warning) => void warnOfServer(warning));
    app.news.onWork(() => this.#changed.fire(folder));
    const endSchedule = app.keepSchedule();
    this.#opened.fire({ folder, app });
    const close = async () => {
      endSchedule();
      await app.close();
    };
    return { ...app, close };
  }

  #close(key: string): void {
    const app = this.#apps.get(key);
    this.#apps.delete(key);
    app?.then((opened) => opened.close()).catch((error: unknown) => this.#log.warn(String(error)));
  }

  #follow(editor: vscode.TextEditor | undefined): void {
    const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
    if (folder === undefined || folder.uri.scheme !== 'file' || folder === this.folder) return;
    this.#active = folder;
    this.#moved.fire();
  }
}

/** The level of a chat whose own file reads we cannot see. */
export function unobservedLevel(app: App, folder: vscode.WorkspaceFolder | undefined): Level {
  const own = parseLevel(String(readSetting('classification.unobservedLevel', folder)));
  return own === undefined ? app.defaultLevel : maxLevel(app.defaultLevel, own);
}

function localFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
}
