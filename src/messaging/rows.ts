/** Makes rows of what the store tells of sessions. */

import { DEFAULT_AGENT, mainKey } from '../policy/sessionKey.ts';
import { canonicalKey, GLOBAL_KEY, type ParsedKey, parseKey, UNKNOWN_KEY } from '../session/key.ts';
import type { SessionFacts } from '../worker/sessionLookApi.ts';
import { type ArchiveRules, isArchived } from './archive.ts';
import type { DeliveryContext, SessionRow } from './row.ts';

/** The editor's chats. */
const WEBCHAT = 'webchat';

export interface RowRules extends ArchiveRules {
  /** `session.scope` is "global". */
  readonly isGlobal: boolean;
}

/** The rows of sessions, in their order; those with reserved keys have none. */
export function rowsOf(facts: readonly SessionFacts[], rules: RowRules): SessionRow[] {
  const keys = new Map(facts.map((each) => [placeOf(each), keyOf(each, rules)]));
  const meant = meantBy(facts, rules);
  return facts.flatMap((each) => {
    const key = keyOf(each, rules);
    if (key === GLOBAL_KEY || key === UNKNOWN_KEY) return [];
    const isNamesake = meant.get(key) !== each;
    return [rowOf(each, { key, isNamesake, spawnedBy: spawnerOf(each, keys) }, rules)];
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

/** Which session each key means: the folder's one session, where it has one, else the first of those that have the key. */
function meantBy(facts: readonly SessionFacts[], rules: RowRules): ReadonlyMap<string, SessionFacts> {
  const meant = new Map<string, SessionFacts>();
  for (const each of facts) {
    const key = keyOf(each, rules);
    if (each.key === GLOBAL_KEY || !meant.has(key)) meant.set(key, each);
  }
  return meant;
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

interface Naming {
  readonly key: string;
  readonly isNamesake: boolean;
  readonly spawnedBy: string | null;
}

function rowOf(facts: SessionFacts, { key, isNamesake, spawnedBy }: Naming, rules: RowRules): SessionRow {
  const { kind, source, title, level, lastActive, live, depth, started, spawn, tail, overrides } = facts;
  const parsed = parseKey(key);
  const isEditor = kind === 'participant' || kind === 'copilot';
  const lastChannel = parsed.channel ?? (isEditor ? WEBCHAT : null);
  const deliveryContext = lastChannel === null ? null : deliveryOf(lastChannel, parsed);
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
    lastTo: deliveryContext?.to ?? null,
    deliveryContext,
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
      ...{ key: facts.key, kind, source, id: facts.id, hasTranscript, isNamesake, started },
      ...(facts.agentId !== undefined && { subagent: facts.agentId }),
      ...(spawn && { mode: spawn.mode, runId: spawn.runId }),
      ...(facts.peer !== undefined && { peer: facts.peer }),
    },
  };
}

/** A chat of the editor is with whoever sits there: its key tells a chat apart, and names nobody. */
function deliveryOf(channel: string, { peer, account }: ParsedKey): DeliveryContext {
  const isEditor = channel === WEBCHAT;
  return { channel, to: isEditor ? null : (peer ?? null), accountId: isEditor ? null : (account ?? null) };
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
