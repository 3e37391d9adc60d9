import { css, html, nothing, type TemplateResult } from 'lit';
import type { EntryRow } from '../../src/protocol.ts';
import { age, dateTime, percent, shortAge } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { levelBadge } from '../kit/level.ts';
import { visibleLine } from '../kit/text.ts';
import { categoryName, statusName, unconfirmedText } from './labels.ts';

export const LINE_HEIGHT = 24;
export const PREVIEW_LINE_HEIGHT = 44;

/** One entry in the list. */
export function entryLine(row: EntryRow | undefined, selected: boolean, previews: boolean): TemplateResult {
  if (row === undefined)
    return html`<div class="row"><span class="mark"></span><span class="pending"></span></div>`;
  return html`<div class="row">
      <span class="mark ${row.category} ${selected ? 'checked' : ''}" data-check title=${t('Select')}>${selected ? icons.check : nothing}</span>
      <bdi class="key ellipsis grow" title=${visibleLine(row.key)}>${visibleLine(row.key)}</bdi>
      ${row.pinned ? html`<span class="pin" title=${t('Pinned')}>${icons.pin}</span>` : nothing}
      ${row.confirmed ? nothing : unconfirmedMark(row)}
      ${levelBadge(row)} ${relevance(row)}
      <span class="kind">${categoryName(row.category)}</span>
      <span class="date" title=${dateTime(row.updated)}>${shortAge(row.updated)}</span>
    </div>
    ${previews ? html`<div class="preview ellipsis"><bdi>${visibleLine(row.preview)}</bdi></div>` : nothing}`;
}

/** The line in words, for screen readers. */
export function entryName(row: EntryRow | undefined): string {
  if (row === undefined) return t('Loading');
  return [
    visibleLine(row.key),
    categoryName(row.category),
    row.relevance === null ? '' : t('relevance {0}', percent(row.relevance)),
    age(row.updated),
    row.pinned ? t('Pinned') : '',
    row.confirmed ? '' : t('Unconfirmed'),
    row.status === 'active' ? '' : statusName(row.status),
    row.level === 'PUBLIC' ? '' : row.level,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function unconfirmedMark(row: EntryRow): TemplateResult {
  return html`<span class="unconfirmed" title=${unconfirmedText(row)}
    ><span class="short" aria-hidden="true">?</span><span class="long">${t('unconfirmed')}</span></span>`;
}

function relevance({ relevance }: EntryRow): TemplateResult | typeof nothing {
  if (relevance === null) return nothing;
  return html`<span class="relevance" title=${t('Relevance')}
    ><span class="bar long"><span .style=${`width:${Math.round(relevance * 100)}%`}></span></span>${percent(relevance)}</span>`;
}

export const lineStyles = css`
  .row { display: flex; align-items: center; gap: 6px; height: 24px; padding: 0 10px 0 4px; }
  .mark { flex: none; display: flex; align-items: center; justify-content: center; width: 16px; height: 16px; border-radius: 3px; }
  .mark .icon { width: 14px; height: 14px; stroke-width: 1.6; }
  .mark::before { content: ''; width: 7px; height: 7px; border-radius: 50%; background: var(--category, transparent); }
  :is(.line:hover, .selecting) .mark::before { display: none; }
  :is(.line:hover, .selecting) .mark { border: 1px solid var(--vscode-checkbox-border, currentColor); }
  .mark.checked { background: var(--vscode-checkbox-background); color: var(--vscode-checkbox-foreground, inherit); }
  .key { line-height: 24px; }
  .pin .icon { width: 13px; height: 13px; }
  .kind, .date { flex: none; font-size: 11px; white-space: nowrap; }
  .kind { min-width: 62px; }
  .date { min-width: 48px; text-align: right; }
  .relevance { flex: none; display: inline-flex; align-items: center; gap: 5px; min-width: 30px; justify-content: flex-end; font-size: 11px; font-variant-numeric: tabular-nums; }
  .bar { width: 32px; height: 3px; border-radius: 2px; overflow: hidden; background: var(--vscode-scrollbarSlider-background); }
  .bar span { display: block; height: 100%; background: var(--vscode-progressBar-background); }
  .line .date, .line .preview, .line .kind, .line .unconfirmed, .line .relevance, .line .level { color: var(--vscode-descriptionForeground); }
  .line:is(.selected, .current) :is(.date, .preview, .kind, .unconfirmed, .relevance, .level) { color: inherit; }
  .preview { padding: 0 10px 0 26px; font-size: 12px; line-height: 16px; }
  .pending { width: 40%; height: 8px; border-radius: 4px; background: var(--vscode-list-hoverBackground); }
  @container list (max-width: 420px) {
    .line .bar { display: none; }
  }
  /* Where there is little room the key comes first; the colour in front still tells the category. */
  @container list (max-width: 340px) {
    .row:has(.level) .kind { display: none; }
  }
`;
