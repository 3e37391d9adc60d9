import { z } from 'zod';
import { presentSessions } from '../presentSessions.ts';
import { defineTool } from '../tool.ts';
import { sessionsText } from './sessionsText.ts';

export const memorySessions = defineTool({
  name: 'memory_sessions',
  family: 'memory',
  profile: 'core',
  effect: 'read',
  title: 'Active Sessions',
  description:
    'Who else works in this folder right now: agents, branches, files they touched, and files that several touched (soft conflicts). Call it before editing shared files.',
  input: z.object({
    conflictsOnly: z.boolean().default(false).describe('Only the soft conflicts'),
  }),
  async run({ conflictsOnly }, call, context) {
    const view = await presentSessions(call, context);
    return { text: sessionsText(view, call.session, conflictsOnly), data: view };
  },
});
