import { css, html, LitElement, nothing } from 'lit';
import { count } from '../kit/format.ts';
import { handled } from '../kit/keys.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import type { MemoryActions, Named } from './actions.ts';

/** What can be done to all selected entries at once. Fires `lode-clear`. */
export class SelectionBar extends LitElement {
  static override properties = {
    entries: { attribute: false },
    actions: { attribute: false },
    canWrite: { type: Boolean },
    forgotten: { type: Boolean },
    tagging: { state: true },
    tags: { state: true },
  };
  declare entries: readonly Named[];
  declare actions: MemoryActions;
  declare canWrite: boolean;
  /** The entries are forgotten ones. */
  declare forgotten: boolean;
  declare tagging: boolean;
  declare tags: readonly string[];

  static override styles = [
    baseStyles,
    css`
      .bar { display: flex; flex-wrap: wrap; align-items: center; gap: 2px 12px; }
      .tags { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-top: 4px; }
      .tags lode-tags { flex: 1; min-width: 140px; }
    `,
  ];

  constructor() {
    super();
    this.entries = [];
    this.canWrite = false;
    this.forgotten = false;
    this.tagging = false;
    this.tags = [];
  }

  protected override render() {
    return html`<div class="bar" role="toolbar" aria-label=${t('Selected entries')}>
        <span class="grow">${t('{0} selected', count(this.entries.length))}</span>
        ${
          this.canWrite
            ? html`<button class="link" @click=${() => this.actions.pin(this.entries, true)}>${t('Pin')}</button>
              <button class="link" aria-expanded=${this.tagging} @click=${this.#toggleTagging}>${t('Tag…')}</button>
              <button class="link" @click=${this.#forget}>${this.forgotten ? t('Restore') : t('Forget')}</button>`
            : nothing
        }
        <button class="link" @click=${this.#clear}>${t('Clear')}</button>
      </div>
      ${
        this.tagging
          ? html`<div class="tags" @keydown=${this.#key}>
            <lode-tags
              .label=${t('Tags to add')} .placeholder=${t('Tags to add')} .values=${this.tags}
              @lode-change=${({ detail }: CustomEvent<readonly string[]>) => {
                this.tags = detail;
              }}
            ></lode-tags>
            <vscode-button ?disabled=${this.tags.length === 0} @click=${this.#tag}>${t('Add tags')}</vscode-button>
          </div>`
          : nothing
      }`;
  }

  readonly #toggleTagging = async (): Promise<void> => {
    this.tagging = !this.tagging;
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('lode-tags')?.focus();
  };

  readonly #tag = async (): Promise<void> => {
    const tags = this.tags;
    this.tagging = false;
    this.tags = [];
    if (tags.length > 0) await this.actions.tag(this.entries, tags);
  };

  readonly #forget = (): void => {
    void (this.forgotten ? this.actions.restore(this.entries) : this.actions.forget(this.entries));
    this.#clear();
  };

  readonly #clear = (): void => {
    this.dispatchEvent(new CustomEvent('lode-clear'));
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape') {
      handled(event);
      this.tagging = false;
    } else if (
      event.key === 'Enter' &&
      event.target instanceof Element &&
      event.target.localName === 'lode-tags'
    ) {
      // The field took Enter for itself if it held a word, so here it is empty: done.
      handled(event);
      void this.#tag();
    }
  };
}

export const selectionStyles = css`
  lode-selection { padding: 0 10px 4px; min-height: 20px; }
`;
