import { css, html, nothing, type TemplateResult } from 'lit';
import { isLifted } from '../../src/memory/entry.ts';
import type { EntryDetail } from '../../src/protocol.ts';
import { count, dateTime, percent } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { levelBadge } from '../kit/level.ts';
import { visibleLine } from '../kit/text.ts';
import type { MemoryActions } from './actions.ts';
import { categoryLabel, importanceName, originName, unconfirmedText } from './labels.ts';

export interface EntryViewOptions {
  readonly actions: MemoryActions;
  readonly canWrite: boolean;
  edit(): void;
  follow(id: string): void;
  openFile(file: string): void;
  filterByTag(tag: string): void;
  erase(): void;
}

/** The fetch view: the whole entry and what can be done to it. */
export function entryView(entry: EntryDetail, options: EntryViewOptions): TemplateResult {
  const targets = new Map(entry.linked.flatMap(({ key, id }) => (id === null ? [] : [[key, id] as const])));
  const additions = entry.revisions.filter(({ addition }) => addition);
  const earlier = entry.revisions.filter(({ addition }) => !addition);
  return html`
    <div class="labels">
      ${categoryLabel(entry.category)} ${levelBadge(entry)}
      ${entry.pinned ? html`<span class="fact">${icons.pin}${t('Pinned')}</span>` : nothing}
      <span class="muted" title=${dateTime(entry.updated)}>${dateTime(entry.updated)}</span>
    </div>
    ${standing(entry, options)} ${buttons(entry, options)}
    <lode-text class="content" .text=${entry.content} .targets=${targets}></lode-text>
    ${
      additions.length === 0
        ? nothing
        : html`<section><h2>${t('Added later')}</h2>${revisionList(entry, additions, targets, options)}</section>`
    }
    ${
      entry.file === ''
        ? nothing
        : html`<button class="link file" @click=${() => options.openFile(entry.file)}>${icons.file}<bdi>${visibleLine(entry.file)}</bdi></button>`
    }
    ${
      entry.tags.length === 0
        ? nothing
        : html`<div class="tags" role="group" aria-label=${t('Tags')}>${entry.tags.map(
            (tag) =>
              html`<button class="tag" title=${t('Show entries with this tag')} @click=${() => options.filterByTag(tag)}><bdi>#${visibleLine(tag)}</bdi></button>`,
          )}</div>`
    }
    ${links(t('Links'), entry.linked, options)} ${links(t('Linked from'), entry.linkedFrom, options)}
    ${
      earlier.length === 0
        ? nothing
        : html`<details><summary>${t('Earlier versions ({0})', count(earlier.length))}</summary>${revisionList(entry, earlier, targets, options)}</details>`
    }
    <section><h2>${t('Details')}</h2>${facts(entry)}</section>
  `;
}

/** What a reader must know before trusting the entry. */
function standing(
  entry: EntryDetail,
  { actions, canWrite, follow, erase }: EntryViewOptions,
): TemplateResult | typeof nothing {
  const reason =
    entry.reason === '' ? nothing : html` <bdi>${t('Reason: {0}', visibleLine(entry.reason))}</bdi>`;
  if (entry.status === 'forgotten') {
    return html`<div class="banner warning"><div class="grow">
      <p>${t('Forgotten: agents do not see this entry.')}${reason}</p>
      ${
        canWrite
          ? html`<div class="buttons">
            <button class="link" @click=${() => actions.restore([entry])}>${t('Restore')}</button>
            <button class="link" @click=${erase}>${t('Delete for good…')}</button>
          </div>`
          : nothing
      }
    </div></div>`;
  }
  if (entry.status === 'superseded') {
    const next = entry.linked.find(({ key, id }) => key === entry.supersededBy || id === entry.supersededBy);
    const id = next?.id;
    return html`<div class="banner warning"><div class="grow">
      <p>${t('Superseded: a newer entry took its place.')}${reason}</p>
      ${
        id == null
          ? html`<bdi>${visibleLine(entry.supersededBy)}</bdi>`
          : html`<button class="link" @click=${() => follow(id)}>${visibleLine(next?.key ?? '')}</button>`
      }
    </div></div>`;
  }
  if (entry.status === 'archived') {
    return html`<div class="banner"><div class="grow">
      <p>${t('Archived: it is out of recall.')}${reason}</p>
      ${canWrite ? html`<div class="buttons"><button class="link" @click=${() => actions.restore([entry])}>${t('Restore')}</button></div>` : nothing}
    </div></div>`;
  }
  if (entry.status === 'draft') {
    return html`<div class="banner"><div class="grow">
      <p>${t('A draft: no agent recalls it until you accept it.')}</p>
      ${
        canWrite
          ? html`<div class="buttons">
            <button class="link" @click=${() => actions.settle(entry, 'accept')}>${t('Accept')}</button>
            <button class="link" @click=${() => actions.settle(entry, 'reject')}>${t('Reject')}</button>
          </div>`
          : nothing
      }
    </div></div>`;
  }
  if (entry.confirmed) return nothing;
  return html`<div class="banner"><div class="grow">
    <p>${unconfirmedText(entry)}${entry.pinned && !isLifted(entry) ? ` ${t('Its pin counts once it is confirmed.')}` : ''}</p>
    ${canWrite ? html`<div class="buttons"><button class="link" @click=${() => actions.confirm(entry)}>${t('Confirm')}</button></div>` : nothing}
  </div></div>`;
}

