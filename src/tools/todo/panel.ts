import { z } from 'zod';
import { resultText } from '../../todo/text.ts';
import { clearDelay, readerOf } from '../author.ts';
import { defineTool } from '../tool.ts';

const session = z.string().max(64);
const text = z.string().max(10_000);

const step = z.union([
  z.object({ op: z.enum(['start', 'done', 'drop', 'rm', 'reopen']), task: text }),
  z.object({ op: z.enum(['done', 'drop', 'rm']), phase: text }),
  z.object({ op: z.literal('append'), phase: text, items: z.array(text).max(1000) }),
  z.object({ op: z.literal('note'), task: text, text }),
  z.object({ op: z.literal('rename'), task: text, to: text }),
  z.object({ op: z.literal('move'), task: text, phase: text, index: z.int().min(0) }),
]);

export const todoShow = defineTool({
  name: 'todo_show',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Show Todo List',
  description: 'The todo list of a session, and which sessions there are, for the todo panel.',
  input: z.object({ session: session.optional() }),
  async run(input, call, context) {
    const view = await context.sessions.todoShow(input.session, readerOf(call), clearDelay(context));
    return { text: resultText(view.phases), data: view };
  },
});

export const todoEdit = defineTool({
  name: 'todo_edit',
  family: 'session',
  profile: 'person',
  effect: 'write',
  title: 'Edit Todo List',
  description: "A person's changes to the todo list of a session, all or nothing; its agent is told.",
  input: z.object({ session, steps: z.array(step).min(1).max(1000) }),
  async run(input, _call, context) {
    const { phases, errors } = await context.sessions.todoEdit(
      input.session,
      input.steps,
      clearDelay(context),
    );
    return { text: resultText(phases, errors), data: { phases, errors } };
  },
});
