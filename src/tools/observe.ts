/** What a chat that is only observed leaves in its transcript: the calls of our tools. */

import { pathsInInput } from '../policy/inputPaths.ts';
import { redactSecrets } from '../policy/redact.ts';
import { redactJson } from '../policy/redactJson.ts';
import type { ObservedCall } from '../worker/sessionApi.ts';
import { callerOf } from './author.ts';
import { heldNote } from './heldNote.ts';
import type { ToolCall, ToolContext, ToolDefinition } from './tool.ts';

/** A call that ran, with what it was given and what it answers. */
export interface RanCall {
  readonly tool: ToolDefinition;
  readonly input: Record<string, unknown>;
  readonly text: string;
  readonly isError: boolean;
}

/**
 * Whether calls like this one are recorded: an agent's, where no loop of ours records them itself. A script
 * that calls through the command line has no chat.
 */
export function isObserved({ actor, loop, door, isUnobserved }: ToolCall): boolean {
  return actor === 'agent' && loop === undefined && door !== 'cli' && isUnobserved !== true;
}

/** Records a call. Answers what the agent has to be told with its result of a person's edits. */
export async function observe(
  ran: RanCall,
  call: ToolCall,
  context: ToolContext,
): Promise<string | undefined> {
  const { sessions } = context;
  const { session, source, level } = call;
  // Neither waits for the other, and a call does not fail because nobody can be told who is at work.
  sessions
    .attend({ key: session, agent: source, branch: context.branch(), level, root: context.workTree })
    .catch(() => {});
  const others = await othersOn(ran.input, call, context).catch(() => undefined);
  const notice = await sessions.observe(callerOf(call), await observed(ran));
  const told = [others, notice].filter((text) => text !== undefined);
  return told.length === 0 ? undefined : told.join('\n\n');
}

/** Agents that call tools with files in mind are told who else is at work on those. */
async function othersOn(input: object, { session: key, level }: ToolCall, context: ToolContext) {
  const { sessions, root, workTree, now } = context;
  const paths = [...pathsInInput(input)];
  return heldNote({ key, paths, level }, { sessions, root, workTree, now });
}

/**
 * Of memory only the tool's name is kept, since an entry that is deleted for good must not live on in a
 * transcript; of the rest everything but its secrets.
 */
async function observed({ tool, input, text, isError }: RanCall): Promise<ObservedCall> {
  const { name, family } = tool;
  if (family === 'memory' || family === 'context') {
    const size = text.length.toLocaleString('en-US');
    return {
      name,
      input: {},
      text: `(answered ${size} characters; what memory says is not kept here)`,
      isError,
    };
  }
  return { name, input: await redactJson(input), text: (await redactSecrets(text)).text, isError };
}
