import { css, html, LitElement, nothing } from 'lit';
import type { CheckpointSince } from '../../src/planProtocol.ts';
import { handled, isCommandKey } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { bannerStyles, baseStyles } from '../kit/styles.ts';
import { sinceText } from './since.ts';

/**
 * Writes the report that a rewind leaves behind. Fires `lode-draft` with the text at each change,
 * `lode-rewind` with the report, and `lode-cancel`.
 */
export class ReportEditor extends LitElement {
  static override properties = {
    text: {},
    since: { attribute: false },
    busy: { type: Boolean },
    failure: {},
    blank: { state: true },
  };
  declare text: string;
  /** What the report will stand for. */
  declare since: CheckpointSince;
  declare busy: boolean;
  /** Why the last try failed. */
  declare failure: string;
  declare blank: boolean;

  static override styles = [
    baseStyles,
    bannerStyles,
    css`
      :host { display: flex; flex-direction: column; gap: 8px; }
      vscode-text-area { width: 100%; }
      .error { color: var(--vscode-errorForeground); }
      .buttons { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
      .hint { font-size: 11px; }
    `,
  ];

  constructor() {
    super();
    this.text = '';
    this.since = { messages: 0, tools: 0, tokens: 0 };
    this.busy = false;
    this.failure = '';
    this.blank = false;
    this.addEventListener('keydown', this.#key);
  }

  protected override firstUpdated(): void {
    // A panel that comes back by itself must not pull the caret out of what the person is doing.
    // The control gets its inner field a moment after it is defined.
    if (document.hasFocus()) setTimeout(() => this.focus());
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('vscode-text-area')?.focus();
  }

  protected override render() {
    return html`
      ${this.failure === '' ? nothing : html`<div class="banner error" role="alert"><span class="grow">${this.failure}</span></div>`}
      <vscode-text-area rows="8" resize="vertical" .value=${this.text} aria-invalid=${this.blank}
        placeholder=${t('What was tried, what was found, and what follows from it')} @input=${this.#input}
      >${t('Report')}</vscode-text-area>
      ${this.blank ? html`<p class="error" role="alert">${t('A report is needed: it is all that the agent will know of this.')}</p>` : nothing}
      <p class="muted">${t('The report takes the place of what has happened since: {0}. Files stay as they are.', sinceText(this.since))}</p>
      <div class="buttons">
        <vscode-button ?disabled=${this.busy} @click=${this.#rewind}>${t('Rewind')}</vscode-button>
        <vscode-button appearance="secondary" @click=${this.#cancel}>${t('Not now')}</vscode-button>
        <span class="hint muted">${t('{0} rewinds', navigator.platform.startsWith('Mac') ? '⌘⏎' : 'Ctrl+Enter')}</span>
      </div>`;
  }

  readonly #input = (event: Event): void => {
    this.text = (event.target as EventTarget & { value: string }).value;
    if (this.text.trim() !== '') this.blank = false;
    this.#fire('lode-draft', this.text);
  };

  readonly #rewind = (): void => {
    if (this.busy) return;
    this.blank = this.text.trim() === '';
    if (this.blank) this.focus();
    else this.#fire('lode-rewind', this.text);
  };

  readonly #cancel = (): void => this.#fire('lode-cancel');

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && isCommandKey(event)) {
      handled(event);
      this.#rewind();
    } else if (event.key === 'Escape') {
      handled(event);
      this.#cancel();
    }
  };

  #fire(type: string, detail?: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
