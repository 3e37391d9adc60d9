import { applyOps, isOpen, normalize, type Phase, type Task } from './list.ts';
import { DEFAULT_PHASE, fromMarkdown } from './markdown.ts';
import type { Op } from './schema.ts';

/** The verbs of `/todo` with their arguments, for help and completion. Without a verb it shows the list. */
export const TODO_VERBS = {
  show: '',
  edit: '',
  copy: '',
  export: '[path]',
  import: '[path]',
  append: '[phase] task…',
  start: 'task',
  done: '[task or phase]',
  drop: '[task or phase]',
  rm: '[task or phase]',
  help: '',
} as const;

type Verb = keyof typeof TODO_VERBS;
const DEFAULT_PATH = 'TODO.md';

/** A command that changes the list by operations. */
export type EditCommand =
  | { readonly verb: 'append'; readonly phase?: string; readonly task: string }
  | { readonly verb: 'start'; readonly name: string }
  /** Without a name: everything. */
  | { readonly verb: 'done' | 'drop' | 'rm'; readonly name?: string };

export type Command =
  | { readonly verb: 'show' | 'edit' | 'copy' | 'help' }
  | { readonly verb: 'export' | 'import'; readonly path: string }
  | EditCommand;

/** Why a command cannot be carried out; the door puts it into the person's language. */
export type Problem =
  | { readonly problem: 'unknown-verb'; readonly verb: string }
  | { readonly problem: 'missing-argument'; readonly verb: Verb }
  /** `candidates`: the tasks that the name could mean, when there are several. */
  | { readonly problem: 'no-match'; readonly name: string; readonly candidates: readonly string[] }
  /** Errors of the operations, or of the lines of a Markdown text. Nothing was changed. */
  | { readonly problem: 'errors'; readonly errors: readonly string[] };

/**
 * What `/todo …` asks for; `text` is what follows `/todo`. A phase or path with blanks stands in double quotes;
 * `\"` is a quote in it.
 */
export function parseCommand(text: string): Command | Problem {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/su.exec(text.trim()) ?? [];
  const verb = word === '' ? 'show' : word === '?' ? 'help' : word.toLowerCase();
  switch (verb) {
    case 'show':
    case 'edit':
    case 'copy':
    case 'help':
      return { verb };
    case 'export':
    case 'import':
      return { verb, path: unquote(rest) || DEFAULT_PATH };
    case 'append':
      return parseAppend(rest);
    case 'start':
      return rest === '' ? { problem: 'missing-argument', verb } : { verb, name: unquote(rest) };
    case 'done':
    case 'drop':
    case 'rm':
      return rest === '' ? { verb } : { verb, name: unquote(rest) };
    default:
      return { problem: 'unknown-verb', verb: word };
  }
}

/** One word, or one text in quotes, is the task; of more, the first is the phase. */
function parseAppend(text: string): Command | Problem {
  const [, head = '', rest = ''] = /^("(?:\\.|[^"\\])*"|\S+)\s*(.*)$/su.exec(text) ?? [];
  const first = unquote(head).trim();
  const task = unquote(rest).trim();
  if (first === '' && task === '') return { problem: 'missing-argument', verb: 'append' };
  if (task === '') return { verb: 'append', task: first };
  return first === '' ? { verb: 'append', task } : { verb: 'append', phase: first, task };
}

/** The operations that a command means on this list, with fuzzy names made exact. */
export function commandOps(command: EditCommand, phases: readonly Phase[]): readonly Op[] | Problem {
  if (command.verb === 'append') {
    const phase =
      command.phase === undefined
        ? (phases.at(-1)?.name ?? DEFAULT_PHASE)
        : (findPhase(phases, command.phase)?.name ?? titleCase(command.phase));
    return [{ op: 'append', phase, items: [capitalize(command.task)] }];
  }
  const { verb: op, name } = command;
  if (name === undefined) return [{ op }];
  const { found, candidates } = findTask(phases, name);
  if (found !== undefined) return [{ op, task: found.content }];
  const phase = op === 'start' ? undefined : findPhase(phases, name);
  return phase === undefined ? { problem: 'no-match', name, candidates } : [{ op, phase: phase.name }];
}

/** The list after a command, or why it stays as it is: a person's command counts wholly or not at all. */
export function applyCommand(command: EditCommand, phases: readonly Phase[]): readonly Phase[] | Problem {
  const ops = commandOps(command, phases);
  if ('problem' in ops) return ops;
  const { phases: next, errors } = applyOps(phases, ops);
  return errors.length > 0 ? { problem: 'errors', errors } : next;
}

/**
 * The list that an imported or edited Markdown text puts in place of the present one, with one active task. Any error
 * applies nothing; names that operations could not tell apart are errors too.
 */
export function importList(markdown: string): readonly Phase[] | Problem {
  const { phases, errors } = fromMarkdown(markdown);
  const all = [...errors, ...nameErrors(phases)];
  return all.length > 0 ? { problem: 'errors', errors: all } : normalize(phases);
}

function nameErrors(phases: readonly Phase[]): string[] {
  const errors: string[] = [];
  const names = new Set<string>();
  const contents = new Set<string>();
  for (const { name, tasks } of phases) {
    if (name === '') errors.push('Missing phase name');
    else if (names.has(name)) errors.push(`Phase "${name}" already exists`);
    names.add(name);
    for (const { content } of tasks) {
      if (content === '') errors.push('Missing task content');
      else if (contents.has(content)) errors.push(`Task "${content}" already exists`);
      contents.add(content);
    }
  }
  return errors;
}

/** Same but for case, else the only one that begins with the text, else the only one that contains it. */
function findPhase(phases: readonly Phase[], text: string): Phase | undefined {
  const query = fold(text);
  if (query === '') return undefined;
  const same = phases.find(({ name }) => name === text) ?? phases.find(({ name }) => fold(name) === query);
  return (
    same ??
    only(phases.filter(({ name }) => fold(name).startsWith(query))) ??
    only(phases.filter(({ name }) => fold(name).includes(query)))
  );
}

/** Same but for case, else the only one that contains the text, else the only open one that does. */
function findTask(
  phases: readonly Phase[],
  text: string,
): { readonly found: Task | undefined; readonly candidates: readonly string[] } {
  const query = fold(text);
  if (query === '') return { found: undefined, candidates: [] };
  const tasks = phases.flatMap((phase) => phase.tasks);
  const same =
    tasks.find(({ content }) => content === text) ?? tasks.find(({ content }) => fold(content) === query);
  const matches = tasks.filter(({ content }) => fold(content).includes(query));
  return {
    found: same ?? only(matches) ?? only(matches.filter(isOpen)),
    candidates: matches.map(({ content }) => content),
  };
}

function only<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** Without the differences that a person does not see or type. */
function fold(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}

function unquote(text: string): string {
  const quoted = /^"((?:\\.|[^"\\])*)"$/su.exec(text.trim());
  return quoted?.[1] === undefined ? text.trim() : quoted[1].replace(/\\(["\\])/gu, '$1');
}

function titleCase(text: string): string {
  return text
    .split(/\s+/u)
    .filter((word) => word !== '')
    .map(capitalize)
    .join(' ');
}

function capitalize(text: string): string {
  return text.replace(/^./su, (first) => first.toUpperCase());
}
