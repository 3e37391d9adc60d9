import * as vscode from 'vscode';
import type { Apps } from './apps.ts';
import { showAuditLog } from './auditDocument.ts';
import type { Brief } from './brief.ts';
import type { CurrentSession } from './currentSession.ts';
import { pickEntry } from './entryPicker.ts';
import { deleteEverything, exportEverything } from './everything.ts';
import { fileReferenceOf } from './fileReference.ts';
import type { EditorStorage } from './importing.ts';
import type { ManagedModel } from './managedModel.ts';
import type { MemoryViews } from './memoryViews.ts';
import type { Person } from './person.ts';
import type { SeenDocument } from './seenDocument.ts';
import {
  archiveSession,
  openLodelineChat,
  renameSession,
  sendToSession,
  setSessionPolicy,
  startSession,
  stopSession,
} from './sessionActions.ts';
import { continueFromReport, enableCheckpoints, resumeSession } from './sessionCommands.ts';
import { levelMenu, raiseLevel } from './sessionLevel.ts';
import { shownText } from './shownText.ts';
import { readStatistics, statisticsLines } from './statistics.ts';

export interface CommandParts {
  readonly apps: Apps;
  readonly person: Person;
  readonly views: MemoryViews;
  readonly brief: Brief;
  readonly current: CurrentSession;
  readonly seen: SeenDocument;
  readonly managed: ManagedModel;
  readonly log: vscode.LogOutputChannel;
  readonly storage: EditorStorage;
  readonly secrets: vscode.SecretStorage;
}

/** Every command that package.json declares. */
const COMMANDS: Readonly<
  Record<string, (parts: CommandParts, ...given: readonly unknown[]) => Promise<void> | void>
> = {
  'lodeline.rememberSelection': rememberSelection,
  'lodeline.recall': recall,
  'lodeline.browseMemory': ({ views }) => views.open(),
  'lodeline.openMemoryInEditor': ({ views }) => views.openInEditor(),
  'lodeline.pin': pin,
  'lodeline.forget': forget,
  'lodeline.showStatistics': showStatistics,
  'lodeline.showBrief': ({ brief }) => brief.show(),
  'lodeline.resumeSession': resumeSession,
  'lodeline.continueFromReport': continueFromReport,
  'lodeline.enableCheckpoints': enableCheckpoints,
  'lodeline.openTodo': () => focusView('todo'),
  'lodeline.openCheckpoint': () => focusView('checkpoint'),
  'lodeline.backupMemory': async ({ person }) => (await import('./memoryCopies.ts')).backupMemory(person),
  'lodeline.restoreMemory': async ({ person }) => (await import('./memoryCopies.ts')).restoreMemory(person),
  'lodeline.encryptMemory': async (parts) => (await import('./encrypting.ts')).encryptMemory(parts),
  'lodeline.decryptMemory': async (parts) => (await import('./encrypting.ts')).decryptMemory(parts),
  'lodeline.enterKey': async (parts) => (await import('./encrypting.ts')).enterKey(parts),
  'lodeline.chooseMemoryBackend': async (parts, ...given) =>
    (await import('./memoryBackend.ts')).chooseMemoryBackend(parts, ...given),
  'lodeline.copyToServer': async (parts) =>
    (await import('./memoryBackendCopy.ts')).copyMemories(parts, 'hindsight'),
  'lodeline.copyToFolder': async (parts) =>
    (await import('./memoryBackendCopy.ts')).copyMemories(parts, 'local'),
  'lodeline.retryMemoryServer': async (parts) =>
    (await import('./memoryBackendCopy.ts')).retryMemoryServer(parts),
  'lodeline.setHindsightToken': setToken,
  'lodeline.importMemory': async (parts) => (await import('./importing.ts')).importMemory(parts),
  'lodeline.exportToon': async (parts) => (await import('./importing.ts')).exportToToon(parts),
  'lodeline.exportEverything': async ({ apps, person }) => void (await exportEverything(apps, person)),
  'lodeline.deleteEverything': ({ apps, person }) => deleteEverything(apps, person),
  'lodeline.openSubagents': () => focusView('subagents'),
  'lodeline.openSessions': () => focusView('sessions'),
  'lodeline.openChat': () => openLodelineChat(),
  'lodeline.sendToSession': sendToSession,
  'lodeline.startSession': startSession,
  'lodeline.stopSession': stopSession,
  'lodeline.renameSession': renameSession,
  'lodeline.archiveSession': archiveSession,
  'lodeline.setSessionPolicy': setSessionPolicy,
  'lodeline.compactSession': async (parts, ...given) =>
    (await import('./compacting.ts')).compactSession(parts, ...given),
  'lodeline.showFolds': async (parts) => (await import('./compacting.ts')).showFolds(parts),
  'lodeline.acknowledgeCalls': async (parts, ...given) =>
    (await import('./acknowledging.ts')).acknowledgeCalls(parts, ...given),
  'lodeline.raiseLevel': raiseLevel,
  'lodeline.levelMenu': levelMenu,
  'lodeline.whatIsSeen': ({ seen }) => seen.show(),
  'lodeline.listAgents': async ({ apps }) => (await import('./agentCommands.ts')).listAgents(apps),
  'lodeline.newAgent': async ({ apps }) => (await import('./agentCommands.ts')).newAgent(apps),
  'lodeline.observeChats': async ({ apps }) => (await import('./hooks.ts')).observeChats(apps),
  'lodeline.stopObserving': async ({ apps }) => (await import('./hooks.ts')).stopObserving(apps),
  'lodeline.chooseManagedModels': ({ managed }) => managed.choose(),
  'lodeline.turnOffManagedModel': ({ managed }) => managed.turnOff(),
  'lodeline.aboutManagedModel': ({ managed }) => managed.about(),
  'lodeline.initVocabulary': async ({ apps }) =>
    (await import('./initCommand.ts')).initializeVocabulary(apps),
  'lodeline.openWalkthrough': () => openWalkthrough(),
  'lodeline.showAuditLog': ({ person }) => showAuditLog(person),
  'lodeline.showLog': ({ log }) => log.show(),
};

