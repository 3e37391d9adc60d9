/** How a model is shown a message. The transcript keeps all of it as it is. */
import type { Block, Message } from './messages.ts';

/** A longer result would fill most models' context by itself. */
const MAX_RESULT = 200_000;
const HEAD = 150_000;
const TAIL = 45_000;

/** The message, the same object where it is short enough; long results of tools with their middle left out. */
export function shownMessage(message: Message): Message {
  if (!message.content.some(isTooLong)) return message;
  return { role: message.role, content: message.content.map(shortened) };
}

/**
 * What neither the person nor the model said, for models without a role for it between messages: the person's role
 * carries it, marked as not theirs. What it tells of cannot end the mark and go on in another voice.
 */
export function asReminder(text: string): string {
  if (isReminder(text)) return text;
  return `<system-reminder>\n${withoutMarks(text)}\n</system-reminder>`;
}

/** A text in which nothing can be taken for a note of the system's. */
export function withoutMarks(text: string): string {
  return text.replace(/<(?=\s*\/?\s*system-(?:reminder|warning))/giu, '&lt;');
}

/** Whether a text is marked already, from its start to its only end. */
function isReminder(text: string): boolean {
  const trimmed = text.trim();
  const kind = /^<system-(reminder|warning)>/.exec(trimmed)?.[1];
  const ends = [...trimmed.matchAll(/<\s*\/\s*system-/giu)];
  return kind !== undefined && trimmed.endsWith(`</system-${kind}>`) && ends.length === 1;
}

function isTooLong(block: Block): boolean {
  return block.type === 'tool_result' && block.content.some(isLongText);
}

function isLongText(block: Block): boolean {
  return block.type === 'text' && block.text.length > MAX_RESULT;
}

function shortened(block: Block): Block {
  if (block.type !== 'tool_result') return block;
  const content = block.content.map((part) =>
    part.type === 'text' && isLongText(part) ? { ...part, text: headAndTail(part.text) } : part,
  );
  return { ...block, content };
}

function headAndTail(text: string): string {
  const head = text.slice(0, isInsidePair(text, HEAD) ? HEAD - 1 : HEAD);
  const from = text.length - TAIL;
  const tail = text.slice(isInsidePair(text, from) ? from + 1 : from);
  const left = (text.length - head.length - tail.length).toLocaleString('en-US');
  return `${head}\n\n[${left} characters are left out here because the result is too long. If you need them, ask for a smaller part.]\n\n${tail}`;
}

/** Whether cutting before this position would tear a character in two. */
function isInsidePair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
