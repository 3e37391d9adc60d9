/** A scripted model with a real tokenizer, which refuses what is too long, and an agent's work for it. */
import { getEncoding } from 'js-tiktoken';
import {
  type ChatModel,
  ModelError,
  type ModelPart,
  type ModelRequest,
} from '../../../src/session/chatModel.ts';
import { type Message, NO_USAGE, textOf } from '../../../src/session/messages.ts';
import type { LoopTools } from '../../../src/session/turnCalls.ts';

export const WINDOW = 32_000;
/** Planted by the first ten prompts. */
export const FACTS = Array.from(
  { length: 10 },
  (_, at) => `FACT-${at + 1}: the port of service ${at} is ${41_000 + at * 37}`,
);

const encoding = getEncoding('o200k_base');
const counts = new WeakMap<Message, number>();

function tokens(text: string): number {
  return encoding.encode(text.toWellFormed(), [], []).length;
}

function tokensOf(message: Message): number {
  let count = counts.get(message);
  if (count === undefined) {
    count = 4;
    for (const block of message.content) {
      if (block.type === 'text') count += tokens(block.text);
      else if (block.type === 'thinking') count += tokens(block.thinking);
      else if (block.type === 'tool_use')
        count += tokens(block.name) + tokens(JSON.stringify(block.input)) + 8;
      else if (block.type === 'tool_result')
        count += tokens(textOf({ role: 'user', content: block.content })) + 8;
    }
    counts.set(message, count);
  }
  return count;
}

export interface FactModelOptions {
  /** Whether it tells how many tokens it counted. */
  readonly tells: boolean;
  /** What it does when it is asked for a summary: by default it follows the nine sections. */
  readonly summary?: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>;
}

export class FactModel implements ChatModel {
  readonly name = 'facts';
  readonly maxInputTokens = WINDOW;
  readonly #options: FactModelOptions;
  #fixed: { readonly key: string; readonly count: number } | undefined;
  /** The longest request, in its own tokens. */
  longest = 0;
  summaries = 0;
  requests: ModelRequest[] = [];
  #calls = 0;

  constructor(options: FactModelOptions) {
    this.#options = options;
  }

  async *send(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const key = `${request.system}${JSON.stringify(request.tools)}`;
    if (this.#fixed?.key !== key) this.#fixed = { key, count: tokens(key) };
    const input = request.messages.reduce((sum, message) => sum + tokensOf(message), this.#fixed.count);
    this.longest = Math.max(this.longest, input);
    if (input > WINDOW) throw new ModelError(`${input} tokens are too many`, { isOverflow: true });
    this.requests = [...this.requests.slice(-3), request];
    const isSummary = request.tools.length === 0;
    if (isSummary) this.summaries++;
    const parts = isSummary ? (this.#options.summary ?? nineSections)(request, signal) : this.#work(request);
    let output = '';
    for await (const part of parts) {
      if (part.type === 'text') output += part.text;
      else if (part.type === 'tool_use') output += JSON.stringify(part.input);
      yield part;
    }
    if (this.#options.tells)
      yield { type: 'usage', usage: { ...NO_USAGE, input_tokens: input, output_tokens: tokens(output) } };
  }

  /** Two steps with calls, then an answer. */
  async *#work({ messages }: ModelRequest): AsyncGenerator<ModelPart> {
    const last = messages.at(-1);
    const prompt = messages.findLastIndex(
      ({ content, role }) => role === 'user' && content.every(({ type }) => type === 'text'),
    );
    const steps = messages.slice(prompt + 1).filter(({ role }) => role === 'assistant').length;
    const isAnswered = last?.content.some(({ type }) => type === 'tool_result') === true;
    if (isAnswered && steps >= 2) {
      yield { type: 'text', text: `Done after ${steps} steps.` };
      return;
    }
    const id = `call_${process.pid}_${this.#calls++}`;
    yield { type: 'text', text: 'I look at the next file.' };
    yield { type: 'tool_use', id, name: 'read', input: { path: `src/part${this.#calls}.ts` } };
    if (this.#calls % 3 === 0)
      yield { type: 'tool_use', id: `${id}b`, name: 'search', input: { query: `part${this.#calls}` } };
  }
}

/** Copies every fact it is shown into the sections, as a model that does what it is asked. */
async function* nineSections({ messages }: ModelRequest): AsyncGenerator<ModelPart> {
  const text = messages.map(textOf).join('\n');
  const facts = [...new Set(text.match(/FACT-\d+: [^\n]*/g) ?? [])].join('\n');
  const names = [
    'Intent',
    'Concepts',
    'Files',
    'Errors',
    'Problem solving',
    'All messages',
    'Pending',
    'Current work',
  ];
  const sections = [...names, 'Next step'].map(
    (name, at) => `${at + 1}. ${name}\n${name === 'Concepts' ? facts : 'None'}`,
  );
  yield {
    type: 'text',
    text: `<analysis>looked</analysis>\n<summary>\n${sections.join('\n\n')}\n</summary>`,
  };
}

/** Results of some 200 to 3,000 tokens, and now and then one that is longer than the window. */
export function workTools(): LoopTools {
  let calls = 0;
  return {
    specs: () =>
      ['read', 'search'].map((name) => ({
        name,
        description: `${name} something in the folder`,
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      })),
    isExclusive: () => false,
    effectOf: () => 'read',
    call: async ({ name, input }) => {
      const n = calls++;
      const line = `${name} ${JSON.stringify(input)} line ${n}: export const value = compute(${n}, "세션 ${n}");\n`;
      return { text: line.repeat(n % 41 === 40 ? 4_000 : 8 + ((n * 37) % 90)), isError: false };
    },
  };
}

export function promptOf(turn: number): string {
  const fact = FACTS[turn];
  return `Turn ${turn + 1}: go on with the work, please.${fact === undefined ? '' : ` Remember:\n${fact}\n`}`;
}
