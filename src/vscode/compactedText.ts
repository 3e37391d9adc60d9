import * as vscode from 'vscode';
import type { CompactedNow } from '../session/compaction/compactNow.ts';

/** What came of a compaction, for the person. */
export function compactedText(done: CompactedNow): string {
  const { l10n, env } = vscode;
  switch (done.state) {
    case 'done': {
      const [messages, before, after] = [done.messages, done.before, done.after].map((count) =>
        count.toLocaleString(env.language),
      );
      return l10n.t(
        'Summarized {0} messages: about {1} tokens before, about {2} now. The transcript keeps all of it.',
        ...[messages, before, after].map(String),
      );
    }
    case 'nothing':
      return l10n.t('There is nothing to summarize yet: the last messages always stay as they are.');
    case 'cancelled':
      return l10n.t('Cancelled. The conversation is as it was.');
    case 'failed':
      return l10n.t('The conversation is as it was: {0}', done.reason);
  }
}
