/**
 * The built-in compactor: leaves out old results, has the model summarise what is behind, and makes the view fit
 * whatever else happens.
 */
import type { Compactor, CompactorRequest, Prepared } from '../compactor.ts';
import { materialize } from '../folding/materialize.ts';
import type { Message } from '../messages.ts';
import { clipMessage } from './clip.ts';
import { type Compacted, type Compacting, compacted, summaryCut } from './compacted.ts';
import { believedTokens, tokensOfFixed, tokensOfMessages, usedTokens } from './estimate.ts';
import { fitInto } from './fit.ts';
import { leaveOut, oldCalls } from './micro.ts';
import { type SummaryOptions, summarise } from './summary.ts';
import { summaryThreshold, type Thresholds, thresholds, type Window } from './thresholds.ts';

/** How many of the last messages a summary leaves as they are (Norma), and after an overflow. */
export const KEEP_RECENT = 8;
export const KEEP_AFTER_OVERFLOW = 2;
/** To leave out more results changes what a server has cached: it must gain at least this part of the window. */
const MICRO_PART = 0.03;
/** After so many failures in a row no summary is asked for any more (Norma). */
export const MOST_FAILURES = 3;
/** After a model refused a request as too long, requests stay below this part of its size. */
const AFTER_OVERFLOW = 0.7;
/** What a model counts, for each token that was estimated, is believed within these bounds. */
const LEAST_DENSE = 0.8;
const MOST_DENSE = 2;

/** With less room than this part of the window beside instructions and tools, each step would need a summary. */
const LEAST_ROOM = 0.1;
/** A single result takes up at most this part of the window. */
const RESULT_PART = 0.4;
const shortened = new WeakMap<Message, { readonly results: number; readonly message: Message }>();

export const NOT_SUMMARISED =
  'The conversation could not be summarised three times in a row, so old parts are left out instead. The transcript keeps all of it.';

export const WINDOW_TOO_SMALL =
  'The window of this model is too small for these instructions and tools: what the tools answer has hardly any room beside them. Choose a model with a larger window, raise the window where the model is served, or offer it fewer tools.';

/** What a session's compactor remembers from turn to turn, in this process. */
export interface CompactionState {
  failures: number;
  /** The model that the following was learnt of. */
  model: string;
  /** Calls whose results are left out. */
  leftOut: ReadonlySet<string>;
  /** What a request may be at most, where the model has refused one. */
  limit: number;
  /** Tokens of the model for each that was estimated. */
  density: number;
  /** The last request was made to fit: what the model counted of it says nothing about the view. */
  isFitted: boolean;
}

export function newCompactionState(): CompactionState {
  return {
    failures: 0,
    model: '',
    leftOut: new Set(),
    limit: Number.POSITIVE_INFINITY,
    density: 1,
    isFitted: false,
  };
}

export interface SummaryCompactorOptions {
  windowOf(request: CompactorRequest): Window;
  readonly state: CompactionState;
  /** The conversation is being summarised, which takes a while. */
  readonly onSummary?: (() => void) | undefined;
  readonly pause?: SummaryOptions['pause'];
}

export class SummaryCompactor implements Compactor {
  readonly #options: SummaryCompactorOptions;

  constructor(options: SummaryCompactorOptions) {
    this.#options = options;
  }

  async before(asked: CompactorRequest): Promise<Prepared> {
    const { state } = this.#options;
    const limits = this.#limits(asked);
    const messages = capped(asked.messages, limits);
    let request = { ...asked, messages, usage: state.isFitted ? undefined : asked.usage };
    this.#calibrate(request);
    const { leftOut } = state;
    const left = this.#withoutOld(request, limits);
    if (state.leftOut !== leftOut) request = uncounted(request);
    const used = this.#used({ ...request, messages: left });
    const threshold = Math.min(summaryThreshold(limits), state.limit);
    if (used <= threshold || state.failures >= MOST_FAILURES) return this.#fitted(request, left, limits);
    const made = await this.#summarise(request, asked.messages, limits, KEEP_RECENT, 'auto', used);
    if (made === undefined) return this.#fitted(request, left, limits);
    if ('drafts' in made) {
      state.failures = 0;
      return { ...this.#fitted(uncounted(request), made.messages, limits), drafts: made.drafts };
    }
    return { ...this.#fitted(request, left, limits), notice: this.#failed() };
  }

  async overflow(asked: CompactorRequest): Promise<Prepared | undefined> {
    const { state } = this.#options;
    const limits = this.#limits(asked);
    const request = { ...asked, messages: capped(asked.messages, limits) };
    const { messages: sent } = this.#fitted(request, this.#withoutOld(request, limits), limits);
    const size = tokensOfFixed(request) + tokensOfMessages(sent);
    // The window is smaller than we were told, or what fills it counts for more.
    state.limit = Math.min(state.limit, Math.floor(size * AFTER_OVERFLOW));
    const made =
      state.failures >= MOST_FAILURES
        ? undefined
        : await this.#summarise(request, asked.messages, limits, KEEP_AFTER_OVERFLOW, 'reactive', size);
    if (made !== undefined && 'drafts' in made) {
      state.failures = 0;
      return { ...this.#fitted(uncounted(request), made.messages, limits), drafts: made.drafts };
    }
    const notice = made === undefined ? undefined : this.#failed();
    const fitted = this.#fitted(uncounted(request), this.#withoutOld(request, limits), limits);
    return tokensOfMessages(fitted.messages) < tokensOfMessages(sent) ? { ...fitted, notice } : undefined;
  }

  /** What was learnt of one model says nothing of another. */
  #limits(request: CompactorRequest): Thresholds {
    const { state, windowOf } = this.#options;
    const { name } = request.model;
    if (state.model !== name)
      Object.assign(state, { ...newCompactionState(), model: name, failures: state.failures });
    return thresholds(windowOf(request));
  }

  /** Another summary could not be made; what the person is told of it, once. */
  #failed(): string | undefined {
    return ++this.#options.state.failures === MOST_FAILURES ? NOT_SUMMARISED : undefined;
  }

  /** What the model counts is believed from then on. */
  #calibrate({ usage, ...request }: CompactorRequest): void {
    const answer = request.messages.findLastIndex(({ role }) => role === 'assistant');
    if (usage === undefined || answer < 0) return;
    const { state } = this.#options;
    const told = leaveOut(request.messages.slice(0, answer + 1), state.leftOut);
    const estimated = tokensOfFixed(request) + tokensOfMessages(told);
    const counted = believedTokens(usage, estimated);
    if (counted === undefined) return;
    state.density = Math.min(MOST_DENSE, Math.max(LEAST_DENSE, counted / estimated));
  }

