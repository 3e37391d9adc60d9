/** The person's answer to what keeps a session's tools from acting. */
import { z } from 'zod';
import type { OpenQuestions } from '../../worker/sessionApi.ts';
import { readerOf } from '../author.ts';
import { defineTool } from '../tool.ts';

const MAX_EVIDENCE = 2_000;
const MAX_CALLS = 1_000;

export const sessionAcknowledge = defineTool({
  name: 'session_acknowledge',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Acknowledge What a Session Left',
  description:
    'Says what became of calls whose result was lost, and that looser settings count for the session from now on. Without either it tells what is open.',
  input: z.object({
    session: z.string().max(64).describe('Its id, as sessions_browse lists it'),
    calls: z
      .array(
        z.object({
          id: z.string().min(1).max(1_000),
          finding: z.enum(['succeeded', 'failed', 'unknown']),
          evidence: z.string().max(MAX_EVIDENCE).optional(),
        }),
      )
      .max(MAX_CALLS)
      .optional(),
    settings: z
      .array(z.string().max(200))
      .max(100)
      .optional()
      .describe('Keys of the settings whose looser values are to count'),
  }),
  async run({ session, calls = [], settings = [] }, call, context) {
    const reader = readerOf(call);
    const open = await context.sessions.openQuestions(session, reader);
    const says = new Map(open.policy.map((question) => [question.key, question.says]));
    // One that is not open is refused there.
    const policy = Object.fromEntries(settings.map((key) => [key, says.get(key) ?? null]));
    const isAnswer = calls.length > 0 || settings.length > 0;
    const data: OpenQuestions = isAnswer
      ? await context.sessions.acknowledge(
          session,
          {
            calls: calls.map(({ id, finding, evidence }) => ({
              ...{ id, finding },
              ...(evidence !== undefined && { evidence: evidence.toWellFormed() }),
            })),
            ...(settings.length > 0 && { policy }),
          },
          reader,
        )
      : open;
    const count = data.calls.length + data.policy.length;
    return { text: count === 0 ? 'Nothing is open.' : `${count} open`, data };
  },
});
