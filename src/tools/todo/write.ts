import { todoInput, todoShown } from '../../todo/schema.ts';
import { resultText } from '../../todo/text.ts';
import { callerOf, clearDelay } from '../author.ts';
import { defineTool } from '../tool.ts';

export const todoWrite = defineTool({
  name: 'todo_write',
  family: 'session',
  profile: 'core',
  effect: 'write',
  title: 'Todo List',
  description:
    'Keep the plan of this chat: a todo list in phases that lasts, and that the person edits, too. For three or more steps: init, then report as you go. One task is active at a time.',
  input: todoInput,
  shown: () => todoShown,
  async run({ ops }, call, context) {
    const { phases, errors, notice } = await context.sessions.todoWrite(
      callerOf(call),
      ops,
      clearDelay(context),
    );
    const text = resultText(phases, errors);
    return {
      text: notice === undefined ? text : `${notice}\n\n${text}`,
      data: { phases, errors, storage: 'session' },
    };
  },
});
