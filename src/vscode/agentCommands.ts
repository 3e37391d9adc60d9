/** Commands for the agents that subagents run as: a list to read and edit them from, and a new one. */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { AgentDefinition } from '../subagent/agentFile.ts';
import type { AgentFault } from '../subagent/agents.ts';
import { agentText } from './agentText.ts';
import type { Apps } from './apps.ts';
import { shownText } from './shownText.ts';

type Item = vscode.QuickPickItem & { readonly agent?: AgentDefinition; readonly fault?: AgentFault };

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/;

/** Lists the agents, with faulty files, and opens the chosen one: its file, or what a bundled one would be as a file. */
export async function listAgents(apps: Apps): Promise<void> {
  const { agents, faults } = await (await apps.app()).agents();
  const items: Item[] = [
    ...faults.map((fault) => ({
      label: `$(warning) ${shownText(nameOf(fault.file))}`,
      description: shownText(fault.problem),
      fault,
    })),
    ...agents.map((agent) => ({
      label: agent.name,
      description: sourceName(agent.source),
      detail: shownText(agent.description),
      agent,
    })),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Agents'),
    placeHolder: vscode.l10n.t('Choose one to read or edit it'),
    matchOnDetail: true,
  });
  const file = picked?.fault?.file ?? picked?.agent?.file;
  if (file !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(file));
  else if (picked?.agent !== undefined) await showBundled(picked.agent);
}

/** Asks for a name and a place, and opens a new agent's file to be filled in. Never over a file that exists. */
export async function newAgent(apps: Apps): Promise<void> {
  const { l10n } = vscode;
  const name = await vscode.window.showInputBox({
    title: l10n.t('New Agent'),
    prompt: l10n.t('Name of the agent, as tasks call it'),
    validateInput: (value) =>
      NAME.test(value)
        ? undefined
        : l10n.t('Letters, digits, - and _, at most 48; start with a letter or digit.'),
  });
  const root = apps.folder?.uri;
  if (name === undefined) return;
  const project = {
    label: l10n.t('This project'),
    description: 'agents/',
    folder: root && vscode.Uri.joinPath(root, 'agents'),
  };
  const own = {
    label: l10n.t('All my projects'),
    description: '~/.lodeline/agents/',
    folder: vscode.Uri.joinPath(vscode.Uri.file(homedir()), '.lodeline', 'agents'),
  };
  const place = await vscode.window.showQuickPick(root === undefined ? [own] : [project, own], {
    title: l10n.t('Where is it kept?'),
  });
  if (place?.folder === undefined) return;
  const file = vscode.Uri.joinPath(place.folder, `${name}.md`);
  if (!(await exists(file))) await vscode.workspace.fs.writeFile(file, Buffer.from(template(name)));
  await vscode.window.showTextDocument(file);
}

async function showBundled(agent: AgentDefinition): Promise<void> {
  const content = agentText(agent);
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document);
}

function template(name: string): string {
  return `---
name: ${name}
description: What this agent is for, in one sentence
# Without a list it has every tool a subagent can have.
tools: read, find, search, list
# model: smol
# output:
#   properties:
#     summary: { type: string }
---

What this agent does, how it works, and what it hands over.
`;
}

async function exists(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}

function nameOf(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

function sourceName(source: AgentDefinition['source']): string {
  const { l10n } = vscode;
  if (source === 'project') return l10n.t('this project');
  return source === 'user' ? l10n.t('yours') : l10n.t('bundled');
}