function buttons(entry: EntryDetail, { actions, canWrite, edit }: EntryViewOptions): TemplateResult {
  const pin = entry.pinned ? t('Unpin') : t('Pin');
  return html`<div class="actions" role="toolbar" aria-label=${t('Entry actions')}>
    ${
      canWrite
        ? html`<vscode-button appearance="secondary" @click=${edit}>${t('Edit')}</vscode-button>
            <vscode-button appearance="secondary" @click=${() => actions.pin([entry], !entry.pinned)}>${pin}</vscode-button>`
        : nothing
    }
    ${
      canWrite && entry.status === 'active'
        ? html`<vscode-button appearance="secondary" @click=${() => actions.forget([entry])}>${t('Forget')}</vscode-button>`
        : nothing
    }
    <vscode-button appearance="secondary" @click=${() => actions.copy(entry.key)}>${t('Copy key')}</vscode-button>
  </div>`;
}

function revisionList(
  entry: EntryDetail,
  revisions: EntryDetail['revisions'],
  targets: ReadonlyMap<string, string>,
  { actions, canWrite }: EntryViewOptions,
): TemplateResult {
  return html`<lode-revisions .entry=${entry} .revisions=${revisions} .targets=${targets} .actions=${actions} .canWrite=${canWrite}></lode-revisions>`;
}

function links(
  title: string,
  keys: readonly { readonly key: string; readonly id: string | null }[],
  { follow }: EntryViewOptions,
): TemplateResult | typeof nothing {
  if (keys.length === 0) return nothing;
  return html`<section><h2>${title}</h2><ul>${keys.map(
    ({ key, id }) =>
      html`<li>${
        id === null
          ? html`<bdi class="muted" title=${t('There is no entry with this key.')}>${visibleLine(key)}</bdi>`
          : html`<button class="link" @click=${() => follow(id)}><bdi>${visibleLine(key)}</bdi></button>`
      }</li>`,
  )}</ul></section>`;
}

function facts(entry: EntryDetail): TemplateResult {
  const used =
    entry.lastUsed === null ? t('Never') : t('{0} × (last {1})', count(entry.used), dateTime(entry.lastUsed));
  const rows: readonly (readonly [string, string])[] = [
    [t('Updated'), dateTime(entry.updated)],
    [t('Created'), dateTime(entry.created)],
    [t('Expires'), entry.expires === null ? t('Never') : dateTime(entry.expires)],
    [t('Importance'), importanceName(entry.importance)],
    [t('Quality'), percent(entry.quality)],
    [t('Confidence'), percent(entry.confidence)],
    [t('Used'), used],
    [t('Origin'), originName(entry.origin)],
    [t('Source'), visibleLine(entry.source)],
    [t('Branch'), visibleLine(entry.branch)],
    [t('Session'), visibleLine(entry.session)],
    [t('Path scope'), visibleLine(entry.pathScope)],
    [t('Level'), entry.level],
  ];
  return html`<dl>${rows.map(([name, value]) => (value === '' ? nothing : html`<dt>${name}</dt><dd><bdi>${value}</bdi></dd>`))}</dl>`;
}

export const entryStyles = css`
  .labels { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; font-size: 11px; }
  .fact { display: inline-flex; align-items: center; gap: 3px; }
  .fact .icon { width: 13px; height: 13px; }
  .actions { display: flex; flex-wrap: wrap; gap: 6px; --button-padding-horizontal: 8px; --button-padding-vertical: 2px; }
  .content { padding: 2px 0; }
  section, details { border-top: 1px solid var(--vscode-panel-border, var(--vscode-widget-border, transparent)); padding-top: 8px; }
  h2, summary { margin: 0 0 4px; font-size: 11px; font-weight: 600; color: var(--vscode-descriptionForeground); }
  summary { cursor: pointer; margin: 0; }
  .file { display: inline-flex !important; align-items: center; gap: 5px; align-self: flex-start; max-width: 100%; }
  .tags { display: flex; flex-wrap: wrap; gap: 4px; }
  .tag {
    all: unset; cursor: pointer; padding: 0 6px; border-radius: 3px; font-size: 12px; line-height: 18px; overflow-wrap: anywhere;
    background: var(--vscode-badge-background); color: var(--vscode-badge-foreground);
    border: 1px solid var(--vscode-contrastBorder, transparent);
  }
  .tag:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
  ul { margin: 0; padding: 0; list-style: none; display: flex; flex-direction: column; gap: 2px; overflow-wrap: anywhere; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; }
  dt { color: var(--vscode-descriptionForeground); }
  dd { margin: 0; overflow-wrap: anywhere; user-select: text; }
`;
