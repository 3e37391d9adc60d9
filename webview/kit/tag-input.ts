import { css, html, LitElement } from 'lit';
import { icons } from './icons.ts';
import { handled } from './keys.ts';
import { t } from './l10n.ts';
import { baseStyles } from './styles.ts';
import { visibleLine } from './text.ts';

/**
 * A list of words as chips with a field to add more: Enter, a comma, a semicolon or leaving the field adds,
 * Backspace in the empty field takes the last one back. Fires `lode-change` with the whole list.
 */
export class TagInput extends LitElement {
  static override properties = { values: { attribute: false }, label: {}, placeholder: {} };
  declare values: readonly string[];
  declare label: string;
  declare placeholder: string;

  static override styles = [
    baseStyles,
    css`
      .box {
        display: flex; flex-wrap: wrap; gap: 3px; align-items: center; min-height: 26px; padding: 2px 4px;
        background: var(--vscode-input-background); color: var(--vscode-input-foreground);
        border: 1px solid var(--vscode-input-border, var(--vscode-settings-textInputBorder, transparent)); border-radius: 2px; cursor: text;
      }
      .box:focus-within { border-color: var(--vscode-focusBorder); }
      .chip {
        display: inline-flex; align-items: center; max-width: 100%; padding-left: 6px; border-radius: 3px;
        background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); font-size: 12px; line-height: 18px;
      }
      .chip button { all: unset; cursor: pointer; padding: 1px 2px; border-radius: 3px; }
      .chip button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
      .chip .icon { width: 14px; height: 14px; }
      input {
        all: unset; flex: 1; min-width: 32px; padding: 0 2px 0 5px; font: inherit; line-height: 20px; color: inherit;
        cursor: text; user-select: text;
      }
      input::placeholder { color: var(--vscode-input-placeholderForeground); opacity: 1; }
    `,
  ];

  constructor() {
    super();
    this.values = [];
    this.label = '';
    this.placeholder = '';
  }

  protected override render() {
    return html`<div class="box" role="group" aria-label=${this.label} @click=${this.#focusField}>
      ${this.values.map(
        (value, index) => html`<span class="chip">
          <bdi class="ellipsis">${visibleLine(value)}</bdi>
          <button aria-label=${t('Remove {0}', visibleLine(value))} @click=${() => this.#remove(index)}>${icons.close}</button>
        </span>`,
      )}
      <input
        aria-label=${this.label} placeholder=${this.values.length === 0 ? this.placeholder : ''}
        @keydown=${this.#key} @input=${this.#input} @blur=${this.#take}
      />
    </div>`;
  }

  override focus(): void {
    this.#field?.focus();
  }

  get #field(): HTMLInputElement | null {
    return this.renderRoot.querySelector('input');
  }

  readonly #focusField = (event: Event): void => {
    if (event.target === event.currentTarget) this.#field?.focus();
  };

  readonly #key = (event: KeyboardEvent): void => {
    const field = this.#field;
    // Enter also ends the composing of a Hangul syllable; that one is not for us.
    if (field === null || event.isComposing) return;
    if (event.key === 'Enter' && field.value.trim() !== '' && !event.ctrlKey && !event.metaKey) {
      handled(event);
      this.#take();
    } else if (event.key === 'Backspace' && field.value === '' && this.values.length > 0) {
      handled(event);
      this.#remove(this.values.length - 1);
    }
  };

  readonly #input = (event: InputEvent): void => {
    if (!event.isComposing && /[;,]/.test(this.#field?.value ?? '')) this.#take();
  };

  readonly #take = (): void => {
    const field = this.#field;
    if (field === null || field.value === '') return;
    const words = field.value.split(/[;,]/).map((word) => word.trim());
    field.value = '';
    const values = [...new Set([...this.values, ...words.filter((word) => word !== '')])];
    if (values.length !== this.values.length) this.#set(values);
  };

  #remove(index: number): void {
    this.#set(this.values.filter((_, at) => at !== index));
    this.#field?.focus();
  }

  #set(values: readonly string[]): void {
    this.values = values;
    this.dispatchEvent(new CustomEvent('lode-change', { detail: values, bubbles: true, composed: true }));
  }
}
