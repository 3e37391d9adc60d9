/** Who may see which sessions (seed 003): a pure decision, made for every tool in messaging/access.ts. */
import { nameMatcher } from './namePattern.ts';
import { isSubagentKey, mainKey, splitKey } from './sessionKey.ts';

/** From the narrowest to the widest. */
export const VISIBILITY_MODES = ['self', 'tree', 'agent', 'all'] as const;
export type VisibilityMode = (typeof VISIBILITY_MODES)[number];
export const DEFAULT_VISIBILITY: VisibilityMode = 'tree';

/** What sandboxed sessions may see: what they started, or as much as others. */
export type SandboxMode = 'spawned' | 'all';

/** `tools.agentToAgent`. An empty `allow` allows every agent. */
export interface AgentToAgent {
  readonly enabled: boolean;
  readonly allow?: readonly string[] | undefined;
}

/** Which other agents' sessions the mode `all` shows. */
export type AcrossAgents = 'all' | 'some' | 'none';

export function acrossAgentsOf({ enabled, allow = [] }: AgentToAgent): AcrossAgents {
  if (!enabled) return 'none';
  return allow.length === 0 || allow.some((entry) => entry.trim() === '*') ? 'all' : 'some';
}

export interface VisibilityQuestion {
  readonly mode: VisibilityMode;
  /** Canonical key of the session that asks. */
  readonly requester: string;
  readonly target: { readonly key: string; readonly spawnedBy?: string | null | undefined };
  readonly agentToAgent: AgentToAgent;
  readonly sandboxed?: boolean | undefined;
  readonly sandboxMode?: SandboxMode | undefined;
}

export type VisibilityRule =
  | 'self_visibility_restricted'
  | 'tree_visibility_restricted'
  | 'cross_agent_visibility_restricted'
  | 'agent_to_agent_disabled'
  | 'agent_to_agent_not_allowed';

/** Whether the requester may see the target, or the rule that says no. */
export function visibility(question: VisibilityQuestion): 'allow' | VisibilityRule {
  const { requester, target, agentToAgent } = question;
  const mode = clampedMode(question);
  if (requester === target.key) return 'allow';
  if (mode === 'self') return 'self_visibility_restricted';
  const [from, to] = [splitKey(requester).agentId, splitKey(target.key).agentId];
  const isChild = target.spawnedBy === requester;
  if (from !== to) {
    // Whoever starts another agent's session may follow it; only the mode `agent` asks for one agent alone.
    if (mode !== 'agent' && isChild && isSubagentKey(target.key)) return 'allow';
    if (mode !== 'all') return 'cross_agent_visibility_restricted';
    if (!agentToAgent.enabled) return 'agent_to_agent_disabled';
    const { allow = [] } = agentToAgent;
    return matchesAgent(allow, from) && matchesAgent(allow, to) ? 'allow' : 'agent_to_agent_not_allowed';
  }
  if (mode !== 'tree' || isChild || requester === mainKey(from)) return 'allow';
  return 'tree_visibility_restricted';
}

/** The mode that counts for a session: the clamp of a sandbox takes the narrower one, never a wider. */
export function clampedMode({
  mode,
  sandboxed = false,
  sandboxMode = 'spawned',
}: Pick<VisibilityQuestion, 'mode' | 'sandboxed' | 'sandboxMode'>): VisibilityMode {
  return sandboxed && sandboxMode === 'spawned' ? narrowerMode(mode, 'tree') : mode;
}

/** The narrower of two modes. */
export function narrowerMode(a: VisibilityMode, b: VisibilityMode): VisibilityMode {
  return VISIBILITY_MODES.indexOf(a) <= VISIBILITY_MODES.indexOf(b) ? a : b;
}

/** The mode that a setting names, or undefined. */
export function parseVisibility(value: unknown): VisibilityMode | undefined {
  return VISIBILITY_MODES.find((mode) => mode === value);
}

/**
 * Whether a list of agents names one: all when it is empty, by exact name, or by a pattern with `*`, in which case
 * does not count. A blank entry names nobody.
 */
export function matchesAgent(allow: readonly string[], agentId: string): boolean {
  return allow.length === 0 || allow.some((entry) => namesAgent(entry.trim(), agentId));
}

function namesAgent(entry: string, agentId: string): boolean {
  return entry.includes('*') ? nameMatcher(entry)(agentId) : entry !== '' && entry === agentId;
}
