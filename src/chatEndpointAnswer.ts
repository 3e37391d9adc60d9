/** What an OpenAI-compatible endpoint answers: its stream, or its one JSON object, as parts. */
import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import type { JsonValue } from './journal/record.ts';
import { ModelError, type ModelPart } from './session/chatModel.ts';
import { NO_USAGE } from './session/messages.ts';

/** A single event, or an answer in one object, is never so long. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

const count = z.number().min(0).catch(0);
const text = z.string().nullish().catch(undefined);

const callPiece = z.object({
  index: z.number().nullish().catch(undefined),
  id: text,
  function: z
    .object({ name: text, arguments: z.union([z.string(), z.record(z.string(), z.json())]).nullish() })
    .nullish(),
});

const said = z.object({
  content: z.union([z.string(), z.array(z.object({ text: z.string().catch('') }))]).nullish(),
  reasoning_content: text,
  reasoning: text,
  refusal: text,
  tool_calls: z.array(callPiece).nullish(),
});

const answer = z.object({
  choices: z
    .array(z.object({ delta: said.nullish(), message: said.nullish(), finish_reason: text }))
    .nullish(),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  error: z.unknown().optional(),
});

type CallPiece = z.output<typeof callPiece>;

/** A call that is being written. */
interface OpenCall {
  readonly index: number | null | undefined;
  readonly id: string;
  readonly isNamed: boolean;
  name: string;
  written: string;
}

/** Turns the body of an answer into parts. One answer each. */
export class AnswerReader {
  readonly #calls: OpenCall[] = [];
  #usage: ModelPart | undefined;
  #finish: string | undefined;
  #isDone = false;
  /** What the error that a server puts into its answer means. */
  readonly #failed: (error: unknown) => ModelError;

  constructor(failed: (error: unknown) => ModelError) {
    this.#failed = failed;
  }

  /** The parts of an event stream. */
  async *stream(chunks: AsyncIterable<string>): AsyncGenerator<ModelPart> {
    const events: string[] = [];
    let fault: Error | undefined;
    const parser = createParser({
      maxBufferSize: MAX_CHARACTERS,
      onEvent: ({ data }) => events.push(data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') fault = error;
      },
    });
    for await (const chunk of chunks) {
      parser.feed(chunk);
      for (const data of events.splice(0)) {
        if (data.trim() === '[DONE]') this.#isDone = true;
        else yield* this.#take(data);
      }
      if (fault !== undefined) throw new ModelError(UNREADABLE);
      if (this.#isDone) break;
    }
    yield* this.#end();
  }

  /** The parts of an answer in one JSON object, from a server that does not stream. */
  async *object(chunks: AsyncIterable<string>): AsyncGenerator<ModelPart> {
    let json = '';
    for await (const chunk of chunks) {
      json += chunk;
      if (json.length > MAX_CHARACTERS) throw new ModelError(UNREADABLE);
    }
    this.#isDone = true;
    yield* this.#take(json);
    yield* this.#end();
  }

  *#take(data: string): Generator<ModelPart> {
    const { choices, usage, error } = parsed(data);
    if (error !== undefined && error !== null) throw this.#failed(error);
    if (usage) {
      const cached = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, usage.prompt_tokens);
      this.#usage = {
        type: 'usage',
        usage: {
          ...NO_USAGE,
          input_tokens: usage.prompt_tokens - cached,
          output_tokens: usage.completion_tokens,
          cache_read_tokens: cached,
        },
      };
    }
    const [choice] = choices ?? [];
    if (choice?.finish_reason) this.#finish = choice.finish_reason;
    const delta = choice?.delta ?? choice?.message;
    if (!delta) return;
    const thinking = delta.reasoning_content || delta.reasoning;
    if (thinking) yield { type: 'thinking', thinking };
    const { content } = delta;
    const piece = Array.isArray(content) ? content.map((part) => part.text).join('') : content;
    if (piece) yield { type: 'text', text: piece };
    if (delta.refusal) yield { type: 'text', text: delta.refusal };
    for (const call of delta.tool_calls ?? []) this.#addToCall(call);
  }

  #addToCall(piece: CallPiece): void {
    const name = piece.function?.name ?? '';
    const written = piece.function?.arguments ?? '';
    let call = this.#callOf(piece, name, written);
    if (call === undefined) {
      // Some servers give their calls no id.
      const id = piece.id || `call_${randomUUID()}`;
      call = { index: piece.index, id, isNamed: Boolean(piece.id), name, written: '' };
      this.#calls.push(call);
    }
    if (call.name === '') call.name = name;
    call.written += typeof written === 'string' ? written : JSON.stringify(written);
  }

  /**
   * The call that a piece goes on with. Some servers leave the index out, or give every call the same one: then
   * another id, another name, or a name after whole arguments begins a new call.
   */
  #callOf({ index, id }: CallPiece, name: string, written: unknown): OpenCall | undefined {
    const known =
      typeof index === 'number'
        ? this.#calls.findLast((call) => call.index === index)
        : (this.#calls.find((call) => call.id === id) ?? this.#calls.at(-1));
    if (known === undefined) return undefined;
    if (id && known.isNamed) return id === known.id ? known : undefined;
    if (name === '' || known.name === '') return known;
    const beginsAnew = name !== known.name || (written !== '' && isJson(known.written));
    return beginsAnew ? undefined : known;
  }

  *#end(): Generator<ModelPart> {
    if (!this.#isDone && this.#finish === undefined)
      throw new ModelError('The model server closed the connection before the answer was whole. Try again.', {
        isTransient: true,
      });
    const isCut = this.#finish === 'length';
    // Of a cut answer nobody knows which calls are whole.
    if (!isCut) for (const call of this.#calls) yield wholeCall(call);
    if (this.#usage) yield this.#usage;
    if (isCut)
      throw new ModelError(
        'The answer reached the most that the model may say at once and is cut there. Ask it to go on, or for something shorter.',
        { isLimit: true },
      );
    if (this.#finish === 'content_filter')
      throw new ModelError('A content filter of the model server stopped the answer. Say it in other words.');
  }
}

const UNREADABLE =
  'The model server answered with something that is no chat completion. Check that LODELINE_MODEL_URL is an OpenAI-compatible address that ends in /v1.';

function parsed(data: string): z.output<typeof answer> {
  try {
    return answer.parse(JSON.parse(data));
  } catch {
    throw new ModelError(UNREADABLE);
  }
}

function wholeCall({ id, name, written }: OpenCall): ModelPart {
  const call = { type: 'tool_use', id, name } as const;
  // No arguments at all are an empty object.
  if (written.trim() === '') return { ...call, input: {} };
  try {
    return { ...call, input: JSON.parse(written) as JsonValue };
  } catch {
    return { ...call, input: undefined, raw: written };
  }
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}
