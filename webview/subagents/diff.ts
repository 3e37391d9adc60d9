import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { DiffHunk, DiffLine, FileDiff } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import { isHunkApplied, type Parts, partAct, refusalOf } from './parts.ts';

/** As many lines of a file as a person reads in a side bar; the editor shows the rest. */
const LINES = 1_000;
/** Characters of a line; what is longer was written by a machine. */
const WIDTH = 2_000;

/**
 * What changed in one file. Fires `lode-editor` to have it shown by the editor, and `lode-hunk` with the number of a
 * hunk to have it applied or taken back.
 */
export class DiffView extends LitElement {
  static override properties = {
    diff: { attribute: false },
    wrap: { type: Boolean },
    parts: { attribute: false },
    busy: { type: Boolean },
  };
  declare diff: FileDiff;
  /** Whether long lines wrap; else they scroll. */
  declare wrap: boolean;
  /** What was applied, where hunks can be chosen. */
  declare parts: Parts | undefined;
  declare busy: boolean;
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
      .head { padding: 1px 8px; display: flex; align-items: baseline; gap: 8px; color: var(--vscode-descriptionForeground); white-space: pre; }
      .head .place { flex: none; }
      /* Where it belongs is a hint: it gives way to the numbers. */
      .wrap .head bdi { flex: 1 1 0; }
      button.part { flex: none; white-space: nowrap; font-family: var(--vscode-font-family); }
      .done { flex: none; font-family: var(--vscode-font-family); font-size: 11px; color: var(--vscode-charts-green, inherit); }
      .refused { padding: 2px 8px 4px; font-family: var(--vscode-font-family); white-space: normal; color: var(--vscode-errorForeground, inherit); }
      .refused { border-inline-start: 3px solid currentColor; }
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

  constructor() {
    super();
    this.wrap = true;
    this.busy = false;
  }

  /** The hunks that can be gone to, from top to bottom. */
  get hunks(): readonly HTMLElement[] {
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
    const name = t('Change {0} of {1}, line {2}', index + 1, this.diff.hunks.length, hunk.newStart);
    const { path } = this.diff;
    const isApplied = this.parts !== undefined && isHunkApplied(this.parts, path, index);
    const label = isApplied ? `${name}, ${t('applied')}` : name;
    const refusal = this.parts && refusalOf(this.parts, path, index);
    return html`<div class="hunk" role="group" tabindex="-1" aria-label=${label}>
      ${refusal === undefined ? nothing : html`<div class="refused" role="alert">${t('Not applied: {0}', refusal)}</div>`}
      <div class="head">${this.#part(index)}${isApplied ? html`<span class="done" aria-hidden="true">${t('applied')}</span>` : nothing}<span class="place">${place}</span> <bdi class="ellipsis" title=${visible(clip(hunk.header, WIDTH))}>${visibleLine(clip(hunk.header, WIDTH))}</bdi></div>${lines.map(
        (line) =>
          lineView(line, line.kind === 'added' ? '' : before++, line.kind === 'removed' ? '' : after++),
      )}</div>`;
  }

  #part(index: number): TemplateResult | typeof nothing {
    const act = this.parts && partAct(this.parts, this.diff.path, index);
    if (act === undefined) return nothing;
    const [name, label] =
      act === 'apply'
        ? [t('Apply'), t('Apply change {0} (A)', index + 1)]
        : [t('Revert'), t('Revert change {0}', index + 1)];
    return html`<button class="link part" ?disabled=${this.busy} aria-label=${label} title=${label} @click=${() => this.#chosen(index)}>${name}</button>`;
  }

  /** Applies the hunk that has the focus, or takes it back; answers false when none has, or nothing can be done. */
  chooseFocused(): boolean {
    const at = this.hunks.findIndex((hunk) => hunk.matches(':focus-within'));
    if (at < 0 || this.busy || !this.parts || partAct(this.parts, this.diff.path, at) !== 'apply')
      return false;
    this.#chosen(at);
    return true;
  }

  #chosen(index: number): void {
    // The button goes when its hunk is applied; the hunk stays.
    this.hunks[index]?.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent('lode-hunk', { detail: index }));
  }

  /** Here, because a change of focus within a shadow tree is not heard outside of it. */
  readonly #focused = ({ target }: FocusEvent): void => {
    const at = this.hunks.indexOf(target as HTMLElement);
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
