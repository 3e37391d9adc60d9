import { z } from 'zod';
import { allowedAgents } from '../../messaging/agentList.ts';
import { defineTool } from '../tool.ts';
import { answer } from './answer.ts';

export const agentsList = defineTool({
  name: 'agents_list',
  family: 'session',
  profile: 'full',
  effect: 'read',
  title: 'List Agents',
  description: 'Ids of the agents that sessions_spawn takes from this session.',
  input: z.object({}),
  async run(_input, call, { access, settings }) {
    const { agentId: requester } = await access.requester(call);
    const { allowAny, agents } = allowedAgents(settings, requester);
    const shown = agents.map(({ id, name, configured }) => ({ id, ...(name && { name }), configured }));
    return answer({ requester, allowAny, agents: shown });
  },
});
