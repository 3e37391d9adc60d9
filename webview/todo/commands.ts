import type { TodoActions } from './actions.ts';
import { type ItemRow, type TaskRow, taskKey } from './rows.ts';
import type { Edit, TodoState } from './state.ts';
import type { Command } from './tree-keys.ts';

interface Surface {
  actions(): TodoActions;
  shown(): Pick<TodoState, 'open' | 'expanded'>;
  state(change: Partial<TodoState>): void;
  /** Changes the state, and brings the active line into view. */
  go(change: Partial<TodoState>): void;
}

/** What keys, clicks and the menu do to a line of the tree. */
export class RowCommands {
  readonly #surface: Surface;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  get actions(): TodoActions {
    return this.#surface.actions();
  }

  begin(edit: Edit): void {
    this.#surface.state({ edit });
  }

  write(command: Command, row: ItemRow): void {
    if (row.kind === 'note') return;
    if (command === 'add') {
      this.begin({ kind: 'add', phase: row.kind === 'phase' ? row.phase.name : row.phase, text: '' });
    } else if (row.kind === 'phase') {
      const { name, tasks } = row.phase;
      if (command === 'rename') this.begin({ kind: 'rename-phase', phase: name, text: name });
      else if (command !== 'remove') return;
      else if (tasks.length > 0) void this.actions.phase('rm', row.phase);
      else void this.actions.removePhase(row.phase);
    } else if (command === 'toggle') void this.actions.toggle(row.task);
    else if (command === 'start') void this.actions.start(row.task.content);
    else if (command === 'remove') void this.actions.remove(row.task.content);
    else if (command === 'up' || command === 'down') this.move(row, command === 'down');
    else if (command === 'rename') {
      this.begin({ kind: 'rename', task: row.task.content, phase: row.phase, text: row.task.content });
    }
  }

  move(row: TaskRow, down: boolean): void {
    const phase = this.actions.step(row.task.content, down);
    if (phase === undefined) return;
    const { open } = this.#surface.shown();
    this.#surface.go({ active: taskKey(row.task.content), open: { ...open, [phase]: true } });
  }

  expand(row: ItemRow, open: boolean): void {
    const shown = this.#surface.shown();
    if (row.kind === 'phase') this.#surface.state({ open: { ...shown.open, [row.phase.name]: open } });
    else if (row.kind === 'task') {
      const rest = shown.expanded.filter((content) => content !== row.task.content);
      this.#surface.state({ expanded: open ? [...rest, row.task.content] : rest });
    }
  }
}
