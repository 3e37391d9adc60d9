/**
 * Session keys as agents see them (seed 003):
 *
 *     agent:<agent>:main                                     agent:<agent>:<channel>:group:<id>, …:channel:<id>
 *     agent:<agent>:[<channel>:[<account>:]]direct:<peer>    agent:<agent>:subagent:<id>
 *     cron:<job>, hook:<id>, node-<id>, on their own or after agent:<agent>:
 *
 * A transcript keeps the key that a door gave it; the canonical key is made of that one whenever it is needed.
 */
import { DEFAULT_AGENT, isSubagentKey, mainKey, splitKey } from '../policy/sessionKey.ts';
import type { SessionKind } from './record.ts';

/** The whole folder's one session where `session.scope` is "global"; agents see `main` instead. */
export const GLOBAL_KEY = 'global';
/** Of a message whose session nobody could tell; it is never listed nor found. */
export const UNKNOWN_KEY = 'unknown';

export const ROW_KINDS = ['main', 'group', 'cron', 'hook', 'node', 'other'] as const;
export type RowKind = (typeof ROW_KINDS)[number];
export type ChatType = 'direct' | 'group' | 'channel';

export interface ParsedKey {
  readonly agentId: string;
  readonly kind: RowKind;
  readonly chatType: ChatType | undefined;
  /** As the key names it; undefined where it names none. */
  readonly channel: string | undefined;
  /** Of `direct`: which of the channel's accounts the chat is held with; undefined where the key names none. */
  readonly account: string | undefined;
  /** Of `direct`, `group` and `channel`: whom or what the chat is with. */
  readonly peer: string | undefined;
  readonly isSubagent: boolean;
  /** The key without `agent:<agent>:`. */
  readonly rest: string;
}

/** What a task gives its subagent: the session it belongs to, by its id, and the subagent's own id. */
const TASK_SUBAGENT = /^([A-Za-z0-9_-]+)(?:\/[A-Za-z0-9_.-]+)?:subagent:([A-Za-z0-9_.-]+)$/;

/** The canonical key of a session with this key of a door's and of this kind. A canonical key is its own. */
export function canonicalKey(raw: string, kind: SessionKind): string {
  if (splitKey(raw).isWhole || /^(?:cron:|hook:|node-)./s.test(raw)) return raw;
  if (raw === GLOBAL_KEY || raw === UNKNOWN_KEY) return raw;
  if (raw === 'main') return mainKey(DEFAULT_AGENT);
  const [, session, id] = TASK_SUBAGENT.exec(raw) ?? [];
  if (session !== undefined) return `agent:${DEFAULT_AGENT}:subagent:${session}.${id}`;
  const channel = kind === 'participant' || kind === 'copilot' ? 'webchat:' : '';
  return `agent:${DEFAULT_AGENT}:${channel}direct:${raw}`;
}

/** What a canonical key says. Whatever follows no grammar is of kind `other`. */
export function parseKey(key: string): ParsedKey {
  const { agentId, rest } = splitKey(key);
  const whole = {
    agentId,
    rest,
    chatType: undefined,
    channel: undefined,
    account: undefined,
    peer: undefined,
  };
  const isSubagent = isSubagentKey(key);
  if (rest === 'main' || rest === GLOBAL_KEY) return { ...whole, kind: 'main', isSubagent };
  const own = (['cron', 'hook'] as const).find((each) => rest.startsWith(`${each}:`));
  if (own !== undefined) return { ...whole, kind: own, isSubagent };
  if (rest.startsWith('node-')) return { ...whole, kind: 'node', isSubagent };
  const chat = isSubagent ? undefined : chatOf(rest);
  if (chat === undefined) return { ...whole, kind: 'other', isSubagent };
  return { ...whole, ...chat, kind: chat.chatType === 'direct' ? 'other' : 'group', isSubagent };
}

function chatOf(rest: string): Pick<ParsedKey, 'chatType' | 'channel' | 'account' | 'peer'> | undefined {
  const [, channel, type, peer] = /^([^:]+):(group|channel):(.+)$/s.exec(rest) ?? [];
  if (type !== undefined) return { chatType: type as ChatType, channel, account: undefined, peer };
  const direct = /^(?:([^:]+):(?:([^:]+):)?)?direct:(.+)$/s.exec(rest);
  return direct ? { chatType: 'direct', channel: direct[1], account: direct[2], peer: direct[3] } : undefined;
}
