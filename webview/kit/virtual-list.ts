import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { handled, isCommandKey, isPlain } from './keys.ts';

/** The lines of a list. Some may not be loaded yet: those have no id. */
export interface ListRows {
  readonly count: number;
  id(index: number): string | undefined;
  /** Where this id is, as far as is known, else -1. */
  indexOf(id: string): number;
  /** What typing letters looks for. */
  word(index: number): string;
  /** What a screen reader says. */
  name(index: number): string;
  render(index: number): TemplateResult;
}

/** How a row was picked out for selection. */
export type SelectGesture = { readonly kind: 'toggle' | 'range'; readonly from: number; readonly to: number };

const OVERSCAN = 8;
const TYPEAHEAD_PAUSE = 600;

/**
 * A listbox that renders only the lines in view, so its cost does not grow with their number. It is one tab
 * stop: focus stays on the list and `aria-activedescendant` moves, so lines may come and go under it.
 * It renders into its owner's tree, whose styles apply to the lines.
 *
 * Fires `lode-range` {first, last} for what is in view, `lode-open` {index, key}, `lode-select`
 * (SelectGesture), `lode-active` {index} and `lode-scroll` {offset}.
 */
export class VirtualList extends LitElement {
  static override properties = {
    rows: { attribute: false },
    rowHeight: { type: Number },
    selected: { attribute: false },
    current: {},
    commands: { attribute: false },
    active: { type: Number },
  };
  declare rows: ListRows;
  declare rowHeight: number;
  declare selected: Pick<ReadonlySet<string>, 'has'>;
  /** Id of the line whose content is shown beside the list. */
  declare current: string;
  /** Letters that mean something to the owner unless typed after other letters. */
  declare commands: ReadonlySet<string>;
  declare active: number;
  #activeId: string | undefined;
  #anchor = 0;
  #typed = '';
  #typedAt = 0;
  #range = '';
  #restore: number | undefined;
  readonly #resize = new ResizeObserver(() => {
    // A hidden list loses its scroll position; what it was is put back when it has a size again.
    if (this.clientHeight === 0) this.#restore ??= this.#offset;
    else this.requestUpdate();
  });
  #offset = 0;

  constructor() {
    super();
    this.rows = {
      count: 0,
      id: () => undefined,
      indexOf: () => -1,
      word: () => '',
      name: () => '',
      render: () => html``,
    };
    this.rowHeight = 22;
    this.selected = new Set();
    this.current = '';
    this.commands = new Set();
    this.active = 0;
    this.addEventListener('scroll', this.#scrolled, { passive: true });
    this.addEventListener('keydown', this.#key);
    this.addEventListener('click', this.#click);
  }

  protected override createRenderRoot() {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.setAttribute('role', 'listbox');
    this.setAttribute('aria-multiselectable', 'true');
    this.tabIndex = 0;
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  /** Scrolls to an offset as soon as there are lines to scroll over. */
  restoreScroll(offset: number): void {
    this.#offset = offset;
    this.#restore = offset;
    this.requestUpdate();
  }

  /** Makes a line the active one and brings it into view. */
  activate(index: number): void {
    if (this.rows.count === 0) return;
    this.active = Math.min(Math.max(index, 0), this.rows.count - 1);
    this.#activeId = this.rows.id(this.active);
    const top = this.active * this.rowHeight;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + this.rowHeight > this.scrollTop + this.clientHeight) {
      this.scrollTop = top + this.rowHeight - this.clientHeight;
    }
    this.#fire('lode-active', { index: this.active });
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('rows')) this.#follow();
    // Changing the height of lines must not change which ones are in view.
    const before = changed.get('rowHeight');
    if (before !== undefined && before > 0) this.#restore = (this.#offset / before) * this.rowHeight;
  }

  protected override render() {
    const { first, last } = this.#window();
    const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    const ids = shown.map((index) => this.rows.id(index));
    // An entry that moves takes its element along: a press on it never becomes a click on what moved below it.
    // While pages of different ages are loaded, an entry may be in two places.
    const key = (index: number, at: number) => (ids.indexOf(ids[at]) === at && ids[at]) || index;
    const items = repeat(shown, key, (index) => this.#line(index));
    return html`<div role="presentation" class="spacer" .style=${`height:${this.rows.count * this.rowHeight}px`}>${items}</div>`;
  }

  protected override updated(): void {
    if (this.#restore !== undefined && this.clientHeight > 0 && this.rows.count > 0) {
      this.scrollTop = this.#restore;
      this.#restore = undefined;
      this.requestUpdate();
    }
    const { first, last } = this.#window();
    const rendered = this.active >= first && this.active <= last && this.rows.count > 0;
    if (rendered) this.setAttribute('aria-activedescendant', `line-${this.active}`);
    else this.removeAttribute('aria-activedescendant');
    const range = `${first} ${last} ${this.rows.count}`;
    if (range === this.#range || this.clientHeight === 0) return;
    this.#range = range;
    this.#fire('lode-range', { first, last });
  }

  #line(index: number): TemplateResult {
    const id = this.rows.id(index);
    const selected = id !== undefined && this.selected.has(id);
    const classes = `line${selected ? ' selected' : ''}${index === this.active ? ' active' : ''}${id !== undefined && id === this.current ? ' current' : ''}`;
    return html`<div
      id="line-${index}" class=${classes} role="option" data-index=${index}
      aria-selected=${selected} aria-setsize=${this.rows.count} aria-posinset=${index + 1}
      aria-label=${this.rows.name(index)}
      .style=${`height:${this.rowHeight}px;transform:translateY(${index * this.rowHeight}px)`}
    >${this.rows.render(index)}</div>`;
  }

  #window(): { first: number; last: number } {
    const top = this.#restore ?? this.scrollTop;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - OVERSCAN);
    const shown = Math.ceil((this.clientHeight || 400) / this.rowHeight) + 2 * OVERSCAN;
    return { first, last: Math.min(this.rows.count - 1, first + shown) };
  }

  /** Keeps the active line on its entry when lines were added or removed above it. */
  #follow(): void {
    if (this.#activeId !== undefined && this.rows.id(this.active) !== this.#activeId) {
      const index = this.rows.indexOf(this.#activeId);
      if (index >= 0) this.active = index;
    }
    this.active = Math.max(0, Math.min(this.active, this.rows.count - 1));
    this.#activeId = this.rows.id(this.active) ?? this.#activeId;
  }

  readonly #scrolled = (): void => {
    if (this.clientHeight === 0 || this.#restore !== undefined) return;
    this.#offset = this.scrollTop;
    this.requestUpdate();
    this.#fire('lode-scroll', { offset: this.#offset });
  };

  readonly #click = (event: MouseEvent): void => {
    const target = event.target;
    const line = target instanceof Element ? target.closest<HTMLElement>('.line') : null;
    if (line === null) return;
    const index = Number(line.dataset.index);
    if (event.shiftKey) this.#select('range', this.#anchor, index);
    else if (isCommandKey(event) || (target instanceof Element && target.closest('[data-check]') !== null)) {
      this.#select('toggle', index, index);
    }
    this.activate(index);
    if (event.shiftKey) return;
    this.#anchor = index;
    if (!isCommandKey(event) && !(target instanceof Element && target.closest('[data-check]') !== null)) {
      this.#fire('lode-open', { index, key: false });
    }
  };

  readonly #key = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(this.clientHeight / this.rowHeight) - 1);
    const steps: Record<string, number> = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: this.rows.count - 1,
    };
    const next = steps[event.key];
    if (next !== undefined && !event.altKey) {
      handled(event);
      this.activate(next);
      if (event.shiftKey) this.#select('range', this.#anchor, this.active);
      else if (!isCommandKey(event)) this.#anchor = this.active;
    } else if (event.key === 'Enter' && isPlain(event)) {
      handled(event);
      this.#fire('lode-open', { index: this.active, key: true });
    } else if (event.key === ' ' && this.#typing === '') {
      handled(event);
      this.#select(
        event.shiftKey ? 'range' : 'toggle',
        event.shiftKey ? this.#anchor : this.active,
        this.active,
      );
      if (!event.shiftKey) this.#anchor = this.active;
    } else if (event.key === 'a' && isCommandKey(event) && !event.altKey) {
      handled(event);
      this.#select('range', 0, this.rows.count - 1);
    } else if (isPlain(event) && [...event.key].length === 1) this.#type(event);
  };

  get #typing(): string {
    return Date.now() - this.#typedAt < TYPEAHEAD_PAUSE ? this.#typed : '';
  }

  #type(event: KeyboardEvent): void {
    const before = this.#typing;
    if (before === '' && this.commands.has(event.key)) return;
    handled(event);
    this.#typed = before + event.key.toLowerCase();
    this.#typedAt = Date.now();
    // The same letter again goes on to the next line that starts with it.
    const again = [...this.#typed].every((letter) => letter === this.#typed[0]);
    const word = again ? (this.#typed[0] ?? '') : this.#typed;
    const start = this.active + (again ? 1 : 0);
    for (let step = 0; step < Math.min(this.rows.count, 5_000); step++) {
      const index = (start + step) % this.rows.count;
      if (this.rows.word(index).toLowerCase().startsWith(word)) {
        this.activate(index);
        this.#anchor = index;
        return;
      }
    }
  }

  #select(kind: SelectGesture['kind'], from: number, to: number): void {
    if (this.rows.count > 0) this.#fire('lode-select', { kind, from, to } satisfies SelectGesture);
  }

  #fire(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}

