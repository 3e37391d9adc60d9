import type { TemplateResult } from 'lit';
import { t } from '../kit/l10n.ts';
import { emptyState } from '../kit/states.ts';
import { type Criteria, isFiltered } from './state.ts';

/** Why a list of entries is empty. `add` is there where the person may add one. */
export function emptyIndex(
  criteria: Criteria,
  archive: boolean,
  { clear, add }: { clear(): void; add: (() => void) | undefined },
): TemplateResult {
  if (archive && !isFiltered({ ...criteria, status: 'active' })) {
    return emptyState({
      title: t('Nothing is archived.'),
      text: t('Entries that were archived are out of recall. They can be found and restored here.'),
    });
  }
  if (isFiltered(criteria)) {
    return emptyState({
      title: t('Nothing matches.'),
      action: { label: t('Clear search and filters'), run: clear },
    });
  }
  return emptyState({
    title: t('Nothing is remembered yet.'),
    text: t(
      'Memory keeps decisions, patterns, bugs, knowledge and warnings of this project, for you and for every agent that works on it.',
    ),
    action: add && { label: t('Add a memory'), run: add },
    hint: t('Agents save here too: ask one to remember what it has just learned.'),
  });
}
