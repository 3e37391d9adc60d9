/** Why the level of a session rose, in the person's language: the log itself keeps it in English. */
import * as vscode from 'vscode';
import type { AuditRecord } from '../policy/audit.ts';

/**
 * What to say of a rise. `rule` and `tool` are undefined where the text says enough of them.
 * @param record of a rise; one with a rule of another version is told as it was written
 */
export function riseReason({ reason, rule, tool }: Pick<AuditRecord, 'reason' | 'rule' | 'tool'>): {
  readonly why: string | undefined;
  readonly rule: string | undefined;
  readonly tool: string | undefined;
} {
  const { l10n } = vscode;
  const told = (why: string | undefined) => ({ why, rule: undefined, tool: undefined });
  const pattern = rule?.slice(rule.indexOf(':') + 1) ?? '';
  if (rule?.startsWith('file:') === true)
    return told(
      tool === undefined
        ? l10n.t('A file was used that the rule {0} covers', pattern)
        : l10n.t('{0} used a file that the rule {1} covers', tool, pattern),
    );
  if (rule?.startsWith('tool:') === true && tool !== undefined)
    return told(l10n.t('{0} was used, a tool that the rule {1} covers', tool, pattern));
  if (rule === 'unobserved') return told(l10n.t('Not every file that this chat reads is seen'));
  if (rule === 'subagent') return told(l10n.t('A subagent at this level handed over to it'));
  if (rule === 'person') return told(reason === 'the person raised it' ? undefined : reason);
  return { why: reason, rule, tool };
}
