/** Bounds of one subagent: how long it may take and how much it may use. */
import type { ChatModel } from '../session/chatModel.ts';

export interface TaskLimits {
  /** How often the model may be asked (`agents.maxSteps`). */
  readonly steps: number;
  /** Minutes (`task.maxMinutes`); 0 is no limit. */
  readonly minutes: number;
  /** Tokens of all answers and what they were shown (`task.maxTokens`); 0 is no limit. */
  readonly tokens: number;
}

/** The longest that a timer waits, in milliseconds; it would fire at once for more. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** A limit was reached; the message says which, for whoever asked for the task. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

/** A signal that fires with `outer`, or with a `LimitReached`. `dispose` when the task has ended. */
export class Bounds {
  readonly signal: AbortSignal;
  readonly #limits: TaskLimits;
  readonly #reached = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #tokens = 0;

  constructor(limits: TaskLimits, outer: AbortSignal) {
    this.#limits = limits;
    this.signal = AbortSignal.any([outer, this.#reached.signal]);
    const { minutes } = limits;
    if (minutes > 0)
      this.#timer = setTimeout(
        () => this.#reached.abort(new LimitReached(`Stopped after ${minutes} minutes (task.maxMinutes).`)),
        Math.min(minutes * 60_000, LONGEST_TIMER),
      );
  }

  /** The model, counting what it uses. */
  metered(model: ChatModel, used: (tokens: number) => void): ChatModel {
    const count = (tokens: number) => {
      used(tokens);
      this.#tokens += tokens;
      const { tokens: most } = this.#limits;
      if (most > 0 && this.#tokens > most)
        this.#reached.abort(new LimitReached(`Stopped after ${this.#tokens} tokens (task.maxTokens).`));
    };
    return {
      name: model.name,
      maxInputTokens: model.maxInputTokens,
      async *send(request, signal) {
        for await (const part of model.send(request, signal)) {
          if (part.type === 'usage') count(part.usage.input_tokens + part.usage.output_tokens);
          yield part;
        }
      },
    };
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
