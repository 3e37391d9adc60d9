import { css, html, LitElement } from 'lit';
import { t } from './l10n.ts';
import { baseStyles } from './styles.ts';
import { visible } from './text.ts';
import { wordDiff } from './word-diff.ts';

/** Two versions of a text as one, with what was taken out and what was put in. */
export class DiffText extends LitElement {
  static override properties = { from: {}, to: {} };
  declare from: string;
  declare to: string;

  static override styles = [
    baseStyles,
    css`
      .text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; user-select: text; unicode-bidi: plaintext; tab-size: 2; }
      ins, del { text-decoration-thickness: 1px; text-underline-offset: 2px; border-radius: 2px; color: inherit; }
      del + ins { margin-inline-start: 2px; }
      ins { background: var(--vscode-diffEditor-insertedTextBackground, rgba(156, 204, 44, .25)); text-decoration: underline; }
      del { background: var(--vscode-diffEditor-removedTextBackground, rgba(255, 0, 0, .2)); text-decoration: line-through; }
      :host-context(.vscode-high-contrast) :is(ins, del), :host-context(.vscode-high-contrast-light) :is(ins, del) {
        background: none; outline: 1px solid var(--vscode-contrastBorder, currentColor);
      }
      :host-context(.vscode-high-contrast) del, :host-context(.vscode-high-contrast-light) del { outline-style: dashed; }
    `,
  ];

  constructor() {
    super();
    this.from = '';
    this.to = '';
  }

  protected override render() {
    if (this.from === this.to) return html`<p class="muted">${t('Both are the same.')}</p>`;
    const said = (text: string) => html`<span class="visually-hidden">${text} </span>`;
    const pieces = wordDiff(this.from, this.to).map(({ kind, text }) => {
      if (kind === 'same') return visible(text);
      if (kind === 'added') return html`<ins>${said(t('added:'))}${visible(text)}</ins>`;
      return html`<del>${said(t('removed:'))}${visible(text)}</del>`;
    });
    // No white space around the pieces: it would show.
    return html`<div class="text">${pieces}</div>`;
  }
}
