import * as vscode from 'vscode';
import type { ShowRequest } from '../protocol.ts';
import { Panel, type PanelHost } from './panel.ts';

/** Id of the side bar's view and type of the editor tab. */
const VIEW = 'lodeline.memory';

/** The places where the memory browser can be: the side bar and one editor tab. */
export class MemoryViews
  implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer, vscode.Disposable
{
  readonly #host: PanelHost;
  readonly #subscriptions: vscode.Disposable;
  #sidebar: Panel | undefined;
  #tab: { readonly panel: Panel; readonly window: vscode.WebviewPanel } | undefined;
  /** For a side bar that has not been shown yet. */
  #show: ShowRequest | undefined;

  constructor(host: Omit<PanelHost, 'openInEditor'>) {
    this.#host = { ...host, openInEditor: (show) => this.openInEditor(show) };
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(VIEW, this),
      vscode.window.registerWebviewPanelSerializer(VIEW, this),
    );
  }

  /** Brings the side bar's view to the front, with something to show in it. */
  async open(show?: ShowRequest): Promise<void> {
    if (show !== undefined) {
      if (this.#sidebar === undefined) this.#show = show;
      else this.#sidebar.show(show);
    }
    await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  /** Brings the editor tab to the front, or makes it. */
  openInEditor(show?: ShowRequest): void {
    if (this.#tab === undefined) {
      this.#adopt(vscode.window.createWebviewPanel(VIEW, title(), vscode.ViewColumn.Active));
    } else {
      this.#tab.window.reveal();
    }
    if (show !== undefined) this.#tab?.panel.show(show);
  }

  /** Tells every panel its state again. */
  refresh(): void {
    this.#sidebar?.refresh();
    this.#tab?.panel.refresh();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const panel = new Panel(view.webview, 'memory', 'sidebar', this.#host);
    this.#sidebar = panel;
    if (this.#show !== undefined) panel.show(this.#show);
    this.#show = undefined;
    view.onDidChangeVisibility(() => {
      if (!view.visible) panel.hidden();
    });
    view.onDidDispose(() => {
      panel.dispose();
      if (this.#sidebar === panel) this.#sidebar = undefined;
    });
  }

  async deserializeWebviewPanel(window: vscode.WebviewPanel): Promise<void> {
    // One tab is enough: a restored second one would only show the same.
    if (this.#tab === undefined) this.#adopt(window);
    else window.dispose();
  }

  dispose(): void {
    this.#sidebar?.dispose();
    this.#tab?.window.dispose();
    this.#subscriptions.dispose();
  }

  #adopt(window: vscode.WebviewPanel): void {
    window.title = title();
    window.iconPath = vscode.Uri.joinPath(this.#host.extensionUri, 'media', 'icon.png');
    const panel = new Panel(window.webview, 'memory', 'editor', this.#host);
    this.#tab = { panel, window };
    window.onDidChangeViewState(() => {
      if (!window.visible) panel.hidden();
    });
    window.onDidDispose(() => {
      panel.dispose();
      if (this.#tab?.window === window) this.#tab = undefined;
    });
  }
}

function title(): string {
  return vscode.l10n.t('Lodeline Memory');
}
