import { isOpen, type Phase } from './list.ts';
import { toMarkdown } from './markdown.ts';
import { visible } from './text.ts';

/** More than this tells a model nothing new; it can ask for the list. */
const MAX_TASKS = 20;
const MAX_CONTENT = 200;
const MAX_LINES = 200;

export interface StopInput {
  readonly phases: readonly Phase[];
  /** Reminders already given since the person's last message. */
  readonly sent: number;
  /** `todo.reminders.max`, 3 by default. */
  readonly max: number;
  /** With what it ends its turn. */
  readonly said?: string;
}

/** A question, perhaps in quotes, in brackets or with emphasis. */
const ASKS = /[?？؟]["'”’)\]*_`]*\s*$/u;

/**
 * What an agent is told that ends its turn with open tasks; undefined when none are open or it was told enough. One
 * that asks the person waits for the answer: a reminder in its place would be taken for it.
 */
export function stopReminder({ phases, sent, max, said = '' }: StopInput): string | undefined {
  const open = phases.flatMap((phase) => phase.tasks).filter(isOpen);
  if (open.length === 0 || sent >= max || ASKS.test(said)) return undefined;
  return reminder([
    `The todo list still has ${open.length} open ${open.length === 1 ? 'task' : 'tasks'} (reminder ${sent + 1} of ${max}):`,
    ...open.slice(0, MAX_TASKS).map((task) => `- ${brief(task.content)} [${task.status}]`),
    ...more(open.length - MAX_TASKS, 'tasks'),
    'Go on with them. Mark what is finished as done and what is no longer needed as dropped, with todo_write. If you need an answer from the person first, ask for it.',
  ]);
}

export interface EditInput {
  /** What was done, in English, such as `/todo done Fix the login` or `panel: reorder`. */
  readonly action: string;
  readonly before: readonly Phase[];
  readonly after: readonly Phase[];
}

/**
 * Tells the agent that a person changed the list by hand. It speaks as Lodeline and says so: an edit is no message, and
 * what stands in the list are no words of the person.
 */
export function editReminder({ action, before, after }: EditInput): string {
  const present = new Set(contents(after));
  const removed = contents(before).filter((content) => !present.has(content));
  const lines = after.length === 0 ? ['(empty)'] : toMarkdown(after).trimEnd().split('\n');
  return reminder([
    `Notice from Lodeline, not a message: the todo list was edited by hand (${brief(action)}).`,
    ...(removed.length === 0
      ? []
      : [
          `Taken out on purpose, so do not add again unless asked: ${removed.slice(0, MAX_TASKS).map(brief).join('; ')}`,
          ...more(removed.length - MAX_TASKS, 'taken out'),
        ]),
    'The list is now:',
    '',
    ...lines.slice(0, MAX_LINES),
    ...more(lines.length - MAX_LINES, 'lines'),
  ]);
}

function contents(phases: readonly Phase[]): string[] {
  return phases.flatMap((phase) => phase.tasks.map((task) => task.content));
}

function more(count: number, what: string): string[] {
  return count > 0 ? [`… and ${count} more ${what}`] : [];
}

function brief(text: string): string {
  const line = visible(text);
  const characters = [...line.slice(0, MAX_CONTENT * 2)];
  return characters.length <= MAX_CONTENT ? line : `${characters.slice(0, MAX_CONTENT - 1).join('')}…`;
}

/** A content must not end the reminder and go on in another voice. */
function reminder(lines: readonly string[]): string {
  const body = lines.join('\n').replace(/<(?=\s*\/?\s*system-reminder)/giu, '&lt;');
  return `<system-reminder>\n${body}\n</system-reminder>`;
}
