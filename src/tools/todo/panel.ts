import { z } from 'zod';
import { stepSchema } from '../../todo/stepSchema.ts';
import { resultText } from '../../todo/text.ts';
import { clearDelay, readerOf } from '../author.ts';
import { readable } from '../session/unreadable.ts';
import { defineTool } from '../tool.ts';

const session = z.string().max(64);

export const todoShow = defineTool({
  name: 'todo_show',
  family: 'session',
  profile: 'person',
  effect: 'read',
  title: 'Show Todo List',
  description: 'The todo list of a session, and which sessions there are, for the todo panel.',
  input: z.object({ session: session.optional() }),
  async run(input, call, context) {
    const read = () => context.sessions.todoShow(input.session, readerOf(call), clearDelay(context));
    const view = await readable(read, { phases: [] }, input.session, call, context);
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
  input: z.object({ session, steps: z.array(stepSchema).min(1).max(1000) }),
  async run(input, call, context) {
    const { phases, errors } = await context.sessions.todoEdit(
      input.session,
      input.steps,
      readerOf(call),
      clearDelay(context),
    );
    return { text: resultText(phases, errors), data: { phases, errors } };
  },
});
