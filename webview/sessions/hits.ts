import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { TranscriptFound } from '../../src/sessionProtocol.ts';
import { count, dateTime, shortAge } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { moveBetweenRows } from '../kit/rows.ts';
import { sectionStyles } from '../kit/section-styles.ts';
import { baseStyles } from '../kit/styles.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';

const SHOWN = 300;

/** What was said with the words that are looked for. Fires `lode-hit` with one of them. */
export class Hits extends LitElement {
  static override properties = { hits: { attribute: false }, now: { type: Number } };
  /** Undefined while they are looked for. */
  declare hits: readonly TranscriptFound[] | undefined;
  declare now: number;

  static override styles = [
    baseStyles,
    sectionStyles,
    css`
      :host { max-height: 55%; }
      h2 { display: flex; align-items: center; min-height: 26px; padding: 0 12px; font-weight: 600; font-size: 11px; }
      ul { list-style: none; margin: 0; padding: 0 0 8px; }
      .hit { all: unset; box-sizing: border-box; display: block; width: 100%; padding: 3px 12px; cursor: pointer; }
      .hit:hover { background: var(--vscode-list-hoverBackground); }
      .hit:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
      .first { display: flex; align-items: baseline; gap: 6px; }
      .excerpt { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; font-size: 12px; line-height: 16px; }
      p { padding: 0 12px 8px; font-size: 12px; }
      :host-context(.vscode-high-contrast) .hit:hover, :host-context(.vscode-high-contrast-light) .hit:hover { outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px; background: none; }
    `,
  ];

  constructor() {
    super();
    this.hits = undefined;
    this.now = Date.now();
  }

  protected override render() {
    const { hits } = this;
    return html`<section aria-label=${t('In what was said')} aria-busy=${hits === undefined}><h2><span class="grow">${t('In what was said')}</span>
      ${hits === undefined || hits.length === 0 ? nothing : html`<span class="small muted">${count(hits.length)}</span>`}</h2>
      ${hits?.length === 0 ? html`<p class="muted">${t('Nothing was found.')}</p>` : nothing}
      ${hits === undefined || hits.length === 0 ? nothing : html`<ul @keydown=${this.#key}>${hits.map((hit, at) => this.#hit(hit, at))}</ul>`}</section>`;
  }

  #hit(hit: TranscriptFound, index: number): TemplateResult {
    const { session, role, at, excerpt } = hit;
    const name = visibleLine(clip(session.title || session.source, SHOWN));
    const fire = () => this.dispatchEvent(new CustomEvent('lode-hit', { detail: hit }));
    return html`<li><button class="hit" data-row=${hit.uuid} tabindex=${index === 0 ? 0 : -1} @click=${fire}>
      <span class="first"><bdi class="ellipsis grow">${name}</bdi><span class="small muted">${roleName(role)}</span><span class="small muted" title=${dateTime(at)}>${shortAge(at, this.now)}</span></span>
      <bdi class="excerpt muted">${visible(clip(excerpt, SHOWN))}</bdi></button></li>`;
  }

  readonly #key = (event: KeyboardEvent): void => moveBetweenRows(event, this.renderRoot);
}

/** Who said something, for the person. */
export function roleName(role: string): string {
  if (role === 'user') return t('Prompt');
  return role === 'assistant' ? t('Agent') : t('Note');
}
