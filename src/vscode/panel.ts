import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { HostMessage, InitMessage, PanelMessage, SealView, ShowRequest } from '../protocol.ts';
import type { SealShown } from '../tools/sealing.ts';
import { toldPhrase } from '../tools/subagent/told.ts';
import type { Damage } from '../worker/api.ts';
import type { Apps } from './apps.ts';
import { damageNotices } from './damageNotices.ts';
import { resolveFileReference } from './fileReference.ts';
import { panelHtml } from './panelHtml.ts';
import type { Person } from './person.ts';
import { shownText } from './shownText.ts';
import type { SubagentDocuments } from './subagentDocuments.ts';
import { localizedPhrase } from './toolTexts.ts';

/** Agents write in bursts; one re-read shows them all. */
const CHANGE_DELAY = 100;
/** What panels show of settings. */
const SHOWN_SETTINGS = ['checkpoint', 'compaction', 'managedModel', 'memory.backend', 'hindsight'].map(
  (key) => `lodeline.${key}`,
);

export interface PanelHost {
  readonly extensionUri: vscode.Uri;
  readonly apps: Apps;
  readonly person: Person;
  readonly log: vscode.LogOutputChannel;
  readonly documents: SubagentDocuments;
  /** Problems of the whole window. */
  notices(): readonly string[];
  openInEditor(show: ShowRequest | undefined): void;
}

/** The panels there are: each is one bundle with one element. */
export type PanelKind = 'memory' | 'todo' | 'checkpoint' | 'subagents' | 'sessions';

/** One webview that shows a panel, in the side bar or as an editor tab. */
export class Panel implements vscode.Disposable {
  readonly #webview: vscode.Webview;
  readonly #kind: PanelKind;
  readonly #place: InitMessage['place'];
  readonly #host: PanelHost;
  readonly #subscriptions: vscode.Disposable;
  readonly #ending = new AbortController();
  /** Waits for the script to run: messages to a document that is still loading are lost. */
  #show: ShowRequest | undefined;
  #ready = false;
  /** How many documents there were: each counts its calls from 0, and only its own are answered. */
  #documents = 0;
  #changing: NodeJS.Timeout | undefined;
  /** What is told of damage in this folder's store. */
  #damage: readonly string[] = [];
  /** Whether this folder's store is sealed, as far as it concerns the panel. */
  #seal: SealView | null = null;

