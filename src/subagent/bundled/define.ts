import type { AgentDefinition } from '../agentFile.ts';

/** Tools that only look. An agent that has no others cannot change anything, whatever it is told. */
export const READ_TOOLS = ['read', 'find', 'search', 'list', 'diagnostics'] as const;

type Given = Pick<AgentDefinition, 'name' | 'description' | 'prompt' | 'models'> &
  Partial<Pick<AgentDefinition, 'tools' | 'spawns' | 'thinking' | 'output' | 'blocking'>>;

/** Fills in what an agent's file would leave out. */
export function bundled({ tools, spawns = [], blocking = false, ...given }: Given): AgentDefinition {
  const task = spawns.length > 0 ? ['task'] : [];
  return { ...given, tools: tools && [...tools, ...task, 'yield'], spawns, blocking, source: 'bundled' };
}
