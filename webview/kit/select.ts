import { css, html, LitElement } from 'lit';
import { keyed } from 'lit/directives/keyed.js';

export interface SelectOption {
  readonly value: string;
  readonly label: string;
}

/**
 * The toolkit's dropdown with options as data. The dropdown forgets a value that is set before its options
 * exist; here the value is applied after them. Fires `lode-change` with the chosen value.
 */
export class Select extends LitElement {
  static override properties = {
    options: { attribute: false },
    value: {},
    label: {},
    disabled: { type: Boolean },
  };
  declare options: readonly SelectOption[];
  declare value: string;
  declare label: string;
  declare disabled: boolean;

  static override styles = css`
    :host { display: inline-block; }
    vscode-dropdown { width: 100%; min-width: 0; --dropdown-list-max-height: 240px; z-index: auto; }
  `;

  constructor() {
    super();
    this.options = [];
    this.value = '';
    this.label = '';
    this.disabled = false;
  }

  protected override render() {
    // The dropdown reads names once: other options need another dropdown.
    return keyed(
      this.options.map(({ label }) => label).join('\n'),
      html`<vscode-dropdown
        aria-label=${this.label} title=${this.label} ?disabled=${this.disabled} @change=${this.#change}
      >${this.options.map(({ value, label }) => html`<vscode-option value=${value}>${label}</vscode-option>`)}</vscode-dropdown>`,
    );
  }

  protected override updated(): void {
    const dropdown = this.#dropdown;
    // The dropdown learns its options from a slot change, a task after they are rendered.
    setTimeout(() => {
      if (dropdown !== null && dropdown.value !== this.value) dropdown.value = this.value;
    });
  }

  override focus(): void {
    this.#dropdown?.focus();
  }

  get #dropdown(): (HTMLElement & { value: string }) | null {
    return this.renderRoot.querySelector('vscode-dropdown');
  }

  #change(): void {
    const value = this.#dropdown?.value ?? '';
    if (value === this.value) return;
    this.value = value;
    this.dispatchEvent(new CustomEvent('lode-change', { detail: value, bubbles: true, composed: true }));
  }
}