  constructor(webview: vscode.Webview, kind: PanelKind, place: InitMessage['place'], host: PanelHost) {
    this.#webview = webview;
    this.#kind = kind;
    this.#place = place;
    this.#host = host;
    const files = vscode.Uri.joinPath(host.extensionUri, 'dist', 'webview');
    webview.options = { enableScripts: true, localResourceRoots: [files] };
    this.#subscriptions = vscode.Disposable.from(
      webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      host.apps.onDidChangeMemory((folder) => {
        if (folder === host.apps.folder) this.#scheduleChange();
      }),
      host.apps.onDidChangeFolder(() => {
        this.#damage = [];
        this.#seal = null;
        this.refresh();
      }),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.refresh()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (SHOWN_SETTINGS.some((key) => change.affectsConfiguration(key))) this.#scheduleChange();
      }),
    );
    webview.html = panelHtml({
      nonce: randomBytes(16).toString('base64'),
      cspSource: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(files, `${kind}.js`)).toString(),
      element: `lodeline-${kind}`,
      language: vscode.env.language,
      title: 'Lodeline',
    });
  }

  /** Shows something now, or as soon as the panel can. */
  show(request: ShowRequest): void {
    if (this.#ready) this.#post({ type: 'show', show: request });
    else this.#show = request;
  }

  /** Tells the panel its state again. */
  refresh(): void {
    if (this.#ready) this.#initialize();
  }

  /** The webview was hidden, which ends its document. It says `ready` when it has one again. */
  hidden(): void {
    this.#ready = false;
  }

  dispose(): void {
    clearTimeout(this.#changing);
    this.#ending.abort();
    this.#subscriptions.dispose();
  }

  async #receive(message: unknown): Promise<void> {
    const { panelMessage } = await import('../protocol.ts');
    const parsed = panelMessage.safeParse(message);
    if (parsed.success) await this.#handle(parsed.data).catch((error: unknown) => this.#tell(error));
    else
      this.#host.log.warn(
        `The ${this.#kind} panel sent what the protocol does not know: ${parsed.error.message}`,
      );
  }

  /** What a click asked for did not work. */
  #tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#host.log.warn(`The ${this.#kind} panel: ${message}`);
    void vscode.window.showErrorMessage(shownText(localizedPhrase(toldPhrase(message))));
  }

  async #handle(message: PanelMessage): Promise<void> {
    switch (message.type) {
      case 'ready':
        this.#ready = true;
        this.#documents++;
        this.#initialize();
        return;
      case 'invoke':
        return this.#invoke(message);
      case 'openFile':
        return this.#openFile(message.file);
      case 'openInEditor':
        return this.#host.openInEditor(
          message.id === undefined ? undefined : { view: 'entry', id: message.id },
        );
      case 'openChat':
        await vscode.commands.executeCommand('lodeline.openChat');
        return;
      case 'resume':
        await vscode.commands.executeCommand('lodeline.resumeSession', message.session);
        return;
      case 'compact':
        await vscode.commands.executeCommand('lodeline.compactSession', message.session);
        return;
      case 'turnOffManagedModel':
        await vscode.commands.executeCommand('lodeline.turnOffManagedModel');
        return;
      case 'raiseLevel':
        await vscode.commands.executeCommand('lodeline.raiseLevel', message.session);
        return;
      case 'memoryBackend':
        await vscode.commands.executeCommand(`lodeline.${message.command}`, message.backend);
        return;
      case 'continueFromReport':
        await vscode.commands.executeCommand('lodeline.continueFromReport', message.goal, message.report);
        return;
      case 'openChanges':
        return this.#host.documents.openChanges(message.batch, message.task, message.path);
      case 'openLeft':
        return this.#host.documents.openLeft(message.kind, message.id, message.path);
      case 'openWorktree':
        return this.#host.documents.openWorktree(message.batch, message.task);
      case 'openArtifact':
        return this.#host.documents.openOutput(message.batch, message.id);
      case 'enterKey':
        await vscode.commands.executeCommand('lodeline.enterKey');
        return;
      case 'copy':
        return vscode.env.clipboard.writeText(message.text);
    }
  }

  #initialize(): void {
    const { apps, notices } = this.#host;
    this.#post({
      type: 'init',
      strings: vscode.l10n.bundle ?? {},
      locale: vscode.env.language,
      trusted: vscode.workspace.isTrusted,
      folder: apps.folder?.name ?? null,
      place: this.#place,
      notices: [...notices(), ...this.#damage],
      seal: this.#seal,
      show: this.#show ?? null,
    });
    this.#show = undefined;
    void this.#lookAtStore();
  }

  /** Opening a large store takes a moment, which the first picture does not wait for; more may be found later. */
  async #lookAtStore(): Promise<void> {
    const { apps, person, notices, log } = this.#host;
    const { folder } = apps;
    if (folder === undefined || !this.#ready) return;
    try {
      const call = { door: 'panel', folder } as const;
      const seal = this.#sealOf((await person.invoke('seal_show', {}, call)).data as SealShown);
      const of = this.#kind === 'memory' ? 'memory' : 'sessions';
      // What cannot be read without its key is no damage.
      const damage =
        seal?.locked != null
          ? []
          : ((await person.invoke('damage_show', { of }, call)).data as readonly Damage[]);
      const told = damageNotices(damage, of);
      const isNew = told.join('\n') !== this.#damage.join('\n');
      if (folder !== apps.folder || (!isNew && isDeepStrictEqual(seal, this.#seal))) return;
      this.#damage = told;
      this.#seal = seal;
      if (isNew)
        for (const { file, offset, length, reason } of damage)
          log.warn(`Set aside: ${length} bytes at ${offset} of ${file} (${reason})`);
      this.#post({ type: 'notices', notices: [...notices(), ...told], seal });
    } catch (error) {
      log.error(`Lodeline's store of ${folder.name} could not be opened: ${String(error)}`);
    }
  }

  /** That all is encrypted is said once, where memory is shown; that nothing can be read, in every panel. */
  #sealOf({ state, key, locked }: SealShown): SealView | null {
    if (locked === null && (this.#kind !== 'memory' || state === 'plain')) return null;
    return { state, key, locked };
  }

  async #invoke({ seq, tool, input }: Extract<PanelMessage, { type: 'invoke' }>): Promise<void> {
    const document = this.#documents;
    const message = await this.#resultOf(seq, tool, input);
    if (document === this.#documents) this.#post(message);
  }

  async #resultOf(seq: number, tool: string, input: Record<string, unknown>): Promise<HostMessage> {
    // What was written in the same millisecond before must not count as part of it.
    const began = Date.now() - 1;
    try {
      const { text, data = null } = await this.#host.person.invoke(tool, input, {
        door: 'panel',
        signal: this.#ending.signal,
      });
      return { type: 'result', seq, ok: true, text, data, began, ended: Date.now() };
    } catch (error) {
      return {
        ...{ type: 'result', seq, ok: false },
        error: error instanceof Error ? error.message : String(error),
      };
    }
  }

  async #openFile(reference: string): Promise<void> {
    const root = this.#host.apps.folder?.uri.fsPath;
    const position = root === undefined ? undefined : resolveFileReference(root, reference);
    if (position === undefined) {
      void vscode.window.showWarningMessage(
        shownText(vscode.l10n.t('“{0}” is not a file of this folder, so it was not opened.', reference)),
      );
      return;
    }
    try {
      const document = await vscode.workspace.openTextDocument(vscode.Uri.file(position.path));
      const line = Math.min(position.line, document.lineCount) - 1;
      await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0) });
    } catch {
      void vscode.window.showWarningMessage(
        shownText(vscode.l10n.t('“{0}” could not be opened. It may have been moved or deleted.', reference)),
      );
    }
  }

  #scheduleChange(): void {
    this.#changing ??= setTimeout(() => {
      this.#changing = undefined;
      this.#post({ type: 'changed' });
      void this.#lookAtStore();
    }, CHANGE_DELAY);
  }

  #post(message: HostMessage): void {
    if (!this.#ending.signal.aborted) void this.#webview.postMessage(message);
  }
}
