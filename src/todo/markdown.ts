/**
 * The list as a Markdown checklist that people edit, and back without loss:
 *
 *     # Phase
 *     - [/] task in progress      [ ] pending, [x] completed, [-] abandoned
 *       > a note
 *       >
 *       > another note
 *
 * What a line cannot carry (line breaks, blanks at the ends, halves of characters) is written as a character
 * reference such as `&#xa;`, as Markdown itself would read it; an empty line inside a note is `&#x;`.
 */
import type { Phase, Status, Task } from './list.ts';

const MARKER: Readonly<Record<Status, string>> = {
  pending: ' ',
  in_progress: '/',
  completed: 'x',
  abandoned: '-',
};

const STATUS: ReadonlyMap<string, Status> = new Map([
  [' ', 'pending'],
  ['', 'pending'],
  ['/', 'in_progress'],
  ['>', 'in_progress'],
  ['x', 'completed'],
  ['X', 'completed'],
  ['-', 'abandoned'],
  ['~', 'abandoned'],
]);

/** The phase of tasks that stand before any heading, and of a first task that names none. */
export const DEFAULT_PHASE = 'Todos';

/** The list as Markdown; empty for an empty list. */
export function toMarkdown(phases: readonly Phase[]): string {
  return phases.map((phase) => [heading(phase), ...phase.tasks.flatMap(item), ''].join('\n')).join('\n');
}

function heading({ name }: Phase): string {
  return `# ${encode(name, true)}`.trimEnd();
}

function item({ content, status, notes = [] }: Task): string[] {
  const quoted = notes.flatMap((note, index) => [
    ...(index > 0 ? ['  >'] : []),
    ...note.split('\n').map((line) => `  > ${line === '' ? EMPTY : encode(line, false)}`),
  ]);
  return [`- [${MARKER[status]}] ${encode(content, true)}`.trimEnd(), ...quoted];
}

export interface Parsed {
  readonly phases: readonly Phase[];
  /** Lines that could not be read, with their numbers from 1. Whoever imports applies nothing if there are any. */
  readonly errors: readonly string[];
}

interface OpenTask {
  readonly content: string;
  readonly status: Status;
  /** Lines of each note; a blank quoted line begins the next one. */
  readonly notes: string[][];
  noteEnded: boolean;
}

/**
 * The list that a Markdown checklist stands for. Also reads what people write: headings of any depth, `*` and
 * `+`, `[>]` for in progress, `[~]` for abandoned, `[X]`, `[]`. Says what is there and no more: whether names
 * are unique and one task is active is for `importList`.
 */
export function fromMarkdown(markdown: string): Parsed {
  const phases: { name: string; tasks: OpenTask[] }[] = [];
  const errors: string[] = [];
  let task: OpenTask | undefined;
  // Editors on Windows may put a byte order mark in front.
  const lines = markdown.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    const title = /^ {0,3}#{1,6}(?:[ \t]+(.*))?$/su.exec(line);
    const entry = /^\s*[-*+]\s+\[([^\]]*)\](?:\s(.*))?$/su.exec(line);
    const quote = task === undefined ? null : /^\s*> ?(.*)$/su.exec(line);
    if (title !== null) {
      phases.push({ name: decode((title[1] ?? '').trim()), tasks: [] });
      task = undefined;
    } else if (entry !== null) {
      const status = STATUS.get(entry[1] ?? '');
      task = undefined;
      if (status === undefined) {
        errors.push(`Line ${index + 1}: unknown status marker "[${entry[1]}]" (use [ ], [x], [/], [-])`);
        continue;
      }
      task = { content: decode((entry[2] ?? '').trim()), status, notes: [], noteEnded: true };
      if (phases.length === 0) phases.push({ name: DEFAULT_PHASE, tasks: [] });
      phases.at(-1)?.tasks.push(task);
    } else if (quote !== null && task !== undefined) {
      addQuoted(task, (quote[1] ?? '').trimEnd());
    } else if (line.trim() !== '') {
      errors.push(`Line ${index + 1}: unrecognized syntax "${line.trim()}"`);
    }
  }
  return { phases: phases.map(({ name, tasks }) => ({ name, tasks: tasks.map(closed) })), errors };
}

function addQuoted(task: OpenTask, line: string): void {
  if (line === '') task.noteEnded = true;
  else if (task.noteEnded) {
    task.notes.push([decode(line)]);
    task.noteEnded = false;
  } else task.notes.at(-1)?.push(decode(line));
}

function closed({ content, status, notes }: OpenTask): Task {
  if (notes.length === 0) return { content, status };
  return { content, status, notes: notes.map((lines) => lines.join('\n')) };
}

const EMPTY = '&#x;';
const REFERENCE = /&#x([0-9A-Fa-f]{0,6});/gu;
const UNSAFE = /&(?=#x[0-9A-Fa-f]{0,6};)|[^\P{Cc}\t]|[\p{Cs}\u2028\u2029]/gu;

/** A text as one line without blanks at its end, and with `start` none at its start: readers trim them. */
function encode(text: string, start: boolean): string {
  const from = start ? text.length - text.trimStart().length : 0;
  const to = Math.max(from, text.trimEnd().length);
  return [
    text.slice(0, from).replace(/./gsu, reference),
    text.slice(from, to).replace(UNSAFE, reference),
    text.slice(to).replace(/./gsu, reference),
  ].join('');
}

function reference(character: string): string {
  return `&#x${character.charCodeAt(0).toString(16)};`;
}

function decode(line: string): string {
  return line.replace(REFERENCE, (whole, digits: string) => {
    if (digits === '') return '';
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
