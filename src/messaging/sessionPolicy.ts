/** The settings that decide who may see and do what between sessions. */
import {
  type AgentToAgent,
  DEFAULT_VISIBILITY,
  parseVisibility,
  type SandboxMode,
  type VisibilityMode,
} from '../policy/visibility.ts';
import type { Settings } from '../ports.ts';
import { archiveAfterMinutes } from './archive.ts';

export interface SessionPolicy {
  readonly mode: VisibilityMode;
  readonly sandboxMode: SandboxMode;
  readonly agentToAgent: AgentToAgent;
  /** `session.sendPolicy` as it stands in the settings. */
  readonly sendPolicy: unknown;
  readonly isGlobal: boolean;
  readonly archiveAfterMinutes: number;
}

/** What the settings say, with the seed's defaults. What is not valid counts as the default, which is narrow. */
export function sessionPolicy(settings: Settings): SessionPolicy {
  return {
    mode: parseVisibility(settings.get('tools.sessions.visibility')) ?? DEFAULT_VISIBILITY,
    sandboxMode: settings.get('agents.defaults.sandbox.sessionToolsVisibility') === 'all' ? 'all' : 'spawned',
    agentToAgent: agentToAgentOf(settings.get('tools.agentToAgent')),
    sendPolicy: settings.get('session.sendPolicy'),
    isGlobal: settings.get('session.scope') === 'global',
    archiveAfterMinutes: archiveAfterMinutes(settings),
  };
}

function agentToAgentOf(value: unknown): AgentToAgent {
  if (typeof value !== 'object' || value === null || !('enabled' in value) || value.enabled !== true)
    return { enabled: false };
  const allow = 'allow' in value ? value.allow : undefined;
  if (allow === undefined || allow === null) return { enabled: true, allow: [] };
  // An empty list allows every agent, so a list that is none must not become one.
  if (!Array.isArray(allow)) return { enabled: false };
  return { enabled: true, allow: allow.map((each) => (typeof each === 'string' ? each : '')) };
}
