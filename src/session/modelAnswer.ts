/** What a model says in one answer, gathered from the parts in which it comes. */
import type { JsonValue } from '../journal/record.ts';
import type { ChatModel, ModelPart, ModelRequest, ToolSpec } from './chatModel.ts';
import {
  type Block,
  newCallId,
  type TextBlock,
  type ThinkingBlock,
  type ToolUseBlock,
  type Usage,
} from './messages.ts';

/** Of arguments that are no JSON, the model is shown so much. */
const QUOTED = 1_000;

/** Servers refuse a request in which a call has another name, and each later request would repeat it. */
const NOT_IN_NAMES = /[^\w-]/g;
const LONGEST_NAME = 64;
/** What servers give as ids. Reports name calls by theirs, and no line of one may be another's words. */
const ID = /^[!-~]{1,200}$/;

/** A call as the model wrote it. */
export interface WrittenCall {
  readonly block: ToolUseBlock;
  /** Why it cannot run, for the model. */
  readonly problem?: string | undefined;
}

export interface Answer {
  /** In the order in which it was said; empty when nothing came. */
  readonly content: readonly Block[];
  readonly calls: readonly WrittenCall[];
  readonly usage: Usage | undefined;
  /** Why the answer is not whole: the model's failure or the signal's reason. */
  readonly failure: Error | undefined;
}

export interface AnswerListener {
  onText(text: string): void;
  onThinking?: ((text: string) => void) | undefined;
}

/**
 * Asks a model and gathers its answer; when the signal fires, what was said so far is the answer. Never throws.
 * @param taken ids of calls that stand in the request already. Some servers count anew in each answer, and a
 *   result is paired with its call by the id: such a call gets another one.
 */
export async function askModel(
  model: ChatModel,
  request: ModelRequest,
  signal: AbortSignal,
  taken: ReadonlySet<string>,
  listener: AnswerListener,
): Promise<Answer> {
  const content: Block[] = [];
  const calls: WrittenCall[] = [];
  const ids = new Set(taken);
  let usage: Usage | undefined;
  let failure: Error | undefined;
  try {
    for await (const part of untilAborted(() => model.send(request, signal), signal)) {
      if (part.type === 'usage') usage = part.usage;
      else if (part.type === 'tool_use') {
        const id = !ID.test(part.id) || ids.has(part.id) ? newCallId() : part.id;
        ids.add(id);
        const call = writtenCall(part, id, request.tools);
        calls.push(call);
        content.push(call.block);
      } else {
        addPiece(content, part);
        if (part.type === 'text') listener.onText(part.text);
        else listener.onThinking?.(part.thinking);
      }
    }
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  return { content, calls, usage, failure };
}

/** The parts until the signal fires, which is then thrown, also where the model does not heed it. */
async function* untilAborted(
  send: () => AsyncIterable<ModelPart>,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  aborted.catch(() => {});
  signal.addEventListener('abort', stop);
  const parts = send()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), aborted]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not awaited: a model that hangs would hold up the one who gave it up.
    parts.return?.()?.catch(() => {});
  }
}

/** Adds a piece to the text, or the thinking, that it goes on with. */
function addPiece(content: Block[], piece: TextBlock | ThinkingBlock): void {
  const last = content.at(-1);
  if (piece.type === 'text') {
    if (last?.type === 'text') content[content.length - 1] = { ...last, text: last.text + piece.text };
    else if (piece.text !== '') content.push({ type: 'text', text: piece.text });
    return;
  }
  // A signature closes the thinking that it signs.
  if (last?.type === 'thinking' && last.signature === undefined)
    content[content.length - 1] = { ...last, ...piece, thinking: last.thinking + piece.thinking };
  else content.push(piece);
}

function writtenCall(
  part: Extract<ModelPart, { type: 'tool_use' }>,
  id: string,
  tools: readonly ToolSpec[],
): WrittenCall {
  const { raw } = part;
  const isOffered = tools.some((tool) => tool.name === part.name);
  const name = isOffered
    ? part.name
    : part.name.replace(NOT_IN_NAMES, '_').slice(0, LONGEST_NAME) || 'unnamed';
  // Some models write null for no arguments.
  const input = part.input === null ? {} : part.input;
  if (name !== part.name) {
    const problem = `There is no tool ${JSON.stringify(part.name.slice(0, QUOTED))}: call one of those you were given, by its exact name.`;
    return { block: { type: 'tool_use', id, name, input: isObject(input) ? input : {} }, problem };
  }
  if (isObject(input)) return { block: { type: 'tool_use', id, name, input } };
  const all = raw ?? JSON.stringify(input) ?? '';
  const repaired = tools.find((tool) => tool.name === name)?.repair?.(all);
  if (repaired !== undefined) return { block: { type: 'tool_use', id, name, input: { ...repaired } } };
  const written = all.slice(0, QUOTED);
  return {
    block: { type: 'tool_use', id, name, input: {} },
    problem: `${name} was not called: its arguments must be one JSON object. Call it again with valid JSON. You wrote: ${written}`,
  };
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
