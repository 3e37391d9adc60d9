import * as vscode from 'vscode';
import type { Stats } from '../worker/api.ts';
import type { Person } from './person.ts';

/** The figures of a folder's memory. */
export async function readStatistics(
  person: Person,
  folder?: vscode.WorkspaceFolder,
  signal?: AbortSignal,
): Promise<Stats> {
  const call = { door: 'palette', folder, ...(signal && { signal }) } as const;
  return (await person.invoke('memory_stats', {}, call)).data as Stats;
}

/** How many of what there are, as lines for a person. */
export function countLines(stats: Stats): string[] {
  const { l10n } = vscode;
  return [
    l10n.t('Memories: {0}', stats.total),
    ...Object.entries(stats.byCategory).map(([category, count]) => `    ${categoryName(category)}: ${count}`),
    l10n.t('Pinned: {0}', stats.pinned),
    l10n.t('Not confirmed by a person: {0}', stats.unconfirmed),
    l10n.t('File summaries: {0}', stats.summaries),
  ];
}

/** All figures as lines for a person. */
export function statisticsLines(stats: Stats): string[] {
  const { l10n } = vscode;
  return [
    ...countLines(stats),
    l10n.t('With an expiry date: {0}, expired: {1}', stats.withTtl, stats.expired),
    l10n.t('Average quality: {0}', percent(stats.averageQuality)),
    l10n.t('Recalled at least once: {0}', percent(stats.hitRate)),
    l10n.t('With identical content: {0}', percent(stats.duplicateRate)),
    l10n.t('Forgotten or superseded: {0}', percent(stats.deadRate)),
  ];
}

/** A category in the language of the editor. */
export function categoryName(category: string): string {
  const { l10n } = vscode;
  switch (category) {
    case 'decision':
      return l10n.t('Decision');
    case 'pattern':
      return l10n.t('Pattern');
    case 'bug':
      return l10n.t('Bug');
    case 'knowledge':
      return l10n.t('Knowledge');
    case 'warning':
      return l10n.t('Warning');
    default:
      return category;
  }
}

function percent(share: number): string {
  return share.toLocaleString(vscode.env.language, { style: 'percent' });
}
