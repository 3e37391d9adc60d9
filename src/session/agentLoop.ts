/**
 * The agent loop: a model is shown the session's view, says something, its calls run, and so on until it has
 * nothing more to do. Everything is recorded before it has consequences: what the model said before its calls
 * run, and their results before the model is shown them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../journal/errors.ts';
import type { SessionApi, TurnOutcome, TurnOwner, TurnView } from '../worker/sessionApi.ts';
import { type ChatModel, ModelError } from './chatModel.ts';
import { addUsage, type Message, NO_USAGE, textMessage, textOf, type Usage } from './messages.ts';
import { type Answer, type AnswerListener, askModel } from './modelAnswer.ts';
import type { Draft, TurnEnd } from './record.ts';
import { shownMessage } from './shownMessage.ts';
import { type CallListener, type LoopResult, type LoopTools, resultBlock, runCalls } from './turnCalls.ts';

const MAX_STEPS = 200;
/** A failure that may pass is tried again so often. */
const RETRIES = 2;
/** Before the first retry where the server does not say; four times as long before the next. */
const RETRY_MS = 1_000;
/** Nobody waits longer than this without knowing why. */
const LONGEST_WAIT_MS = 60_000;

export interface TurnOptions extends AnswerListener, CallListener {
  readonly sessions: Pick<SessionApi, 'turnBegin' | 'turnStep' | 'turnStop' | 'turnEnd'>;
  readonly owner: TurnOwner;
  /** What the person or the parent says; drafts where there is more to record with it. */
  readonly prompt: string | readonly Draft[];
  readonly model: ChatModel;
  readonly system: string;
  readonly tools: LoopTools;
  readonly signal: AbortSignal;
  /** How often the model may be asked; 200 when not given. */
  readonly maxSteps?: number | undefined;
  /** `todo.reminders.max`; 0 for loops without a list. */
  readonly reminders: number;
  /** Name of the tool that the model must call in its first answer. */
  readonly forced?: string | undefined;
}

export interface TurnResult extends TurnOutcome {
  /** Of all the model's answers in this turn, as far as it told. */
  readonly usage: Usage;
  /** What the model said last, without thinking and calls. */
  readonly text: string;
  /** How often the model answered. */
  readonly steps: number;
}

/**
 * Runs a turn to its end: the model is done, the person cancels, the model fails, or the steps are used up.
 * @throws StoreError when the turn cannot begin, such as when another process works on the session. Whatever
 *   happens later is in the result.
 */
export async function runTurn(options: TurnOptions): Promise<TurnResult> {
  const { sessions, owner, prompt } = options;
  const drafts = typeof prompt === 'string' ? [messageDraft(textMessage('user', prompt))] : prompt;
  const turn = new Turn(options, await sessions.turnBegin(owner, drafts));
  return turn.run();
}

class Turn {
  readonly #options: TurnOptions;
  readonly #id: string;
  #messages: readonly Message[] = [];
  /** Ids of the calls in the messages. */
  readonly #callIds = new Set<string>();
  #usage = NO_USAGE;
  #text = '';
  #steps = 0;

  constructor(options: TurnOptions, view: TurnView) {
    this.#options = options;
    this.#id = view.id;
    this.#take(view);
  }

