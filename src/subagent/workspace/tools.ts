/** The worker tools of one subagent, rooted in the folder that its task works in. */
import { z } from 'zod';
import { errorCode } from '../../journal/disk.ts';
import type { JsonValue } from '../../journal/record.ts';
import type { Settings } from '../../ports.ts';
import type { ToolSpec } from '../../session/chatModel.ts';
import type { LoopCallInput, LoopResult, LoopTools } from '../../session/turnCalls.ts';
import { type DiagnosticsOf, diagnosticsTool } from './diagnostics.ts';
import { editTool } from './edit.ts';
import { FETCH_MODE, fetchTool } from './fetch.ts';
import { findTool } from './find.ts';
import { listTool } from './list.ts';
import { readTool } from './read.ts';
import { RUN_MODE, runTool } from './run.ts';
import type { RunningCommands } from './running.ts';
import { searchTool } from './search.ts';
import { SearchThreads } from './searches.ts';
import { type Approve, MAX_RESULT, start, WorkspaceError, type WorkspaceTool } from './tool.ts';
import { Workspace } from './workspace.ts';
import { writeTool } from './write.ts';

export interface WorkspacePorts {
  readonly approve: Approve;
  readonly settings: Settings;
  /** Where it is written down which commands run; absent where nobody asks. */
  readonly running?: RunningCommands | undefined;
  /** Absent where there is no editor. */
  readonly diagnostics?: DiagnosticsOf | undefined;
  /** Whether the session may not be told of a file, an absolute path, by the person's rules at this moment. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
  /** Script of the search thread, which the build puts beside every bundle as `searchWorker.js`. */
  readonly searchThread: URL;
}

export interface WorkspaceToolOptions {
  /** The folder that the task works in. */
  readonly root: string;
  /** Names of the tools that the subagent has; others are not there, and names of other tools mean nothing here. */
  readonly allowed: readonly string[];
  readonly ports: WorkspacePorts;
}

/** Settings that switch a tool off with `never`. */
const MODES: Readonly<Record<string, string>> = { run: RUN_MODE, fetch: FETCH_MODE };

/**
 * The tools of one subagent. What it has read and which hosts were approved is kept with them, so every task gets
 * its own.
 * @throws when there is no folder at `root`.
 */
export function createWorkspaceTools({ root, allowed, ports }: WorkspaceToolOptions): LoopTools {
  const workspace = new Workspace(root);
  const { approve, settings, isHidden = () => false } = ports;
  const threads = new SearchThreads(ports.searchThread);
  const all = [
    readTool(workspace),
    listTool(workspace, isHidden),
    findTool(workspace, threads, isHidden),
    searchTool(workspace, threads),
    writeTool(workspace, approve),
    editTool(workspace, approve),
    diagnosticsTool(workspace, ports.diagnostics, isHidden),
    runTool(workspace, { approve, settings, running: ports.running }),
    fetchTool(approve, settings),
  ];
  const tools = new Map(all.filter(({ name }) => allowed.includes(name)).map((tool) => [tool.name, tool]));
  const isOn = ({ name }: WorkspaceTool) => {
    const mode = MODES[name];
    return mode === undefined || settings.get(mode) !== 'never';
  };
  return {
    specs: () => [...tools.values()].filter(isOn).map(specOf),
    isExclusive: (name) => tools.get(name)?.exclusive ?? false,
    call: (call, signal) => invoke(tools.get(call.name), call, signal),
    effectOf: ({ name }) => tools.get(name)?.effect ?? 'read',
    evidenceOf: async ({ name, input }, planned) => {
      const tool = tools.get(name);
      const parsed = tool?.input.safeParse(withoutNulls(input));
      if (tool?.evidence === undefined || parsed?.success !== true) return undefined;
      return { root: workspace.root, ...(await tool.evidence(parsed.data, planned)) };
    },
  };
}

/** By name: every task has tools of its own, which are told in the same words. A loop asks before every step. */
const specs = new Map<string, ToolSpec>();

function specOf({ name, description, input }: WorkspaceTool): ToolSpec {
  const known = specs.get(name);
  if (known !== undefined) return known;
  const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
  const spec = { name, description, inputSchema: schema as { [key: string]: JsonValue } };
  specs.set(name, spec);
  return spec;
}

/** Validates, runs and answers. Throws only the signal's reason. */
async function invoke(
  tool: WorkspaceTool | undefined,
  { id, name, input }: LoopCallInput,
  signal: AbortSignal,
): Promise<LoopResult> {
  try {
    if (tool === undefined) throw new WorkspaceError(`There is no tool "${name}".`);
    const parsed = tool.input.safeParse(withoutNulls(input));
    if (!parsed.success) throw new WorkspaceError(`${name}: ${describe(parsed.error)}`);
    signal.throwIfAborted();
    const answer = await tool.run(parsed.data, signal, id);
    if (typeof answer === 'string') return { text: bounded(answer), isError: false };
    return { text: bounded(answer.text), isError: false, files: answer.files };
  } catch (error) {
    signal.throwIfAborted();
    return { text: bounded(explain(name, error)), isError: true };
  }
}

/** Models fill fields for which they have nothing with null: it means "not given". */
function withoutNulls(input: JsonValue): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

function describe(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
}

/** What the system says when an operation fails, in words that say what to do. */
const SYSTEM: Readonly<Record<string, string>> = {
  EACCES: 'the system does not permit it. Leave this file alone, or say in your result that it is needed',
  EPERM: 'the system does not permit it. Leave this file alone, or say in your result that it is needed',
  EROFS: 'the folder is read-only. Say so in your result',
  ENOSPC: 'the disk is full. Stop, and say so in your result',
  EDQUOT: 'the disk is full. Stop, and say so in your result',
  EMFILE: 'too many files are open. Try again in a moment',
  ENOENT: 'it is gone. List the folder and try again',
  ENOTDIR: 'a file stands where a folder was meant. List the folder and try again',
  EEXIST: 'a file stands where a folder was meant. List the folder and try again',
  EISDIR: 'a folder stands where a file was meant. List the folder and try again',
  ENAMETOOLONG: 'a name is too long. Choose a shorter one',
};

function explain(name: string, error: unknown): string {
  if (error instanceof WorkspaceError) return error.message;
  const code = errorCode(error);
  if (code !== undefined)
    return `${name} failed: ${SYSTEM[code] ?? `the system says ${code}. Try another way`}.`;
  return `${name} failed: ${error instanceof Error ? error.message : String(error)}. Try another way.`;
}

function bounded(text: string): string {
  return text.length <= MAX_RESULT ? text : `${start(text, MAX_RESULT)}\n(The answer was cut here.)`;
}
