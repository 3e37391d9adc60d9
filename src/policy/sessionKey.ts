/** What policies have to know of a session's canonical key, `agent:<agent>:<rest>` (see session/key.ts). */

/** The agent of whatever names none. */
export const DEFAULT_AGENT = 'main';

const AGENT_KEY = /^agent:([^:]+):(.+)$/s;

export interface SplitKey {
  readonly agentId: string;
  /** The key without `agent:<agent>:`. */
  readonly rest: string;
  /** Whether it begins with an agent's name, as all canonical keys do but those of schedules, hooks and nodes. */
  readonly isWhole: boolean;
}

/** The agent that a key belongs to, and what follows it. */
export function splitKey(key: string): SplitKey {
  const [, agentId, rest] = AGENT_KEY.exec(key) ?? [];
  if (agentId === undefined || rest === undefined)
    return { agentId: DEFAULT_AGENT, rest: key, isWhole: false };
  return { agentId, rest, isWhole: true };
}

/** The key that `main` stands for. */
export function mainKey(agentId: string): string {
  return `agent:${agentId}:main`;
}

export function isSubagentKey(key: string): boolean {
  return splitKey(key).rest.startsWith('subagent:');
}
