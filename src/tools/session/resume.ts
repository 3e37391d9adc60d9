import { z } from 'zod';
import { readerOf } from '../author.ts';
import { lookAtLeft } from '../left.ts';
import { defineTool } from '../tool.ts';

export const sessionsBrowse = defineTool({
  name: 'sessions_browse',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Browse Sessions',
  description: 'Every session of this folder, the one active last first.',
  input: z.object({}),
  async run(_input, call, context) {
    const sessions = await context.sessions.sessionsBrowse(readerOf(call));
    return {
      text: `${sessions.length} ${sessions.length === 1 ? 'session' : 'sessions'}`,
      data: { sessions },
    };
  },
});

export const sessionResume = defineTool({
  name: 'session_resume',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Resume Session',
  description: 'Opens a session to go on with it, and tells what its next turn begins with.',
  input: z.object({ session: z.string().max(64).describe('Its id, as sessions_browse lists it') }),
  async run({ session }, call, context) {
    const { sessions, examiner } = context;
    const reader = readerOf(call);
    // Before anything of it is opened: a person is shown no session that is above them.
    await sessions.openQuestions(session, reader);
    // That something could not be looked at is no reason not to go on: it is unknown then.
    const examined = await lookAtLeft(session, sessions, examiner).catch((): undefined => {});
    const { calls = [], background = [] } = examined ?? {};
    const resumed = await sessions.sessionResume(session, reader, { calls, background });
    examined?.told();
    return { text: resumed.report, data: resumed };
  },
});
