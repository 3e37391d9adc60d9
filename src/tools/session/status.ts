import { z } from 'zod';
import { shownRow } from '../../messaging/row.ts';
import { defineTool } from '../tool.ts';
import { answer } from './answer.ts';

export const sessionStatus = defineTool({
  name: 'session_status',
  family: 'session',
  profile: 'full',
  effect: 'read',
  title: 'Session Status',
  description:
    'State of a session, by default of this one: model, tokens used, whether it runs, what may be sent to it.',
  input: z.object({
    sessionKey: z.string().max(1_000).optional().describe('Key or sessionId from sessions_list'),
    model: z.string().max(200).optional().describe('Not supported: a model is chosen where a session runs'),
  }),
  async run({ sessionKey = 'current', model }, call, { access, now }) {
    const found = await access.resolve(call, { sessionKey });
    if ('error' in found) return answer(found);
    const { row, requester } = found;
    if (model !== undefined && model !== row.model)
      return answer({
        status: 'error',
        error:
          'The model of a session cannot be changed from here: the person chooses it in its chat. sessions_spawn takes a model for a new session.',
      });
    const shown = await shownRow(row, requester.agentId);
    return answer({
      ...shown.row,
      isCaller: row.key === requester.key,
      maySend: access.sendRule(call, row) === undefined,
      time: new Date(now()).toISOString(),
    });
  },
});
