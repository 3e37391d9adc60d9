import type { TemplateResult } from 'lit';
import { t } from '../kit/l10n.ts';
import { emptyState } from '../kit/states.ts';

/** What the panel says before the first batch. */
export function noSubagents(): TemplateResult {
  return emptyState({
    title: t('No subagents have run yet.'),
    text: t(
      'An agent can hand parts of its work to subagents that work side by side. Here you follow them, read what they found, and decide which of their changes go into your folder.',
    ),
    hint: t('Ask an agent in a chat to split its work with the task tool.'),
  });
}
