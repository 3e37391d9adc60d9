/** Makes rows of what the store tells of sessions. */

import { DEFAULT_AGENT, mainKey } from '../policy/sessionKey.ts';
import { canonicalKey, GLOBAL_KEY, type ParsedKey, parseKey, UNKNOWN_KEY } from '../session/key.ts';
import type { SessionFacts } from '../worker/sessionLookApi.ts';
import { type ArchiveRules, isArchived } from './archive.ts';
import type { SessionRow } from './row.ts';

export interface RowRules extends ArchiveRules {
  /** `session.scope` is "global". */
  readonly isGlobal: boolean;
}

/** The rows of sessions, in their order; those with reserved keys have none. */
export function rowsOf(facts: readonly SessionFacts[], rules: RowRules): SessionRow[] {
  const keys = new Map(facts.map((each) => [placeOf(each), keyOf(each, rules)]));
  return facts.flatMap((each) => {
    const key = keyOf(each, rules);
    if (key === GLOBAL_KEY || key === UNKNOWN_KEY) return [];
    return [rowOf(each, key, spawnerOf(each, keys), rules)];
  });
}

/** Names a session among all of them, also as its `sessionId`. */
function placeOf({ id, agentId }: Pick<SessionFacts, 'id' | 'agentId'>): string {
  return agentId === undefined ? id : `${id}/${agentId}`;
}

/** The key that agents see; `global` stands in the place of `main` where all of a folder is one session. */
function keyOf({ key: raw, kind }: SessionFacts, { isGlobal }: RowRules): string {
  const key = canonicalKey(raw, kind);
  return isGlobal && key === GLOBAL_KEY ? mainKey(DEFAULT_AGENT) : key;
}

/** A spawned session says who asked for it; of a task's subagent its place tells. */
function spawnerOf(
  { spawn, parent, id, agentId }: SessionFacts,
  keys: ReadonlyMap<string, string>,
): string | null {
  if (spawn !== undefined) return spawn.spawnedBy;
  if (parent !== undefined) return keys.get(parent) ?? null;
  return agentId === undefined ? null : (keys.get(id) ?? null);
}

function rowOf(facts: SessionFacts, key: string, spawnedBy: string | null, rules: RowRules): SessionRow {
  const { kind, source, title, level, lastActive, live, depth, started, spawn, tail, overrides } = facts;
  const parsed = parseKey(key);
  const isEditor = kind === 'participant' || kind === 'copilot';
  const lastChannel = parsed.channel ?? (isEditor ? 'webchat' : null);
  const hasTranscript = facts.transcript !== undefined;
  const hasLoop = kind === 'participant' || kind === 'spawned' || kind === 'subagent';
  const isRunning = live && hasLoop && tail.isOpen === true;
  return {
    key,
    kind: parsed.kind,
    channel: channelOf(parsed, lastChannel),
    displayName: overrides.title ?? title ?? null,
    updatedAt: lastActive,
    sessionId: hasTranscript ? placeOf(facts) : null,
    model: tail.model ?? null,
    contextTokens: tail.window ?? null,
    totalTokens: tail.tokens ?? null,
    thinkingLevel: null,
    verboseLevel: null,
    systemSent: null,
    // A turn that nobody ends any more broke off with its process.
    abortedLastRun: hasLoop ? tail.end === 'aborted' || (tail.isOpen === true && !live) : null,
    sendPolicy: overrides.sendPolicy ?? null,
    lastChannel,
    lastTo: null,
    deliveryContext: lastChannel === null ? null : { channel: lastChannel, to: null, accountId: null },
    transcriptPath: facts.transcript ?? null,
    label: overrides.label ?? spawn?.label ?? null,
    agentId: parsed.agentId,
    spawnedBy,
    depth,
    level,
    live,
    state: isRunning ? 'running' : hasEnded(facts) ? 'ended' : 'idle',
    isOurs: kind === 'participant' || kind === 'spawned',
    archived: facts.saidAway ?? isArchived({ ...facts, isAway: false }, rules),
    origin: {
      ...{ key: facts.key, kind, source, id: facts.id, hasTranscript, started },
      ...(facts.agentId !== undefined && { subagent: facts.agentId }),
      ...(spawn && { mode: spawn.mode, runId: spawn.runId }),
      ...(facts.peer !== undefined && { peer: facts.peer }),
    },
  };
}

function channelOf({ kind, channel }: ParsedKey, lastChannel: string | null): string {
  if (kind === 'cron' || kind === 'hook' || kind === 'node') return 'internal';
  return (kind === 'group' ? channel : lastChannel) ?? 'unknown';
}

/** A chat waits for the person; what was started for one task is over with it, and a connection with its process. */
function hasEnded({ kind, live, spawn, isPresent }: SessionFacts): boolean {
  if (kind === 'subagent') return !live;
  if (kind === 'spawned') return !live && spawn?.mode !== 'session';
  return kind === 'mcp' && !live && !isPresent;
}
