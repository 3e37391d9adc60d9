import { css, html, nothing, type TemplateResult } from 'lit';
import type { TodoTask } from '../../src/planProtocol.ts';
import { count } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';
import { clip, visible, visibleLine } from '../kit/text.ts';
import { type ItemRow, type PhaseRow, rowName, statusName, type TaskRow } from './rows.ts';

const SHOWN = 2_000;

export interface RowContext {
  readonly active: boolean;
  readonly id: string;
  readonly canWrite: boolean;
  /** Where a dragged task would go: before or after this row. */
  readonly drop: 'before' | 'after' | undefined;
  readonly dragged: boolean;
}

/** One line of the tree. What is clicked in it says `data-act`; the tree listens. */
export function treeRow(row: ItemRow, context: RowContext): TemplateResult {
  const classes = [
    'row',
    row.kind,
    context.active ? 'active' : '',
    row.kind === 'task' ? row.task.status : '',
    row.kind === 'phase' && isComplete(row) ? 'complete' : '',
    context.drop === undefined ? '' : `drop-${context.drop}`,
    context.dragged ? 'dragged' : '',
  ];
  const expanded =
    row.kind === 'phase' ? row.open : row.kind === 'task' && row.task.notes.length > 0 ? row.open : undefined;
  return html`<div
    id=${context.id} class=${classes.filter(Boolean).join(' ')} data-key=${row.key} role="treeitem"
    aria-level=${row.kind === 'phase' ? 1 : row.kind === 'task' ? 2 : 3} aria-setsize=${row.size} aria-posinset=${row.position}
    aria-expanded=${expanded ?? nothing} aria-selected=${context.active}
    aria-checked=${row.kind === 'task' ? row.task.status === 'completed' : nothing}
    aria-current=${row.kind === 'task' && row.task.status === 'in_progress' ? 'step' : nothing}
    aria-label=${rowName(row)}
  >${content(row, context.canWrite)}</div>`;
}

function content(row: ItemRow, canWrite: boolean): TemplateResult {
  if (row.kind === 'phase') return phase(row, canWrite);
  if (row.kind === 'task') return task(row, canWrite);
  return html`<lode-block class="muted" .text=${row.text} .limit=${SHOWN}></lode-block>`;
}

function phase(row: PhaseRow, canWrite: boolean): TemplateResult {
  const { done, total } = row.progress;
  return html`<span class="sign" data-act="open">${row.open ? icons.open : icons.closed}</span>
    <bdi class="name grow ellipsis" title=${hint(row.phase.name)} data-act="open">${visibleLine(clip(row.phase.name, SHOWN))}</bdi>
    ${
      canWrite
        ? html`<span class="tools">${tool('add', t('Add a task'), icons.add)}${tool('menu', t('Actions'), icons.more)}</span>`
        : nothing
    }
    <span class="progress muted" data-act="open">${
      isComplete(row) ? html`<span class="tick">${icons.check}</span>` : nothing
    }${total === 0 ? '' : `${count(done)}/${count(total)}`}</span>`;
}

function task({ task: each, open }: TaskRow, canWrite: boolean): TemplateResult {
  const { content: text, status, notes } = each;
  const label = notes.length === 1 ? t('1 note') : t('{0} notes', notes.length);
  return html`<span class="sign status" role="img" data-act=${canWrite ? 'toggle' : nothing} aria-label=${statusName(status)}
      title=${statusName(status)}>${statusIcon(status)}</span>
    <bdi class="name grow" title=${text.length > 100 ? hint(text) : nothing}>${visible(clip(text, SHOWN))}</bdi>
    ${
      notes.length === 0
        ? nothing
        : html`<button class="icon-button notes" tabindex="-1" data-act="open" aria-expanded=${open} aria-label=${label} title=${label}>
          ${icons.note}<span>${count(notes.length)}</span></button>`
    }
    ${
      canWrite
        ? html`<span class="tools">${
            status === 'pending' ? tool('start', t('Start'), icons.start) : nothing
          }${tool('menu', t('Actions'), icons.more)}</span>`
        : nothing
    }`;
}

function tool(act: string, label: string, icon: TemplateResult): TemplateResult {
  return html`<button class="icon-button" tabindex="-1" data-act=${act} aria-label=${label} title=${label}>${icon}</button>`;
}

function hint(text: string): string {
  return visible(clip(text, 500));
}

function isComplete({ progress: { done, total } }: PhaseRow): boolean {
  return total > 0 && done === total;
}

