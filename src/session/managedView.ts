/**
 * The view of a conversation that somebody else keeps: rewinds pruned, old results left out, what is behind summarised.
 * It knows the conversation by its messages alone. What it summarised is remembered by the hash of the messages that
 * the summary stands for, in memory, so that the next request that begins with them is shown the same bytes.
 */
import { createHash } from 'node:crypto';
import type { ChatModel, ToolSpec } from './chatModel.ts';
import { summaryCut } from './compaction/compacted.ts';
import { tokensOfFixed, tokensOfMessages } from './compaction/estimate.ts';
import { leaveOut, oldCalls } from './compaction/micro.ts';
import { type SummaryOptions, summarise } from './compaction/summary.ts';
import { KEEP_AFTER_OVERFLOW, KEEP_RECENT, MOST_FAILURES } from './compaction/summaryCompactor.ts';
import { isSummary, summaryMessage } from './compaction/summaryText.ts';
import { summaryThreshold, type Thresholds, thresholds, type Window } from './compaction/thresholds.ts';
import { isPrompt, type Message } from './messages.ts';
import { prune } from './pruning.ts';

/** Conversations have a few summaries each; more than this many were not used for long. */
const REMEMBERED = 50;
/** Old results are left out so many calls at a time: each change costs what a server has cached. */
const MICRO_STEP = 10;

interface ManagedRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Makes the summaries, too. */
  readonly model: ChatModel;
  /** Undefined: rewinds are pruned and nothing else is done. */
  readonly window: Window | undefined;
  readonly signal: AbortSignal;
}

interface ManagedViewOptions {
  /** The conversation is being summarised, which takes a while; called again, with false, when it is over. */
  readonly onSummary?: ((isRunning: boolean) => void) | undefined;
  /** Why a summary was not made; the request goes on without it. */
  readonly onFailure?: ((reason: string) => void) | undefined;
  readonly pause?: SummaryOptions['pause'];
}

/** The messages with the summary of their beginning. */
interface Shortened {
  readonly messages: readonly Message[];
  /** So many of the first `messages` stand for so many of the conversation's. */
  readonly standIns: number;
  readonly replaced: number;
}

export class ManagedView {
  readonly #options: ManagedViewOptions;
  /** By the hash of the messages they stand for; the one used last at the end. */
  readonly #summaries = new Map<string, readonly Message[]>();
  /** In a row, by the model that should have made the summary and how the chat began; the last one at the end. */
  readonly #failures = new Map<string, number>();

  constructor(options: ManagedViewOptions = {}) {
    this.#options = options;
  }

  /**
   * What the model is shown.
   * @throws the signal's reason when it fires
   */
  async before(request: ManagedRequest): Promise<readonly Message[]> {
    const view = prune(request.messages);
    if (request.window === undefined) return view;
    const limits = thresholds(request.window);
    const threshold = summaryThreshold(limits);
    return await this.#short(request, view, limits, KEEP_RECENT, (used) => used > threshold);
  }

