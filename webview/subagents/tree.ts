import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import type { BatchView } from '../../src/subagentProtocol.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import type { Menu, MenuItem } from '../kit/menu.ts';
import { baseStyles } from '../kit/styles.ts';
import { buildRows, type Row, rowAt, totalHeight } from './rows.ts';
import type { Place } from './state.ts';
import { type Command, TreeKeys } from './tree-keys.ts';
import { glyphStyles, rowStyles, treeRow } from './tree-row.ts';

const OVERSCAN = 300;

/** How a task was opened. */
export interface Opening extends Place {
  readonly key: boolean;
}

/**
 * Batches and their tasks as a tree that renders only the lines in view. It is one tab stop, in which
 * `aria-activedescendant` moves. Fires `lode-open` (Opening), `lode-fold` {id, open}, `lode-active` with a key and
 * `lode-scroll` with an offset.
 */
export class SubagentsTree extends LitElement {
  static override properties = {
    batches: { attribute: false },
    open: { attribute: false },
    active: {},
    current: {},
    now: { type: Number },
    menu: { attribute: false },
  };
  declare batches: readonly BatchView[];
  declare open: ReadonlySet<string>;
  /** Key of the active row; when it is gone, what took its place is active. */
  declare active: string;
  /** Key of the task that is shown beside the tree. */
  declare current: string;
  declare now: number;
  /** What can be done to a line. */
  declare menu: (row: Row) => readonly MenuItem[];
  #rows: readonly Row[] = [];
  #index = 0;
  /** Stable ids: screen readers take another id for another line. */
  readonly #ids = new Map<string, string>();
  readonly #keys = new TreeKeys();
  #reveal = false;
  /** Where to scroll once there is something to scroll over. */
  #restore: number | undefined;
  #offset = 0;
  readonly #resize = new ResizeObserver(() => {
    // A hidden tree loses its scroll position; what it was is put back when it has a size again.
    if (this.clientHeight === 0) this.#restore ??= this.#offset;
    this.requestUpdate();
  });

  static override styles = [
    baseStyles,
    glyphStyles,
    rowStyles,
    css`
      :host { display: block; min-height: 0; position: relative; }
      .tree { height: 100%; overflow: hidden auto; overflow-anchor: none; outline: none; user-select: none; }
      .spacer { position: relative; margin-bottom: 24px; }
    `,
  ];

  constructor() {
    super();
    this.batches = [];
    this.open = new Set();
    this.active = '';
    this.current = '';
    this.now = Date.now();
    this.menu = () => [];
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  override focus(): void {
    this.#tree?.focus({ preventScroll: true });
  }

  /** Scrolls to an offset as soon as there are lines to scroll over. */
  restoreScroll(offset: number): void {
    this.#restore = offset;
    this.requestUpdate();
  }

  /** Brings the active line into view once it is rendered. */
  reveal(): void {
    this.#reveal = true;
    this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('batches') || changed.has('open')) {
      const before = this.#rows;
      this.#rows = buildRows(this.batches, this.open);
      this.#keepPlace(before);
    }
    const index = this.#rows.findIndex(({ key }) => key === this.active);
    this.#index = index >= 0 ? index : Math.max(0, Math.min(this.#index, this.#rows.length - 1));
  }

  /** What the person looks at stays where it is when lines come and go above it. */
  #keepPlace(before: readonly Row[]): void {
    const offset = this.#offset;
    const focused = this.matches(':focus-within');
    if (before.length === 0 || this.#restore !== undefined || (offset === 0 && !focused)) return;
    const active = before[this.#index];
    const seen =
      active !== undefined && active.top + active.height > offset && active.top < offset + this.clientHeight;
    const anchor = seen && focused ? active : before[rowAt(before, offset)];
    const now = this.#rows.find(({ key }) => key === anchor?.key);
    if (anchor !== undefined && now !== undefined && now.top !== anchor.top) {
      this.#restore = Math.max(0, offset + now.top - anchor.top);
    }
  }

  protected override render() {
    const rows = this.#rows;
    const { first, last } = this.#window();
    const shown = rows.slice(first, last + 1);
    const active = rows[this.#index];
    const inView = this.#index >= first && this.#index <= last && active !== undefined;
    return html`<div
        class="tree" role="tree" tabindex="0" aria-label=${t('Subagents')}
        aria-activedescendant=${inView ? this.#id(active.key) : nothing}
        @keydown=${this.#key} @click=${this.#click} @contextmenu=${this.#context} @scroll=${this.#scrolled}
      ><div class="spacer" role="presentation" .style=${`height:${totalHeight(rows)}px`}>${shown.map((row) =>
        treeRow(row, {
          id: this.#id(row.key),
          active: row === active,
          current: row.key === this.current,
          hasMenu: this.menu(row).length > 0,
          now: this.now,
        }),
      )}</div></div><lode-menu></lode-menu>`;
  }

  protected override updated(): void {
    const tree = this.#tree;
    if (tree === null || tree.clientHeight === 0) return;
    if (this.#restore !== undefined && this.#rows.length > 0) {
      tree.scrollTop = this.#restore;
      this.#restore = undefined;
      this.#moved();
    }
    const row = this.#rows[this.#index];
    if (!this.#reveal || row === undefined) return;
    this.#reveal = false;
    if (row.top < tree.scrollTop) tree.scrollTop = row.top;
    else if (row.top + row.height > tree.scrollTop + tree.clientHeight)
      tree.scrollTop = row.top + row.height - tree.clientHeight;
    this.#moved();
  }

  #window(): { readonly first: number; readonly last: number } {
    const top = this.#restore ?? this.#offset;
    const height = this.clientHeight || 400;
    return { first: rowAt(this.#rows, top - OVERSCAN), last: rowAt(this.#rows, top + height + OVERSCAN) };
  }

  #id(key: string): string {
    const id = this.#ids.get(key) ?? `row-${this.#ids.size}`;
    this.#ids.set(key, id);
    return id;
  }

  get #tree(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>('.tree');
  }

  readonly #scrolled = (): void => {
    if (this.clientHeight > 0 && this.#restore === undefined) this.#moved();
  };

  #moved(): void {
    const offset = this.#tree?.scrollTop ?? 0;
    if (offset === this.#offset) return;
    this.#offset = offset;
    this.requestUpdate();
    this.#fire('lode-scroll', offset);
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.target !== this.#tree || this.#rows.length === 0) return;
    const first = rowAt(this.#rows, this.#offset);
    const page = Math.max(1, rowAt(this.#rows, this.#offset + this.clientHeight) - first - 1);
    const read = this.#keys.read(event, this.#rows, this.#index, page);
    if (read === undefined) return;
    handled(event);
    if (typeof read === 'number') this.#go(this.#rows[read]);
    else this.#run(read);
  };

  #go(row: Row | undefined): void {
    if (row === undefined) return;
    this.#reveal = true;
    // The line that is active already may have been scrolled away.
    if (row.key === this.active) this.requestUpdate();
    this.#fire('lode-active', row.key);
  }

  #run(command: Command): void {
    const row = this.#rows[this.#index];
    if (row === undefined) return;
    if (command === 'enter') this.#enter(row, true);
    else if (row.kind === 'task') {
      if (command === 'close') this.#go(this.#rows[row.parent]);
    } else if (row.open !== (command === 'open')) this.#fold(row.batch.id, command === 'open');
    else if (command === 'open' && row.batch.tasks.length > 0) this.#go(this.#rows[this.#index + 1]);
  }

  #enter(row: Row, key: boolean): void {
    if (row.kind === 'batch') this.#fold(row.batch.id, !row.open);
    else this.#fire('lode-open', { batch: row.batch.id, task: row.task.id, key } satisfies Opening);
  }

  #fold(id: string, open: boolean): void {
    this.#fire('lode-fold', { id, open });
  }

  #rowOf(event: Event): Row | undefined {
    const target = event.target instanceof Element ? event.target : null;
    const key = target?.closest<HTMLElement>('.row')?.dataset.key;
    return this.#rows.find((row) => row.key === key);
  }

  readonly #click = (event: MouseEvent): void => {
    const row = this.#rowOf(event);
    if (row === undefined) return;
    this.#fire('lode-active', row.key);
    if ((event.target as Element).closest('[data-act=menu]') === null) this.#enter(row, false);
    else this.#menu(row, { x: event.clientX, y: event.clientY + 8 });
  };

  readonly #context = (event: MouseEvent): void => {
    // From the keyboard it comes without a place.
    const row = event.button === 2 ? this.#rowOf(event) : this.#rows[this.#index];
    if (row === undefined) return;
    handled(event);
    this.#fire('lode-active', row.key);
    this.#menu(row, event.button === 2 ? { x: event.clientX, y: event.clientY } : undefined);
  };

  #menu(row: Row, at?: { readonly x: number; readonly y: number }): void {
    const line = this.renderRoot.querySelector(`#${this.#id(row.key)}`)?.getBoundingClientRect();
    const items = this.menu(row);
    if (line === undefined || items.length === 0) return;
    const box =
      at === undefined
        ? { left: line.left + 36, top: line.top, bottom: line.top + 24 }
        : { left: at.x, top: at.y, bottom: at.y };
    const menu = this.renderRoot.querySelector<Menu>('lode-menu');
    void menu?.open(t('Actions'), items, box, () => this.focus());
  }

  #fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
