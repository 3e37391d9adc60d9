/**
 * The agent loop: a model is shown the session's view, says something, its calls run, and so on until it has
 * nothing more to do. Everything is recorded before it has consequences: what the model said before its calls
 * run, and their results before the model is shown them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../journal/errors.ts';
import type { SessionApi, TurnOutcome, TurnOwner, TurnView } from '../worker/sessionApi.ts';
import { type ChatModel, ModelError } from './chatModel.ts';
import type { Compactor } from './compactor.ts';
import { EffectGuard, outcomesOf } from './effectGuard.ts';
import {
  answerDraft,
  isOverflow,
  messageDraft,
  resultsDraft,
  saysNothing,
  waitBefore,
} from './loopAnswers.ts';
import { type LoopRequests, preparedMessages, shorterMessages } from './loopRequests.ts';
import { addUsage, type Message, NO_USAGE, textMessage, textOf, type Usage } from './messages.ts';
import { type Answer, type AnswerListener, askModel } from './modelAnswer.ts';
import type { Draft, TurnEnd } from './record.ts';
import { loopRun } from './resume/run.ts';
import { shownMessage } from './shownMessage.ts';
import { type CallListener, combine, type LoopResult, type LoopTools, runCalls } from './turnCalls.ts';

const MAX_STEPS = 200;
/** A failure that may pass is tried again so often. */
const RETRIES = 2;

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
  /** Keeps the requests within the model's window; without it the view is sent as it is. */
  readonly compactor?: Compactor | undefined;
  /** Told what the person should know of how the view was shortened. */
  onNotice?: ((text: string) => void) | undefined;
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
export async function runTurn(given: TurnOptions): Promise<TurnResult> {
  const { sessions, owner, prompt, model, system, compactor } = given;
  const tools = compactor?.tools === undefined ? given.tools : combine(given.tools, compactor.tools);
  const options = { ...given, tools };
  const drafts = typeof prompt === 'string' ? [messageDraft(textMessage('user', prompt))] : prompt;
  const run = loopRun(model, system, tools.specs());
  const turn = new Turn(options, await sessions.turnBegin({ ...owner, run }, drafts));
  return turn.run();
}

class Turn {
  readonly #options: TurnOptions;
  readonly #id: string;
  readonly #guard: EffectGuard;
  readonly #maxSteps: number;
  #messages: readonly Message[] = [];
  /** Ids of the calls in the messages. */
  readonly #callIds = new Set<string>();
  #usage = NO_USAGE;
  /** Of the last answer, which was given to the first `of` messages; undefined where these changed. */
  #counted: { readonly usage: Usage; readonly of: number } | undefined;
  #text = '';
  #steps = 0;

  constructor(options: TurnOptions, view: TurnView) {
    this.#options = options;
    this.#id = view.id;
    this.#guard = new EffectGuard(options.tools);
    this.#maxSteps = stepsAllowed(options, view);
    this.#take(view);
  }

  async run(): Promise<TurnResult> {
    const outcome = await this.#loop().catch((error: unknown) => this.#broken(error));
    return { ...outcome, usage: this.#usage, text: this.#text, steps: this.#steps };
  }

  async #loop(): Promise<TurnOutcome> {
    const { sessions, signal, reminders } = this.#options;
    const { tools } = this.#guard;
    const maxSteps = this.#maxSteps;
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
      const offered = new Set(specs.map(({ name }) => name));
      const intents = await this.#guard.intents(answer.calls, offered);
      // In this order: a call that was recorded without its intent only reads.
      this.#take(await sessions.turnStep(this.#id, [...intents, said]));
      const results = await this.#run(answer, intents, offered);
      const answered = [
        resultsDraft(answer, results),
        ...outcomesOf(intents, idsOf(answer), results),
        ...this.#guard.taken(),
      ];
      if (signal.aborted) return this.#end(answered, { reason: 'aborted' });
      if (results.some(({ endsTurn }) => endsTurn === true))
        return this.#end(answered, { reason: 'completed' });
      if (this.#steps >= maxSteps) return this.#end(answered, usedUp(maxSteps));
      this.#take(await sessions.turnStep(this.#id, answered));
    }
  }

