/** Messages of a transcript as other sessions get them: without secrets, cut, and without what they cost. */

import type { JsonValue } from '../journal/record.ts';
import { redactSecrets } from '../policy/redact.ts';
import { redactJson } from '../policy/redactJson.ts';
import type { Block } from '../session/messages.ts';
import type { InterSession } from '../session/record.ts';
import type { PageMessage } from '../worker/sessionLookApi.ts';

/** Most characters of a text (seed 003's reference). */
const MAX_TEXT = 4_000;
/**
 * A text is read so far, so that a secret that ends behind the cut is still seen whole.
 */
export const READ_TEXT = 4 * MAX_TEXT;
const CUT = '\n…(truncated)…';

export interface ShownMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'toolResult';
  readonly content: readonly JsonValue[];
  /** Unix milliseconds. */
  readonly timestamp: number;
  /** Of the record, for whoever looks for it in a page. */
  readonly id: string;
  readonly model?: string;
  readonly toolCallId?: string;
  readonly isError?: boolean;
  readonly provenance?: InterSession;
}

export interface ShownMessages {
  readonly messages: readonly ShownMessage[];
  readonly isCut: boolean;
  readonly isRedacted: boolean;
}

/** Each result of a tool becomes a message of its own, with the role `toolResult`. */
export async function shownMessages(messages: readonly PageMessage[]): Promise<ShownMessages> {
  const shower = new Shower();
  const shown: ShownMessage[] = [];
  for (const message of messages) shown.push(...(await shower.show(message)));
  return { messages: shown, isCut: shower.isCut, isRedacted: shower.isRedacted };
}

/** The first `length` characters of a text, never half of one. */
function cutText(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

class Shower {
  isCut = false;
  isRedacted = false;

  async show({ message, at, uuid, model, provenance }: PageMessage): Promise<ShownMessage[]> {
    const { role, content } = message;
    const shown: ShownMessage[] = [];
    const own: JsonValue[] = [];
    for (const block of content) {
      if (block.type !== 'tool_result') own.push(await this.#block(block));
      else
        shown.push({
          ...{ role: 'toolResult', toolCallId: block.tool_use_id, isError: block.is_error === true },
          content: await Promise.all(block.content.map((each) => this.#block(each))),
          ...{ timestamp: at, id: uuid },
        });
    }
    if (own.length > 0)
      shown.push({
        ...{ role, content: own, timestamp: at, id: uuid },
        ...(model !== undefined && { model }),
        ...(provenance && { provenance }),
      });
    return shown;
  }

  async #block(block: Block): Promise<JsonValue> {
    if (block.type === 'text') return { type: 'text', text: await this.#text(block.text) };
    if (block.type === 'thinking') return { type: 'thinking', thinking: await this.#text(block.thinking) };
    if (block.type === 'tool_use') {
      const { id, name, input } = block;
      return { type: 'tool_use', id, name, input: await this.#json(input) };
    }
    // Results have texts alone, and of a boundary nothing but its place matters.
    return { type: block.type };
  }

  async #json(value: JsonValue): Promise<JsonValue> {
    const redacted = await redactJson(value);
    if (JSON.stringify(redacted) !== JSON.stringify(value)) this.isRedacted = true;
    return this.#cut(redacted);
  }

  #cut(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.#shortened(value);
    if (Array.isArray(value)) return value.map((each) => this.#cut(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#cut(each)]));
  }

  async #text(text: string): Promise<string> {
    const { text: redacted, found } = await redactSecrets(text);
    if (found.length > 0) this.isRedacted = true;
    return this.#shortened(redacted);
  }

  #shortened(text: string): string {
    if (text.length <= MAX_TEXT) return text;
    this.isCut = true;
    return cutText(text, MAX_TEXT) + CUT;
  }
}
