/** Questions to the person from a tool that already runs, shown in the chat that called it where the editor can. */
import * as vscode from 'vscode';
import type { Approval } from '../tools/tool.ts';
import { asksPerson } from './person.ts';

/**
 * The editor's own tools for a card; no stable API offers one while a tool runs. The plain one offers to allow
 * everything in this session, and whoever allows one command has not read the next: so its buttons are ours, except
 * where the person told the editor to ask nothing. That the plain one looks up itself.
 */
const CARD = 'vscode_get_confirmation_with_options';
const PLAIN_CARD = 'vscode_get_confirmation';
const ASK_NOTHING = 'chat.tools.global.autoApprove';

/**
 * Asks in the chat, else in a dialog. A person who told the editor not to ask is not asked.
 * @param token of the call that asks; undefined outside a chat
 */
export async function approvesInline(
  { title, detail }: Approval,
  token: vscode.ChatParticipantToolToken | undefined,
): Promise<'approved' | 'declined'> {
  const asksNothing = vscode.workspace.getConfiguration().get(ASK_NOTHING) === true;
  const card = asksNothing ? PLAIN_CARD : CARD;
  if (token === undefined || !vscode.lm.tools.some(({ name }) => name === card))
    return (await asksPerson({ title, detail })) ? 'approved' : 'declined';
  const allow = vscode.l10n.t('Allow');
  try {
    const buttons = [allow, vscode.l10n.t('Skip')];
    const input = {
      ...{ title, message: asCode(detail) },
      ...(asksNothing ? { confirmationType: 'basic' } : { buttons }),
    };
    const { content } = await vscode.lm.invokeTool(card, { input, toolInvocationToken: token });
    const said = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''));
    // The plain card says "yes".
    return ['yes', allow].includes(said.join('').trim()) ? 'approved' : 'declined';
  } catch {
    // Closed, or the chat was stopped.
    return 'declined';
  }
}

/**
 * As it is, each line as code of its own: the card reads Markdown, and what it quotes comes from a model. A block of
 * code would not wrap, and the end of a long command would be out of sight.
 */
function asCode(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map(codeSpan)
    .join('  \n');
}

/** The space on either side is not shown; without it a tick at an end of the line would be taken for ours. */
function codeSpan(line: string): string {
  if (line.trim() === '') return '';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks} ${line} ${ticks}`;
}
