import { css, html, LitElement, nothing } from 'lit';
import { icons } from './icons.ts';
import { handled, isPlain } from './keys.ts';
import { baseStyles } from './styles.ts';

export interface MenuItem {
  readonly label: string;
  /** The key that does the same without the menu. */
  readonly keys?: string;
  /** Starts a group. */
  readonly apart?: boolean;
  /** One of several of which one holds. */
  readonly checked?: boolean;
  run(): void;
}

/** Where a menu hangs: below this box, or above it when there is no room. */
type Box = Pick<DOMRect, 'left' | 'top' | 'bottom'>;

const MARGIN = 4;

/** A menu that opens beside something and gives the focus back. One for a panel is enough. */
export class Menu extends LitElement {
  static override properties = { items: { state: true }, label: { state: true } };
  declare items: readonly MenuItem[];
  declare label: string;
  #box: Box = { left: 0, top: 0, bottom: 0 };
  #back: () => void = () => {};

  static override styles = [
    baseStyles,
    css`
      :host { position: fixed; z-index: 10; inset: 0 auto auto 0; }
      .menu {
        position: fixed; min-width: 170px; max-width: calc(100vw - 8px); max-height: calc(100vh - 8px); overflow-y: auto; padding: 4px;
        background: var(--vscode-menu-background, var(--vscode-dropdown-background));
        color: var(--vscode-menu-foreground, var(--vscode-foreground));
        border: 1px solid var(--vscode-menu-border, var(--vscode-contrastBorder, var(--vscode-widget-border, transparent)));
        border-radius: 5px; box-shadow: 0 2px 8px var(--vscode-widget-shadow, transparent);
      }
      .menu:focus { outline: none; }
      button {
        all: unset; box-sizing: border-box; display: flex; gap: 24px; width: 100%; padding: 2px 10px; min-height: 24px; line-height: 20px;
        border-radius: 3px; cursor: pointer;
      }
      button:focus, button:hover {
        background: var(--vscode-menu-selectionBackground, var(--vscode-list-activeSelectionBackground));
        color: var(--vscode-menu-selectionForeground, var(--vscode-list-activeSelectionForeground));
      }
      :host-context(.vscode-high-contrast) button:focus, :host-context(.vscode-high-contrast-light) button:focus {
        outline: 1px solid var(--vscode-contrastActiveBorder); outline-offset: -1px;
      }
      .check { flex: none; width: 16px; margin-inline-end: -18px; align-self: center; }
      .keys { margin-inline-start: auto; opacity: .75; white-space: nowrap; }
      hr { margin: 4px 0; border: none; border-top: 1px solid var(--vscode-menu-separatorBackground, var(--vscode-widget-border, currentColor)); }
    `,
  ];

  constructor() {
    super();
    this.items = [];
    this.label = '';
    this.addEventListener('keydown', this.#key);
    this.addEventListener('focusout', this.#left);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.items = [];
  }

  /** Opens it; `back` is called when it closes without anything else taking the focus. */
  async open(label: string, items: readonly MenuItem[], box: Box, back: () => void): Promise<void> {
    this.label = label;
    this.items = items;
    this.#box = box;
    this.#back = back;
    await this.updateComplete;
    this.#place();
    this.#focus(0);
  }

  protected override render() {
    if (this.items.length === 0) return nothing;
    return html`<div class="menu" role="menu" tabindex="-1" aria-label=${this.label}>${this.items.map(
      (item) => html`${item.apart === true ? html`<hr role="separator">` : nothing}<button
        role=${item.checked === undefined ? 'menuitem' : 'menuitemradio'} aria-checked=${item.checked ?? nothing} tabindex="-1" @pointermove=${this.#point} @click=${() => this.#run(item)}
      >${item.checked === undefined ? nothing : html`<span class="check">${item.checked ? icons.check : nothing}</span>`}<span>${item.label}</span>${item.keys === undefined ? nothing : html`<span class="keys">${item.keys}</span>`}</button>`,
    )}</div>`;
  }

  #place(): void {
    const menu = this.renderRoot.querySelector<HTMLElement>('.menu');
    if (menu === null) return;
    const { width, height } = menu.getBoundingClientRect();
    const below = this.#box.bottom + height + MARGIN <= window.innerHeight;
    const top = below ? this.#box.bottom : Math.max(MARGIN, this.#box.top - height);
    const left = Math.max(MARGIN, Math.min(this.#box.left, window.innerWidth - width - MARGIN));
    menu.style.left = `${left}px`;
    menu.style.top = `${Math.min(top, Math.max(MARGIN, window.innerHeight - height - MARGIN))}px`;
  }

  get #buttons(): readonly HTMLElement[] {
    return [...this.renderRoot.querySelectorAll('button')];
  }

  get #at(): number {
    return this.#buttons.findIndex((button) => button.matches(':focus'));
  }

  #focus(index: number): void {
    const buttons = this.#buttons;
    buttons.at(index % Math.max(1, buttons.length))?.focus();
  }

  #run(item: MenuItem): void {
    this.#close();
    item.run();
  }

  #close(): void {
    this.items = [];
    this.#back();
  }

  /** One item stands out at a time, whether by key or by pointer. */
  readonly #point = (event: Event): void => (event.currentTarget as HTMLElement).focus();

  readonly #left = (event: FocusEvent): void => {
    // Gone to something else, or out of the panel.
    if (this.items.length > 0 && !this.matches(':focus-within') && event.relatedTarget !== this)
      this.items = [];
  };

  readonly #key = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowDown: this.#at + 1,
      ArrowUp: this.#at - 1,
      Home: 0,
      End: -1,
    };
    const next = steps[event.key];
    if (next !== undefined) this.#focus(next);
    else if (event.key === 'Escape' || event.key === 'Tab') this.#close();
    else if (event.key === 'Enter' || event.key === ' ') this.#buttons[this.#at]?.click();
    else if (isPlain(event) && [...event.key].length === 1) this.#jump(event.key.toLowerCase());
    else return;
    handled(event);
  };

  #jump(letter: string): void {
    const { items } = this;
    for (let step = 1; step <= items.length; step++) {
      const index = (this.#at + step) % items.length;
      if (items[index]?.label.toLowerCase().startsWith(letter) !== true) continue;
      this.#focus(index);
      return;
    }
  }
}
