/** The person has the earlier conversation of a session summarised now. */
import { z } from 'zod';
import { type Strategy, strategyOf } from '../../session/compaction/choose.ts';
import { type CompactedNow, compactNow } from '../../session/compaction/compactNow.ts';
import { phrase } from '../../worker/api.ts';
import { readerOf } from '../author.ts';
import { lookAtLeft } from '../left.ts';
import { defineTool, ToolError } from '../tool.ts';
import { whenFree } from '../whenFree.ts';

const MAX_INSTRUCTIONS = 4_000;
/** Sessions whose loop is ours: of others we do not make the requests. */
const OURS: ReadonlySet<string> = new Set(['participant', 'spawned']);

export const sessionCompact = defineTool({
  name: 'session_compact',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Compact Session',
  description:
    'Has the chat model summarise what is behind the last messages of a session, between two turns. The transcript keeps everything.',
  input: z.object({
    session: z.string().max(64).describe('Its id, as sessions_browse lists it'),
    instructions: z.string().max(MAX_INSTRUCTIONS).default('').describe('What the summary must keep'),
    turn: z
      .string()
      .max(64)
      .nullable()
      .optional()
      .describe('The turn that its chat shows last, where the person went back in it'),
  }),
  async run({ session, instructions, turn }, call, { sessions, settings, examiner }) {
    const facts = await sessions.sessionFacts(readerOf(call));
    const found = facts.find(({ id, agentId }) => id === session && agentId === undefined);
    if (found === undefined)
      throw new ToolError(phrase('This session is not there any more. Look at the list of sessions again.'));
    if (!OURS.has(found.kind))
      throw new ToolError(
        phrase(
          'Only sessions of @lodeline can be compacted: of this one, the requests are made by somebody else.',
        ),
      );
    if (!isCompactable(found.kind, strategyOf(settings)))
      throw new ToolError(
        phrase(
          'The agent folds this conversation itself. To have it summarized instead, set compaction.strategy to “summary”.',
        ),
      );
    if (call.model === undefined)
      throw new ToolError(phrase('A chat model is needed for the summary. Choose one, then try again.'));
    const { key, kind, source, level } = found;
    // A turn begins for it, before which somebody has to look what an earlier one left.
    const examined = await lookAtLeft(session, sessions, examiner).catch((): undefined => {});
    if (examined !== undefined) {
      const { told, ...left } = examined;
      await sessions.sessionSettle(session, left);
      told();
    }
    const data = await compactNow({
      sessions: {
        ...sessions,
        turnBegin: (...given) => whenFree(() => sessions.turnBegin(...given), call.signal),
      },
      ...{ settings, instructions: instructions.toWellFormed(), model: call.model },
      owner: { key, kind, source, level, returnTo: turn },
      signal: call.signal,
    });
    return { text: textOf(data), data };
  },
});

/** A conversation is summarised or folded, never both. */
export function isCompactable(kind: string, strategy: Strategy): boolean {
  return OURS.has(kind) && strategy !== 'folding';
}

function textOf(done: CompactedNow): string {
  switch (done.state) {
    case 'done':
      return `${done.messages} messages were summarised: about ${done.before} tokens before, ${done.after} after.`;
    case 'nothing':
      return 'There is nothing to summarise yet.';
    case 'cancelled':
      return 'Cancelled. The session is as it was.';
    case 'failed':
      throw new ToolError(
        phrase(
          'The session is as it was, because its summary could not be made: {0}. Try again, or choose another model.',
          done.reason,
        ),
      );
  }
}
