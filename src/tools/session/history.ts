import { z } from 'zod';
import { historyOf } from '../../messaging/history.ts';
import { shownKey } from '../../messaging/row.ts';
import { readerOf } from '../author.ts';
import { defineTool } from '../tool.ts';
import { answer } from './answer.ts';

export const sessionsHistory = defineTool({
  name: 'sessions_history',
  family: 'session',
  profile: 'core',
  effect: 'read',
  title: 'Read a Session',
  description: 'The latest messages of a session.',
  input: z.object({
    sessionKey: z.string().max(1_000).describe('Key or sessionId from sessions_list'),
    limit: z.number().min(1).optional(),
    includeTools: z.boolean().optional(),
    before: z.number().min(0).optional().describe("An answer's before, for older ones"),
  }),
  async run({ sessionKey, ...query }, call, { access, sessions }) {
    const found = await access.resolve(call, { sessionKey });
    if ('error' in found) return answer(found);
    const { row, requester } = found;
    const history = await historyOf(sessions, row, query, readerOf(call));
    return answer({ sessionKey: shownKey(row, requester.agentId), ...history });
  },
});
