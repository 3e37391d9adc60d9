/** What a chat that is only observed leaves in its transcript: the calls of our tools. */
import type { JsonValue } from '../journal/record.ts';
import { redactSecrets } from '../policy/redact.ts';
import type { ObservedCall } from '../worker/sessionApi.ts';
import { callerOf } from './author.ts';
import type { ToolCall, ToolContext, ToolDefinition } from './tool.ts';

/** Deep enough for every tool's input. */
const MAX_DEPTH = 32;

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
export function isObserved({ actor, loop, door }: ToolCall): boolean {
  return actor === 'agent' && loop === undefined && door !== 'cli';
}

/** Records a call. Answers what the agent has to be told with its result of a person's edits. */
export async function observe(
  ran: RanCall,
  call: ToolCall,
  { sessions }: ToolContext,
): Promise<string | undefined> {
  return sessions.observe(callerOf(call), await observed(ran));
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

/** A value as JSON has it, without its secrets and without what lies deeper than any sensible input. */
async function redactJson(value: unknown, depth = 0): Promise<JsonValue> {
  if (typeof value === 'string') return (await redactSecrets(value)).text;
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return null;
  const inner = (each: unknown): Promise<JsonValue> => redactJson(each, depth + 1);
  if (Array.isArray(value)) return Promise.all(value.map(inner));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    await Promise.all(
      fields.map(async ([key, field]) => [(await redactSecrets(key)).text, await inner(field)]),
    ),
  );
}
