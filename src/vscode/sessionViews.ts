import * as vscode from 'vscode';
import { Panel, type PanelHost } from './panel.ts';

/** The side bar's view of sessions, with a badge for messages that came while it was not in sight. */
export class SessionViews implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #host: PanelHost;
  readonly #subscriptions: vscode.Disposable;
  #view: vscode.WebviewView | undefined;
  #unseen = 0;

  constructor(host: Omit<PanelHost, 'openInEditor'>) {
    // Only the memory browser has a place in the editor area.
    this.#host = { ...host, openInEditor: () => {} };
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider('lodeline.sessions', this),
      host.apps.onDidReceiveMessage(({ folder }) => {
        if (folder === host.apps.folder && this.#view?.visible !== true) this.#count(this.#unseen + 1);
      }),
      host.apps.onDidChangeFolder(() => this.#count(0)),
    );
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const panel = new Panel(view.webview, 'sessions', 'sidebar', this.#host);
    this.#view = view;
    this.#count(0);
    view.onDidChangeVisibility(() => {
      if (view.visible) this.#count(0);
      else panel.hidden();
    });
    view.onDidDispose(() => {
      panel.dispose();
      if (this.#view === view) this.#view = undefined;
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  #count(unseen: number): void {
    this.#unseen = unseen;
    if (this.#view === undefined) return;
    const tooltip =
      unseen === 1
        ? vscode.l10n.t('1 message between sessions')
        : vscode.l10n.t('{0} messages between sessions', unseen);
    this.#view.badge = unseen === 0 ? undefined : { value: unseen, tooltip };
  }
}
