import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Apps } from './apps.ts';
import { registerAuditDocuments } from './auditDocument.ts';
import { Brief } from './brief.ts';
import { registerCommands } from './commands.ts';
import { CurrentSession } from './currentSession.ts';
import { registerFoldDocuments } from './foldDocuments.ts';
import { HooksWindow } from './hooksWindow.ts';
import { ImportOffer, storageOf } from './importing.ts';
import { registerTools } from './languageModelTools.ts';
import { LevelItem } from './levelItem.ts';
import { ManagedModel } from './managedModel.ts';
import { registerMcpServers } from './mcpServers.ts';
import { MemoryFileNotices } from './memoryFiles.ts';
import { MemoryViews } from './memoryViews.ts';
import { Messages } from './messages.ts';
import { findNameClashes } from './nameClashes.ts';
import { registerParticipant } from './participant.ts';
import { Person } from './person.ts';
import { registerPlanViews } from './planViews.ts';
import { SeenDocument } from './seenDocument.ts';
import { SessionViews } from './sessionViews.ts';
import { StatusBar } from './statusBar.ts';
import { SubagentDocuments } from './subagentDocuments.ts';
import { TodoDocuments } from './todoDocuments.ts';

/** What has to end when the extension does. */
export interface Editor {
  close(): Promise<void>;
}

/**
 * The door for the editor. It only registers here, which takes a few milliseconds; stores, the tool layer and their
 * libraries load with the first call.
 */
export function openEditor(context: vscode.ExtensionContext): Editor {
  const log = vscode.window.createOutputChannel('Lodeline', { log: true });
  const { secrets } = context;
  const apps = new Apps(log, secrets);
  const windowSession = randomUUID();
  const person = new Person(apps, windowSession);
  const brief = new Brief(person);
  const current = new CurrentSession(apps, windowSession);
  const seen = new SeenDocument(apps);
  const managed = new ManagedModel(log);
  const storage = storageOf(context);
  let clashes: readonly string[] = [];
  const documents = new SubagentDocuments(person);
  const host = { extensionUri: context.extensionUri, apps, person, log, documents, notices: () => clashes };
  const views = new MemoryViews(host);
  // Looking through every manifest and writing the launcher are for after activation.
  const later = setTimeout(() => {
    clashes = findNameClashes(context, log);
    if (clashes.length > 0) views.refresh();
    void refreshLauncher(context, log);
  });
  context.subscriptions.push(
    log,
    views,
    documents,
    registerPlanViews(host),
    new SessionViews(host),
    new Messages(apps, person, log),
    brief,
    current,
    registerTools({ extension: context.extension, apps, windowSession, log }),
    registerCommands({ apps, person, views, brief, current, seen, managed, log, storage, secrets }),
    registerParticipant(context.extensionUri, { apps, person, log }),
    new TodoDocuments(person, apps),
    registerAuditDocuments(),
    registerFoldDocuments(person),
    seen,
    managed,
    registerMcpServers(context.extension),
    new StatusBar(apps, person, log),
    new LevelItem({ apps, person, current, log }),
    new HooksWindow(apps, windowSession, log),
    new MemoryFileNotices(apps, log),
    new ImportOffer({ apps, person, log, storage }, context.globalState),
    { dispose: () => clearTimeout(later) },
  );
  return apps;
}

/** Agents outside the editor start the MCP server from a path that survives updates of the extension. */
async function refreshLauncher(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<void> {
  try {
    const launcher = await import('../mcp/launcher.ts');
    await launcher.refreshLauncher({ extensionDir: context.extensionPath, execPath: process.execPath });
  } catch (error) {
    log.warn(`The launcher of the MCP server could not be written: ${String(error)}`);
  }
}
