import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { handled } from './keys.ts';
import { t } from './l10n.ts';
import type { Menu, MenuItem } from './menu.ts';
import { baseStyles } from './styles.ts';
import { type Command, TreeKeys } from './tree-keys.ts';
import { rowAt, type TreeRow, totalHeight } from './tree-rows.ts';
import { glyphStyles, rowStyles } from './tree-styles.ts';

const OVERSCAN = 300;

/** What a line needs to know of its place in the tree. */
export interface RowContext {
  readonly id: string;
  readonly active: boolean;
  /** What it stands for is shown beside the tree. */
  readonly current: boolean;
  readonly hasMenu: boolean;
  readonly now: number;
}

/**
 * A tree that renders only the lines in view. It is one tab stop, in which `aria-activedescendant` moves. Fires
 * `lode-active` with a key and `lode-scroll` with an offset; what opens and folds is its owner's.
 */
export abstract class RowTree<Row extends TreeRow> extends LitElement {
  static override properties: PropertyDeclarations = {
    open: { attribute: false },
    active: {},
    current: {},
    now: { type: Number },
    menu: { attribute: false },
  };
  declare open: ReadonlySet<string>;
  /** Key of the active row; when it is gone, what took its place is active. */
  declare active: string;
  /** Key of the row that is shown beside the tree. */
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

  static override styles: CSSResultGroup = [
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
    this.open = new Set();
    this.active = '';
    this.current = '';
    this.now = Date.now();
    this.menu = () => [];
  }

  /** What a screen reader calls the tree. */
  protected abstract get label(): string;
  /** Whether other lines follow from what changed. */
  protected abstract changesRows(changed: ReadonlyMap<PropertyKey, unknown>): boolean;
  /** The lines from top to bottom. Their heights depend on what they hold, never on the time. */
  protected abstract buildRows(): readonly Row[];
  protected abstract line(row: Row, context: RowContext): TemplateResult;
  /** What typing letters looks for. */
  protected abstract word(row: Row): string;
  /** Enter, space or a click on a line; `key` tells whether it was a key. */
  protected abstract enter(row: Row, key: boolean): void;
  protected abstract fold(row: Row, open: boolean): void;

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

  protected override willUpdate(changed: PropertyValues): void {
    if (this.changesRows(changed)) {
      const before = this.#rows;
      this.#rows = this.buildRows();
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
        class="tree" role="tree" tabindex="0" aria-label=${this.label}
        aria-activedescendant=${inView ? this.#id(active.key) : nothing}
        @keydown=${this.#key} @click=${this.#click} @contextmenu=${this.#context} @scroll=${this.#scrolled}
      ><div class="spacer" role="presentation" .style=${`height:${totalHeight(rows)}px`}>${repeat(
        shown,
        // A line that moves takes its element along: a press on it never becomes a click on what moved below it.
        ({ key }) => key,
        (row) =>
          this.line(row, {
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
    this.fire('lode-scroll', offset);
  }

  readonly #key = (event: KeyboardEvent): void => {
    if (event.target !== this.#tree || this.#rows.length === 0) return;
    const first = rowAt(this.#rows, this.#offset);
    const page = Math.max(1, rowAt(this.#rows, this.#offset + this.clientHeight) - first - 1);
    const read = this.#keys.read(event, this.#rows.length, (at) => this.#wordAt(at), this.#index, page);
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
    this.fire('lode-active', row.key);
  }

  #wordAt(index: number): string {
    const row = this.#rows[index];
    return row === undefined ? '' : this.word(row);
  }

  #run(command: Command): void {
    const row = this.#rows[this.#index];
    if (row === undefined) return;
    if (command === 'enter') this.enter(row, true);
    else if (row.open !== undefined && row.open !== (command === 'open')) this.fold(row, command === 'open');
    else if (command === 'close') this.#go(row.parent === undefined ? undefined : this.#rows[row.parent]);
    else if (row.open === true && this.#rows[this.#index + 1]?.parent === this.#index)
      this.#go(this.#rows[this.#index + 1]);
  }

  #rowOf(event: Event): Row | undefined {
    const target = event.target instanceof Element ? event.target : null;
    const key = target?.closest<HTMLElement>('.row')?.dataset.key;
    return this.#rows.find((row) => row.key === key);
  }

  readonly #click = (event: MouseEvent): void => {
    const row = this.#rowOf(event);
    if (row === undefined) return;
    this.fire('lode-active', row.key);
    const act = (event.target as Element).closest<HTMLElement>('[data-act]')?.dataset.act;
    if (act === 'fold') this.fold(row, row.open !== true);
    else if (act === undefined) this.enter(row, false);
    else this.#menu(row, { x: event.clientX, y: event.clientY + 8 });
  };

  readonly #context = (event: MouseEvent): void => {
    // From the keyboard it comes without a place.
    const row = event.button === 2 ? this.#rowOf(event) : this.#rows[this.#index];
    if (row === undefined) return;
    handled(event);
    this.fire('lode-active', row.key);
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

  protected fire(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
