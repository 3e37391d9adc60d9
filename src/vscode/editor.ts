import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Apps } from './apps.ts';
import { registerAuditDocuments } from './auditDocument.ts';
import { Brief } from './brief.ts';
import { registerCommands } from './commands.ts';
import { CurrentSession } from './currentSession.ts';
import { HooksWindow } from './hooksWindow.ts';
import { registerTools } from './languageModelTools.ts';
import { LevelItem } from './levelItem.ts';
import { registerMcpServers } from './mcpServers.ts';
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
  const apps = new Apps(log);
  const windowSession = randomUUID();
  const person = new Person(apps, windowSession);
  const brief = new Brief(person);
  const current = new CurrentSession(apps, windowSession);
  const seen = new SeenDocument(apps);
  let clashes: readonly string[] = [];
  const documents = new SubagentDocuments(apps);
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
    registerCommands({ apps, person, views, brief, current, seen, log }),
    registerParticipant(context.extensionUri, { apps, person, log }),
    new TodoDocuments(person, apps),
    registerAuditDocuments(),
    seen,
    registerMcpServers(context.extension),
    new StatusBar(apps, person, log),
    new LevelItem({ apps, person, current, log }),
    new HooksWindow(apps, windowSession, log),
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
