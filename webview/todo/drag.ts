import type { Row, TaskRow } from './rows.ts';

/** Where a dragged task would go. */
export interface Drop {
  readonly key: string;
  readonly side: 'before' | 'after';
  readonly phase: string;
  /** Counts the phase's tasks without the dragged one. */
  readonly index: number;
}

interface Surface {
  rows(): readonly Row[];
  scroller(): HTMLElement | null;
  rowAt(y: number): { readonly key: string; readonly upper: boolean } | undefined;
  changed(): void;
  drop(task: string, drop: Drop): void;
}

const THRESHOLD = 4;
const EDGE = 24;
const SCROLL = 8;

/** Moves tasks with the pointer. Escape gives up. */
export class RowDrag {
  /** Content of the task that is dragged. */
  task: string | undefined;
  target: Drop | undefined;
  readonly #surface: Surface;
  #from: { readonly x: number; readonly y: number; readonly row: TaskRow } | undefined;
  #frame = 0;
  #y = 0;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  press(event: PointerEvent, row: TaskRow): void {
    // A finger scrolls.
    if (event.button !== 0 || event.pointerType === 'touch') return;
    this.#from = { x: event.clientX, y: event.clientY, row };
    window.addEventListener('pointermove', this.#move);
    window.addEventListener('pointerup', this.#up);
    window.addEventListener('pointercancel', this.cancel);
    window.addEventListener('keydown', this.#key, true);
  }

  readonly cancel = (): void => {
    window.removeEventListener('pointermove', this.#move);
    window.removeEventListener('pointerup', this.#up);
    window.removeEventListener('pointercancel', this.cancel);
    window.removeEventListener('keydown', this.#key, true);
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#from = undefined;
    this.task = undefined;
    this.target = undefined;
    this.#surface.changed();
  };

  readonly #move = (event: PointerEvent): void => {
    if (this.#from === undefined) return;
    const { x, y, row } = this.#from;
    if (this.task === undefined && Math.hypot(event.clientX - x, event.clientY - y) < THRESHOLD) return;
    this.task = row.task.content;
    this.#y = event.clientY;
    this.#aim();
    if (this.#frame === 0) this.#frame = requestAnimationFrame(this.#scroll);
  };

  readonly #up = (): void => {
    const { task, target } = this;
    this.cancel();
    if (task === undefined) return;
    // The click that ends a drag is not one.
    window.addEventListener('click', swallow, { capture: true, once: true });
    setTimeout(() => window.removeEventListener('click', swallow, true));
    if (target !== undefined) this.#surface.drop(task, target);
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || this.task === undefined) return;
    swallow(event);
    this.cancel();
  };

  /** Near an edge the list goes on by itself. */
  readonly #scroll = (): void => {
    const scroller = this.#surface.scroller();
    if (scroller === null || this.task === undefined) return;
    const { top, bottom } = scroller.getBoundingClientRect();
    const by = this.#y < top + EDGE ? -SCROLL : this.#y > bottom - EDGE ? SCROLL : 0;
    if (by !== 0) {
      scroller.scrollTop += by;
      this.#aim();
    }
    this.#frame = requestAnimationFrame(this.#scroll);
  };

  #aim(): void {
    const at = this.#surface.rowAt(this.#y);
    this.target = at && this.#drop(at.key, at.upper);
    this.#surface.changed();
  }

  #drop(key: string, upper: boolean): Drop | undefined {
    const rows = this.#surface.rows();
    const row = rows.find((each) => each.key === key);
    if (row === undefined || row.kind === 'edit') return undefined;
    if (row.kind === 'phase') {
      const before = rows.slice(0, rows.indexOf(row)).findLast((each) => each.kind === 'phase');
      if (!upper || before === undefined) return { key, side: 'after', phase: row.phase.name, index: 0 };
      const rest = before.phase.tasks.filter(({ content }) => content !== this.task);
      return { key, side: 'before', phase: before.phase.name, index: rest.length };
    }
    const task = row.kind === 'task' ? row : rows.find((each) => each.key === row.parent);
    if (task?.kind !== 'task') return undefined;
    const after = row.kind === 'note' || !upper;
    const phase = rows.find((each) => each.key === task.parent);
    if (phase?.kind !== 'phase') return undefined;
    const index = phase.phase.tasks.findIndex(({ content }) => content === this.task);
    const shift = index >= 0 && index < task.index ? 1 : 0;
    return {
      key,
      side: after ? 'after' : 'before',
      phase: task.phase,
      index: task.index + (after ? 1 : 0) - shift,
    };
  }
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
