import { todoInput } from '../../todo/schema.ts';
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
    "Keep the plan of this chat: an ordered todo list in phases that survives reloads and that the person sees and edits. Use it for work of three or more steps: init it, then report with start, done, drop, append and note as you go. One task is active at a time. The answer is the whole list; a person's edits since you last saw it are told first.",
  input: todoInput,
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
