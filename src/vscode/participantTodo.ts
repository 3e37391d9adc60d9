/** `/todo` in a chat: the list is the tool's, the clipboard, files and the editor are ours. */
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Problem } from '../todo/commands.ts';
import type { TodoCommandData } from '../tools/todo/command.ts';
import { checklist, plain, verbatim } from './chatText.ts';
import { pathInFolder } from './folderPath.ts';
import type { Chat } from './participantChat.ts';
import { todoDocument } from './todoDocuments.ts';

/** More is no list that a person wrote. */
const MAX_IMPORT = 1_000_000;
const SHOWN_CANDIDATES = 10;

type Done = Exclude<TodoCommandData, { problem: string }>;

/** Carries out what follows `/todo` and shows what came of it. */
export async function answerTodo(chat: Chat, text: string): Promise<void> {
  const done = await runTodo(chat, text);
  if (done === undefined) return;
  const { command, phases, markdown } = done;
  const { l10n } = vscode;
  switch (command.verb) {
    case 'help':
      return chat.say(help());
    case 'copy':
      if (phases.length === 0) return chat.say(emptyList());
      await vscode.env.clipboard.writeText(markdown);
      return chat.say(l10n.t('The list is on the clipboard.'));
    case 'edit':
      await vscode.window.showTextDocument(todoDocument(chat));
      return chat.say(l10n.t('The list is open in the editor. Saving it there changes the plan.'));
    case 'export':
      return await exportList(chat, command.path, done);
    case 'import':
      return await importList(chat, command.path);
    default:
      return chat.say(phases.length === 0 ? emptyList() : checklist(phases));
  }
}

/** The tool's answer; a problem is shown, and then there is none. */
async function runTodo(chat: Chat, text: string, markdown?: string): Promise<Done | undefined> {
  const outcome = await chat.invoke('todo_command', {
    text,
    ...(markdown === undefined ? {} : { markdown }),
  });
  const data = outcome.data as TodoCommandData;
  if (!('problem' in data)) return data;
  chat.say(problemText(data.reason));
  return undefined;
}

async function exportList(chat: Chat, name: string, { phases, markdown }: Done): Promise<void> {
  const { l10n, workspace, window } = vscode;
  if (phases.length === 0) return chat.say(emptyList());
  const path = await pathInFolder(chat.app.root, name);
  if (path === undefined) return chat.say(outside(name));
  const uri = vscode.Uri.file(path);
  if (await exists(uri)) {
    const replace = l10n.t('Replace');
    const question = l10n.t('Replace “{0}” by the todo list?', basename(path));
    const detail = l10n.t('What the file holds now is lost.');
    if ((await window.showWarningMessage(question, { modal: true, detail }, replace)) !== replace)
      return chat.say(l10n.t('Nothing was changed.'));
  }
  await workspace.fs.writeFile(uri, Buffer.from(markdown));
  chat.say(l10n.t('The list is in this file:'));
  chat.stream.anchor(uri);
}

async function importList(chat: Chat, name: string): Promise<void> {
  const { l10n, workspace } = vscode;
  const path = await pathInFolder(chat.app.root, name);
  if (path === undefined) return chat.say(outside(name));
  const uri = vscode.Uri.file(path);
  const stat = await workspace.fs.stat(uri).then(
    (found) => found,
    () => undefined,
  );
  if (stat === undefined || (stat.type & vscode.FileType.File) === 0)
    return chat.say(l10n.t('There is no file “{0}” in this folder.', plain(name)));
  if (stat.size > MAX_IMPORT) return chat.say(l10n.t('“{0}” is too large for a todo list.', plain(name)));
  const text = Buffer.from(await workspace.fs.readFile(uri)).toString('utf8');
  const done = await runTodo(chat, 'import', text);
  if (done !== undefined) chat.say(done.phases.length === 0 ? emptyList() : checklist(done.phases));
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

function emptyList(): string {
  return vscode.l10n.t('The todo list is empty. Ask for a plan, or add a task with `/todo append "a task"`.');
}

function outside(name: string): string {
  return vscode.l10n.t('“{0}” is not a path inside this folder.', plain(name));
}

/** What stood in the way, for the person. */
function problemText(problem: Problem): string {
  const { l10n } = vscode;
  switch (problem.problem) {
    case 'unknown-verb':
      return `${l10n.t('There is no command “{0}”.', plain(problem.verb))}\n\n${help()}`;
    case 'missing-argument':
      return `${l10n.t('“/todo {0}” needs to know what.', problem.verb)}\n\n${help()}`;
    case 'no-match': {
      const name = plain(problem.name);
      if (problem.candidates.length === 0) return l10n.t('No task or phase fits “{0}”.', name);
      const fitting = problem.candidates.slice(0, SHOWN_CANDIDATES).map((task) => `- ${plain(task)}`);
      return `${l10n.t('Several tasks fit “{0}”:', name)}\n\n${fitting.join('\n')}`;
    }
    case 'errors':
      return `${l10n.t('Nothing was changed.')}\n\n${verbatim(problem.errors.join('\n'))}`;
  }
}

function help(): string {
  const { l10n } = vscode;
  const lines = [
    ['/todo', l10n.t('shows the plan of this chat')],
    ['/todo append ["phase"] "task"', l10n.t('adds a task')],
    ['/todo start task', l10n.t('makes it the active one')],
    ['/todo done|drop|rm [task or phase]', l10n.t('completes, drops or removes it; without a name, all')],
    ['/todo edit', l10n.t('opens the list in the editor')],
    ['/todo copy', l10n.t('copies the list as Markdown')],
    ['/todo export|import [path]', l10n.t('writes or reads a Markdown file, by default TODO.md')],
  ];
  return lines.map(([command, does]) => `- \`${command}\` — ${does}`).join('\n');
}
