import { isOpen, type Phase, type Status, type Task } from './list.ts';

const SYMBOL: Readonly<Record<Status, string>> = {
  completed: '✓',
  in_progress: '→',
  abandoned: '✗',
  pending: '○',
};

/**
 * What the model reads after a batch (seed 000: a summary and the whole state): errors first, then the open
 * tasks, the progress of the current phase and the tree, with the notes of the active task.
 */
export function resultText(phases: readonly Phase[], errors: readonly string[] = []): string {
  const lines = errors.length > 0 ? [`Errors: ${errors.map(visible).join('; ')}`] : [];
  if (phases.every((phase) => phase.tasks.length === 0)) {
    return lines[0] ?? 'Todo list cleared.';
  }
  return [...lines, ...remaining(phases), progress(phases), ...phases.flatMap(tree)].join('\n');
}

/**
 * On one line, so that a content cannot pretend to be a line of ours. Line breaks, other control characters and
 * halves of characters are written as in JSON, which is also how a model gives them back.
 */
export function visible(text: string): string {
  return text.replace(/[^\P{Cc}\t]|[\p{Cs}\u2028\u2029]/gu, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : escaped;
  });
}

function remaining(phases: readonly Phase[]): string[] {
  const lines = phases.flatMap((phase) =>
    phase.tasks
      .filter(isOpen)
      .map((task) => `  - ${visible(task.content)} [${task.status}] (${visible(phase.name)})`),
  );
  return lines.length === 0 ? ['Remaining items: none.'] : [`Remaining items (${lines.length}):`, ...lines];
}

/** The first phase with open work, else the last one. */
function progress(phases: readonly Phase[]): string {
  const open = phases.findIndex((phase) => phase.tasks.some(isOpen));
  const index = open === -1 ? phases.length - 1 : open;
  const { name = '', tasks = [] } = phases[index] ?? {};
  const finished = tasks.filter((task) => !isOpen(task)).length;
  return `Phase ${index + 1}/${phases.length} "${visible(name)}" — ${finished}/${tasks.length} tasks complete`;
}

function tree(phase: Phase): string[] {
  return [`  ${visible(phase.name)}:`, ...phase.tasks.flatMap(branch)];
}

function branch({ content, status, notes = [] }: Task): string[] {
  const count = notes.length === 0 ? '' : ` (+${notes.length} ${notes.length === 1 ? 'note' : 'notes'})`;
  const line = `    ${SYMBOL[status]} ${visible(content)}${count}`;
  if (status !== 'in_progress') return [line];
  const bodies = notes.flatMap((note, index) => [...(index > 0 ? ['---'] : []), ...note.split(/\r?\n/)]);
  return [line, ...bodies.map((body) => `        ${visible(body)}`.trimEnd())];
}
