/** Memories of other tools, from the command palette and when a folder is opened that holds some. */
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ExportedToon } from '../tools/memory/exportToon.ts';
import type { Imported } from '../tools/memory/import.ts';
import type { ImportKind } from '../tools/memory/importPlaces.ts';
import { isSealed } from '../tools/sealing.ts';
import type { Apps } from './apps.ts';
import type { Person } from './person.ts';
import { sealOf } from './sealState.ts';
import { shownText } from './shownText.ts';

/** Folders in which the person has imported or declined for good. */
const SETTLED = 'import.settled';
const TOON_FILE = ['.toon-memory', 'memory', 'data.toon'] as const;
/** A sealed file is one line of hex and colons; its beginning is enough to tell. */
const SEALED = /^[0-9a-f]{32}:[0-9a-f]{32}:/i;

export interface ImportParts {
  readonly apps: Apps;
  readonly person: Person;
  readonly log: vscode.LogOutputChannel;
  readonly storage: EditorStorage;
}

/** Where the editor keeps what extensions store. */
export interface EditorStorage {
  readonly user: string;
  /** Only where a folder is open. */
  readonly folder?: string;
}

/** @param context of this extension, whose own folders lie there */
export function storageOf({ globalStorageUri, storageUri }: vscode.ExtensionContext): EditorStorage {
  return {
    user: dirname(globalStorageUri.fsPath),
    ...(storageUri === undefined ? {} : { folder: dirname(storageUri.fsPath) }),
  };
}

/** Asks which tool's memories to take in and from where, and takes them in. */
export async function importMemory(parts: ImportParts): Promise<void> {
  const { folder } = parts.apps;
  const kind = await pickKind();
  if (kind === undefined) return;
  const chosen = await pickPlace(kind, folder);
  if (chosen !== undefined) await take(parts, kind, chosen.uri, folder);
}

/** Writes memory into toon-memory's file of the folder, or one that the person names. */
export async function exportToToon({ apps, person, log }: ImportParts): Promise<void> {
  const { folder } = apps;
  const usual = folder && vscode.Uri.joinPath(folder.uri, ...TOON_FILE);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Memory to .toon'),
    ...(usual === undefined ? {} : { defaultUri: usual }),
    filters: { toon: ['toon'] },
  });
  if (target === undefined) return;
  const key = await keyFor(target);
  if (key === undefined) return;
  const clear = key === '' && isSealed(await sealOf(person, folder));
  if (clear && !(await mayBeClear(target))) return;
  const { text, data } = await person.invoke(
    'memory_export_toon',
    { path: target.fsPath, clear, ...(key === '' ? {} : { key }) },
    { door: 'palette', folder },
  );
  log.info(text);
  const { written, above, unknown } = data as ExportedToon;
  const said = vscode.l10n.t('Exported memory to {1}: {0}.', written, target.fsPath);
  const left = above > 0 ? vscode.l10n.t('{0} above the folder’s level stayed here.', above) : '';
  const behind =
    unknown.length > 0
      ? vscode.l10n.t(
          'Rows that say what is not known here, and stayed: {0}. Import them first.',
          unknown.length,
        )
      : '';
  await tell(log, [said, left, behind].filter(Boolean).join(' '), unknown.length > 0);
}

async function mayBeClear(target: vscode.Uri): Promise<boolean> {
  const go = vscode.l10n.t('Export in the Clear');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t(
      'The memory of this folder is encrypted, and {0} would hold it in the clear.',
      target.fsPath,
    ),
    { modal: true },
    go,
  );
  return chosen === go;
}

/** Offers to take toon-memory's memories in when a folder holds them, until the person has decided. */
export class ImportOffer implements vscode.Disposable {
  /** Ends once the folders that were open at first are looked at, and the person has answered. */
  readonly looked: Promise<void>;
  readonly #parts: ImportParts;
  readonly #state: vscode.Memento;
  readonly #asked = new Set<string>();
  readonly #subscriptions: vscode.Disposable;

  constructor(parts: ImportParts, state: vscode.Memento) {
    this.#parts = parts;
    this.#state = state;
    const look = async (): Promise<void> => {
      await Promise.all((vscode.workspace.workspaceFolders ?? []).map((folder) => this.#lookAt(folder)));
    };
    this.#subscriptions = vscode.Disposable.from(
      vscode.workspace.onDidChangeWorkspaceFolders(look),
      vscode.workspace.onDidGrantWorkspaceTrust(look),
    );
    this.looked = look();
  }

  dispose(): void {
    this.#subscriptions.dispose();
  }

  async #lookAt(folder: vscode.WorkspaceFolder): Promise<void> {
    try {
      await this.#offer(folder);
    } catch (error) {
      this.#parts.log.warn(`import: ${String(error)}`);
      void vscode.window.showErrorMessage(shownText(error instanceof Error ? error.message : String(error)));
    }
  }

