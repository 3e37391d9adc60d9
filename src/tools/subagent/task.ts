import { z } from 'zod';
import type { Settings } from '../../ports.ts';
import { maySpawn } from '../../subagent/batch.ts';
import type { TaskCaller } from '../../subagent/host.ts';
import { TASK_ID_LENGTH } from '../../subagent/ids.ts';
import { taskSettings } from '../../subagent/taskSettings.ts';
import { callerOf } from '../author.ts';
import { defineTool, type ToolCall, ToolError } from '../tool.ts';
import { explained } from './explained.ts';

const agent = z.string();
const tasks = z.array(
  z.object({
    // Seed 000: more than 32 characters are allowed, and not advised.
    id: z.string().max(TASK_ID_LENGTH).describe('Letters, digits, _ and -; best at most 32'),
    description: z.string().describe('For the person; the agent never sees it'),
    assignment: z.string().describe('The whole instruction'),
  }),
);
const context = z.string().optional().describe('Shared background');
const schema = z.string().optional().describe('JTD schema of each output, as JSON text');
const isolated = z.boolean().optional().describe('Each in its own git worktree; diffs are landed afterwards');

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
    'Hand independent items to subagents that work side by side: explore (read-only scout), plan, designer, reviewer, task (general worker), quick_task (mechanical edits), librarian (outside docs), or the project’s own. They know nothing of this chat: put all they need into context and assignment. Whole outputs are at agent://<id>, read with job.',
  input: lenient,
  shown: shownInput,
  enabled: (settings) => maySpawn(0, taskSettings(settings).maxDepth),
  async run(input, call, { subagents }) {
    const { text, isError, batch } = await explained(() =>
      subagents.task(input, taskCallerOf(call), call.signal),
    );
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
  const { approve, model, nested, loop } = call;
  return { key, kind, source, level, approve, model, nested, call: loop?.callId };
}
