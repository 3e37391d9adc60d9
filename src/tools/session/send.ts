import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { answer } from './answer.ts';

/** More is better put into a file that both can read. */
const MOST = 100_000;
/** Longer waits are better asked for again: nothing is lost by it. */
const LONGEST_WAIT = 600;

export const sessionsSend = defineTool({
  name: 'sessions_send',
  family: 'session',
  profile: 'core',
  effect: 'execute',
  title: 'Send to Session',
  description:
    'Message another session’s agent by sessionKey or label. Its reply, or "accepted". A timeout loses nothing: do not resend.',
  input: z.object({
    sessionKey: z.string().max(1_000).optional(),
    label: z.string().max(512).optional(),
    agentId: z.string().max(64).optional(),
    message: z.string().max(MOST),
    timeoutSeconds: z.number().min(0).max(LONGEST_WAIT).optional().describe('0: do not wait; default 30'),
    id: z.string().min(1).max(200).optional().describe('Yours; a retry with it lands once'),
  }),
  run: async (input, call, { messaging }) => answer(await messaging.send(input, call, call.signal)),
});