/** Registers the commands; what goes wrong in one is shown to the person. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries(COMMANDS).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (...given: readonly unknown[]) => {
        try {
          await run(parts, ...given);
        } catch (error) {
          parts.log.warn(`${id}: ${String(error)}`);
          void vscode.window.showErrorMessage(
            shownText(error instanceof Error ? error.message : String(error)),
          );
        }
      }),
    ),
  );
}

async function rememberSelection({ apps, views }: CommandParts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const root = apps.folder?.uri.fsPath;
  if (editor === undefined || root === undefined) return views.open({ view: 'add' });
  const { document, selection } = editor;
  const content = document.getText(selection);
  const file =
    document.uri.scheme === 'file'
      ? fileReferenceOf(root, document.uri.fsPath, selection.start.line + 1)
      : undefined;
  await views.open({
    view: 'add',
    ...(content.trim() === '' ? {} : { content }),
    ...(file === undefined ? {} : { file }),
  });
}

async function recall({ person, views }: CommandParts): Promise<void> {
  const entry = await pickEntry(person, vscode.l10n.t('Recall from memory'));
  if (entry !== undefined) await views.open({ view: 'entry', id: entry.id });
}

async function pin({ person }: CommandParts): Promise<void> {
  const entry = await pickEntry(person, vscode.l10n.t('Pin or unpin a memory'));
  if (entry === undefined) return;
  await person.invoke(entry.pinned ? 'memory_unpin' : 'memory_pin', { key: entry.id }, { door: 'palette' });
  void vscode.window.showInformationMessage(
    shownText(
      entry.pinned ? vscode.l10n.t('Unpinned “{0}”.', entry.key) : vscode.l10n.t('Pinned “{0}”.', entry.key),
    ),
  );
}

async function forget({ person, apps }: CommandParts): Promise<void> {
  const { folder } = apps;
  const entry = await pickEntry(person, vscode.l10n.t('Forget a memory'));
  if (entry === undefined) return;
  await person.invoke('memory_forget', { key: entry.id }, { door: 'palette', folder });
  const undo = vscode.l10n.t('Undo');
  const said = shownText(vscode.l10n.t('Forgot “{0}”.', entry.key));
  const chosen = await vscode.window.showInformationMessage(said, undo);
  if (chosen === undo) {
    await person.invoke('memory_forget', { key: entry.id, action: 'restore' }, { door: 'palette', folder });
  }
}

async function showStatistics({ person }: CommandParts): Promise<void> {
  const detail = statisticsLines(await readStatistics(person)).join('\n');
  await vscode.window.showInformationMessage(vscode.l10n.t('Memory Statistics'), { modal: true, detail });
}

async function setToken({ secrets, person, apps }: CommandParts): Promise<void> {
  const { setHindsightToken } = await import('./hindsightToken.ts');
  // What was refused for want of it need not wait.
  if ((await setHindsightToken(secrets)) && apps.folder !== undefined)
    await person.invoke('backend_retry', { others: false }, { door: 'palette' });
}

async function openWalkthrough(): Promise<void> {
  await vscode.commands.executeCommand(
    'workbench.action.openWalkthrough',
    'lodeline.lodeline#lodeline.start',
    false,
  );
}

async function focusView(view: 'todo' | 'checkpoint' | 'subagents' | 'sessions'): Promise<void> {
  await vscode.commands.executeCommand(`lodeline.${view}.focus`);
}
