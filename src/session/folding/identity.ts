/** What a conversation is made of for folding: core messages, one for each block, each with an id that its content gives. */
import { createHash } from 'node:crypto';
import { tokensOfText } from '../compaction/estimate.ts';
import type { Block, Message, Role } from '../messages.ts';
import { withoutTags } from './refs.ts';

const ID_DIGITS = 16;
const DIGEST_DIGITS = 8;

/** The five parts that make a core message what it is; those that a kind of content does not have are empty. */
interface CoreParts {
  readonly role: Role | 'tool';
  readonly type: Block['type'];
  readonly callId: string;
  readonly name: string;
  readonly text: string;
}

/** A block of the conversation. */
export interface Core {
  readonly id: string;
  /** Its place among all of them, from 1: what its ref says. */
  readonly ref: number;
  readonly block: Block;
  /** Index of the message that it stands in. */
  readonly message: number;
  /** Name of the tool, for a call and its result. */
  readonly tool: string;
  /** Of what it says, as they are told to the model; estimated once from the text alone. */
  readonly tokens: number;
  readonly characters: number;
}

interface Measured {
  readonly id: string;
  readonly tokens: number;
  readonly characters: number;
}

const measured = new WeakMap<Block, { readonly of: string; readonly as: Measured }>();

/** `h_` and 16 hex digits of the SHA-256 of `role|contentType|toolCallID|toolName|text` (Norma's noa). */
export function coreId({ role, type, callId, name, text }: CoreParts): string {
  return `h_${sha256([role, type, callId, name, withoutTags(text)].join('|')).slice(0, ID_DIGITS)}`;
}

/** Names these core messages, in their order, in eight hex digits. */
export function digestOf(ids: readonly string[]): string {
  return sha256(ids.join('\n')).slice(0, DIGEST_DIGITS);
}

/** The core messages of a conversation. Those with the same content are told apart by `_1`, `_2` … behind the id. */
export function coresOf(messages: readonly Message[]): readonly Core[] {
  const cores: Core[] = [];
  const seen = new Map<string, number>();
  const tools = new Map<string, string>();
  messages.forEach(({ role, content }, message) => {
    for (const block of content) {
      if (block.type === 'tool_use') tools.set(block.id, block.name);
      const tool =
        block.type === 'tool_use'
          ? block.name
          : block.type === 'tool_result'
            ? (tools.get(block.tool_use_id) ?? '')
            : '';
      const { id: plain, tokens, characters } = measure(role, block, tool);
      const before = seen.get(plain) ?? 0;
      seen.set(plain, before + 1);
      const id = before === 0 ? plain : `${plain}_${before}`;
      cores.push({ id, ref: cores.length + 1, block, message, tool, tokens, characters });
    }
  });
  return cores;
}

/** What a block says, as one text. */
export function textOfBlock(block: Block): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'thinking':
      return block.thinking;
    case 'tool_use':
      return JSON.stringify(block.input);
    case 'tool_result':
      return block.content.map(textOfBlock).join('\n');
    case 'compact_boundary':
      return '';
  }
}

/** A block never changes, and most conversations are asked for many times. */
function measure(role: Role, block: Block, tool: string): Measured {
  const of = `${role}|${tool}`;
  const known = measured.get(block);
  if (known?.of === of) return known.as;
  const text = textOfBlock(block);
  const callId = block.type === 'tool_use' ? block.id : block.type === 'tool_result' ? block.tool_use_id : '';
  const id = coreId({ role, type: block.type, callId, name: tool, text });
  const as = { id, tokens: tokensOfText(text), characters: text.length };
  measured.set(block, { of, as });
  return as;
}

function sha256(text: string): string {
  return createHash('sha256').update(text.toWellFormed()).digest('hex');
}
