import { z } from 'zod';
import type { TodoPhase } from '../../planProtocol.ts';
import { type Command, type Problem, parseCommand, TODO_VERBS } from '../../todo/commands.ts';
import { resultText, visible } from '../../todo/text.ts';
import { callerOf, clearDelay } from '../author.ts';
import { defineTool } from '../tool.ts';

/** What `todo_command` answers beside its text. */
export type TodoCommandData =
  | { readonly command: Command; readonly phases: readonly TodoPhase[]; readonly markdown: string }
  /** Nothing was changed. `problem` is English and says what to do; `reason` is the same for other languages. */
  | { readonly problem: string; readonly reason: Problem };

const MAX_TEXT = 20_000;
const MAX_MARKDOWN = 1_000_000;
const SHOWN_CANDIDATES = 5;

/** The verbs that take the list from a text; without the text they only read it. */
const TAKES_TEXT: ReadonlySet<string> = new Set(['edit', 'import']);
const READS: ReadonlySet<string> = new Set(['show', 'copy', 'export', 'help']);

export const todoCommand = defineTool({
  name: 'todo_command',
  family: 'session',
  profile: 'person',
  effect: 'write',
  effectOf({ text, markdown }) {
    const command = parseCommand(text);
    if ('problem' in command || READS.has(command.verb)) return 'read';
    return TAKES_TEXT.has(command.verb) && markdown === undefined ? 'read' : 'write';
  },
  title: 'Todo Command',
  description:
    "A person's /todo command on the list of this chat. Files, the clipboard and the editor are the door's: it gets the list as Markdown, and gives the text that takes the list's place.",
  input: z.object({
    text: z.string().max(MAX_TEXT).describe('What follows /todo'),
    markdown: z.string().max(MAX_MARKDOWN).optional().describe('For edit and import: the text to take over'),
  }),
  async run({ text, markdown }, call, context) {
    const command = parseCommand(text);
    if ('problem' in command) return refusal(command);
    if (command.verb === 'help') return answer(command, [], '');
    // Without a text to take over, these show the list as it is.
    const shows = TAKES_TEXT.has(command.verb) && markdown === undefined;
    const done = await context.sessions.todoCommand(
      callerOf(call),
      shows ? { verb: 'show' } : command,
      TAKES_TEXT.has(command.verb) ? markdown : undefined,
      clearDelay(context),
    );
    if (done.problem !== undefined) return refusal(done.problem);
    return answer(command, done.phases, done.markdown, shows || READS.has(command.verb));
  },
});

function answer(command: Command, phases: readonly TodoPhase[], markdown: string, shows = true) {
  const list = markdown === '' ? 'The todo list is empty. Add to it with /todo append "a task".' : markdown;
  const text = command.verb === 'help' ? help() : shows ? list : resultText(phases);
  return { text, data: { command, phases, markdown } satisfies TodoCommandData };
}

function help(): string {
  const lines = Object.entries(TODO_VERBS).map(([verb, arguments_]) =>
    `/todo ${verb} ${arguments_}`.trimEnd(),
  );
  return [
    '/todo',
    ...lines,
    'Names may be shortened. Put names and paths with blanks in double quotes.',
  ].join('\n');
}

function refusal(reason: Problem) {
  const problem = explain(reason);
  return { text: problem, data: { problem, reason } satisfies TodoCommandData };
}

function explain(reason: Problem): string {
  switch (reason.problem) {
    case 'unknown-verb':
      return `There is no /todo ${visible(reason.verb)}. Use one of: ${Object.keys(TODO_VERBS).join(', ')}.`;
    case 'missing-argument':
      return `/todo ${reason.verb} needs more: /todo ${reason.verb} ${TODO_VERBS[reason.verb]}`;
    case 'no-match':
      return noMatch(reason.name, reason.candidates);
    case 'errors':
      return `Nothing was changed. ${reason.errors.map(visible).join('; ')}`;
  }
}

function noMatch(name: string, candidates: readonly string[]): string {
  if (name.trim() === '') return 'The name is empty. Give a task or a phase, or a part of its name.';
  if (candidates.length === 0)
    return `No task or phase is called "${visible(name)}". See the list with /todo, then give a part of a name.`;
  const shown = candidates.slice(0, SHOWN_CANDIDATES).map((content) => `"${visible(content)}"`);
  const more = candidates.length > shown.length ? ` and ${candidates.length - shown.length} more` : '';
  return `"${visible(name)}" could be ${shown.join(', ')}${more}. Give more of the name.`;
}
