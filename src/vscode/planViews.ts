import * as vscode from 'vscode';
import { Panel, type PanelHost, type PanelKind } from './panel.ts';

/** The side bar's views of what agents do: a session's todo list, its checkpoint, and subagents. */
export function registerPlanViews(host: Omit<PanelHost, 'openInEditor'>): vscode.Disposable {
  return vscode.Disposable.from(
    ...(['todo', 'checkpoint', 'subagents'] as const).map((kind) =>
      vscode.window.registerWebviewViewProvider(`lodeline.${kind}`, new SideView(kind, host)),
    ),
  );
}

class SideView implements vscode.WebviewViewProvider {
  readonly #kind: PanelKind;
  readonly #host: PanelHost;

  constructor(kind: PanelKind, host: Omit<PanelHost, 'openInEditor'>) {
    this.#kind = kind;
    // Only the memory browser has a place in the editor area.
    this.#host = { ...host, openInEditor: () => {} };
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const panel = new Panel(view.webview, this.#kind, 'sidebar', this.#host);
    view.onDidChangeVisibility(() => {
      if (!view.visible) panel.hidden();
    });
    view.onDidDispose(() => panel.dispose());
  }
}
