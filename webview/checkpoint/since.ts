import type { CheckpointSince } from '../../src/planProtocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';

/** What has happened since a checkpoint, in a line that breaks between its parts only. */
export function sinceText({ messages, tools, tokens }: CheckpointSince): string {
  return [
    messages === 1 ? t('1 message') : t('{0} messages', count(messages)),
    tools === 1 ? t('1 tool call') : t('{0} tool calls', count(tools)),
    tokens === 1 ? t('1 token') : t('{0} tokens', count(tokens)),
  ]
    .map((part) => part.replaceAll(' ', '\u00a0'))
    .join(' · ');
}
