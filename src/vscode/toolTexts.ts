/** What a person reads about a tool call: the tools' own texts are for models, in English. */
import * as vscode from 'vscode';
import type { Phrase } from '../protocol.ts';
import { toldPhrase } from '../tools/subagent/told.ts';
import type { Approval } from '../tools/tool.ts';
import { fill } from '../worker/api.ts';

type Input = Readonly<Record<string, unknown>>;

/** What the chat shows while a tool runs. */
export function invocationMessage(tool: string, input: Input): string {
  const { l10n } = vscode;
  const key = short(input.key);
  const words = short(input.query || input.intent || input.context || input.task);
  switch (tool) {
    case 'memory_remember':
    case 'memory_save':
      return l10n.t('Saving “{0}” to memory', key);
    case 'memory_recall':
    case 'memory_search':
    case 'memory_smart_recall':
    case 'memory_suggest':
    case 'memory_get':
    case 'memory_list':
    case 'recall':
    case 'reflect':
      return words === '' ? l10n.t('Reading memory') : l10n.t('Searching memory for “{0}”', words);
    case 'retain':
      return l10n.t('Keeping what was learned');
    case 'memory_forget':
      if (input.action === 'restore') return l10n.t('Restoring “{0}”', key);
      return l10n.t('Forgetting “{0}”', key);
    case 'memory_delete':
      return l10n.t('Forgetting “{0}”', key);
    case 'memory_pin':
      return l10n.t('Pinning “{0}”', key);
    case 'memory_unpin':
      return l10n.t('Unpinning “{0}”', key);
    case 'memory_tag':
      return l10n.t('Tagging memories');
    case 'memory_stats':
      return l10n.t('Counting memories');
    case 'memory_diff':
      return l10n.t('Looking for changes in memory');
    case 'memory_summary':
      if (input.action === 'set') return l10n.t('Saving the summary of “{0}”', short(input.file));
      return l10n.t('Reading file summaries');
    case 'context_brief':
      return l10n.t('Preparing a brief from memory');
    case 'context_focus':
      return l10n.t('Looking up memories, files and tests for “{0}”', words);
    case 'todo_write':
      return l10n.t('Updating the todo list');
    case 'checkpoint':
      return l10n.t('Setting a checkpoint');
    case 'rewind':
      return l10n.t('Ending the checkpoint with a report');
    case 'task':
      return workingWith(Array.isArray(input.tasks) ? input.tasks.length : 0);
    case 'job':
      return l10n.t('Looking after subagents');
    case 'read':
      return l10n.t('Reading “{0}”', short(input.path));
    case 'write':
    case 'edit':
      return l10n.t('Editing “{0}”', short(input.path));
    default:
      return l10n.t('Using Lodeline’s memory');
  }
}

/** A tool's question to the person in the language of the editor. */
export function localizedQuestion(tool: string, input: Input, question: Approval): Approval {
  const { l10n } = vscode;
  const key = short(input.key);
  if (tool === 'memory_forget' && input.action === 'hard') {
    return {
      title: l10n.t('Delete “{0}” for good?', key),
      detail: l10n.t(
        'Its text and history are removed from memory on disk and cannot be restored. What chats with @lodeline and subagents were told of it stays in their transcripts.',
      ),
    };
  }
  if (tool === 'memory_forget') {
    return {
      title:
        input.action === 'supersede'
          ? l10n.t('Replace “{0}” by “{1}”?', key, short(input.new_key))
          : l10n.t('Forget “{0}”?', key),
      detail: l10n.t('It is taken out of recall. You can restore it in the memory browser.'),
    };
  }
  const { title, detail, phrases } = question;
  if (phrases !== undefined)
    return { title: localizedPhrase(phrases.title), detail: localizedPhrase(phrases.detail) };
  return { title: localizedPhrase(toldPhrase(title)), detail: localizedPhrase(toldPhrase(detail)) };
}

/** What the tool layer says to the person, in the language of the editor. */
export function localizedPhrase({ text, values }: Phrase): string {
  return fill({ text: vscode.l10n.bundle?.[text] ?? text, values });
}

function workingWith(count: number): string {
  const { l10n } = vscode;
  return count === 1 ? l10n.t('Working with 1 subagent') : l10n.t('Working with {0} subagents', count);
}

/** An input's text on one line: it comes from a model and may be anything. */
function short(value: unknown): string {
  if (typeof value !== 'string') return '';
  const line = [
    ...value
      .slice(0, 400)
      .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
      .trim(),
  ];
  return line.length <= 60 ? line.join('') : `${line.slice(0, 59).join('')}…`;
}
