import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Apps } from './apps.ts';
import type { Person } from './person.ts';
import { sealOf } from './sealState.ts';
import { readStatistics } from './statistics.ts';

/** Long enough that a burst of writes is counted once. */
const DELAY = 2_000;

/** The count of memories in the status bar; a click opens the browser. */
export class StatusBar implements vscode.Disposable {
  readonly #apps: Apps;
  readonly #person: Person;
  readonly #log: vscode.LogOutputChannel;
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: vscode.Disposable;
  #timer: NodeJS.Timeout | undefined;

  constructor(apps: Apps, person: Person, log: vscode.LogOutputChannel) {
    this.#apps = apps;
    this.#person = person;
    this.#log = log;
    this.#item = vscode.window.createStatusBarItem('lodeline.memories', vscode.StatusBarAlignment.Right, 90);
    this.#item.name = vscode.l10n.t('Lodeline Memory');
    this.#item.command = 'lodeline.browseMemory';
    this.#subscriptions = vscode.Disposable.from(
      this.#item,
      apps.onDidChangeMemory(() => this.#schedule()),
      apps.onDidChangeFolder(() => this.#schedule()),
    );
    this.#schedule();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#update(), DELAY);
  }

  async #update(): Promise<void> {
    // Before reading, so that a change from now on is counted too.
    this.#timer = undefined;
    try {
      const { folder } = this.#apps;
      if (folder === undefined) this.#item.hide();
      else await this.#count(folder);
    } catch (error) {
      this.#log.warn(`Counting memories: ${String(error)}`);
      this.#item.hide();
    }
  }

  async #count(folder: vscode.WorkspaceFolder): Promise<void> {
    const app = await this.#apps.app(folder);
    // Counting would make the store's folders in every workspace that is merely looked at.
    if (!existsSync(join(app.storeDir, 'memory'))) return this.#show(0, []);
    if ((await sealOf(this.#person, folder)).locked !== null) return this.#showLocked();
    const { total, pinned, unconfirmed } = await readStatistics(this.#person, folder);
    this.#show(total, [
      vscode.l10n.t('Pinned: {0}', pinned),
      vscode.l10n.t('Not confirmed by a person: {0}', unconfirmed),
    ]);
  }

  #showLocked(): void {
    this.#put('$(lock)', vscode.l10n.t('Lodeline memory is locked: its key is not on this computer'), []);
  }

  #show(total: number, more: readonly string[]): void {
    const title = vscode.l10n.t('Lodeline memories: {0}', total);
    this.#put(`$(bookmark) ${total.toLocaleString(vscode.env.language)}`, title, more);
  }

  #put(text: string, title: string, more: readonly string[]): void {
    this.#item.text = text;
    this.#item.tooltip = [title, ...more].join('\n');
    this.#item.accessibilityInformation = { label: title, role: 'button' };
    this.#item.show();
  }
}
