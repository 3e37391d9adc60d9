import { z } from 'zod';
import { listSessions } from '../../messaging/list.ts';
import { ROW_KINDS } from '../../session/key.ts';
import { defineTool } from '../tool.ts';
import { answer } from './answer.ts';

export const sessionsList = defineTool({
  name: 'sessions_list',
  family: 'session',
  profile: 'core',
  effect: 'read',
  title: 'List Sessions',
  description: 'Chats, subagents and other agents of this folder that you may see, last active first.',
  input: z.object({
    kinds: z.array(z.enum(ROW_KINDS)).optional(),
    limit: z.number().min(1).optional(),
    activeMinutes: z.number().min(1).optional(),
    messageLimit: z.number().min(0).optional().describe('Last messages of each'),
  }),
  run: async (input, call, context) => answer(await listSessions(context, call, input)),
});
