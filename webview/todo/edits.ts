import type { TodoPhase, TodoStep } from '../../src/planProtocol.ts';
import { applySteps } from './steps.ts';

export interface Answer {
  readonly phases: readonly TodoPhase[];
  readonly errors: readonly string[];
}

type Send = (session: string, steps: readonly TodoStep[]) => Promise<Answer>;

interface Pending {
  readonly session: string;
  readonly steps: readonly TodoStep[];
}

/**
 * A person's edits on their way to the host: one after the other, and shown at once. What the host answers
 * takes the place of what was assumed.
 */
export class Edits {
  readonly #send: Send;
  #pending: readonly Pending[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(send: Send) {
    this.#send = send;
  }

  /** The list with the edits that the host has not answered yet. */
  over(session: string, phases: readonly TodoPhase[]): readonly TodoPhase[] {
    const steps = this.#pending.filter((each) => each.session === session).flatMap((each) => each.steps);
    return steps.length === 0 ? phases : applySteps(phases, steps);
  }

  /** Rejects when the call failed; then nothing was changed. */
  async add(session: string, steps: readonly TodoStep[]): Promise<Answer> {
    const edit = { session, steps };
    this.#pending = [...this.#pending, edit];
    const answer = this.#last.then(() => this.#send(session, steps));
    this.#last = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      this.#pending = this.#pending.filter((other) => other !== edit);
    }
  }
}
