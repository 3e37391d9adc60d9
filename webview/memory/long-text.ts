import { css, html, LitElement, nothing } from 'lit';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visible } from '../kit/text.ts';
import { cutReferences } from './references.ts';

const SHOWN = 20_000;

/**
 * A remembered text as it is, wrapped, never interpreted; `[[key]]` references that lead somewhere are
 * buttons. The rest of a very long one is shown on request. Fires `lode-follow` with an entry's id.
 */
export class LongText extends LitElement {
  static override properties = { text: {}, targets: { attribute: false }, all: { state: true } };
  declare text: string;
  /** Ids by the keys that may be referred to. */
  declare targets: ReadonlyMap<string, string>;
  declare all: boolean;

  static override styles = [
    baseStyles,
    css`
      .text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; user-select: text; unicode-bidi: plaintext; tab-size: 2; }
      .together { white-space: nowrap; }
      .together button { white-space: pre-wrap; }
      .more { margin-top: 6px; }
    `,
  ];

  constructor() {
    super();
    this.text = '';
    this.targets = new Map();
    this.all = false;
  }

  protected override render() {
    const shown = this.all ? this.text : clip(this.text, SHOWN);
    const pieces = cutReferences(shown);
    let taken = 0;
    const parts = pieces.map(({ text, key }, index) => {
      const rest = text.slice(taken);
      taken = 0;
      const id = key === undefined ? undefined : this.targets.get(key);
      if (id === undefined) return visible(rest);
      // A line may break beside a button: what follows it without a space stays with it.
      const next = pieces[index + 1];
      const tail = next?.key === undefined ? (/^\S{1,8}/u.exec(next?.text ?? '')?.[0] ?? '') : '';
      taken = tail.length;
      const link = html`<button class="link" @click=${() => this.#follow(id)}>${visible(text)}</button>`;
      return tail === '' ? link : html`<span class="together">${link}${visible(tail)}</span>`;
    });
    // No white space around the pieces: it would show.
    return html`<div class="text">${parts}</div>${
      shown.length === this.text.length
        ? nothing
        : html`<p class="more"><button class="link" @click=${this.#showAll}>${t('Show all ({0} characters)', count(this.text.length))}</button></p>`
    }`;
  }

  readonly #showAll = (): void => {
    this.all = true;
  };

  #follow(id: string): void {
    this.dispatchEvent(new CustomEvent('lode-follow', { detail: id, bubbles: true, composed: true }));
  }
}