export const listStyles = css`
  lode-list { display: block; position: relative; overflow-y: auto; overflow-x: hidden; outline: none; contain: strict; }
  lode-list .spacer { position: relative; }
  lode-list .line { position: absolute; inset: 0 0 auto 0; cursor: pointer; overflow: hidden; contain: strict; }
  lode-list .line:hover { background: var(--vscode-list-hoverBackground); color: var(--vscode-list-hoverForeground, inherit); }
  lode-list .line.current, lode-list .line.selected {
    background: var(--vscode-list-inactiveSelectionBackground);
    color: var(--vscode-list-inactiveSelectionForeground, inherit);
  }
  lode-list:focus .line.selected, lode-list:focus .line.current {
    background: var(--vscode-list-activeSelectionBackground);
    color: var(--vscode-list-activeSelectionForeground, inherit);
  }
  lode-list:focus .line.active { outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder)); outline-offset: -1px; }
  :host-context(.vscode-high-contrast) lode-list .line:is(:hover, .selected, .current),
  :host-context(.vscode-high-contrast-light) lode-list .line:is(:hover, .selected, .current) {
    outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px;
  }
  :host-context(.vscode-high-contrast) lode-list .line.selected,
  :host-context(.vscode-high-contrast-light) lode-list .line.selected,
  :host-context(.vscode-high-contrast) lode-list:focus .line.active,
  :host-context(.vscode-high-contrast-light) lode-list:focus .line.active { outline-style: solid; }
`;
