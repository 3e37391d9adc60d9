import { expect, test } from 'vitest';
import { parseAgentFile } from '../../../src/subagent/agentFile.ts';
import { BUNDLED_AGENTS } from '../../../src/subagent/bundled/agents.ts';
import { agentText } from '../../../src/vscode/agentText.ts';

test.each(BUNDLED_AGENTS.map((agent) => [agent.name, agent] as const))(
  '%s as a file is the same agent',
  (_name, agent) => {
    const { source, file, ...read } = parseAgentFile(agentText(agent), 'project', 'own.md');
    const { source: _source, file: _file, ...bundled } = agent;
    expect({ source, file }).toEqual({ source: 'project', file: 'own.md' });
    expect(read).toEqual(bundled);
  },
);
