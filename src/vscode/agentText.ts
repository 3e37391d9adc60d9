import { stringify } from 'yaml';
import type { AgentDefinition } from '../subagent/agentFile.ts';

/** An agent as the text of a file that describes it: what `parseAgentFile` reads it from again. */
export function agentText({
  name,
  description,
  tools,
  spawns,
  models,
  thinking,
  output,
  blocking,
  prompt,
}: AgentDefinition): string {
  const fields = {
    ...{ name, description },
    tools: tools?.filter((tool) => tool !== 'yield').join(', '),
    spawns: spawns === '*' ? spawns : spawns.join(', ') || undefined,
    model: models.join(', ') || undefined,
    ...{ thinking, output },
    blocking: blocking || undefined,
  };
  return `---\n${stringify(fields)}---\n\n${prompt}\n`;
}
