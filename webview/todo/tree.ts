import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import type { TodoPhase } from '../../src/planProtocol.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import type { Menu } from '../kit/menu.ts';
import { baseStyles } from '../kit/styles.ts';
import type { TodoActions } from './actions.ts';
import { RowCommands } from './commands.ts';
import { type Drop, RowDrag } from './drag.ts';
import { type Commit, editLine } from './edit-line.ts';
import { rowMenu } from './menu-items.ts';
import { buildRows, type ItemRow, type Row, taskKey } from './rows.ts';
import { type Edit, editId, type TodoState } from './state.ts';
import { activeIndex, type Command, itemAt, TreeKeys } from './tree-keys.ts';
import { rowStyles, treeRow } from './tree-row.ts';

const ROW = 24;

/**
 * The plan as a tree: one tab stop, in which `aria-activedescendant` moves, so that lines may come and go
 * under the focus. Fires `lode-state` with what changed of the panel's state and `lode-commit` (Commit).
 */
export class TodoTree extends LitElement {
  static override properties = {
    phases: { attribute: false },
    open: { attribute: false },
    expanded: { attribute: false },
    active: {},
    edit: { attribute: false },
    canWrite: { type: Boolean },
    actions: { attribute: false },
  };
  declare phases: readonly TodoPhase[];
  declare open: TodoState['open'];
  declare expanded: readonly string[];
  /** Key of the active row; when it is gone, what took its place is active. */
  declare active: string;
  declare edit: Edit | null;
  declare canWrite: boolean;
  declare actions: TodoActions;
  #rows: readonly Row[] = [];
  #index = 0;
  /** Stable ids: screen readers take another id for another line. */
  readonly #ids = new Map<string, string>();
  readonly #keys = new TreeKeys();
  #reveal = false;
  readonly #commands = new RowCommands({
    actions: () => this.actions,
    shown: () => ({ open: this.open, expanded: this.expanded }),
    go: (change) => {
      this.#reveal = true;
      this.#state(change);
    },
    state: (change) => this.#state(change),
  });
  readonly #drag = new RowDrag({
    rows: () => this.#rows,
    scroller: () => this.#tree,
    rowAt: (y) => this.#rowAt(y),
    changed: () => this.requestUpdate(),
    drop: (task, drop) => this.#drop(task, drop),
  });

  static override styles = [
    baseStyles,
    rowStyles,
    css`
      :host { display: block; min-height: 0; position: relative; }
      .tree { height: 100%; overflow: hidden auto; outline: none; user-select: none; padding-bottom: 48px; }
      .tree.dragging { cursor: grabbing; }
      .tree.dragging .row { cursor: inherit; }
    `,
  ];

  constructor() {
    super();
    this.phases = [];
    this.open = {};
    this.expanded = [];
    this.active = '';
    this.edit = null;
    this.canWrite = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#drag.cancel();
  }

  override focus(): void {
    this.#tree?.focus({ preventScroll: true });
  }

  restoreScroll(offset: number): void {
    if (this.#tree !== null) this.#tree.scrollTop = offset;
  }

  /** Brings the active line into view once it is rendered. */
  reveal(): void {
    this.#reveal = true;
    this.requestUpdate();
  }

  /** The line that is active now. */
  get row(): ItemRow | undefined {
    return itemAt(this.#rows, this.#index);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const { open, expanded, edit } = this;
    const before = changed.get('edit');
    const others = (['phases', 'open', 'expanded'] as const).some((name) => changed.has(name));
    if (!others && edit && before && editId(before) === editId(edit)) {
      // Only typed on.
      this.#rows = this.#rows.map((row) => (row.kind === 'edit' ? { ...row, edit } : row));
    } else if (others || changed.has('edit')) this.#rows = buildRows(this.phases, { open, expanded, edit });
    this.#index = activeIndex(this.#rows, this.active, this.#index);
  }

  protected override render() {
    const rows = this.#rows;
    const at = rows.findIndex((row) => row.kind === 'edit');
    const line = rows[at];
    const active = this.row;
    // What is written in place is in neither part, so that no change of the others ever moves it: a moved
    // field loses the focus and what is being composed in it.
    return html`<div
        class="tree ${this.#drag.task === undefined ? '' : 'dragging'}" role="tree" tabindex="0" aria-label=${t('Plan')}
        aria-activedescendant=${active === undefined ? nothing : this.#id(active.key)}
        @keydown=${this.#key} @click=${this.#click} @dblclick=${this.#double} @contextmenu=${this.#context}
        @pointerdown=${this.#press} @scroll=${this.#scrolled}
      >${this.#part(at < 0 ? rows : rows.slice(0, at))}${
        line?.kind === 'edit'
          ? editLine(line, {
              draft: (text) => this.#state({ edit: { ...line.edit, text } }),
              commit: (commit) => this.#fire('lode-commit', commit satisfies Commit),
              cancel: () => this.#cancel(),
            })
          : nothing
      }${this.#part(at < 0 ? [] : rows.slice(at + 1))}</div><lode-menu></lode-menu>`;
  }

  protected override updated(): void {
    if (!this.#reveal) return;
    this.#reveal = false;
    this.renderRoot.querySelector('.row.active')?.scrollIntoView({ block: 'nearest' });
  }

  #part(rows: readonly Row[]): unknown {
    return repeat(
      rows,
      (row) => row.key,
      (row) => (row.kind === 'edit' ? nothing : this.#line(row)),
    );
  }

  /** Most changes are of one line; the others are not looked at again. */
  #line(row: ItemRow): unknown {
    const { task, target } = this.#drag;
    const active = row === this.row;
    const drop = target?.key === row.key ? target.side : undefined;
    const dragged = row.kind === 'task' && row.task.content === task;
    const { canWrite } = this;
    return guard([row, active, drop, dragged, canWrite], () =>
      treeRow(row, { active, drop, dragged, canWrite, id: this.#id(row.key) }),
    );
  }

  #id(key: string): string {
    const id = this.#ids.get(key) ?? `row-${this.#ids.size}`;
    this.#ids.set(key, id);
    return id;
  }

  get #tree(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.tree');
  }

  #rowAt(y: number): { key: string; upper: boolean } | undefined {
    const tree = this.#tree;
    if (tree === null) return undefined;
    const box = tree.getBoundingClientRect();
    const root = this.renderRoot as ShadowRoot;
    const line = root
      .elementFromPoint(box.left + 30, Math.max(box.top, Math.min(y, box.bottom - 1)))
      ?.closest<HTMLElement>('.row');
    if (!line) return undefined;
    const { top, height } = line.getBoundingClientRect();
    return { key: line.dataset.key ?? '', upper: y < top + height / 2 };
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.target !== this.#tree) return;
    const page = Math.max(1, Math.floor((this.#tree?.clientHeight ?? 0) / ROW) - 1);
    const read = this.#keys.read(event, this.#rows, this.#index, page);
    if (read === undefined) return;
    handled(event);
    if (typeof read === 'number') this.#go(this.#rows[read]?.key);
    else this.#run(read);
  };

  #go(key: string | undefined): void {
    if (key === undefined) return;
    this.#reveal = true;
    this.#state({ active: key });
  }

  #run(command: Command): void {
    const { row } = this;
    if (row === undefined) return;
    if (command === 'open') {
      const expandable = row.kind === 'phase' || (row.kind === 'task' && row.task.notes.length > 0);
      const next = this.#rows[this.#index + 1];
      if (expandable && !row.open) this.#commands.expand(row, true);
      else if (next !== undefined && next.kind !== 'edit' && next.parent === row.key) this.#go(next.key);
    } else if (command === 'close') {
      if (row.kind !== 'note' && row.open) this.#commands.expand(row, false);
      else if (row.kind !== 'phase') this.#go(row.parent);
    } else if (command === 'toggle' && row.kind === 'phase') this.#commands.expand(row, !row.open);
    else if (command === 'menu') this.#menu(row);
    else if (this.canWrite) this.#commands.write(command, row);
  }

  #cancel(): void {
    this.#state({ edit: null });
    // Unless the person went elsewhere.
    if (this.renderRoot.querySelector('lode-inline:focus-within') !== null) this.focus();
  }

  #menu(row: ItemRow, at?: { readonly x: number; readonly y: number }): void {
    const items = this.canWrite ? rowMenu(row, this.#commands) : [];
    const line = this.renderRoot.querySelector(`#${this.#id(row.key)}`)?.getBoundingClientRect();
    const menu = this.renderRoot.querySelector<Menu>('lode-menu');
    if (items.length === 0 || line === undefined || menu === null) return;
    const box =
      at === undefined
        ? { left: line.left + 36, top: line.top, bottom: line.bottom }
        : { left: at.x, top: at.y, bottom: at.y };
    void menu.open(t('Actions'), items, box, () => this.focus());
  }

  #rowOf(event: Event): { readonly row: ItemRow | undefined; readonly act: string | undefined } {
    const target = event.target instanceof Element ? event.target : null;
    const key = target?.closest<HTMLElement>('.row')?.dataset.key;
    const row = this.#rows.find((each) => each.key === key);
    return {
      row: row?.kind === 'edit' ? undefined : row,
      act: target?.closest<HTMLElement>('[data-act]')?.dataset.act,
    };
  }

  readonly #click = (event: MouseEvent): void => {
    const { row, act } = this.#rowOf(event);
    if (row === undefined) return;
    this.#state({ active: row.key });
    if (act !== undefined && act !== 'add') this.focus();
    if (act === 'open') this.#commands.expand(row, row.kind !== 'note' && !row.open);
    else if (act === 'menu') this.#menu(row, { x: event.clientX, y: event.clientY + 8 });
    else if (act !== undefined && this.canWrite) this.#commands.write(act as Command, row);
  };

  readonly #double = (event: MouseEvent): void => {
    const { row, act } = this.#rowOf(event);
    if (row !== undefined && act === undefined && this.canWrite) this.#commands.write('rename', row);
  };

  readonly #context = (event: MouseEvent): void => {
    if (event.composedPath()[0] instanceof HTMLInputElement || !this.canWrite) return;
    // From the keyboard it comes without a place.
    const row = event.button === 2 ? this.#rowOf(event).row : this.row;
    if (row === undefined || row.kind === 'note') return;
    handled(event);
    this.#state({ active: row.key });
    this.#menu(row, event.button === 2 ? { x: event.clientX, y: event.clientY } : undefined);
  };

  readonly #press = (event: PointerEvent): void => {
    const { row, act } = this.#rowOf(event);
    if (this.canWrite && row?.kind === 'task' && act === undefined) this.#drag.press(event, row);
  };

  #drop(task: string, { phase, index }: Drop): void {
    this.#state({ active: taskKey(task), open: { ...this.open, [phase]: true } });
    void this.actions.place(task, phase, index);
    this.focus();
  }

  readonly #scrolled = (): void => this.#state({ scroll: this.#tree?.scrollTop ?? 0 });

  #state(change: Partial<TodoState>): void {
    this.#fire('lode-state', change);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
