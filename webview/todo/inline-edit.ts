import { css, html, LitElement, type PropertyValues } from 'lit';
import { handled, isCommandKey } from '../kit/keys.ts';
import { baseStyles } from '../kit/styles.ts';

/**
 * A field in the place of what it changes. Enter takes what is typed, Escape or an empty field gives up,
 * and so does leaving the field for something else in the panel, which takes it too. Fires `lode-draft`
 * with the text, `lode-commit` {text, key} and `lode-cancel`.
 */
export class InlineEdit extends LitElement {
  static override properties = {
    text: {},
    label: {},
    placeholder: {},
    multiline: { type: Boolean },
    again: { type: Boolean },
  };
  declare text: string;
  declare label: string;
  declare placeholder: string;
  declare multiline: boolean;
  /** It stays for the next one after Enter. */
  declare again: boolean;
  #ended = false;
  #pressed = false;
  #left = false;

  static override styles = [
    baseStyles,
    css`
      input, textarea {
        display: block; width: 100%; margin: 0; padding: 1px 4px; font: inherit; line-height: 18px; resize: vertical;
        background: var(--vscode-input-background); color: var(--vscode-input-foreground);
        border: 1px solid var(--vscode-focusBorder); border-radius: 2px; outline: none;
      }
      ::placeholder { color: var(--vscode-input-placeholderForeground); opacity: 1; }
    `,
  ];

  constructor() {
    super();
    this.text = '';
    this.label = '';
    this.placeholder = '';
    this.multiline = false;
    this.again = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('pointerdown', this.#press, true);
    window.addEventListener('pointerup', this.#release, true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('pointerdown', this.#press, true);
    window.removeEventListener('pointerup', this.#release, true);
    this.#ended = true;
  }

  protected override render() {
    return this.multiline
      ? html`<textarea rows="3" aria-label=${this.label} placeholder=${this.placeholder}
          @input=${this.#input} @keydown=${this.#key} @blur=${this.#blur}></textarea>`
      : html`<input aria-label=${this.label} placeholder=${this.placeholder}
          @input=${this.#input} @keydown=${this.#key} @blur=${this.#blur}>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    const field = this.#field;
    // Setting a value moves the caret and ends the composing of a syllable.
    if (field !== null && changed.has('text') && field.value !== this.text) {
      field.value = this.text;
      // The next one is written further down.
      if (this.text === '' && this.matches(':focus-within')) this.scrollIntoView({ block: 'nearest' });
    }
  }

  protected override firstUpdated(): void {
    const field = this.#field;
    if (field !== null) field.value = this.text;
    // A panel that comes back by itself must not pull the caret out of what the person is doing.
    if (!document.hasFocus()) return;
    this.focus();
    if (!this.multiline) field?.select();
    this.scrollIntoView({ block: 'nearest' });
  }

  override focus(): void {
    this.#field?.focus();
  }

  get #field(): HTMLInputElement | HTMLTextAreaElement | null {
    return this.renderRoot.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
  }

  readonly #input = (): void => {
    this.text = this.#field?.value ?? '';
    // What was refused goes on here.
    this.#ended = false;
    this.#fire('lode-draft', this.text);
  };

  readonly #key = (event: KeyboardEvent): void => {
    // Enter also ends the composing of a Hangul syllable; that one is not for us.
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      handled(event);
      this.#end('lode-cancel');
    } else if (event.key === 'Enter' && (!this.multiline || isCommandKey(event))) {
      handled(event);
      if (this.text.trim() === '') this.#end('lode-cancel');
      else {
        this.#ended = !this.again;
        this.#fire('lode-commit', { text: this.text, key: true });
      }
    }
  };

  readonly #blur = (): void => {
    // A press on something else: what is pressed must still be there when the click comes.
    if (this.#pressed) this.#left = true;
    else this.#leave();
  };

  readonly #press = (): void => {
    this.#pressed = true;
  };

  readonly #release = (): void => {
    this.#pressed = false;
    if (this.#left) setTimeout(() => this.#leave());
    this.#left = false;
  };

  #leave(): void {
    // Going to another part of the editor is not leaving: what is typed waits.
    if (this.#ended || !document.hasFocus() || this.matches(':focus-within')) return;
    if (this.text.trim() === '') this.#end('lode-cancel');
    else {
      this.#ended = true;
      this.#fire('lode-commit', { text: this.text, key: false });
    }
  }

  #end(type: string): void {
    this.#ended = true;
    this.#fire(type);
  }

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