  async run(): Promise<TurnResult> {
    const outcome = await this.#loop().catch((error: unknown) => this.#broken(error));
    return { ...outcome, usage: this.#usage, text: this.#text, steps: this.#steps };
  }

  async #loop(): Promise<TurnOutcome> {
    const { sessions, tools, signal, maxSteps = MAX_STEPS, reminders } = this.#options;
    for (;;) {
      const specs = tools.specs();
      const answer = await this.#ask(specs);
      if (signal.aborted || answer.failure !== undefined) return this.#cutShort(answer);
      const said = answerDraft(answer, this.#options.model);
      if (answer.calls.length === 0) {
        const next = await sessions.turnStop(this.#id, [said], { reminders });
        if ('reason' in next) return next;
        this.#take(next);
        if (this.#steps >= maxSteps) return this.#end([], usedUp(maxSteps));
        continue;
      }
      this.#take(await sessions.turnStep(this.#id, [said]));
      const offered = new Set(specs.map(({ name }) => name));
      const results = await runCalls(answer.calls, tools, offered, signal, this.#options);
      const answered = resultsDraft(answer, results);
      if (signal.aborted) return this.#end([answered], { reason: 'aborted' });
      if (results.some(({ endsTurn }) => endsTurn === true))
        return this.#end([answered], { reason: 'completed' });
      if (this.#steps >= maxSteps) return this.#end([answered], usedUp(maxSteps));
      this.#take(await sessions.turnStep(this.#id, [answered]));
    }
  }

  /** One answer of the model. It is asked again where nothing of an answer came yet and that may help. */
  async #ask(tools: ReturnType<LoopTools['specs']>): Promise<Answer> {
    const { model, system, signal, forced } = this.#options;
    const mustCall = this.#steps === 0 ? forced : undefined;
    let retries = 0;
    let isEmpty = false;
    for (;;) {
      const request = { system, messages: this.#messages, tools, mustCall };
      const answer = await askModel(model, request, signal, this.#callIds, this.#options);
      if (answer.usage) this.#usage = addUsage(this.#usage, answer.usage);
      if (signal.aborted) return this.#counted(answer);
      const { failure } = answer;
      if (failure === undefined) {
        if (!saysNothing(answer)) return this.#counted(answer);
        if (isEmpty) return { ...answer, failure: new ModelError(NOTHING_SAID) };
        isEmpty = true;
        continue;
      }
      const wait =
        answer.content.length === 0 && retries < RETRIES ? waitBefore(failure, retries) : undefined;
      if (wait === undefined) return this.#counted(answer);
      retries++;
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  #counted(answer: Answer): Answer {
    if (answer.content.length > 0) this.#steps++;
    const text = textOf({ role: 'assistant', content: answer.content });
    if (text !== '') this.#text = text;
    return answer;
  }

  /** Ends the turn within an answer: what was said is kept, and its calls do not run. */
  #cutShort(answer: Answer): Promise<TurnOutcome> {
    const { signal, model } = this.#options;
    const { content, calls, failure } = answer;
    const text = signal.aborted
      ? 'Cancelled before it ran. Nothing was changed.'
      : 'Not run, because the answer broke off. Nothing was changed.';
    const drafts = content.length === 0 ? [] : [answerDraft(answer, model)];
    if (calls.length > 0)
      drafts.push(
        resultsDraft(
          answer,
          calls.map(() => ({ text, isError: true })),
        ),
      );
    if (signal.aborted) return this.#end(drafts, { reason: 'aborted' });
    const reason = failure instanceof ModelError && failure.isLimit ? 'limit' : 'error';
    return this.#end(drafts, { reason, detail: messageOf(failure) });
  }

  #end(drafts: readonly Draft[], end: TurnEnd): Promise<TurnOutcome> {
    return this.#options.sessions.turnEnd(this.#id, drafts, end);
  }

  /** Something failed that is not the model: the session must not stay held by a loop that is gone. */
  async #broken(error: unknown): Promise<TurnOutcome> {
    const detail = messageOf(error);
    try {
      return await this.#end([], { reason: 'error', detail });
    } catch {
      return { reason: 'writer-failed', detail };
    }
  }

  /** Takes in what became of the view. Messages told before stay the same objects. */
  #take({ keep, messages }: TurnView): void {
    this.#messages = [...this.#messages.slice(0, keep), ...messages.map(shownMessage)];
    for (const { content } of messages)
      for (const block of content) if (block.type === 'tool_use') this.#callIds.add(block.id);
  }
}

/** How a turn ends whose model neither says nor does anything; a door may put it into the person's language. */
export const NOTHING_SAID = 'The model answered nothing, twice. Try again, or choose another model.';

function usedUp(maxSteps: number): TurnEnd {
  return {
    reason: 'limit',
    detail: `Stopped after ${maxSteps} steps without an end. Say "go on" to let it continue.`,
  };
}

/** Neither a text nor a call: thinking alone is no answer. */
function saysNothing({ content, calls }: Answer): boolean {
  return calls.length === 0 && content.every((block) => block.type !== 'text' || block.text.trim() === '');
}

/** Milliseconds before a failed request is sent again; undefined when it is not. */
function waitBefore(failure: Error, retries: number): number | undefined {
  if (!(failure instanceof ModelError && failure.isTransient)) return undefined;
  const wait = failure.retryAfterMs ?? RETRY_MS * 4 ** retries;
  return wait <= LONGEST_WAIT_MS ? wait : undefined;
}

/** Says also whose answer it is, and how large the window is that it took up a part of. */
function answerDraft({ content, usage }: Answer, { name: model, maxInputTokens: window }: ChatModel): Draft {
  const message = { role: 'assistant', content } as const;
  return { type: 'message', message, ...(usage && { usage }), model, ...(window && { window }) };
}

/** The results of an answer's calls: one message, in the order of writing. */
function resultsDraft({ calls }: Answer, results: readonly LoopResult[]): Draft {
  const content = calls.map((call, at) => resultBlock(call, results[at] as LoopResult));
  return messageDraft({ role: 'user', content });
}

function messageDraft(message: Message): Draft {
  return { type: 'message', message };
}
