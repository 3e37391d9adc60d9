/**
 * Tools that change files of the folder, for a loop of ours. Those of Copilot Chat (tried in VS Code 1.139) answer
 * "Invalid stream" to everybody but its own agent. These go through the editor, so an edit can be undone there.
 */
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../journal/errors.ts';
import type { JsonValue } from '../journal/record.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { LoopCallInput, LoopResult, LoopTools } from '../session/turnCalls.ts';
import type { Approval } from '../tools/tool.ts';
import { pathInFolder } from './folderPath.ts';

const path = { type: 'string', description: 'Path in the folder, relative to it or absolute' } as const;

const SPECS: readonly ToolSpec[] = [
  {
    name: 'write_file',
    description:
      'Create a file in the folder, or replace the whole content of one. To change a part, use replace_text.',
    inputSchema: {
      type: 'object',
      properties: { path, content: { type: 'string', description: 'The whole text of the file' } },
      required: ['path', 'content'],
    },
  },
  {
    name: 'replace_text',
    description:
      'Replace one passage of a file in the folder. Read the file first; give so much of it that the passage occurs exactly once.',
    inputSchema: {
      type: 'object',
      properties: {
        path,
        old: { type: 'string', description: 'The passage as it is in the file, with its blanks' },
        new: { type: 'string', description: 'What stands there instead' },
      },
      required: ['path', 'old', 'new'],
    },
  },
];

/** A call that cannot be carried out; the text is for the model. */
class FileToolError extends Error {
  override readonly name = 'FileToolError';
}

export interface FileToolsOptions {
  /** The workspace folder. */
  readonly root: string;
  /** Asks the person before a file is changed that the editor, git or a service acts on by itself. */
  approve(question: Approval): Promise<boolean>;
  /** Told of every file that was changed. */
  onEdit(uri: vscode.Uri): void;
}

export class FileTools implements LoopTools {
  readonly #options: FileToolsOptions;

  constructor(options: FileToolsOptions) {
    this.#options = options;
  }

  specs(): readonly ToolSpec[] {
    return SPECS;
  }

  /** Two edits of a file must not meet. */
  isExclusive(name: string): boolean {
    return SPECS.some((spec) => spec.name === name);
  }

  async call({ name, input }: LoopCallInput): Promise<LoopResult> {
    try {
      const uri = await this.#target(name, text(input, 'path'));
      const done =
        name === 'write_file'
          ? await write(uri, text(input, 'content'))
          : await replace(uri, text(input, 'old'), text(input, 'new'));
      this.#options.onEdit(uri);
      return { text: done, isError: false };
    } catch (error) {
      if (error instanceof FileToolError) return { text: error.message, isError: true };
      return { text: `${name} failed: ${messageOf(error)}. Read the file before you go on.`, isError: true };
    }
  }

  async #target(tool: string, named: string): Promise<vscode.Uri> {
    const { root, approve } = this.#options;
    if (!vscode.workspace.isTrusted) {
      throw new FileToolError(
        `${tool} changes files, and this folder is not trusted yet. Ask the person to trust it ("Workspaces: Manage Workspace Trust").`,
      );
    }
    const found = await pathInFolder(root, named);
    if (found === undefined)
      throw new FileToolError(`"${named}" is not a file in the folder. Name one in it.`);
    const parts = relative(root, found).split(sep);
    // A file system may not tell cases apart.
    if (parts.some((part) => part.toLowerCase() === '.git'))
      throw new FileToolError("git's own files are not changed from here. Ask the person to do it.");
    if (parts.some((part) => part.startsWith('.'))) {
      const shown = parts.join('/');
      const question = {
        title: vscode.l10n.t('Let @lodeline change “{0}”?', shown),
        detail: vscode.l10n.t('Tools may act on files and folders whose names begin with a dot.'),
      };
      if (!(await approve(question)))
        throw new FileToolError(
          `The person declined a change of "${shown}". Do not try again unless they ask.`,
        );
    }
    return vscode.Uri.file(found);
  }
}

async function write(uri: vscode.Uri, content: string): Promise<string> {
  const edit = new vscode.WorkspaceEdit();
  const isThere = await vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  if (isThere) {
    const document = await vscode.workspace.openTextDocument(uri);
    edit.replace(uri, wholeOf(document), content);
  } else edit.createFile(uri, { contents: Buffer.from(content) });
  await apply(edit, uri);
  return isThere ? 'The file was replaced.' : 'The file was created.';
}

async function replace(uri: vscode.Uri, old: string, by: string): Promise<string> {
  const document = await vscode.workspace.openTextDocument(uri);
  const content = document.getText();
  const passage = document.eol === vscode.EndOfLine.CRLF ? old.replace(/\r?\n/g, '\r\n') : old;
  const at = passage === '' ? -1 : content.indexOf(passage);
  if (at < 0) throw new FileToolError('The passage is not in the file. Read the file and give it exactly.');
  if (content.includes(passage, at + 1))
    throw new FileToolError('The passage occurs more than once. Give more of what stands around it.');
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(document.positionAt(at), document.positionAt(at + passage.length)), by);
  await apply(edit, uri);
  return 'The passage was replaced.';
}

/** Carries out an edit and saves the file, as other tools read it from disk. */
async function apply(edit: vscode.WorkspaceEdit, uri: vscode.Uri): Promise<void> {
  if (!(await vscode.workspace.applyEdit(edit)))
    throw new FileToolError('The editor did not take the change. Read the file and try again.');
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.isDirty && !(await document.save()))
    throw new FileToolError(
      'The change is in the editor and could not be saved. Ask the person to save the file.',
    );
}

function wholeOf(document: vscode.TextDocument): vscode.Range {
  return new vscode.Range(new vscode.Position(0, 0), document.lineAt(document.lineCount - 1).range.end);
}

function text(input: JsonValue, field: string): string {
  const value =
    typeof input === 'object' && input !== null && !Array.isArray(input) ? input[field] : undefined;
  if (typeof value !== 'string') throw new FileToolError(`"${field}" is missing: give it as a text.`);
  return value;
}
