/** The person's way to raise the level of a session. */
import { z } from 'zod';
import { canFlowTo, LEVELS, maxLevel, parseLevel } from '../../policy/level.ts';
import { redactSecrets } from '../../policy/redact.ts';
import { TaintError, type TaintedSession } from '../../policy/taint.ts';
import type { SessionRaised } from '../../sessionProtocol.ts';
import { phrase } from '../../worker/api.ts';
import { defineTool, type ToolCall, type ToolContext, ToolError } from '../tool.ts';

const MAX_REASON = 300;
/** The rule that the audit log names: no setting decided, the person did. */
const RULE = 'person';

export const sessionRaise = defineTool({
  name: 'session_raise',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Raise a Session’s Level',
  description:
    'Raises the level of a session: it reads what lies up to that level, and what it saves from now on gets it. A level never falls.',
  input: z.object({
    session: z.string().min(1).max(1_000).describe('Its key, or current'),
    level: z.enum(LEVELS),
    reason: z.string().max(MAX_REASON).optional(),
  }),
  async run({ session: name, level, reason = '' }, call, context) {
    const session = await sessionNamed(name, call, context);
    try {
      const before = context.taint.levelOf(session);
      if (!canFlowTo(before, level))
        throw new ToolError(
          phrase('The level of this session is {0} already, and a level only rises.', before),
        );
      const { text: why } = await redactSecrets(reason.trim().toWellFormed());
      const raised = await context.taint.raise(session, level, {
        reason: why === '' ? 'the person raised it' : why,
        ...{ source: call.source, actor: call.actor, tool: 'session_raise', rule: RULE },
      });
      const data: SessionRaised = { before, after: level, changed: raised !== undefined };
      const text = data.changed
        ? `Raised from ${before} to ${level}.`
        : `It is at ${level} already. Nothing was changed.`;
      return { text, data };
    } catch (error) {
      throw error instanceof TaintError ? new ToolError(error.message) : error;
    }
  },
});

/** The session with this key; the caller's own may have left no trace yet. @throws ToolError when it is not there. */
async function sessionNamed(name: string, call: ToolCall, context: ToolContext): Promise<TaintedSession> {
  const start = parseLevel(String(context.settings.get('classification.defaultLevel'))) ?? 'PUBLIC';
  const found = await context.access.resolve(call, { sessionKey: name });
  if (!('error' in found)) {
    const { level, origin } = found.row;
    return { key: origin.key, start: maxLevel(start, level) };
  }
  if (name === 'current' || name === call.session) return { key: call.session, start };
  throw new ToolError(phrase('There is no such session.'));
}
