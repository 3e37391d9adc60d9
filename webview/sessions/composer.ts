import { css, html, LitElement, nothing } from 'lit';
import { icons } from '../kit/icons.ts';
import { handled, isCommandKey } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';

/**
 * Where a message to a session is written. Fires `lode-draft` with what is written, and `lode-send` with the message.
 * It stays until its owner empties the draft.
 */
export class Composer extends LitElement {
  static override properties = {
    draft: {},
    note: {},
    closed: {},
    busy: { type: Boolean },
  };
  declare draft: string;
  /** What the person should know before they send. */
  declare note: string;
  /** Why nothing can be sent; empty: it can. */
  declare closed: string;
  declare busy: boolean;

  static override styles = [
    baseStyles,
    css`
      :host { flex: none; padding: 8px 12px 10px; border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
      .box { display: flex; align-items: flex-end; gap: 4px; padding: 3px; border-radius: 4px; background: var(--vscode-input-background); border: 1px solid var(--vscode-input-border, var(--vscode-settings-textInputBorder, transparent)); }
      .box:focus-within { border-color: var(--vscode-focusBorder); }
      textarea { all: unset; flex: 1; min-width: 0; min-height: 20px; max-height: 160px; field-sizing: content; padding: 2px 4px; font: inherit; line-height: 20px; color: var(--vscode-input-foreground); white-space: pre-wrap; overflow-wrap: anywhere; overflow-y: auto; cursor: text; user-select: text; }
      textarea:focus-visible { outline: none; }
      textarea::placeholder { color: var(--vscode-input-placeholderForeground); opacity: 1; }
      .note { font-size: 11px; line-height: 16px; margin-top: 4px; }
      button.icon-button[disabled] { opacity: .4; cursor: default; }
    `,
  ];

  constructor() {
    super();
    this.draft = '';
    this.note = '';
    this.closed = '';
    this.busy = false;
  }

  override focus(): void {
    this.#field?.focus();
  }

  protected override render() {
    if (this.closed !== '') return html`<p class="muted note">${this.closed}</p>`;
    const label = t('Send a message');
    return html`<div class="box"><textarea rows="1" maxlength="100000" aria-label=${label} placeholder=${t('Message to this session')}
        aria-describedby=${this.note === '' ? nothing : 'note'} .value=${this.draft} @input=${this.#input} @keydown=${this.#key}></textarea>
      <button class="icon-button" aria-label=${label} title=${`${label} (Enter)`} ?disabled=${this.busy || this.draft.trim() === ''} @click=${this.#send}>${icons.send}</button></div>
      ${this.note === '' ? nothing : html`<p id="note" class="muted note">${this.note}</p>`}`;
  }

  get #field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }

  readonly #input = (): void => {
    this.dispatchEvent(new CustomEvent('lode-draft', { detail: this.#field?.value ?? '' }));
  };

  readonly #key = (event: KeyboardEvent): void => {
    // Enter also ends the composing of a Hangul syllable, and with Shift it is a new line.
    if (event.key !== 'Enter' || event.isComposing || (event.shiftKey && !isCommandKey(event))) return;
    handled(event);
    this.#send();
  };

  readonly #send = (): void => {
    const message = this.#field?.value.trim() ?? '';
    if (message === '' || this.busy) return;
    this.dispatchEvent(new CustomEvent('lode-send', { detail: message }));
  };
}
