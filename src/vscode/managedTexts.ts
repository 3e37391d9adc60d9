/** What a person is told of the managed model before it is turned on, and when it does not show. */
import * as vscode from 'vscode';

/** What gets lost. Read in and tried with VS Code 1.139 and Copilot Chat 0.67. */
export function lost(): string {
  const { l10n } = vscode;
  return [
    l10n.t('What gets lost on the way through the editor’s stable API:'),
    l10n.t('• Instructions: the chat’s system message reaches the model as words of the person.'),
    l10n.t(
      '• Thinking: what a model thought in an earlier step does not reach it again where its server encrypts that.',
    ),
    l10n.t('• Choices in the model picker: thinking effort and context size.'),
    l10n.t(
      '• Prices: the picker shows none. Copilot counts each request of an extension as one of yours, so each step of an agent may count, not each prompt.',
    ),
    l10n.t('• Speed and cost: marks for prompt caches and conversations kept on the server are not used.'),
    l10n.t('• Tools for editing that are made for one model: the chat chooses general ones.'),
    l10n.t(
      '• The chat’s own figures: it counts and summarises the conversation as it was before Lodeline pruned it.',
    ),
  ].join('\n');
}

/** What to check where the model does not show. */
export function missing(): string {
  const { l10n } = vscode;
  return [
    l10n.t('If the chat’s model picker does not show it (no extension is told why):'),
    l10n.t(
      '• Copilot Business or Enterprise: an administrator must allow “Bring Your Own Language Model Key in VS Code”. Without it the picker leaves out models of extensions.',
    ),
    l10n.t('• A folder that is not trusted: the picker shows “Auto” only.'),
    l10n.t('• The Agents window, and agents that run outside the editor’s window: extensions are off there.'),
    l10n.t('• “Manage Models…” in the picker: a model may be hidden there.'),
  ].join('\n');
}
