/** What an OpenAI-compatible endpoint is asked: our messages in its words. */
import type { ModelRequest, ToolSpec } from './session/chatModel.ts';
import { type Block, type Message, textOf } from './session/messages.ts';
import { asReminder } from './session/shownMessage.ts';

type WireMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly WireCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

interface WireCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The body of a request, as JSON. */
export function requestBody(model: string, { system, messages, tools, mustCall }: ModelRequest): string {
  return wellFormedJson({
    model,
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...wireMessages(messages)],
    ...(tools.length > 0 && { tools: tools.map(wireTool) }),
    ...(mustCall !== undefined && { tool_choice: { type: 'function', function: { name: mustCall } } }),
    stream: true,
    stream_options: { include_usage: true },
  });
}

/** Servers want the results of calls directly after them: what was said in between comes after the results. */
function wireMessages(messages: readonly Message[]): WireMessage[] {
  const wire: WireMessage[] = [];
  const between: WireMessage[] = [];
  let waiting: string[] = [];
  const results = new Map<string, string>();
  const answer = (): void => {
    for (const id of waiting)
      wire.push({ role: 'tool', tool_call_id: id, content: results.get(id) ?? 'There is no result.' });
    waiting = [];
    results.clear();
    wire.push(...between.splice(0));
  };
  for (const message of messages) {
    if (message.role === 'assistant') {
      answer();
      const said = assistantMessage(message);
      if (said === undefined) continue;
      wire.push(said);
      waiting = said.tool_calls?.map(({ id }) => id) ?? [];
      continue;
    }
    for (const block of message.content) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, resultText(block.content));
    }
    const text = textOf(message);
    if (text !== '')
      between.push({ role: 'user', content: message.role === 'system' ? asReminder(text) : text });
    if (waiting.every((id) => results.has(id))) answer();
  }
  answer();
  return wire;
}

/** Without thinking, which servers do not take back; undefined when nothing else was said. */
function assistantMessage(message: Message): Extract<WireMessage, { role: 'assistant' }> | undefined {
  const text = textOf(message);
  const calls = message.content.flatMap((block) => (block.type === 'tool_use' ? [wireCall(block)] : []));
  if (calls.length > 0) return { role: 'assistant', content: text === '' ? null : text, tool_calls: calls };
  return text === '' ? undefined : { role: 'assistant', content: text };
}

function wireCall({ id, name, input }: Extract<Block, { type: 'tool_use' }>): WireCall {
  return { id, type: 'function', function: { name, arguments: wellFormedJson(input) } };
}

function wireTool({ name, description, inputSchema }: ToolSpec) {
  return { type: 'function', function: { name, description, parameters: inputSchema } };
}

function resultText(content: readonly Block[]): string {
  return textOf({ role: 'user', content });
}

/**
 * JSON in which no half of a surrogate pair stands alone, for servers that refuse it. `JSON.stringify` leaves
 * such halves, and only them, as escapes; an escaped backslash before a `u` is skipped as a whole.
 */
function wellFormedJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (written, half?: string) =>
    half === undefined ? written : '\uFFFD',
  );
}
