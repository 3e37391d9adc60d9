import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { CAPTURE_SETTING } from '../memory/capture.ts';
import { CLASSIFICATION_VARIABLE, toldText } from '../policy/told.ts';
import { keepStanding, type Standing } from '../standing.ts';
import type { Apps } from './apps.ts';
import { HOOK_FILE, hookFileOf } from './hooksFile.ts';
import { readSetting } from './ports.ts';

/** What hooks have to know: the editor starts them from this process, so they inherit its environment. */
const WINDOW_VARIABLE = 'LODELINE_WINDOW';
const CAPTURE_VARIABLE = 'LODELINE_CAPTURE';
const CLASSIFICATION = ['defaultLevel', 'files', 'tools'] as const;
const AGENT = 'vscode';

/** Identity of this window, where it is known yet. */
export function windowKey(): string | undefined {
  return process.env[WINDOW_VARIABLE];
}

/** This window among the sessions that are at work: its branch, and the files that are saved in it. */
export class HooksWindow implements vscode.Disposable {
  readonly #apps: Apps;
  readonly #standing: Standing;
  readonly #subscriptions: vscode.Disposable;

  /** @param key identity of this window */
  constructor(apps: Apps, key: string, log: vscode.LogOutputChannel) {
    this.#apps = apps;
    process.env[WINDOW_VARIABLE] = key;
    tellCapture();
    tellClassification();
    this.#standing = keepStanding(
      {
        app: async () =>
          apps.folder === undefined || !vscode.workspace.isTrusted ? undefined : await apps.app(),
        session: () => ({
          ...{ key, agent: AGENT, window: key },
          capture: isCapturing(),
        }),
        warn: (message) => log.warn(message),
      },
      () => this.#isObserving(),
    );
    const hooks = vscode.workspace.createFileSystemWatcher(`**/${HOOK_FILE}`, false, true, true);
    this.#subscriptions = vscode.Disposable.from(
      hooks,
      hooks.onDidCreate(() => void this.#standing.beat()),
      apps.onDidChangeFolder(() => void this.#standing.beat()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.#standing.beat()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('lodeline.classification')) tellClassification();
        if (!event.affectsConfiguration(`lodeline.${CAPTURE_SETTING}`)) return;
        tellCapture();
        void this.#standing.beat();
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === 'file') void this.#standing.beat([uri.fsPath]);
      }),
    );
  }

  dispose(): void {
    this.#standing.end();
    this.#subscriptions.dispose();
    delete process.env[WINDOW_VARIABLE];
    delete process.env[CAPTURE_VARIABLE];
    delete process.env[CLASSIFICATION_VARIABLE];
  }

  /** Whoever has hooks in the folder wants it to be observed, from the first chat on. */
  #isObserving(): boolean {
    const root = this.#apps.folder?.uri.fsPath;
    return root !== undefined && existsSync(hookFileOf(root));
  }
}

/** The person's setting for all folders. */
function isCapturing(): boolean {
  return readSetting(CAPTURE_SETTING) === true;
}

function tellCapture(): void {
  if (isCapturing()) process.env[CAPTURE_VARIABLE] = '1';
  else delete process.env[CAPTURE_VARIABLE];
}

function tellClassification(): void {
  const { text, isTooLong } = toldText(
    Object.fromEntries(CLASSIFICATION.map((name) => [name, readSetting(`classification.${name}`)])),
  );
  process.env[CLASSIFICATION_VARIABLE] = text;
  if (!isTooLong) return;
  const said = vscode.l10n.t(
    'There are more rules for levels in your settings than hooks can be told, so every tool that an observed chat uses raises it to RESTRICTED. Use fewer rules.',
  );
  void vscode.window.showWarningMessage(said);
}
