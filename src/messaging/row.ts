/** A session as the tools about sessions show it. */
import type { Level } from '../policy/level.ts';
import { redactFields } from '../policy/redact.ts';
import { mainKey } from '../policy/sessionKey.ts';
import type { RowKind } from '../session/key.ts';
import type { SessionKind } from '../session/record.ts';

export type SendOverride = 'allow' | 'deny';

/** The seed's fields, by its names; null where there is no counterpart here. Times are Unix milliseconds. */
export interface SeedRow {
  /** The canonical key (see session/key.ts). */
  readonly key: string;
  readonly kind: RowKind;
  readonly channel: string;
  readonly displayName: string | null;
  readonly updatedAt: number | null;
  /** Of a task's subagent: the id of the session it belongs to, a slash and its own. Null without a transcript. */
  readonly sessionId: string | null;
  readonly model: string | null;
  /** The model's window, in tokens. */
  readonly contextTokens: number | null;
  /** How much of it the last answer used. */
  readonly totalTokens: number | null;
  readonly thinkingLevel: string | null;
  readonly verboseLevel: string | null;
  readonly systemSent: boolean | null;
  readonly abortedLastRun: boolean | null;
  /** What a person set for this session. */
  readonly sendPolicy: SendOverride | null;
  readonly lastChannel: string | null;
  readonly lastTo: string | null;
  readonly deliveryContext: DeliveryContext | null;
  readonly transcriptPath: string | null;
}

export interface DeliveryContext {
  readonly channel: string;
  readonly to: string | null;
  readonly accountId: string | null;
}

export interface SessionRow extends SeedRow {
  readonly label: string | null;
  readonly agentId: string;
  /** Canonical key of the session that started this one; null also where it is above the reader's level. */
  readonly spawnedBy: string | null;
  /** 0 for a session of its own, one more for each parent. */
  readonly depth: number;
  readonly level: Level;
  /** A living process writes to it. */
  readonly live: boolean;
  readonly state: 'running' | 'idle' | 'ended';
  /** A loop of ours can answer in it. */
  readonly isOurs: boolean;
  /** Out of the lists, until somebody goes on with it. */
  readonly archived: boolean;
  readonly origin: RowOrigin;
}

/** What a session is to this program, for code; agents are not shown it. */
export interface RowOrigin {
  /** As the door gave it: `idOf` of it names the transcript. */
  readonly key: string;
  readonly kind: SessionKind;
  /** The client or model behind it, as it names itself. */
  readonly source: string;
  /** Of the session; for a task's subagent of the session it belongs to. */
  readonly id: string;
  /** Of a task's subagent. */
  readonly subagent?: string | undefined;
  /** Another session has the same canonical key, which means that one; agents are shown this one's id instead. */
  readonly isNamesake: boolean;
  /** It is known from presence alone. */
  readonly hasTranscript: boolean;
  /** The other program that it is seen through; nothing can be sent to it. */
  readonly peer?: string | undefined;
  /** Of a spawned session. */
  readonly mode?: 'run' | 'session' | undefined;
  readonly runId?: string | undefined;
  readonly started: number;
}

export type ShownRow = Omit<SessionRow, 'origin'>;

/**
 * A row as tools answer it to a session of this agent: what stands for code alone is left out, and so are secrets in
 * names, which are made of first prompts.
 */
export async function shownRow(
  row: SessionRow,
  agentId: string,
): Promise<{ readonly row: ShownRow; readonly isRedacted: boolean }> {
  const { origin: _, ...shown } = row;
  const { spawnedBy } = row;
  // The end of a name that was cut may be half a secret, which nobody would take for one.
  const displayName = row.displayName?.replace(/[\w+/=.:~-]{12,}…$/, '…') ?? null;
  const { fields, found } = await redactFields({ displayName, label: row.label });
  const keys = { key: shownKey(row, agentId), spawnedBy: spawnedBy && nameOf(spawnedBy, agentId) };
  return { row: { ...shown, ...fields, ...keys }, isRedacted: found.length > 0 };
}

/** What a session of this agent calls another by, and the tools understand: no two sessions have the same. */
export function shownKey({ key, sessionId, origin }: SessionRow, agentId: string): string {
  return origin.isNamesake && sessionId !== null ? sessionId : nameOf(key, agentId);
}

/** A key as a session of this agent is shown it: its own main session is always `main` (seed 003). */
function nameOf(key: string, agentId: string): string {
  return key === mainKey(agentId) ? 'main' : key;
}
