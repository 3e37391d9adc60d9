import { z } from 'zod';

const text = z.string().optional();

const operation = z.object({
  op: z
    .enum(['init', 'start', 'done', 'drop', 'rm', 'append', 'note'])
    .describe(
      'init: replace the list; done, drop (abandon), rm: a task, a phase, or all if neither is given; append to a phase; note on a task',
    ),
  task: text.describe('Exact content'),
  phase: text.describe('Exact name; append creates it'),
  items: z.array(z.string()).optional().describe('append: new tasks, each unique'),
  list: z
    .array(z.object({ phase: z.string(), items: z.array(z.string()) }))
    .optional()
    .describe('init: phases with their tasks'),
  text: text.describe('The note'),
});

/** One operation on the list, as seed 000 names them. */
export type Op = z.infer<typeof operation>;
export type OpName = Op['op'];

const { $schema: _, ...described } = z.toJSONSchema(z.array(operation).min(1), { io: 'input' });

/**
 * Input of `todo_write`: operations pass in any shape, and may be missing, since what is wrong must not lose the rest
 * of the answer: `applyOps` collects it (seed 000).
 */
export const todoInput = z.object({ ops: z.unknown().optional() });

/** What a model is shown of it: the full schema of the operations, which must be there. */
export const todoShown = z.object({ ops: z.unknown().meta(described) });
