/** The editor's own tools and those of other extensions, for a loop of ours in a chat. */
import * as vscode from 'vscode';
import type { JsonValue } from '../journal/record.ts';
import { pathsInInput } from '../policy/inputPaths.ts';
import type { ToolSpec } from '../session/chatModel.ts';
import type { LoopCallInput, LoopEffect, LoopResult, LoopTools } from '../session/turnCalls.ts';
import { tokenOf } from './cancellation.ts';
import { promptText } from './promptText.ts';

/** Copilot Chat refuses a request with more, whoever makes it. */
const MAX_TOOLS = 128;
/** What models take as a name. */
const NAME = /^[\w-]{1,64}$/;
/**
 * Tools of VS Code 1.139 and its Copilot Chat that are not for us: ours stand for the first row, and a second plan or
 * memory would confuse; the others are parts of Copilot's own loop, of inline chat, or ask what nothing acts on here;
 * the last rows edit, which they do for Copilot's own agent only (see fileTools.ts).
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['manage_todo_list', 'copilot_memory', 'copilot_resolveMemoryFileUri'],
  ...[
    'inline_chat_exit',
    'task_complete',
    'tool_search',
    'skill',
    'copilot_switchAgent',
    'vscode_reviewPlan',
  ],
  ...['runSubagent', 'execution_subagent', 'search_subagent', 'explore_subagent'],
  ...['vscode_get_confirmation', 'vscode_get_confirmation_with_options'],
  ...['vscode_get_modified_files_confirmation', 'vscode_get_terminal_confirmation'],
  ...['copilot_createFile', 'copilot_insertEdit', 'copilot_applyPatch', 'copilot_replaceString'],
  ...['copilot_multiReplaceString', 'copilot_editNotebook', 'copilot_createNewJupyterNotebook'],
]);
/**
 * Tools of VS Code 1.139 and its Copilot Chat that only look, or ask the person. Of all others nobody says what they do, so they may do
 * anything: a server's word for it (`readOnlyHint`) does not reach extensions.
 */
const READS: ReadonlySet<string> = new Set([
  ...['copilot_readFile', 'copilot_findFiles', 'copilot_findTextInFiles', 'copilot_listDirectory'],
  ...['copilot_searchCodebase', 'copilot_searchWorkspaceSymbols', 'vscode_listCodeUsages'],
  ...['copilot_findTestFiles', 'copilot_githubRepo', 'copilot_githubTextSearch'],
  ...['copilot_getErrors', 'copilot_getChangedFiles'],
  ...['copilot_getNotebookSummary', 'copilot_readNotebookCellOutput', 'copilot_readProjectStructure'],
  ...['copilot_getVSCodeAPI', 'copilot_viewImage', 'vscode_askQuestions'],
  ...['get_terminal_output', 'terminal_last_command', 'terminal_selection', 'get_task_output'],
]);
/** Of those the ones whose results show what stands in files that nobody named; they say in which. */
const SHOWS_FILES: ReadonlySet<string> = new Set([
  ...['copilot_findTextInFiles', 'copilot_searchCodebase', 'vscode_listCodeUsages'],
  ...['copilot_getErrors', 'copilot_getChangedFiles'],
]);
/** Part of the model's context that one result may take up; the tools cut what is longer. */
const RESULT_SHARE = 0.1;

export interface EditorToolsOptions {
  /** Names of all our tools, also those that are switched off: they are not called by way of the editor. */
  readonly ours: ReadonlySet<string>;
  /** How many tools are in the request already; more after a setting has changed. */
  taken(): number;
  readonly request: Pick<vscode.ChatRequest, 'model' | 'toolInvocationToken' | 'toolReferences'>;
}

/** Calls tools as part of a chat request, so that the editor shows them there and asks before what is risky. */
export class EditorTools implements LoopTools {
  readonly #request: EditorToolsOptions['request'];
  readonly #taken: EditorToolsOptions['taken'];
  /** Those that the person named come first. */
  readonly #tools: readonly vscode.LanguageModelToolInformation[];

  constructor({ ours, taken, request }: EditorToolsOptions) {
    this.#request = request;
    this.#taken = taken;
    const referenced = new Set(request.toolReferences.map(({ name }) => name));
    const usable = vscode.lm.tools.filter((tool) => isUsable(tool) && !ours.has(tool.name));
    this.#tools = [
      ...usable.filter(({ name }) => referenced.has(name)),
      ...usable.filter(({ name }) => !referenced.has(name)),
    ];
  }

  specs(): ToolSpec[] {
    return this.#tools
      .slice(0, Math.max(0, MAX_TOOLS - this.#taken()))
      .map(({ name, description, inputSchema }) => ({
        name,
        description,
        inputSchema: inputSchema as ToolSpec['inputSchema'],
      }));
  }

  /** The editor's agent runs them side by side, too. */
  isExclusive(): boolean {
    return false;
  }

  effectOf({ name }: Pick<LoopCallInput, 'name'>): LoopEffect {
    return READS.has(name) ? 'read' : 'unknown';
  }

  async call({ name, input }: LoopCallInput, signal: AbortSignal): Promise<LoopResult> {
    const { model, toolInvocationToken } = this.#request;
    const cancellation = tokenOf(signal);
    try {
      const options = {
        input: objectOf(input),
        toolInvocationToken,
        tokenizationOptions: {
          tokenBudget: Math.floor(model.maxInputTokens * RESULT_SHARE),
          countTokens: async (text: string) => await model.countTokens(text, cancellation.token),
        },
      };
      const result = await vscode.lm.invokeTool(name, options, cancellation.token);
      const text = result.content.map(partText).join('\n');
      return { text, isError: false, ...(SHOWS_FILES.has(name) && { files: filesNamedIn(text) }) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      return { text: error instanceof Error ? error.message : String(error), isError: true };
    } finally {
      cancellation.dispose();
    }
  }
}

function isUsable({ name, description, inputSchema }: vscode.LanguageModelToolInformation): boolean {
  return (
    NAME.test(name) &&
    !name.endsWith('_internal') &&
    !LEFT_OUT.has(name) &&
    description !== '' &&
    inputSchema !== undefined
  );
}

function objectOf(input: JsonValue): object {
  return typeof input === 'object' && input !== null ? input : {};
}

/** Every word that may be a file's name: each tool has a way of its own to tell them. */
function filesNamedIn(text: string): readonly string[] {
  return [...pathsInInput({ command: text })].filter((path) => /[./\\]/.test(path));
}

/** What a model can read of a part of a result. */
function partText(part: unknown): string {
  if (part instanceof vscode.LanguageModelTextPart) return part.value;
  if (part instanceof vscode.LanguageModelPromptTsxPart) return promptText(part.value);
  if (part instanceof vscode.LanguageModelDataPart) return dataText(part);
  return '[A part of the result that cannot be shown here]';
}

function dataText({ mimeType, data }: vscode.LanguageModelDataPart): string {
  if (mimeType.startsWith('text/') || /[/+]json$/.test(mimeType)) return Buffer.from(data).toString('utf8');
  return `[${mimeType}, ${data.byteLength} bytes, not shown]`;
}