function statusIcon(status: TodoTask['status']): TemplateResult {
  return icons[status === 'in_progress' ? 'active' : status];
}

export const rowStyles = css`
  .row { position: relative; display: flex; align-items: flex-start; gap: 4px; min-height: 24px; padding: 3px 8px 3px 10px; cursor: pointer; }
  .row.task, .row.edit { padding-inline-start: 18px; }
  .row.edit:not(.note-edit) { align-items: center; padding-block: 1px; }
  .row.edit:is(.phase-edit, .rename-phase-edit) { padding-inline-start: 10px; }
  .row.note, .row.edit.note-edit { padding: 1px 8px 3px 41px; }
  .row:is(.phase, .rename-phase-edit) { margin-top: 4px; }
  .row:hover { --over: var(--vscode-list-hoverBackground); background: var(--over); color: var(--vscode-list-hoverForeground, inherit); }
  .row.edit:hover { background: none; }
  .row.active { --over: var(--vscode-list-inactiveSelectionBackground); background: var(--over); color: var(--vscode-list-inactiveSelectionForeground, inherit); }
  .tree:focus .row.active {
    --over: var(--vscode-list-activeSelectionBackground); background: var(--over); color: var(--vscode-list-activeSelectionForeground, inherit);
    outline: 1px solid var(--vscode-list-focusOutline, var(--vscode-focusBorder)); outline-offset: -1px;
  }
  .sign { flex: none; display: flex; align-items: center; height: 18px; width: 18px; }
  .name { overflow-wrap: anywhere; white-space: pre-line; }
  .row:not(.active) > .name { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; }
  .row.phase > .name { display: block; font-weight: 600; white-space: nowrap; }
  .row.complete > .name { font-weight: normal; }
  .row.complete:not(.active) > .name, .row:is(.completed, .abandoned):not(.active) > .name { color: var(--vscode-descriptionForeground); }
  .row:is(.completed, .abandoned) > .name { text-decoration: line-through; text-decoration-thickness: 1px; }
  .row.in_progress > .name { font-weight: 600; }
  .status { color: var(--vscode-descriptionForeground); }
  .in_progress .status { color: var(--vscode-charts-blue, var(--vscode-focusBorder)); }
  .completed .status, .tick { color: var(--vscode-charts-green, currentColor); }
  .tree:focus .row.active :is(.status, .tick, .muted, .icon-button) { color: inherit; }
  .progress { flex: none; display: flex; align-items: center; gap: 2px; font-size: 11px; font-variant-numeric: tabular-nums; }
  .tick .icon { width: 14px; height: 14px; }
  button.icon-button.notes { gap: 2px; height: 18px; font-size: 11px; color: var(--vscode-descriptionForeground); }
  .notes .icon { width: 13px; height: 13px; }
  /* They lie over the end of the line, so that nothing moves when they come. */
  .tools { display: none; position: absolute; inset-block-start: 1px; inset-inline-end: 4px; border-radius: 4px;
    background: linear-gradient(var(--over, transparent), var(--over, transparent)), var(--vscode-sideBar-background, var(--vscode-editor-background)); }
  .row.task:has(> .notes) > .tools { inset-inline-end: 44px; }
  .row.phase > .tools { inset-inline-end: 44px; }
  .row:is(:hover, :focus-within) > .tools { display: flex; }
  .tools button.icon-button { height: 22px; min-width: 22px; color: var(--vscode-icon-foreground, var(--vscode-foreground)) !important; }
  .row.drop-before::before, .row.drop-after::after {
    content: ''; position: absolute; inset-inline: 18px 4px; height: 2px; background: var(--vscode-list-dropBetweenBackground, var(--vscode-focusBorder)); z-index: 1; pointer-events: none;
  }
  .row.drop-before::before { inset-block-start: -1px; }
  .row.drop-after::after { inset-block-end: -1px; }
  .row.dragged { opacity: .5; }
  :host-context(.vscode-high-contrast) .row:is(:hover, .active), :host-context(.vscode-high-contrast-light) .row:is(:hover, .active) {
    outline: 1px dashed var(--vscode-contrastActiveBorder); outline-offset: -1px;
  }
  :host-context(.vscode-high-contrast) .tree:focus .row.active, :host-context(.vscode-high-contrast-light) .tree:focus .row.active { outline-style: solid; }
  /* The field has the focus: a second line that stands out would only mislead. */
  .tree:has(.row.edit:focus-within) .row.active:not(:hover) { background: none !important; outline: none !important; color: inherit; }
`;