  #used(request: CompactorRequest): number {
    const used = usedTokens(request, request.usage);
    return request.usage === undefined ? used * this.#options.state.density : used;
  }

  /** Leaves out old results once there is little room, and no others until there is little again. */
  #withoutOld(request: CompactorRequest, limits: Thresholds): readonly Message[] {
    const { state } = this.#options;
    this.#forgetGone(request.messages);
    const messages = leaveOut(request.messages, state.leftOut);
    if (this.#used({ ...request, messages }) <= Math.min(limits.microThreshold, state.limit)) return messages;
    const old = oldCalls(request.messages);
    const fewer = leaveOut(request.messages, old);
    const gain = tokensOfMessages(messages) - tokensOfMessages(fewer);
    if (gain < limits.effectiveWindow * MICRO_PART) return messages;
    state.leftOut = old;
    return fewer;
  }

  /** A call that is no longer shown may lend its id to a new one: some servers count anew in each answer. */
  #forgetGone(messages: readonly Message[]): void {
    const { state } = this.#options;
    if (state.leftOut.size === 0) return;
    const shown = callsIn(messages);
    const left = [...state.leftOut].filter((id) => shown.has(id));
    // The same set stands for the same view.
    if (left.length < state.leftOut.size) state.leftOut = new Set(left);
  }

  /** Undefined when there is too little to summarise. */
  async #summarise(
    request: CompactorRequest,
    stored: readonly Message[],
    limits: Thresholds,
    keep: number,
    trigger: Compacting['trigger'],
    used: number,
  ): Promise<Compacted | { readonly reason: string } | undefined> {
    const { onSummary, pause, state } = this.#options;
    const { messages, model, signal } = request;
    const window = Math.min(limits.effectiveWindow, state.limit);
    const room = Math.min(summaryThreshold(limits), window) - tokensOfFixed(request);
    const cut = room < window * LEAST_ROOM ? undefined : summaryCut(messages, keep, window);
    if (cut === undefined) return undefined;
    onSummary?.();
    // What the model folded earlier is retold as it was folded: all of it may be several windows long.
    const told = leaveOut(capped(materialize(stored, [], cut), limits), state.leftOut);
    const result = await summarise({
      ...{ model, signal, pause, instructions: '', messages: told },
      ...{
        window: Math.floor(window / state.density),
        most: Math.min(limits.reserved, Math.floor(room / 2)),
      },
    });
    if (!result.ok) return result;
    return compacted({ messages, cut, trigger, used, window, ...result, model: model.name });
  }

  #fitted(request: CompactorRequest, messages: readonly Message[], limits: Thresholds): Prepared {
    const { state } = this.#options;
    const limit = Math.min(limits.effectiveWindow, state.limit);
    // What the model itself counted is nearer than the estimate.
    state.isFitted = this.#used({ ...request, messages }) > limit;
    if (!state.isFitted) return { messages, drafts: [] };
    const room = Math.floor(limit / Math.max(1, state.density)) - tokensOfFixed(request);
    const fitted = fitInto(messages, Math.max(0, room)).messages;
    // A window that we were told may be another, so only what the model itself refused counts. The model would ask for
    // the same results again and again, since it never sees them.
    const isTooSmall =
      Number.isFinite(state.limit) && room < limit * LEAST_ROOM && !hasNewResults(messages, fitted);
    return { messages: fitted, drafts: [], ...(isTooSmall && { problem: WINDOW_TOO_SMALL }) };
  }
}

/** No result takes up the window alone: one that is longer loses its middle, always the same. */
function capped(messages: readonly Message[], { effectiveWindow }: Thresholds): readonly Message[] {
  const results = Math.floor(effectiveWindow * RESULT_PART);
  return messages.map((message) => {
    let short = shortened.get(message);
    if (short?.results !== results) {
      short = { results, message: clipMessage(message, { results }) };
      shortened.set(message, short);
    }
    return short.message;
  });
}

/** Whether what the last calls answered, if there were any, is whole in a view that was made to fit. */
function hasNewResults(messages: readonly Message[], fitted: readonly Message[]): boolean {
  const after = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  return after.every(
    (message) => fitted.includes(message) || !message.content.some(({ type }) => type === 'tool_result'),
  );
}

function callsIn(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { content } of messages)
    for (const block of content) if (block.type === 'tool_use') ids.add(block.id);
  return ids;
}

/** What was counted was another view, or was not true. */
function uncounted<Request extends CompactorRequest>(request: Request): Request & { usage: undefined } {
  return { ...request, usage: undefined };
}
