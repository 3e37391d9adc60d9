import { z } from 'zod';
import type { Settings } from '../../ports.ts';
import { maySpawn } from '../../subagent/batch.ts';
import type { TaskCaller } from '../../subagent/host.ts';
import { taskSettings } from '../../subagent/taskSettings.ts';
import { callerOf } from '../author.ts';
import { defineTool, type ToolCall, ToolError } from '../tool.ts';

const agent = z.string().describe('Exact name of the agent');
const tasks = z
  .array(
    z.object({
      id: z.string().describe('Short name, at most 32 characters: letters, digits, _ and -'),
      description: z.string().describe('A few words for the person who watches; the agent never sees it'),
      assignment: z.string().describe('The whole instruction'),
    }),
  )
  .describe('Small independent items, one subagent each');
const context = z.string().optional().describe('Background that every assignment shares');
const schema = z.string().optional().describe('JSON text of a JTD schema that each output must fit');
const isolated = z
  .boolean()
  .optional()
  .describe('true: each task in a git worktree of its own, its changes landed afterwards');

/** Blank and missing fields are told together with everything else that is wrong with a batch. */
const lenient = z.object({
  agent,
  tasks: z.array(
    z.object({
      id: z.string().optional(),
      description: z.string().optional(),
      assignment: z.string().optional(),
    }),
  ),
  context: z.string().optional(),
  schema: z.string().optional(),
  isolated: z.boolean().optional(),
});

export const task = defineTool({
  name: 'task',
  family: 'subagent',
  profile: 'core',
  effect: 'execute',
  title: 'Subagents',
  description:
    'Hand a batch of small independent items to subagents that work side by side, each with its own context. Agents: explore (read-only scout), plan, designer, reviewer, task (general worker), quick_task (mechanical edits), librarian (outside docs), and the project’s own. They know nothing of this chat: put all they need into context and assignment. With isolated each works in its own git worktree and its diff is landed in order; a conflict blocks only itself. Results come back as a summary; whole outputs are at agent://<id>, read with job.',
  input: lenient,
  shown: shownInput,
  enabled: (settings) => maySpawn(0, taskSettings(settings).maxDepth),
  async run(input, call, { subagents }) {
    const { text, isError, batch } = await subagents.task(input, taskCallerOf(call), call.signal);
    if (isError) throw new ToolError(text);
    return {
      text,
      data: { batch: batch?.id, tasks: batch?.tasks.map(({ id, status }) => ({ id, status })) },
    };
  },
});

/** What a caller is told of: all fields, or only those that the settings leave. */
function shownInput(settings?: Settings): z.ZodObject {
  const { mode, isolation } =
    settings === undefined ? { mode: 'default', isolation: true } : taskSettings(settings);
  return z.object({
    agent,
    tasks,
    ...(mode !== 'independent' && { context }),
    ...(mode === 'default' && { schema }),
    ...(isolation && { isolated }),
  });
}

/** The caller of subagents that a tool call is. */
export function taskCallerOf(call: ToolCall): TaskCaller {
  const { key, kind, source, level } = callerOf(call);
  const { approve, model, nested } = call;
  return { key, kind, source, level, approve, model, nested };
}
