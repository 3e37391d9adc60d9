import { css, html, LitElement, nothing } from 'lit';
import { icons } from './icons.ts';
import { t } from './l10n.ts';
import { baseStyles } from './styles.ts';

export interface Toast {
  readonly text: string;
  readonly error?: boolean;
  /** Takes back what the text tells of. */
  undo?(): void;
}

const SHOWN_FOR = 10_000;

/**
 * One message at the foot of a panel, with Undo where there is something to take back. The live region
 * stays in the document, empty, so that screen readers hear each change of it.
 */
export class ToastBar extends LitElement {
  static override properties = { toast: { state: true }, spoken: { state: true } };
  declare toast: Toast | undefined;
  declare spoken: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  static override styles = [
    baseStyles,
    css`
      :host { position: absolute; inset: auto 8px 8px 8px; z-index: 5; pointer-events: none; display: flex; justify-content: center; }
      .toast {
        pointer-events: auto; display: flex; align-items: center; gap: 8px; max-width: 100%; padding: 4px 4px 4px 12px;
        background: var(--vscode-notifications-background); color: var(--vscode-notifications-foreground);
        border: 1px solid var(--vscode-contrastBorder, var(--vscode-notifications-border, transparent)); border-radius: 4px;
        box-shadow: 0 0 8px 2px var(--vscode-widget-shadow, transparent);
      }
      .toast.error { border-color: var(--vscode-inputValidation-errorBorder); }
      .text { flex: 1; min-width: 0; overflow-wrap: anywhere; white-space: pre-line; max-height: 90px; overflow-y: auto; }
      .undo { flex: none; padding: 2px 6px !important; font-weight: 600 !important; }
    `,
  ];

  constructor() {
    super();
    this.toast = undefined;
    this.spoken = '';
  }

  /** Shows a message in place of the one before. */
  show(toast: Toast): void {
    this.toast = toast;
    this.spoken = toast.text;
    this.#wait();
  }

  /** Tells screen readers only. */
  say(text: string): void {
    this.spoken = text;
  }

  protected override render() {
    const { toast } = this;
    return html`<div class="visually-hidden" role="status" aria-live="polite">${this.spoken}</div>
      ${
        toast === undefined
          ? nothing
          : html`<div class="toast ${toast.error ? 'error' : ''}" @pointerenter=${this.#hold} @pointerleave=${this.#wait}
            @focusin=${this.#hold} @focusout=${this.#wait}>
            <span class="text">${toast.text}</span>
            ${
              toast.undo === undefined
                ? nothing
                : html`<button class="link undo" @click=${this.#undo}>${t('Undo')}</button>`
            }
            <button class="icon-button" aria-label=${t('Dismiss')} title=${t('Dismiss')} @click=${this.#hide}>${icons.close}</button>
          </div>`
      }`;
  }

  readonly #undo = (): void => {
    this.toast?.undo?.();
    this.#hide();
  };

  readonly #hide = (): void => {
    clearTimeout(this.#timer);
    // Focus that is in here goes nowhere when the bar goes; the owner decides where to.
    const focused = this.renderRoot.querySelector('.toast:focus-within') !== null;
    this.toast = undefined;
    if (focused) this.dispatchEvent(new CustomEvent('lode-closed'));
  };

  readonly #hold = (): void => clearTimeout(this.#timer);

  readonly #wait = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#hide, SHOWN_FOR);
  };
}
