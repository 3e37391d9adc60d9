/** A folder with sessions of every kind, for the tests of who may see and do what. */
import { join } from 'node:path';
import type { Level } from '../../../src/policy/level.ts';
import type { Draft, SessionInfo, SpawnInfo } from '../../../src/session/record.ts';
import { startSession } from '../../../src/session/resume.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { draft, options, START, say } from '../session/kit.ts';
import { openTestTools, temporaryFolder } from '../support/folder.ts';

export const A = 'agent:main:webchat:direct:a';
const SPAWN = { mode: 'run', cleanup: 'keep', runId: 'r' } as const;

export interface NewSession extends Partial<SessionInfo> {
  readonly key: string;
  readonly level?: Level;
  readonly drafts?: readonly Draft[];
  readonly agentId?: string;
}

/** Writes a session as its process leaves it behind. */
export function put(folder: string, { level = 'PUBLIC', drafts, agentId, ...info }: NewSession): void {
  const id = agentId === undefined ? idOf(info.key) : idOf('a');
  const where = options(folder, { dir: join(folder, 'store', 'sessions'), id, defaultLevel: 'PUBLIC' });
  const about = { kind: 'participant', source: 'test', started: START, depth: 0, ...info } as const;
  const { session } = startSession({ ...where, agentId }, about, level);
  const said = drafts ?? [draft(say('user', `hello ${info.key}`)), draft(say('assistant', 'hi'))];
  session?.append(said.map((each) => ({ level, ...each })));
  session?.sync();
  session?.close();
}

export function spawned(key: string, spawnedBy: string, more: Partial<SpawnInfo> = {}): NewSession {
  const agentId = key.split(':')[1] ?? '';
  const spawn = { ...SPAWN, agentId, spawnedBy, ...more };
  return { key, kind: 'spawned', source: agentId, depth: 1, parent: idOf('a'), spawn };
}

/** Keys of the world's sessions, by what they are. */
export const TARGETS = {
  a: A,
  b: 'agent:main:webchat:direct:b',
  task: `agent:main:subagent:${idOf('a')}.0-Look`,
  child: 'agent:main:subagent:c1',
  grandchild: 'agent:main:subagent:c2',
  main: 'agent:main:main',
  cron: 'cron:nightly',
  other: 'agent:other:direct:o',
  otherChild: 'agent:other:subagent:c3',
  mcp: 'agent:main:direct:tool-1',
} as const;
export type Target = keyof typeof TARGETS;

/** Opens the world. Settings may be changed as long as it is open. */
export function openWorld(settings: Record<string, unknown> = {}, folder = temporaryFolder()) {
  put(folder, { key: 'a', kind: 'copilot', title: 'Chat A' });
  put(folder, { key: 'b' });
  put(folder, {
    ...{ key: `${idOf('a')}:subagent:0-Look`, kind: 'subagent', source: 'explore', depth: 1 },
    ...{ parent: idOf('a'), agentId: '0-Look' },
  });
  put(folder, spawned(TARGETS.child, A, { label: 'worker' }));
  put(folder, { ...spawned(TARGETS.grandchild, TARGETS.child), depth: 2 });
  put(folder, { key: TARGETS.main, kind: 'mcp' });
  put(folder, { key: TARGETS.cron, kind: 'spawned' });
  put(folder, { key: TARGETS.other, kind: 'mcp' });
  put(folder, spawned(TARGETS.otherChild, A));
  put(folder, { key: 'tool-1', kind: 'mcp', source: 'claude-code' });
  put(folder, { key: 'secret', level: 'CONFIDENTIAL' });
  const tools = openTestTools(folder, { time: START + 60_000 }, settings);
  const as = (session: string, more: Partial<ToolCall> = {}): Partial<ToolCall> => ({
    ...{ session, door: 'editor', isUnobserved: true, ...more },
  });
  const ask = async (tool: string, input: object, who: Partial<ToolCall>) => {
    const { text, isError } = await tools.call(tool, input, who);
    if (isError) throw new Error(`${tool}: ${text}`);
    return text;
  };
  const list = async (who: Partial<ToolCall>, input: object = {}) =>
    JSON.parse(await ask('sessions_list', input, who)) as Listed;
  const history = async (sessionKey: string, who: Partial<ToolCall>, input: object = {}) =>
    JSON.parse(await ask('sessions_history', { sessionKey, ...input }, who)) as Record<string, unknown>;
  return { ...tools, as, ask, list, history, settings, folder };
}

export interface Listed {
  readonly count: number;
  readonly sessions: readonly (Record<string, unknown> & { readonly key: string })[];
  readonly visibility?: { readonly mode: string; readonly restricted: boolean; readonly warning: string };
  readonly truncated?: boolean;
  readonly omitted?: number;
}
