/** The page that says what Lodeline sees, as a document to read. */
import * as vscode from 'vscode';
import { type Apps, unobservedLevel } from './apps.ts';
import { hasHooks } from './chatLevel.ts';
import { HOOK_FILE, readHookFile } from './hooksFile.ts';
import { readSetting } from './ports.ts';
import { type HooksState, type SeenState, seenText } from './seenText.ts';

const SCHEME = 'lodeline-seen';
/** The editor's own setting, without which it runs no hooks. */
const USE_HOOKS = 'chat.useHooks';

export class SeenDocument implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #apps: Apps;
  readonly #uri = vscode.Uri.from({ scheme: SCHEME, path: `/${vscode.l10n.t('What Lodeline sees')}.md` });
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable;

  readonly onDidChange = this.#changed.event;

  constructor(apps: Apps) {
    this.#apps = apps;
    const hooks = vscode.workspace.createFileSystemWatcher(`**/${HOOK_FILE}`);
    const changed = () => this.#changed.fire(this.#uri);
    this.#subscriptions = vscode.Disposable.from(
      this.#changed,
      hooks,
      ...[hooks.onDidCreate(changed), hooks.onDidChange(changed), hooks.onDidDelete(changed)],
      apps.onDidChangeFolder(changed),
      vscode.workspace.onDidGrantWorkspaceTrust(changed),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('lodeline.classification') || event.affectsConfiguration(USE_HOOKS))
          changed();
      }),
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    );
  }

  async provideTextDocumentContent(): Promise<string> {
    return seenText(await stateOf(this.#apps));
  }

  /** Opens the page, as it is read. */
  async show(): Promise<void> {
    // Without a folder this says what to do.
    await this.#apps.app();
    this.#changed.fire(this.#uri);
    await vscode.commands.executeCommand('markdown.showPreview', this.#uri);
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }
}

async function stateOf(apps: Apps): Promise<SeenState> {
  const { folder } = apps;
  const app = await apps.app(folder);
  return {
    folder: folder?.name ?? '',
    trusted: vscode.workspace.isTrusted,
    hooks: hooksIn(app.root, folder),
    defaultLevel: app.defaultLevel,
    unobservedLevel: unobservedLevel(app, folder),
    rules: {
      files: count(readSetting('classification.files', folder)),
      tools: count(readSetting('classification.tools', folder)),
    },
  };
}

function hooksIn(root: string, folder: vscode.WorkspaceFolder | undefined): HooksState {
  try {
    const { state } = readHookFile(root);
    if (state !== 'ours') return state === 'missing' ? 'off' : 'foreign';
    if (hasHooks(folder)) return 'on';
    return vscode.workspace.getConfiguration().get(USE_HOOKS) === true ? 'broken' : 'idle';
  } catch {
    return 'unknown';
  }
}

function count(rules: unknown): number {
  return typeof rules === 'object' && rules !== null && !Array.isArray(rules) ? Object.keys(rules).length : 0;
}
