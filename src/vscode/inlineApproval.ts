/** Questions to the person from a tool that already runs, shown in the chat that called it where the editor can. */
import * as vscode from 'vscode';
import type { Approval } from '../tools/tool.ts';
import { asksPerson } from './person.ts';

/** The editor's own tool for a card with two buttons; no stable API offers one while a tool runs. */
const CARD = 'vscode_get_confirmation';

/**
 * Asks in the chat, else in a dialog. A person who told the editor not to ask is not asked.
 * @param token of the call that asks; undefined outside a chat
 */
export async function approvesInline(
  { title, detail }: Approval,
  token: vscode.ChatParticipantToolToken | undefined,
): Promise<'approved' | 'declined'> {
  if (token === undefined || !vscode.lm.tools.some(({ name }) => name === CARD))
    return (await asksPerson({ title, detail })) ? 'approved' : 'declined';
  try {
    const input = { title, message: fenced(detail), confirmationType: 'basic' };
    const { content } = await vscode.lm.invokeTool(CARD, { input, toolInvocationToken: token });
    const said = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''));
    return said.join('').trim().toLowerCase() === 'yes' ? 'approved' : 'declined';
  } catch {
    // Skipped, or the chat was stopped.
    return 'declined';
  }
}

/** As it is, in a block: the card reads Markdown, and what it quotes comes from a model. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
