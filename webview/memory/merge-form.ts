import { css, html, LitElement, nothing, type PropertyValues } from 'lit';
import type { ConflictSide } from '../../src/memoryProtocol.ts';
import { handled, isCommandKey } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { visibleLine } from '../kit/text.ts';

/** What the person wants to have of several texts. */
export interface Merge {
  /** Which side stays. */
  readonly into: number;
  readonly content: string;
}

/** Several texts as one, for the person to write. Fires `lode-merge` with a `Merge`, and `lode-cancel`. */
export class MergeForm extends LitElement {
  static override properties = {
    sides: { attribute: false },
    busy: { type: Boolean },
    into: { state: true },
    content: { state: true },
  };
  declare sides: readonly ConflictSide[];
  declare busy: boolean;
  declare into: number;
  declare content: string;

  static override styles = [
    baseStyles,
    css`
      :host { --button-padding-vertical: 2px; --button-padding-horizontal: 8px; }
      .form { display: flex; flex-direction: column; gap: 6px; }
      vscode-text-area, lode-select { width: 100%; }
      .small { font-size: 11px; line-height: 16px; }
      .buttons { display: flex; flex-wrap: wrap; gap: 6px; }
    `,
  ];

  constructor() {
    super();
    this.sides = [];
    this.busy = false;
    this.into = 0;
    this.content = '';
  }

  override focus(): void {
    // The control gets its inner field a moment after it is defined.
    setTimeout(() => this.renderRoot.querySelector<HTMLElement>('vscode-text-area')?.focus());
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // What was typed stays when the same texts are read again.
    const texts = (sides: readonly ConflictSide[] = []) => JSON.stringify(sides.map(({ text }) => text));
    if (!changed.has('sides') || texts(changed.get('sides')) === texts(this.sides)) return;
    this.into = 0;
    this.content = [...new Set(this.sides.map(({ text }) => text.trim()))].join('\n\n');
  }

  protected override render() {
    const { sides, into, busy } = this;
    const isOne = new Set(sides.map(({ id }) => id)).size === 1;
    const others = sides.filter((_, at) => at !== into).map(({ key }) => visibleLine(key));
    const input = (event: Event) => {
      this.content = (event.target as EventTarget & { value: string }).value;
    };
    return html`<div class="form" role="group" aria-label=${t('Merge')} @keydown=${this.#key}>
      ${
        isOne
          ? nothing
          : html`<span aria-hidden="true">${t('Keep the entry')}</span><lode-select .label=${t('Keep the entry')} .value=${String(into)}
              .options=${sides.map(({ key }, at) => ({ value: String(at), label: visibleLine(key) }))}
              @lode-change=${({ detail }: CustomEvent<string>) => {
                this.into = Number(detail);
              }}></lode-select>`
      }
      <vscode-text-area rows="7" resize="vertical" .value=${this.content} @input=${input}>${t('Text after the merge')}</vscode-text-area>
      <p class="small muted">${
        isOne
          ? t('The texts there are now stay in its history.')
          : t(
              'Tags and links come together. {0} gives way, stays as history and can be restored.',
              others.join(', '),
            )
      }</p>
      <div class="buttons">
        <vscode-button ?disabled=${busy || this.content.trim() === ''} @click=${this.#merge}>${t('Merge')}</vscode-button>
        <vscode-button appearance="secondary" @click=${this.#cancel}>${t('Cancel')}</vscode-button>
      </div>
    </div>`;
  }

  readonly #merge = (): void => {
    if (this.busy || this.content.trim() === '') return;
    const detail: Merge = { into: this.into, content: this.content };
    this.dispatchEvent(new CustomEvent('lode-merge', { detail }));
  };

  readonly #cancel = (): void => {
    this.dispatchEvent(new CustomEvent('lode-cancel'));
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Enter' && isCommandKey(event)) {
      handled(event);
      this.#merge();
    } else if (event.key === 'Escape' && !event.defaultPrevented) {
      handled(event);
      this.#cancel();
    }
  };
}
