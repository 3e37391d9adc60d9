import { z } from 'zod';
import { readerOf } from '../author.ts';
import { countOf } from '../counting.ts';
import { defineTool } from '../tool.ts';

export const sessionPutAway = defineTool({
  name: 'session_put_away',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Put Sessions Away',
  description:
    'Takes sessions that nobody will go on with out of the lists, or puts them back. Their transcripts stay.',
  input: z.object({
    sessions: z.array(z.string().max(64)).min(1).max(500),
    back: z.boolean().default(false),
  }),
  async run({ sessions, back }, call, context) {
    await context.sessions.putAway(sessions, !back, readerOf(call));
    return {
      text: `${back ? 'Put back' : 'Put away'} ${countOf(sessions.length, 'session', 'sessions')}`,
      data: { sessions },
    };
  },
});