  /**
   * Something shorter, after the model said that the request is too long; undefined when there is nothing shorter.
   * @throws the signal's reason when it fires
   */
  async overflow(request: ManagedRequest): Promise<readonly Message[] | undefined> {
    if (request.window === undefined) return undefined;
    const sent = await this.before(request);
    const view = prune(request.messages);
    const shorter = await this.#short(
      request,
      view,
      thresholds(request.window),
      KEEP_AFTER_OVERFLOW,
      () => true,
    );
    return tokensOfMessages(shorter) < tokensOfMessages(sent) ? shorter : undefined;
  }

  async #short(
    request: ManagedRequest,
    view: readonly Message[],
    limits: Thresholds,
    keep: number,
    isTooLong: (used: number) => boolean,
  ): Promise<readonly Message[]> {
    const start = openingOf(view);
    const opening = view.slice(0, start);
    const rest = view.slice(start);
    const hashes = hashesOf(rest);
    const fixed = tokensOfFixed({ system: '', tools: request.tools }) + tokensOfMessages(opening);
    const short = this.#remembered(rest, hashes);
    const lean = withoutOld(short.messages, limits, fixed);
    if (!isTooLong(fixed + tokensOfMessages(lean))) return [...opening, ...lean];
    const made = await this.#summarise(request, { ...short, messages: lean }, rest, hashes, limits, keep);
    return [...opening, ...withoutOld(made?.messages ?? short.messages, limits, fixed)];
  }

  /** With the summary that stands for most of the messages. */
  #remembered(rest: readonly Message[], hashes: readonly string[]): Shortened {
    for (let count = rest.length - 1; count > 0; count--) {
      const hash = hashes[count - 1] as string;
      const standIns = this.#summaries.get(hash);
      if (!standIns) continue;
      setLast(this.#summaries, hash, standIns);
      return { messages: [...standIns, ...rest.slice(count)], standIns: standIns.length, replaced: count };
    }
    return { messages: rest, standIns: 0, replaced: 0 };
  }

  /** Undefined when there is too little to summarise, or the model did not. */
  async #summarise(
    { model, signal }: ManagedRequest,
    { messages, standIns, replaced }: Shortened,
    rest: readonly Message[],
    hashes: readonly string[],
    { effectiveWindow, reserved }: Thresholds,
    keep: number,
  ): Promise<Shortened | undefined> {
    const { onSummary, onFailure, pause } = this.#options;
    const chat = `${hashes[0]} ${model.name}`;
    const failures = this.#failures.get(chat) ?? 0;
    const cut = summaryCut(messages, keep, effectiveWindow);
    if (cut === undefined || cut <= standIns || failures >= MOST_FAILURES) return undefined;
    const head = messages.slice(0, cut);
    onSummary?.(true);
    const result = await summarise({
      ...{ model, signal, pause, instructions: '', messages: head },
      ...{ window: effectiveWindow, most: reserved },
    }).finally(() => onSummary?.(false));
    if (!result.ok) {
      setLast(this.#failures, chat, failures + 1);
      onFailure?.(result.reason);
      return undefined;
    }
    this.#failures.delete(chat);
    const count = replaced + cut - standIns;
    const hash = hashes[count - 1] as string;
    // A request beside this one may have been faster, and what it was shown must not change.
    const made = this.#summaries.get(hash) ?? standInsOf(head, result.summary, effectiveWindow);
    setLast(this.#summaries, hash, made);
    return { messages: [...made, ...rest.slice(count)], standIns: made.length, replaced: count };
  }
}

/** Keeps the last `REMEMBERED` that were set. */
function setLast<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= REMEMBERED) break;
    map.delete(oldest);
  }
}

/** How many messages stand before the first thing that the model answered: instructions, and what hosts tell of. */
function openingOf(messages: readonly Message[]): number {
  const answer = messages.findIndex(({ role }) => role === 'assistant');
  const prompt = messages.findLastIndex(
    ({ role }, index) => role === 'user' && (answer < 0 || index < answer),
  );
  return prompt < 0 ? Math.max(answer, 0) : prompt;
}

/** The summary with the skills that were read, and the person's last message as it is. */
function standInsOf(head: readonly Message[], summary: string, window: number): readonly Message[] {
  const isSaid = (message: Message) => isPrompt(message) && !isSummary(message);
  const { message } = summaryMessage(
    summary,
    head.filter((one) => !isSaid(one)),
    window,
  );
  const prompt = head.findLast(isSaid);
  return prompt === undefined ? [message] : [message, prompt];
}

function withoutOld(
  messages: readonly Message[],
  { microThreshold }: Thresholds,
  fixed: number,
): readonly Message[] {
  if (fixed + tokensOfMessages(messages) <= microThreshold) return messages;
  const old = [...oldCalls(messages)];
  return leaveOut(messages, new Set(old.slice(0, old.length - (old.length % MICRO_STEP))));
}

/** For each message, the hash of all up to it. */
function hashesOf(messages: readonly Message[]): string[] {
  let last = '';
  return messages.map((message) => {
    last = createHash('sha256').update(last).update(JSON.stringify(message)).digest('base64');
    return last;
  });
}
