/** Which session the person is in: the chat that called last, and before the first call the window's own. */
import * as vscode from 'vscode';
import type { TaintedSession } from '../policy/taint.ts';
import type { ToolCall } from '../tools/tool.ts';
import { type Apps, unobservedLevel } from './apps.ts';
import { hasHooks } from './chatLevel.ts';

export class CurrentSession implements vscode.Disposable {
  readonly #apps: Apps;
  readonly #window: string;
  /** By the URI of their folder. */
  readonly #last = new Map<string, TaintedSession>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable;

  /** Something was called: another session may be the current one, or its level may be another. */
  readonly onDidChange = this.#changed.event;

  /** @param window key of the session of chats whose own the editor does not tell */
  constructor(apps: Apps, window: string) {
    this.#apps = apps;
    this.#window = window;
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      apps.onDidCall(({ folder, call }) => {
        if (!isChat(call)) return;
        this.#last.set(folder.uri.toString(), { key: call.session, start: call.level });
        this.#changed.fire();
      }),
    );
  }

  /** The session, with the level that it has at least. */
  async of(folder: vscode.WorkspaceFolder): Promise<TaintedSession & { readonly isChat: boolean }> {
    const last = this.#last.get(folder.uri.toString());
    if (last !== undefined) return { ...last, isChat: true };
    const app = await this.#apps.app(folder);
    const start = hasHooks(folder) ? app.defaultLevel : unobservedLevel(app, folder);
    return { key: this.#window, start, isChat: false };
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

/** What the person does in panels, and what subagents do, is no chat of theirs. */
function isChat({ actor, door, loop }: ToolCall): boolean {
  return actor === 'agent' && door === 'editor' && (loop === undefined || loop.depth === 0);
}
