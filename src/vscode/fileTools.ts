/**
 * Reading and changing files of the folder, for the loop of @lodeline: the same tools that subagents have, which no
 * path leads out of the folder. Those of Copilot Chat (tried in VS Code 1.139) answer "Invalid stream" to everybody
 * but its own agent.
 */
import { isAbsolute, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { JsonValue } from '../journal/record.ts';
import type { Settings } from '../ports.ts';
import type { CallEvidence } from '../session/effects.ts';
import {
  effectOf,
  type LoopCallInput,
  type LoopEffect,
  type LoopResult,
  type LoopTools,
  type PlannedFiles,
} from '../session/turnCalls.ts';
import { configuresPrograms } from '../subagent/workspace/names.ts';
import { createWorkspaceTools } from '../subagent/workspace/tools.ts';
import { type Place, Workspace } from '../subagent/workspace/workspace.ts';
import type { Approval } from '../tools/tool.ts';
import { isInside } from './fileReference.ts';

const READS = 'read';
const TOOLS: readonly string[] = [READS, 'write', 'edit'];

export interface FileToolsOptions {
  /** The workspace folder. */
  readonly root: string;
  readonly settings: Settings;
  /** Asks the person before a file is changed that the editor, git or a service acts on by itself. */
  approve(question: Approval): Promise<boolean>;
  /** Told of every file that was changed. */
  onEdit(uri: vscode.Uri): void;
}

export class FileTools implements LoopTools {
  readonly #options: FileToolsOptions;
  readonly #workspace: Workspace;
  readonly #tools: LoopTools;
  /** What is being changed. One change at a time is: the tools that change something are exclusive. */
  #changed = '';

  /** @throws when there is no folder at `root`. */
  constructor(options: FileToolsOptions) {
    const { root, settings } = options;
    this.#options = options;
    this.#workspace = new Workspace(root);
    this.#tools = createWorkspaceTools({
      root,
      allowed: TOOLS,
      ports: {
        settings,
        approve: async () => ((await this.#agrees()) ? 'approved' : 'declined'),
        searchThread: new URL('./searchWorker.js', import.meta.url),
      },
    });
  }

  specs() {
    return this.#tools.specs();
  }

  isExclusive(name: string): boolean {
    return this.#tools.isExclusive(name);
  }

  effectOf(call: Omit<LoopCallInput, 'id'>): LoopEffect {
    return effectOf(this.#tools, call);
  }

  async evidenceOf(call: LoopCallInput, planned: PlannedFiles): Promise<CallEvidence | undefined> {
    return this.#tools.evidenceOf?.({ ...call, input: this.#inFolder(call.input) }, planned);
  }

  async call(call: LoopCallInput, signal: AbortSignal): Promise<LoopResult> {
    const asked = { ...call, input: this.#inFolder(call.input) };
    if (call.name === READS) return this.#tools.call(asked, signal);
    const place = this.#place(asked.input);
    const refusal = place && (await this.#refusal(call.name, place));
    if (refusal !== undefined) return { text: refusal, isError: true };
    const result = await this.#tools.call(asked, signal);
    if (place !== undefined && !result.isError)
      this.#options.onEdit(vscode.Uri.file(join(this.#options.root, ...place.names)));
    return result;
  }

  /** Why a place is not changed, for the model. The person is asked about what tools may act on. */
  async #refusal(tool: string, place: Place): Promise<string | undefined> {
    const { names, path } = place;
    if (!vscode.workspace.isTrusted)
      return `${tool} changes files, and this folder is not trusted yet. Ask the person to trust it ("Workspaces: Manage Workspace Trust").`;
    if (this.#isDirty(place))
      return `${JSON.stringify(path)} has changes in the editor that are not saved. Ask the person to save the file, then try again.`;
    this.#changed = path;
    // About those that configure programs the tool itself asks.
    if (configuresPrograms(names) || !names.some((name) => name.startsWith('.'))) return undefined;
    if (await this.#agrees()) return undefined;
    return `The person declined a change of ${JSON.stringify(path)}. Do not try again unless they ask.`;
  }

  #agrees(): Promise<boolean> {
    const { l10n } = vscode;
    return this.#options.approve({
      title: l10n.t('Let @lodeline change “{0}”?', this.#changed),
      detail: l10n.t('Tools may act on files and folders whose names begin with a dot.'),
    });
  }

  /** What the person typed and did not save must not be lost. */
  #isDirty({ names }: Place): boolean {
    const paths = [this.#options.root, this.#workspace.root].map((root) => join(root, ...names));
    return vscode.workspace.textDocuments.some(({ isDirty, uri }) => isDirty && paths.includes(uri.fsPath));
  }

  /** Where a change would be; undefined for what the tool will refuse. */
  #place(input: JsonValue): Place | undefined {
    const path = pathOf(input);
    try {
      return path === undefined ? undefined : this.#workspace.locate(path, 'write');
    } catch {
      return undefined;
    }
  }

  /** The editor's own tools name files by their absolute path, so models do. */
  #inFolder(input: JsonValue): JsonValue {
    const path = pathOf(input);
    const root = [this.#options.root, this.#workspace.root].find(
      (each) => path !== undefined && isAbsolute(path) && isInside(each, path),
    );
    if (root === undefined || path === undefined) return input;
    return { ...(input as { [key: string]: JsonValue }), path: relative(root, path).split(sep).join('/') };
  }
}

function pathOf(input: JsonValue): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  return typeof input.path === 'string' ? input.path : undefined;
}
