/** Texts and messages with their middle left out. The records keep all of it. */
import type { JsonValue } from '../../journal/record.ts';
import type { Block, Message } from '../messages.ts';
import { tokensOfText } from './estimate.ts';

/** Of what is shown, the part from the beginning. */
const HEAD_PART = 0.6;

export interface Clipping {
  /** Texts of results keep so many tokens each. */
  readonly results: number;
  /** What was said, and what calls were given; undefined leaves it whole. */
  readonly rest?: number | undefined;
}

/** A text of at most about so many tokens: head and tail, with a note of how much is not there. */
export function clipText(text: string, tokens: number): string {
  const all = tokensOfText(text);
  if (all <= tokens) return text;
  let room = Math.floor((text.length * tokens) / all);
  for (;;) {
    const head = Math.ceil(room * HEAD_PART);
    const tail = room - head;
    const left = (text.length - head - tail).toLocaleString('en-US');
    const note = `\n[… ${left} characters are left out here to save room; the session’s transcript has all of it. Ask for a smaller part if you need it. …]\n`;
    const clipped = `${text.slice(0, head)}${note}${text.slice(text.length - tail)}`.toWellFormed();
    // Text is not equally dense everywhere.
    if (room < 1 || tokensOfText(clipped) <= tokens) return clipped;
    room = Math.floor(room * 0.95);
  }
}

/** The message, the same object where nothing in it is too long. */
export function clipMessage(message: Message, clipping: Clipping): Message {
  const content = message.content.map((block) => clipBlock(block, clipping));
  return content.every((block, at) => block === message.content[at])
    ? message
    : { role: message.role, content };
}

function clipBlock(block: Block, clipping: Clipping): Block {
  const { results, rest } = clipping;
  switch (block.type) {
    case 'tool_result': {
      const content = block.content.map((part) => {
        if (part.type !== 'text') return part;
        const text = clipText(part.text, results);
        return text === part.text ? part : { type: 'text' as const, text };
      });
      return content.every((part, at) => part === block.content[at]) ? block : { ...block, content };
    }
    case 'text': {
      const text = rest === undefined ? block.text : clipText(block.text, rest);
      return text === block.text ? block : { type: 'text', text };
    }
    case 'tool_use': {
      if (rest === undefined) return block;
      const input = clipJson(block.input, rest);
      return input === block.input ? block : { ...block, input };
    }
    default:
      return block;
  }
}

function clipJson(value: JsonValue, tokens: number): JsonValue {
  if (typeof value === 'string') return clipText(value, tokens);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => clipJson(item, tokens));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const fields = Object.entries(value).map(([name, field]) => [name, clipJson(field, tokens)] as const);
  return fields.every(([name, field]) => field === value[name]) ? value : Object.fromEntries(fields);
}
