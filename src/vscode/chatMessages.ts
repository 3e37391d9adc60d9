/** Messages of a session as those of the editor's chat models. */
import * as vscode from 'vscode';
import type { JsonValue } from '../journal/record.ts';
import { type Block, type Message, textOf } from '../session/messages.ts';
import { asReminder } from '../session/shownMessage.ts';

/** One message as the editor's models take it, or undefined when nothing of it is for a model. */
export function toEditorMessage(message: Message): vscode.LanguageModelChatMessage | undefined {
  if (message.role === 'assistant') {
    const parts = message.content.flatMap(assistantParts);
    return parts.length === 0 ? undefined : vscode.LanguageModelChatMessage.Assistant(parts);
  }
  const parts =
    message.role === 'system' ? reminderParts(textOf(message)) : message.content.flatMap(userParts);
  return parts.length === 0 ? undefined : vscode.LanguageModelChatMessage.User(parts);
}

/** All that a message says as one text, to count its tokens. */
export function messageText({ content }: Message): string {
  return content.map(blockText).join('\n');
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool_use':
      return `${block.name} ${JSON.stringify(block.input)}`;
    case 'tool_result':
      return block.content.map(blockText).join('\n');
    default:
      return '';
  }
}

/** Thinking is not sent back: the stable API has no part for it. */
function assistantParts(block: Block): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] {
  if (block.type === 'text') return textParts(block.text);
  if (block.type !== 'tool_use') return [];
  return [new vscode.LanguageModelToolCallPart(block.id, block.name, objectOf(block.input))];
}

function userParts(block: Block): (vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart)[] {
  if (block.type === 'text') return textParts(block.text);
  if (block.type !== 'tool_result') return [];
  const text = new vscode.LanguageModelTextPart(block.content.map(blockText).join('\n').toWellFormed());
  return [new vscode.LanguageModelToolResultPart(block.tool_use_id, [text])];
}

function reminderParts(text: string): vscode.LanguageModelTextPart[] {
  return text.trim() === '' ? [] : textParts(asReminder(text));
}

/** Models refuse empty texts, and halves of characters. */
function textParts(text: string): vscode.LanguageModelTextPart[] {
  return text === '' ? [] : [new vscode.LanguageModelTextPart(text.toWellFormed())];
}

function objectOf(input: JsonValue): object {
  const whole = wellFormed(input);
  return typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? whole : { input: whole };
}

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(wellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key.toWellFormed(), wellFormed(each)]),
  );
}
