import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DiffHunk, DiffLine, FileDiff } from '../../src/protocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';

/** As many lines of a file as a person reads in a side bar; the editor shows the rest. */
const LINES = 1_000;
/** Characters of a line; what is longer was written by a machine. */
const WIDTH = 2_000;

/** What changed in one file. Fires `lode-editor` to have it shown by the editor. */
export class DiffView extends LitElement {
  static override properties = { diff: { attribute: false }, wrap: { type: Boolean } };
  declare diff: FileDiff;
  /** Whether long lines wrap; else they scroll. */
  declare wrap: boolean;
  /** Index of the part that was gone to last. */
  at = -1;

  static override styles = [
    baseStyles,
    css`
      :host { container: diff / inline-size; }
      .lines {
        overflow: auto hidden; font-family: var(--vscode-editor-font-family, monospace); font-size: 12px; line-height: 18px; tab-size: 4; user-select: text;
        border-block: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent));
        background: var(--vscode-editor-background); color: var(--vscode-editor-foreground, inherit);
      }
      .lines:focus-visible { outline-offset: -1px; }
      .all { min-width: 100%; width: max-content; }
      .wrap .all { width: auto; }
      .hunk { scroll-margin-top: 32px; outline-offset: -1px; }
      .hunk + .hunk { border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); }
      .head { padding: 1px 8px; color: var(--vscode-descriptionForeground); white-space: pre; }
      .wrap .head { white-space: pre-wrap; overflow-wrap: anywhere; }
      /* Positioned, so that what only screen readers read does not reach beyond what scrolls. */
      .line { position: relative; display: flex; white-space: pre; --edge: transparent; border-inline-start: 3px solid var(--edge); }
      .wrap .line { white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal; }
      .number {
        flex: none; width: 5ch; padding-inline-end: 1ch; text-align: end; color: var(--vscode-editorLineNumber-foreground, var(--vscode-descriptionForeground));
        user-select: none; overflow-wrap: normal;
      }
      .sign { flex: none; width: 2ch; user-select: none; }
      .text { flex: 1; min-width: 0; padding-inline-end: 8px; unicode-bidi: plaintext; }
      .added { --edge: var(--vscode-charts-green, currentColor); background: var(--vscode-diffEditor-insertedLineBackground, rgba(155, 185, 85, .2)); }
      .removed { --edge: var(--vscode-charts-red, currentColor); background: var(--vscode-diffEditor-removedLineBackground, rgba(255, 0, 0, .2)); }
      :host-context(.vscode-high-contrast) .line, :host-context(.vscode-high-contrast-light) .line { background: none; }
      .added .sign, .removed .sign { font-weight: 700; }
      .end { color: var(--vscode-descriptionForeground); font-style: italic; padding-inline-start: calc(12ch + 3px); }
      .note { padding: 6px 12px; }
      @container diff (max-width: 420px) {
        /* One column of numbers: the line's number where it is now, or was. */
        .removed .new, :is(.context, .added) .old { display: none; }
        .number { width: 4.5ch; padding-inline-end: .5ch; }
        .end { padding-inline-start: calc(6.5ch + 3px); }
      }
    `,
  ];

  /** The parts that can be gone to, from top to bottom. */
  get parts(): readonly HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>('.hunk')];
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('diff')?.path !== this.diff.path && changed.has('diff')) this.at = -1;
  }

  protected override render() {
    const { binary, hunks, truncated } = this.diff;
    if (binary)
      return html`<p class="note muted">${t('A binary file: its changes cannot be shown here.')} ${this.#editor()}</p>`;
    if (hunks.length === 0 && !truncated) return html`<p class="note muted">${t('No line changed.')}</p>`;
    let left = LINES;
    const shown = hunks.map((hunk, index) => {
      const lines = hunk.lines.slice(0, Math.max(0, left));
      left -= hunk.lines.length;
      return lines.length === 0 ? nothing : this.#hunk(hunk, lines, index);
    });
    return html`<div class="lines ${this.wrap ? 'wrap' : ''}" tabindex="0" role="group"
        aria-label=${t('Changes in {0}', visibleLine(this.diff.path))} @focusin=${this.#focused}><div class="all">${shown}</div></div>
      ${
        left < 0 || truncated
          ? html`<p class="note muted">${left < 0 && !truncated ? t('{0} more lines are not shown here.', count(-left)) : t('There is more than can be shown here.')}
            ${this.#editor()}</p>`
          : nothing
      }`;
  }

  #hunk(hunk: DiffHunk, lines: readonly DiffLine[], index: number): TemplateResult {
    let before = hunk.oldStart;
    let after = hunk.newStart;
    const place = `@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
    const label = t('Change {0} of {1}, line {2}', index + 1, this.diff.hunks.length, hunk.newStart);
    return html`<div class="hunk" role="group" tabindex="-1" aria-label=${label}>
      <div class="head">${place} <bdi>${visibleLine(clip(hunk.header, WIDTH))}</bdi></div>${lines.map(
        (line) =>
          lineView(line, line.kind === 'added' ? '' : before++, line.kind === 'removed' ? '' : after++),
      )}</div>`;
  }

  /** Here, because a change of focus within a shadow tree is not heard outside of it. */
  readonly #focused = ({ target }: FocusEvent): void => {
    const at = this.parts.indexOf(target as HTMLElement);
    if (at >= 0) this.at = at;
  };

  #editor(): TemplateResult {
    return html`<button class="link" @click=${() => this.dispatchEvent(new CustomEvent('lode-editor'))}>${t('Open in the editor')}</button>`;
  }
}

const SIGNS = { added: '+', removed: '−', context: '' } as const;

function lineView(
  { kind, text, noNewline }: DiffLine,
  before: number | '',
  after: number | '',
): TemplateResult {
  const shown = clip(text, WIDTH);
  const said = kind === 'added' ? t('added:') : kind === 'removed' ? t('removed:') : '';
  // No white space around the text: it would show.
  return html`<div class="line ${kind}"><span class="number old" aria-hidden="true">${before}</span><span class="number new" aria-hidden="true">${after}</span><span
      class="sign" aria-hidden="true">${SIGNS[kind]}</span>${said === '' ? nothing : html`<span class="visually-hidden">${said} </span>`}<span
      class="text">${visible(shown)}${shown.length < text.length ? '…' : ''}</span></div>${
        noNewline === true ? html`<div class="end">${t('No line end at the end of the file')}</div>` : nothing
      }`;
}
