/** The agents that sessions can be started under: `agents.list` of the person's settings, and `main`. */
import { DEFAULT_AGENT } from '../policy/sessionKey.ts';
import type { Settings } from '../ports.ts';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MOST = 200;

export interface ListedAgent {
  readonly id: string;
  readonly name?: string | undefined;
  /** It stands in the settings. */
  readonly configured: boolean;
  /** Ids of agents under which its sessions may start others; undefined: its own alone. */
  readonly allowAgents?: readonly string[] | undefined;
}

/** Every agent, `main` first, the rest in the order of the settings. What is not valid is passed over. */
export function agentsOf(settings: Settings): readonly ListedAgent[] {
  const value = settings.get('agents.list');
  const listed = new Map<string, ListedAgent>([[DEFAULT_AGENT, { id: DEFAULT_AGENT, configured: false }]]);
  const known = new Set<string>();
  for (const each of Array.isArray(value) ? value.slice(0, MOST) : []) {
    const agent = agentOf(each);
    if (agent === undefined || known.has(agent.id)) continue;
    known.add(agent.id);
    listed.set(agent.id, agent);
  }
  return [...listed.values()];
}

export interface AllowedAgents {
  readonly allowAny: boolean;
  readonly agents: readonly ListedAgent[];
}

/** Under which agents a session of this one may start others: by `subagents.allowAgents`, else only under its own. */
export function allowedAgents(settings: Settings, requester: string): AllowedAgents {
  const all = agentsOf(settings);
  const own = all.find(({ id }) => id === requester) ?? { id: requester, configured: false };
  const allow = own.allowAgents ?? [requester];
  if (allow.includes('*'))
    return { allowAny: true, agents: [own, ...all.filter(({ id }) => id !== requester)] };
  const known = new Map(all.map((agent) => [agent.id, agent]));
  const ids = [...new Set(allow)];
  return { allowAny: false, agents: ids.map((id) => known.get(id) ?? { id, configured: false }) };
}

function agentOf(value: unknown): ListedAgent | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || !ID.test(value.id)) return undefined;
  const { id, name, subagents } = value;
  const allow = isObject(subagents) ? subagents.allowAgents : undefined;
  // A list that is no list allows nothing.
  const allowAgents = allow === undefined || allow === null ? undefined : idsIn(allow);
  return { id, configured: true, ...(typeof name === 'string' && { name }), allowAgents };
}

function idsIn(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((id): id is string => typeof id === 'string' && (id === '*' || ID.test(id)));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
