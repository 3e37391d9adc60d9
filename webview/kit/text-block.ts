import { css, html, LitElement, nothing } from 'lit';
import { count } from './format.ts';
import { t } from './l10n.ts';
import { baseStyles } from './styles.ts';
import { clip, visible } from './text.ts';

/** A text as it is, wrapped, never interpreted. The rest of a very long one is shown on request. */
export class TextBlock extends LitElement {
  static override properties = { text: {}, limit: { type: Number }, all: { state: true } };
  declare text: string;
  /** How many characters are shown at first. */
  declare limit: number;
  declare all: boolean;

  static override styles = [
    baseStyles,
    css`
      :host { color: inherit; font: inherit; }
      .text { white-space: pre-wrap; overflow-wrap: anywhere; user-select: text; unicode-bidi: plaintext; tab-size: 2; }
    `,
  ];

  constructor() {
    super();
    this.text = '';
    this.limit = 20_000;
    this.all = false;
  }

  protected override render() {
    const shown = this.all ? this.text : clip(this.text, this.limit);
    // No white space around the text: it would show.
    return html`<div class="text">${visible(shown)}</div>${
      shown.length === this.text.length
        ? nothing
        : html`<button class="link" @click=${this.#showAll}>${t('Show all ({0} characters)', count(this.text.length))}</button>`
    }`;
  }

  readonly #showAll = (event: Event): void => {
    event.stopPropagation();
    this.all = true;
  };
}
