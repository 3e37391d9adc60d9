/** What a session's messages consist of. Names of fields are those on disk (seed 002). */
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '../journal/record.ts';

/** `system` carries what neither the person nor the model said: reminders, rewind reports. */
export type Role = 'system' | 'user' | 'assistant';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: readonly Block[];
  readonly is_error?: boolean;
}

/** Marks where a compaction took place: what stands before it is summarised after it. */
export interface CompactBoundaryBlock {
  readonly type: 'compact_boundary';
  readonly input: BoundaryMeta;
}

export type Block = TextBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock | CompactBoundaryBlock;

export interface Message {
  readonly role: Role;
  readonly content: readonly Block[];
}

export interface BoundaryMeta {
  readonly trigger?: 'auto' | 'reactive' | 'manual';
  readonly pre_tokens: number;
  readonly messages_summarized?: number;
  readonly active_skills?: readonly string[];
  /** Of the conversation afterwards, estimated. */
  readonly post_tokens?: number;
  /**
   * The messages shown after those that were summarised stay, behind the summary, which is the next message and names
   * this one. Without this, nothing that stands before is shown.
   */
  readonly keeps_rest?: true;
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_tokens: a.cache_read_tokens + b.cache_read_tokens,
    cache_write_tokens: a.cache_write_tokens + b.cache_write_tokens,
  };
}

/** How much context a model call took up: what it was shown and what it said. */
export function contextTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
}

/** An id for a call that has none of its own. OpenAI's servers refuse one of more than 40 characters. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}

/** A message of one text. */
export function textMessage(role: Role, text: string): Message {
  return { role, content: [{ type: 'text', text }] };
}

/**
 * Whether a message is what the person, or the parent, says. Results are the user's, too, and nothing may stand
 * between them and their calls.
 */
export function isPrompt({ role, content }: Message): boolean {
  return role === 'user' && content.every(({ type }) => type !== 'tool_result');
}

/** Of a message that marks a compaction. */
export function boundaryOf({ content }: Message): BoundaryMeta | undefined {
  const block = content.find(({ type }) => type === 'compact_boundary');
  return block?.type === 'compact_boundary' ? (block.input ?? { pre_tokens: 0 }) : undefined;
}

/** The text blocks of a message, one per line. */
export function textOf(message: Message): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** How long a message is in characters of what a model reads; not exact, and cheap. */
export function sizeOf(content: readonly Block[]): number {
  let size = 0;
  for (const block of content) {
    if (block.type === 'text') size += block.text.length;
    else if (block.type === 'thinking') size += block.thinking.length;
    else if (block.type === 'tool_use') size += JSON.stringify(block.input).length;
    else if (block.type === 'tool_result') size += sizeOf(block.content);
  }
  return size;
}
