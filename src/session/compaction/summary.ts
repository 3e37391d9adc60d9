/** Asks a model for the summary of a conversation. */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../journal/errors.ts';
import { type ChatModel, ModelError } from '../chatModel.ts';
import {
  addUsage,
  type Block,
  type Message,
  NO_USAGE,
  textMessage,
  textOf,
  type Usage,
} from '../messages.ts';
import { askModel } from '../modelAnswer.ts';
import { clipText } from './clip.ts';
import { tokensOfFixed, tokensOfMessages } from './estimate.ts';
import { rounds, truncateForRetry } from './rounds.ts';
import { formatSummary, isSummary, isSummaryAnswer, SUMMARISER, summaryRequest } from './summaryText.ts';

/** A request that failed in a way that may pass is sent so often, and one that is too long so often again. */
const ATTEMPTS = 2;
const TRUNCATIONS = 3;
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Of a result or an argument so much is retold, in tokens, if all of it does not fit. */
const FEWEST = 500;
const RETOLD = [20_000, 4_000, 1_500, FEWEST];

export interface SummaryOptions {
  readonly model: ChatModel;
  readonly messages: readonly Message[];
  /** What the person wants of it; may be empty. */
  readonly instructions: string;
  /** What a request may take up, and how long the summary may be, in tokens. */
  readonly window: number;
  readonly most: number;
  readonly signal: AbortSignal;
  /** Waits before another attempt; tests do not. */
  readonly pause?: ((milliseconds: number, signal: AbortSignal) => Promise<void>) | undefined;
}

export type SummaryResult =
  | { readonly ok: true; readonly summary: string; readonly usage: Usage }
  | { readonly ok: false; readonly reason: string };

/**
 * The summary of messages by a model that is offered no tools. Where they are too many for it, the oldest are left
 * out, up to three times.
 * @throws the signal's reason when it fires
 */
export async function summarise(options: SummaryOptions): Promise<SummaryResult> {
  const { model, instructions, signal, most, pause = pausing } = options;
  let messages: readonly Message[] | undefined = options.messages;
  let truncations = 0;
  let attempts = 0;
  let usage = NO_USAGE;
  let reason = '';
  while (messages !== undefined) {
    const request = {
      system: SUMMARISER,
      messages: asked(messages, instructions, options.window),
      tools: [],
    };
    const answer = await askModel(model, request, signal, new Set(), { onText: () => {} });
    signal.throwIfAborted();
    if (answer.usage) usage = addUsage(usage, answer.usage);
    const { failure } = answer;
    const text = textOf({ role: 'assistant', content: answer.content });
    // What was cut where the model may say no more is still most of a summary.
    const isWhole = failure === undefined || (failure instanceof ModelError && failure.isLimit);
    if (isWhole && isSummaryAnswer(text))
      return { ok: true, summary: clipText(formatSummary(text), most), usage };
    reason = failure === undefined ? 'The model answered something else than a summary.' : messageOf(failure);
    if (failure instanceof ModelError && failure.isOverflow) {
      if (truncations++ >= TRUNCATIONS) break;
      messages = truncateForRetry(messages);
      continue;
    }
    const mayPass = failure === undefined || (failure instanceof ModelError && failure.isTransient);
    if (!mayPass || ++attempts >= ATTEMPTS) break;
    const wait = failure instanceof ModelError ? (failure.retryAfterMs ?? PAUSE_MS) : 0;
    if (wait > LONGEST_PAUSE_MS) break;
    await pause(wait, signal);
  }
  return { ok: false, reason };
}

async function pausing(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

/**
 * The conversation and the request for its summary. Calls and results are retold as texts: some servers refuse them
 * in a request that offers no tools.
 */
function asked(messages: readonly Message[], instructions: string, window: number): readonly Message[] {
  const request = summaryRequest(instructions);
  const room = window - tokensOfFixed({ system: SUMMARISER, tools: [] }) - tokensOfMessages([request]);
  let told: readonly Message[] = [];
  for (const tokens of RETOLD) {
    told = retold(messages, tokens);
    if (tokensOfMessages(told) <= room) return [...told, request];
  }
  // Sooner the newest part whole than a request that is refused; what is only told at the start stays.
  const [start] = messages;
  const hasStart = start !== undefined && (start.role === 'system' || isSummary(start));
  const first = hasStart ? retold([start], FEWEST) : [];
  const newest: (readonly Message[])[] = [];
  let size = tokensOfMessages(first);
  for (const group of rounds(messages.slice(hasStart ? 1 : 0)).toReversed()) {
    const part = retold(group, FEWEST);
    size += tokensOfMessages(part);
    if (size > room && newest.length > 0) break;
    newest.push(part);
  }
  return [...first, ...newest.toReversed().flat(), request];
}

function retold(messages: readonly Message[], tokens: number): readonly Message[] {
  const names = new Map<string, string>();
  return messages.flatMap(({ role, content }) => {
    const texts = content.flatMap((block) => retoldBlock(block, tokens, names));
    return texts.length === 0 ? [] : [textMessage(role, texts.join('\n'))];
  });
}

function retoldBlock(block: Block, tokens: number, names: Map<string, string>): readonly string[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [clipText(block.text, Math.max(tokens, 4_000))];
    case 'tool_use':
      names.set(block.id, block.name);
      return [`[The agent called ${block.name} with ${clipText(JSON.stringify(block.input), tokens)}]`];
    case 'tool_result': {
      const said = clipText(textOf({ role: 'user', content: block.content }), tokens);
      const kind = block.is_error === true ? 'failed with' : 'answered';
      // What a tool answered cannot end there and go on as if the person said it.
      const inner = said.replace(/<(?=\s*\/?\s*result\b)/giu, '&lt;');
      return [`[${names.get(block.tool_use_id) ?? 'A tool'} ${kind}:]\n<result>\n${inner}\n</result>`];
    }
    default:
      return [];
  }
}
