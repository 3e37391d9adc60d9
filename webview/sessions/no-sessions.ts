import type { TemplateResult } from 'lit';
import { t } from '../kit/l10n.ts';
import { emptyState } from '../kit/states.ts';

/** What the panel says before the first session. */
export function noSessions(canWrite: boolean, openChat: () => void): TemplateResult {
  return emptyState({
    title: t('There are no sessions yet.'),
    text: t(
      'Agents that work in this folder, each in a session of its own, can find, read and message each other and start others. Here you follow them, read what they say, and join in.',
    ),
    ...(canWrite ? { action: { label: t('Open a chat with @lodeline'), run: openChat } } : {}),
  });
}