  /** Runs an answer's calls. That one took effect is recorded at once where others still run: that may take long. */
  async #run(
    { calls }: Answer,
    intents: readonly Draft[],
    offered: ReadonlySet<string>,
  ): Promise<readonly LoopResult[]> {
    const { sessions, signal, onCall, onResult } = this.#options;
    let running = calls.length;
    let noted: Promise<void> = Promise.resolve();
    const note = async (drafts: readonly Draft[]) => this.#take(await sessions.turnStep(this.#id, drafts));
    const results = await runCalls(calls, this.#guard.tools, offered, signal, {
      onCall,
      onResult: (call, result) => {
        onResult?.(call, result);
        running--;
        const drafts = outcomesOf(intents, [call.id], [result]);
        if (running === 0 || drafts.length === 0) return;
        noted = noted.then(() => note(drafts));
        // It is told where it is waited for.
        noted.catch(() => {});
      },
    });
    await noted;
    return results;
  }

  /** One answer of the model. It is asked again where nothing of an answer came yet and that may help. */
  async #ask(tools: ReturnType<LoopTools['specs']>): Promise<Answer> {
    const { signal } = this.#options;
    try {
      return await this.#asked(tools);
    } catch (error) {
      // Nothing of an answer was there yet.
      if (signal.aborted) return { content: [], calls: [], usage: undefined, failure: signal.reason };
      throw error;
    }
  }

  async #asked(tools: ReturnType<LoopTools['specs']>): Promise<Answer> {
    const { model, system, signal, forced } = this.#options;
    const mustCall = this.#steps === 0 ? forced : undefined;
    const requests = this.#requests(tools);
    let messages = await preparedMessages(requests);
    let retries = 0;
    let isEmpty = false;
    let isShorter = false;
    for (;;) {
      const request = { system, messages, tools, mustCall };
      const answer = await askModel(model, request, signal, this.#callIds, this.#options);
      if (answer.usage) this.#usage = addUsage(this.#usage, answer.usage);
      if (signal.aborted) return this.#taken(answer);
      const { failure } = answer;
      if (failure === undefined) {
        if (!saysNothing(answer)) return this.#taken(answer);
        if (isEmpty) return { ...answer, failure: new ModelError(NOTHING_SAID) };
        isEmpty = true;
        continue;
      }
      if (isOverflow(answer) && !isShorter) {
        isShorter = true;
        const shorter = await shorterMessages(requests);
        if (shorter !== undefined) {
          messages = shorter;
          continue;
        }
      }
      const wait =
        answer.content.length === 0 && retries < RETRIES ? waitBefore(failure, retries) : undefined;
      if (wait === undefined) return this.#taken(answer);
      retries++;
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  #requests(tools: ReturnType<LoopTools['specs']>): LoopRequests {
    const { sessions, compactor, model, system, signal, onNotice } = this.#options;
    return {
      compactor,
      onNotice,
      request: () => {
        const usage = this.#counted?.usage;
        return { system, messages: this.#messages, tools, model, usage, signal };
      },
      record: async (drafts) => {
        for (const draft of drafts)
          if (draft.type === 'message' && draft.usage) this.#usage = addUsage(this.#usage, draft.usage);
        this.#take(await sessions.turnStep(this.#id, drafts));
      },
    };
  }

  #taken(answer: Answer): Answer {
    if (answer.content.length > 0) this.#steps++;
    this.#counted = answer.usage && { usage: answer.usage, of: this.#messages.length };
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
  #take({ keep, messages, unknowns }: TurnView): void {
    this.#guard.update(unknowns);
    if (this.#counted !== undefined && keep < this.#counted.of) this.#counted = undefined;
    this.#messages = [...this.#messages.slice(0, keep), ...messages.map(shownMessage)];
    for (const { content } of messages)
      for (const block of content) if (block.type === 'tool_use') this.#callIds.add(block.id);
  }
}

function idsOf({ calls }: Answer): readonly string[] {
  return calls.map(({ block }) => block.id);
}

/** The fewer of what the loop was given and of what the session was left with. */
function stepsAllowed({ maxSteps = MAX_STEPS }: TurnOptions, { policy }: TurnView): number {
  const left = policy?.['agents.maxSteps'];
  return typeof left === 'number' ? Math.min(left, maxSteps) : maxSteps;
}

/** How a turn ends whose model neither says nor does anything; a door may put it into the person's language. */
export const NOTHING_SAID = 'The model answered nothing, twice. Try again, or choose another model.';

function usedUp(maxSteps: number): TurnEnd {
  return {
    reason: 'limit',
    detail: `Stopped after ${maxSteps} steps without an end. Say "go on" to let it continue.`,
  };
}