  async #offer(folder: vscode.WorkspaceFolder): Promise<void> {
    const name = folder.uri.toString();
    if (folder.uri.scheme !== 'file' || !vscode.workspace.isTrusted) return;
    if (this.#asked.has(name) || this.#settled().includes(name)) return;
    this.#asked.add(name);
    const file = vscode.Uri.joinPath(folder.uri, ...TOON_FILE);
    if (!(await isFile(file))) {
      this.#asked.delete(name);
      return;
    }
    const [go, later, never] = [
      vscode.l10n.t('Import'),
      vscode.l10n.t('Not Now'),
      vscode.l10n.t('Never for This Folder'),
    ];
    const chosen = await vscode.window.showInformationMessage(
      shownText(
        vscode.l10n.t('“{0}” holds memories of toon-memory. Import them into Lodeline?', folder.name),
      ),
      ...[go, later, never],
    );
    if (chosen === never) await this.#settle(name);
    if (chosen === go && (await take(this.#parts, 'toon', file, folder))) await this.#settle(name);
  }

  #settled(): readonly string[] {
    return this.#state.get<readonly string[]>(SETTLED, []);
  }

  async #settle(name: string): Promise<void> {
    await this.#state.update(SETTLED, [...new Set([...this.#settled(), name])]);
  }
}

async function pickKind(): Promise<ImportKind | undefined> {
  const items: (vscode.QuickPickItem & { readonly tool: ImportKind })[] = [
    { tool: 'toon', label: 'toon-memory', description: TOON_FILE.join('/') },
    {
      tool: 'copilot',
      label: 'GitHub Copilot',
      description: vscode.l10n.t('Memory files of its memory tool'),
    },
    { tool: 'claude', label: 'Claude Code', description: vscode.l10n.t('CLAUDE.md and its memory files') },
    { tool: 'basic-memory', label: 'basic-memory', description: vscode.l10n.t('A folder of Markdown notes') },
    { tool: 'server-memory', label: 'server-memory', description: 'memory.jsonl' },
  ];
  const placeHolder = vscode.l10n.t('Import memory of…');
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.tool;
}

/** Where to import from; without a `uri` where the tool keeps its memories. Undefined when the person has left. */
async function pickPlace(
  kind: ImportKind,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<{ readonly uri?: vscode.Uri } | undefined> {
  const usual = { label: vscode.l10n.t('From where it keeps them'), isUsual: true };
  const other = { label: vscode.l10n.t('Choose a file or folder…'), isUsual: false };
  const isFileOnly = kind === 'toon' || kind === 'server-memory';
  const placeHolder = vscode.l10n.t('Import memory from…');
  const where =
    kind === 'server-memory' ? other : await vscode.window.showQuickPick([usual, other], { placeHolder });
  if (where === undefined) return undefined;
  if (where.isUsual) return {};
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import Memory'),
      canSelectFiles: true,
      canSelectFolders: !isFileOnly,
      ...(folder === undefined ? {} : { defaultUri: folder.uri }),
    })) ?? [];
  return uri === undefined ? undefined : { uri };
}

/** Takes memories in and tells what came of it. Answers whether it did. */
async function take(
  { person, log, storage }: ImportParts,
  kind: ImportKind,
  uri: vscode.Uri | undefined,
  folder: vscode.WorkspaceFolder | undefined,
): Promise<boolean> {
  const usual = folder && vscode.Uri.joinPath(folder.uri, ...TOON_FILE);
  const key = kind === 'toon' ? await keyFor(uri ?? usual) : '';
  if (key === undefined) return false;
  const { text, data } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Importing memory') },
    () =>
      person.invoke(
        'memory_import',
        {
          kind,
          ...(uri === undefined ? {} : { path: uri.fsPath }),
          ...(key === '' ? {} : { key }),
          ...(kind === 'copilot' ? { storage } : {}),
        },
        { door: 'palette', folder },
      ),
  );
  log.info(text);
  const { created, updated, unchanged, damaged } = data as Imported;
  const said = vscode.l10n.t(
    'Imported memory: {0} new, {1} updated, {2} unchanged.',
    created,
    updated,
    unchanged,
  );
  const left =
    damaged.length > 0 ? vscode.l10n.t('Left out, since it could not be read: {0}.', damaged.length) : '';
  void tell(log, [said, left].filter(Boolean).join(' '), damaged.length > 0);
  return true;
}

/** The key of a sealed file; empty for one that is not sealed, undefined when the person gave none. */
async function keyFor(uri: vscode.Uri | undefined): Promise<string | undefined> {
  const known = process.env.TOON_MEMORY_KEY;
  if (known) return known;
  if (uri === undefined || !(await isFile(uri))) return '';
  const start = Buffer.from(await vscode.workspace.fs.readFile(uri)).toString('latin1', 0, 80);
  if (!SEALED.test(start)) return '';
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Key of the sealed memory'),
    prompt: vscode.l10n.t('64 hex characters, as toon-memory has them in TOON_MEMORY_KEY'),
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) =>
      /^[0-9a-f]{64}$/i.test(value.trim()) ? undefined : vscode.l10n.t('A key has 64 hex characters.'),
  });
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}

async function tell(log: vscode.LogOutputChannel, said: string, isWarning: boolean): Promise<void> {
  const details = vscode.l10n.t('Show Details');
  const show = isWarning ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  if ((await show(shownText(said), details)) === details) log.show();
}
