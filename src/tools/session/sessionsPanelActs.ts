/** What a person does to sessions, from the panel, the palette and a chat. */
import { z } from 'zod';
import { SEND_POLICIES, type SessionDone } from '../../sessionProtocol.ts';
import { phrase } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { defineTool, ToolError } from '../tool.ts';
import { placeOf, rowNamed } from './sessionsPanel.ts';

const session = z.string().max(1_000);
const DONE: SessionDone = {};

export const sessionsChange = defineTool({
  name: 'sessions_change',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Change a Session',
  description: 'Renames a session, archives or restores it, or sets whether it takes messages.',
  input: z.object({
    session,
    title: z.string().max(200).optional().describe('Empty: the name that it has by itself'),
    archived: z.boolean().optional(),
    sendPolicy: z.enum(SEND_POLICIES).nullable().optional().describe('null: as the settings say'),
  }),
  async run({ session: key, title, archived, sendPolicy }, call, context) {
    const row = await rowNamed(key, call, context);
    const place = placeOf(row);
    if (!row.origin.hasTranscript)
      throw new ToolError(phrase('Of this agent nothing is kept that could be changed.'));
    if (archived !== undefined) {
      if (place.agentId !== undefined)
        throw new ToolError(
          phrase('The subagent of a task is archived with the session that it belongs to.'),
        );
      await context.sessions.putAway([place.id], archived, readerOf(call));
    }
    const change = {
      ...(title !== undefined && { title: title.trim() === '' ? null : title.trim() }),
      ...(sendPolicy !== undefined && { sendPolicy }),
    };
    if (Object.keys(change).length > 0) await context.sessions.sessionOverride(place, change, readerOf(call));
    return { text: 'Done.', data: DONE };
  },
});

export const sessionsStop = defineTool({
  name: 'sessions_stop',
  family: 'session',
  profile: 'person',
  effect: 'execute',
  title: 'Stop a Session',
  description: 'Stops what another session, the person or the schedule has started in a session.',
  input: z.object({ session }),
  async run({ session: key }, call, context) {
    const row = await rowNamed(key, call, context);
    const runs = await context.messaging.runs(readerOf(call));
    const open = runs.filter(({ run }) => run.target === row.key && run.outcome === undefined);
    if (open.length === 0) throw new ToolError(phrase('Nothing runs in it that could be stopped.'));
    const stopped = open.filter(({ run }) => context.messaging.cancel(run.id));
    if (stopped.length === 0) throw new ToolError(phrase('Another window or agent runs it: stop it there.'));
    return { text: 'Stopping.', data: DONE };
  },
});
