/** What a subagent can call: files of its workspace, what the project remembers, and perhaps subagents of its own. */
import { join } from 'node:path';
import { messageOf } from '../../journal/errors.ts';
import { canFlowTo, type Level } from '../../policy/level.ts';
import type { Settings } from '../../ports.ts';
import { idOf } from '../../session/sessionId.ts';
import { combine, type LoopTools, wrapping } from '../../session/turnCalls.ts';
import type { Worker } from '../../subagent/host.ts';
import { withLocalFiles } from '../../subagent/localFiles.ts';
import type { DiagnosticsOf } from '../../subagent/workspace/diagnostics.ts';
import { RunningCommands } from '../../subagent/workspace/running.ts';
import { createWorkspaceTools } from '../../subagent/workspace/tools.ts';
import { attending } from '../attending.ts';
import { exposing } from '../exposing.ts';
import type { Exposed, Exposure } from '../exposure.ts';
import { registryTools } from '../loopTools.ts';
import type { Registry } from '../registry.ts';
import type { ToolCall } from '../tool.ts';
import { notesOf } from './handOver.ts';

const FILE_TOOLS = ['read', 'list', 'find', 'search', 'write', 'edit'];
const ALL_TOOLS = [...FILE_TOOLS, 'diagnostics', 'run', 'fetch'];
/** Of ours; the plan and the checkpoint belong to the session at the top (seed 000). */
const SHARED = new Set([
  ...['memory_recall', 'memory_search', 'memory_remember'],
  // Of its parent's memory backend.
  ...['recall', 'retain', 'reflect'],
]);

export interface WorkerToolParts {
  /** The workspace folder. */
  readonly root: string;
  /** The store's folder. */
  readonly storeDir: string;
  readonly registry: Registry;
  readonly settings: Settings;
  readonly door: ToolCall['door'];
  /** Of what lies in plain files, as `local://` does. */
  readonly defaultLevel: Level;
  readonly searchThread: URL;
  readonly diagnostics?: DiagnosticsOf | undefined;
  /** Told of each file that a subagent touches in the folder itself. */
  readonly touched?: ((worker: Worker, path: string) => void) | undefined;
  /** What it has to be told of others that touched such a file. */
  readonly others?: ((worker: Worker, path: string) => Promise<string | undefined>) | undefined;
}

/** Everything that a subagent could call; its agent's list is applied by whoever runs it. */
export function workerTools(worker: Worker, parts: WorkerToolParts): LoopTools {
  const { id, agent, caller, key, depth, root, localDir, nested } = worker;
  const { registry, settings, door, searchThread, diagnostics } = parts;
  const { level, model } = caller;
  const { exposure } = registry;
  const session = { key, start: level, source: agent.name };
  // Several may ask at the same time: the person has to know which one does.
  const approve: ToolCall['approve'] = ({ title, detail }) =>
    caller.approve({ title, detail: `${detail}\n\n${id} (${agent.name})` });
  const top = caller.nested?.session ?? idOf(caller.key);
  const running = new RunningCommands(join(parts.storeDir, 'running'), `${top}/${id}`);
  const isHidden = (path: string) => exposure.hiddenFrom(exposure.levelOf(session))?.has(path, root) ?? false;
  const ports = { approve, settings, searchThread, running, isHidden };
  const files = createWorkspaceTools({
    root,
    allowed: agent.tools ?? ALL_TOOLS,
    // What the editor knows is about its own folder, not about a worktree.
    ports: { ...ports, diagnostics: root === parts.root ? diagnostics : undefined },
  });
  // An agent that may not write may not leave notes either.
  const allowed = FILE_TOOLS.filter((name) => agent.tools?.includes(name) ?? true);
  const local = sharedNotes(createWorkspaceTools({ root: localDir, allowed, ports }), {
    ...{ exposure, session, defaultLevel: parts.defaultLevel },
    notes: { ...notesOf(top), source: agent.name },
  });
  const ours = registryTools({
    ...{ registry, settings, depth, profile: 'full' },
    filter: (name) => SHARED.has(name) || ((name === 'task' || name === 'job') && nested !== undefined),
    call: {
      ...{ door, level, session: key, source: agent.name, approve, model, nested },
      // In a worktree of its own.
      sandboxed: root !== parts.root,
    },
  });
  // What it does is its caller's doing for others; in a worktree of its own it stands in nobody's way.
  const isSeen = root === parts.root && depth === 1;
  // Others would take the caller for one that stands as high, or its files for those of its own level.
  const isTold = (): boolean => {
    try {
      return canFlowTo(exposure.levelOf(session), exposure.levelOf({ key: caller.key, start: level }));
    } catch {
      return false;
    }
  };
  const seen = isSeen
    ? attending(files, root, {
        touched: (path) => {
          if (isTold()) parts.touched?.(worker, path);
        },
        others: async (path) => parts.others?.(worker, path),
      })
    : files;
  const used = exposing(withLocalFiles(seen, local), {
    ...{ exposure, session, folder: root },
    within: registry.within,
  });
  return combine(used, ours);
}

interface SharedNotes {
  readonly exposure: Pick<Exposure, 'levelOf' | 'raise'>;
  /** The subagent's. */
  readonly session: Exposed;
  readonly notes: Exposed;
  /** What plain files may hold. */
  readonly defaultLevel: Level;
}

/**
 * The same tools. What subagents of higher levels left raises whoever looks there, and who writes there raises the notes;
 * they are plain files, so what is above those is not written.
 */
function sharedNotes(tools: LoopTools, { exposure, session, notes, defaultLevel }: SharedNotes): LoopTools {
  const rule = 'file:local://';
  return wrapping(tools, {
    call: async (call, signal) => {
      const { name } = call;
      try {
        const level = await exposure.raise(session, { level: exposure.levelOf(notes), rule }, name);
        if (tools.isExclusive(name)) {
          if (!canFlowTo(level, defaultLevel)) return { text: aboveNotes(name), isError: true };
          await exposure.raise(notes, { level, rule }, name);
        }
      } catch (error) {
        return { text: `${messageOf(error)} ${name} was not run.`, isError: true };
      }
      return tools.call(call, signal);
    },
  });
}

function aboveNotes(name: string): string {
  return `${name} was not run: you have read what is above this folder's level, and local:// is plain files that others read.`;
}
