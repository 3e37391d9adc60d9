import * as vscode from 'vscode';
import type { Person } from './person.ts';

const SCHEME = 'lodeline-brief';

/**
 * The brief as a read-only document. An untitled one would ask to be saved, and the editor would back it up to
 * disk, where what it says of memory would outlive "Delete Everything…".
 */
export class Brief implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #person: Person;
  readonly #uri = vscode.Uri.from({ scheme: SCHEME, path: `/${vscode.l10n.t('Memory Brief')}.md` });
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#changed.event;

  constructor(person: Person) {
    this.#person = person;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent(): Promise<string> {
    return (await this.#person.invoke('context_brief', {}, { door: 'palette' })).text;
  }

  /** Opens the brief as it is now. */
  async show(): Promise<void> {
    this.#changed.fire(this.#uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(this.#uri));
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
