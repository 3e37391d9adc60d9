import { css, html, nothing, type TemplateResult } from 'lit';
import type { TaskView } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';

type ChangedFile = TaskView['files'][number];

const LETTERS = { added: 'A', modified: 'M', deleted: 'D' } as const;

export function statusName(status: ChangedFile['status']): string {
  const names = { added: t('added'), modified: t('modified'), deleted: t('deleted') };
  return names[status];
}

/** The letter by which version control tells what happened to a file. */
export function letterView(status: ChangedFile['status']): TemplateResult {
  return html`<span class="letter ${status}" title=${statusName(status)} aria-hidden="true">${LETTERS[status]}</span>`;
}

/** How many lines came and went, or that lines cannot be counted. */
export function countsView({
  added,
  removed,
  binary,
}: Pick<ChangedFile, 'added' | 'removed' | 'binary'>): TemplateResult {
  if (binary) return html`<span class="counts muted">${t('binary')}</span>`;
  return html`<span class="counts">${added === 0 ? nothing : html`<span class="plus">+${count(added)}</span>`}${
    removed === 0 ? nothing : html`<span class="minus">−${count(removed)}</span>`
  }</span>`;
}

/** The same for screen readers. */
export function countsText({
  added,
  removed,
  binary,
}: Pick<ChangedFile, 'added' | 'removed' | 'binary'>): string {
  return binary ? t('binary') : t('lines: {0} added, {1} removed', count(added), count(removed));
}

/** All files of a task together, for `countsView` and `countsText`. */
export function totalOf({ added, removed }: TaskView['changed']) {
  return { added, removed, binary: false };
}

export function filesText({ files }: TaskView['changed']): string {
  return files === 1 ? t('1 file') : t('{0} files', count(files));
}

export const fileStyles = css`
  .letter { flex: none; width: 14px; text-align: center; font-size: 11px; font-weight: 600; }
  .letter.added { color: var(--vscode-gitDecoration-addedResourceForeground, var(--vscode-charts-green)); }
  .letter.modified { color: var(--vscode-gitDecoration-modifiedResourceForeground, var(--vscode-charts-yellow)); }
  .letter.deleted { color: var(--vscode-gitDecoration-deletedResourceForeground, var(--vscode-charts-red)); }
  .counts { flex: none; display: inline-flex; gap: 6px; font-size: 11px; font-variant-numeric: tabular-nums; }
  .plus { color: var(--vscode-charts-green, currentColor); }
  .minus { color: var(--vscode-charts-red, currentColor); }
`;
