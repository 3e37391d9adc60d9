import type { TodoPhase, TodoTask } from '../../src/planProtocol.ts';
import { t } from '../kit/l10n.ts';
import { visibleLine } from '../kit/text.ts';
import type { Edit, TodoState } from './state.ts';
import { type Progress, progressOf } from './steps.ts';

interface Positioned {
  readonly key: string;
  /** Key of the row it belongs to; empty for a phase. */
  readonly parent: string;
  readonly position: number;
  readonly size: number;
}

export type PhaseRow = Positioned & {
  readonly kind: 'phase';
  readonly phase: TodoPhase;
  readonly open: boolean;
  readonly progress: Progress;
};
export type TaskRow = Positioned & {
  readonly kind: 'task';
  readonly phase: string;
  readonly task: TodoTask;
  readonly index: number;
  readonly open: boolean;
};
export type NoteRow = Positioned & { readonly kind: 'note'; readonly task: string; readonly text: string };
export type EditRow = {
  readonly kind: 'edit';
  readonly key: string;
  readonly edit: Edit;
  /** It stands in the place of an open phase's name. */
  readonly open: boolean;
};
/** A line that can be the active one. */
export type ItemRow = PhaseRow | TaskRow | NoteRow;
export type Row = ItemRow | EditRow;

type Shown = Pick<TodoState, 'open' | 'expanded' | 'edit'>;

export function phaseKey(name: string): string {
  return `phase ${name}`;
}

export function taskKey(content: string): string {
  return `task ${content}`;
}

/** Whether a phase shows its tasks: as the person left it, else while there is something to do in it. */
export function isOpen(phase: TodoPhase, open: Shown['open']): boolean {
  const { done, total } = progressOf([phase]);
  return (Object.hasOwn(open, phase.name) ? open[phase.name] : undefined) ?? (total === 0 || done < total);
}

/** The lines of the tree from top to bottom, what is written in place among them. */
export function buildRows(phases: readonly TodoPhase[], shown: Shown): readonly Row[] {
  const { edit } = shown;
  const expanded = new Set(shown.expanded);
  const known = edit === null || !('phase' in edit) || phases.some(({ name }) => name === edit.phase);
  // A phase exists from its first task on; until then it is only here.
  const all = known || edit?.kind !== 'add' ? phases : [...phases, { name: edit.phase, tasks: [] }];
  const rows: Row[] = [];
  const seen = new Set<string>();
  let placed = false;
  const place = (open = false) => {
    if (edit !== null && !placed) rows.push({ kind: 'edit', key: 'edit', edit, open });
    placed = true;
  };
  for (const [at, phase] of all.entries()) {
    const parent = unique(phaseKey(phase.name), seen);
    const within = edit !== null && 'phase' in edit && edit.phase === phase.name;
    const renaming = within && edit.kind === 'rename-phase' && !placed;
    const editing = within && edit.kind !== 'rename-phase';
    const open = editing || isOpen(phase, shown.open);
    const own = { parent: '', position: at + 1, size: all.length };
    if (renaming) place(open);
    else rows.push({ kind: 'phase', key: parent, phase, open, progress: progressOf([phase]), ...own });
    if (!open) continue;
    for (const [index, task] of phase.tasks.entries()) {
      const mine = editing && 'task' in edit && edit.task === task.content;
      if (mine && edit.kind === 'rename') {
        place();
        continue;
      }
      const key = unique(taskKey(task.content), seen);
      const notes = task.notes.length > 0 && (expanded.has(task.content) || mine);
      const position = { parent, position: index + 1, size: phase.tasks.length };
      rows.push({ kind: 'task', key, phase: phase.name, task, index, open: notes, ...position });
      for (const [number, text] of notes ? task.notes.entries() : []) {
        const inside = { parent: key, position: number + 1, size: task.notes.length };
        rows.push({ kind: 'note', key: `note ${number} ${key}`, task: task.content, text, ...inside });
      }
      if (mine) place();
    }
    // Also when the task is gone by now: what was typed stays.
    if (editing) place();
  }
  place();
  return rows;
}

/** Agents may send what should not be: the same name twice. */
function unique(key: string, seen: Set<string>): string {
  const free = seen.has(key) ? unique(`${key} again`, seen) : key;
  seen.add(free);
  return free;
}

/** What typing letters looks for. */
export function rowWord(row: ItemRow): string {
  if (row.kind === 'phase') return row.phase.name;
  return row.kind === 'task' ? row.task.content : row.text;
}

/** What a screen reader says. */
export function rowName(row: ItemRow): string {
  if (row.kind === 'note') return t('Note: {0}', visibleLine(row.text));
  if (row.kind === 'phase') {
    const { done, total } = row.progress;
    return `${visibleLine(row.phase.name)}, ${t('{0} of {1} done', done, total)}`;
  }
  const { content, status, notes } = row.task;
  const name = `${visibleLine(content)}, ${statusName(status)}`;
  if (notes.length === 0) return name;
  return `${name}, ${notes.length === 1 ? t('1 note') : t('{0} notes', notes.length)}`;
}

export function statusName(status: TodoTask['status']): string {
  switch (status) {
    case 'pending':
      return t('waiting');
    case 'in_progress':
      return t('in progress');
    case 'completed':
      return t('done');
    case 'abandoned':
      return t('dropped');
  }
}
