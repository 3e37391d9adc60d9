import { z } from 'zod';

const text = z.string().optional();

const operation = z.object({
  op: z
    .enum(['init', 'start', 'done', 'drop', 'rm', 'append', 'note'])
    .describe(
      'init: replace the list; start: work on a task; done, drop, rm: complete, abandon or remove a task, a phase, or all if neither is given; append: add tasks to a phase; note: add a note to a task',
    ),
  task: text.describe('Exact content of a task'),
  phase: text.describe('Exact name of a phase; append creates it'),
  items: z.array(z.string()).optional().describe('append: contents of new tasks, each unique in the list'),
  list: z
    .array(z.object({ phase: z.string(), items: z.array(z.string()) }))
    .optional()
    .describe('init: phases with the contents of their tasks'),
  text: text.describe('note: the text'),
});

/** One operation on the list, as seed 000 names them. */
export type Op = z.infer<typeof operation>;
export type OpName = Op['op'];

const { $schema: _, ...described } = z.toJSONSchema(
  z.array(operation).min(1).describe('Changes in order; one task is active after them'),
  { io: 'input' },
);

/**
 * Input of `todo_write`. The model sees the full schema of the operations; here they pass in any shape, since one
 * wrong operation must not lose the others: `applyOps` collects what is wrong (seed 000).
 */
export const todoInput = z.object({ ops: z.unknown().meta(described) });
