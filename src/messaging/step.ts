/**
 * One prompt in a session whose loop is ours, at most once ever. The session's transcript is the truth: the prompt's
 * record has the step's id, and a step that is there has happened or was interrupted, and does not run again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../journal/errors.ts';
import type { Level } from '../policy/level.ts';
import { runTurn } from '../session/agentLoop.ts';
import { NO_USAGE, textMessage, type Usage } from '../session/messages.ts';
import type { Draft, InterSession } from '../session/record.ts';
import type { StepDone } from '../session/steps.ts';
import type { TurnOwner } from '../worker/sessionApi.ts';
import type { LoopAgent, MessagingHost } from './host.ts';

/** Between two looks at a session that is busy, or at a step that another process runs. */
const FIRST_LOOK_MS = 100;
const LOOK_MS = 1_000;

export interface Step {
  /** The uuid of its prompt. */
  readonly id: string;
  /** `owner.step` is set here. */
  readonly owner: TurnOwner;
  /** Id of the session. */
  readonly session: string;
  readonly text: string;
  readonly provenance: InterSession;
  readonly agent: LoopAgent;
  readonly signal: AbortSignal;
  /** How long it waits for a session that is busy; without it for as long as that takes. */
  readonly patienceMs?: number | undefined;
}

interface StepFacts {
  /** The model's last words, also where the step did not come to its own end. */
  readonly reply: string;
  readonly lastToolResult: string | undefined;
  readonly usage: Usage;
  readonly runtimeMs: number;
  /** Of what was said in it. */
  readonly level: Level;
}

export type StepEnd =
  | ({ readonly state: 'done' } & StepFacts)
  | ({
      readonly state: 'failed' | 'cancelled' | 'interrupted';
      readonly error: string;
      /** False: nothing of it happened, and another process may still run it. */
      readonly hasBegun: boolean;
    } & StepFacts);

/** Runs a step, or tells what became of it. A busy session is waited for. Never throws. */
export async function runStep(host: MessagingHost, step: Step): Promise<StepEnd> {
  try {
    return await new StepRun(host, step).run();
  } catch (error) {
    return notBegun(step, step.signal.aborted ? 'cancelled' : 'failed', messageOf(error));
  }
}

class StepRun {
  readonly #host: MessagingHost;
  readonly #step: Step;

  constructor(host: MessagingHost, step: Step) {
    this.#host = host;
    this.#step = step;
  }

  async run(): Promise<StepEnd> {
    const { id, session, signal, patienceMs = Number.POSITIVE_INFINITY } = this.#step;
    const until = Date.now() + patienceMs;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 2, LOOK_MS)) {
      const state = await this.#host.sessions.stepState(session, id);
      if (state.state === 'ended') return endOf(state);
      if (state.state === 'given') throw new Error('The message was delivered without a turn.');
      if (state.state === 'open' && !state.isLive) return endOf(await this.#settled());
      if (state.state === 'absent') {
        signal.throwIfAborted();
        try {
          await this.#begin();
          continue;
        } catch (error) {
          const after = await this.#host.sessions.stepState(session, id);
          if (after.state === 'absent' && (!this.#host.isBusy(error) || Date.now() > until)) throw error;
        }
      }
      await delay(pause, undefined, { signal });
    }
  }

  /** @throws what keeps the turn from its beginning. */
  async #begin(): Promise<void> {
    const { id, owner, text, provenance, agent, signal } = this.#step;
    const { system, tools, maxSteps, compactor } = agent;
    const prompt: Draft = {
      ...{ type: 'message', uuid: id, provenance, begins: true },
      message: textMessage('system', text.toWellFormed()),
    };
    await runTurn({
      ...{ sessions: this.#host.sessions, owner: { ...owner, step: id }, prompt: [prompt] },
      ...{ model: await agent.model(), system, tools, signal, maxSteps, compactor, reminders: 0 },
      onText: () => {},
    });
  }

  /** A step whose process is gone: it may have ended just now, between two looks. */
  async #settled(): Promise<StepDone> {
    const { id, session, owner } = this.#step;
    const state = await this.#host.sessions.stepState(session, id);
    if (state.state === 'ended') return state;
    return {
      ...{ state: 'ended', reason: 'interrupted', reply: '', lastToolResult: undefined },
      ...{ usage: NO_USAGE, runtimeMs: 0, level: owner.level },
    };
  }
}

const INTERRUPTED =
  'The run was interrupted before its end, and it is not repeated, since what it did may have taken effect. Look with sessions_history what it did.';

function endOf({ reason, detail, state: _, ...facts }: StepDone): StepEnd {
  switch (reason) {
    case 'completed':
      return { state: 'done', ...facts };
    case 'aborted':
      return { state: 'cancelled', hasBegun: true, error: 'The run was stopped.', ...facts };
    case 'interrupted':
      return { state: 'interrupted', hasBegun: true, error: INTERRUPTED, ...facts };
    default:
      return { state: 'failed', hasBegun: true, error: detail ?? `The run ended by ${reason}.`, ...facts };
  }
}

function notBegun({ owner }: Step, state: 'failed' | 'cancelled', error: string): StepEnd {
  const nothing = { reply: '', lastToolResult: undefined, usage: NO_USAGE, runtimeMs: 0, level: owner.level };
  return { state, error, hasBegun: false, ...nothing };
}
