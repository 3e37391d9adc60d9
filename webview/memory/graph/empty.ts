import type { TemplateResult } from 'lit';
import type { MemoryMap } from '../../../src/protocol.ts';
import { count } from '../../kit/format.ts';
import { t } from '../../kit/l10n.ts';
import { emptyState } from '../../kit/states.ts';
import { type GraphState, isNarrowed } from './state.ts';

interface NextSteps {
  /** Shows entries without links, too. */
  show(): void;
  clear(): void;
  entries(): void;
}

/** Why there is no graph, and the one thing to do about it. */
export function emptyGraph(map: MemoryMap, state: GraphState, steps: NextSteps): TemplateResult {
  const isFiltered = isNarrowed(state);
  if (isFiltered && map.loners > 0) {
    return emptyState({
      title: t('Nothing here is linked yet.'),
      text: t('{0} without links', count(map.loners)),
      action: { label: t('Show them'), run: steps.show },
    });
  }
  if (isFiltered) {
    return emptyState({
      title: t('Nothing matches.'),
      action: { label: t('Clear search and filters'), run: steps.clear },
    });
  }
  if (map.loners === 0) {
    return emptyState({
      title: t('Nothing is remembered yet.'),
      text: t(
        'Memory keeps decisions, patterns, bugs, knowledge and warnings of this project, for you and for every agent that works on it.',
      ),
      action: { label: t('Go to the entries'), run: steps.entries },
    });
  }
  return emptyState({
    title: t('No entries are linked yet.'),
    text: t(
      'A link says that two memories belong together: whoever recalls one finds the other. Edit an entry and name another one’s key under Links, or write [[key]] in its text.',
    ),
    action: { label: t('Go to the entries'), run: steps.entries },
    hint: t('Agents link, too: ask one to link what belongs together.'),
  });
}
