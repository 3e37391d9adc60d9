import type { CheckpointView } from '../planProtocol.ts';
import { CheckpointMachine } from '../session/checkpoint.ts';
import type { Draft } from '../session/record.ts';
import { phrase, StoreError } from './api.ts';
import type { Held } from './held.ts';
import type { HeldSessions } from './heldSessions.ts';
import type { CheckpointOutcome, SessionCaller, SessionReader } from './sessionApi.ts';
import { at } from './sessionIds.ts';

/** The checkpoints of sessions. */
export class Checkpoints {
  readonly #sessions: HeldSessions;

  constructor(sessions: HeldSessions) {
    this.#sessions = sessions;
  }

  create(caller: SessionCaller, goal: string): CheckpointOutcome {
    const call = callOf(caller);
    // A subagent has a transcript elsewhere, and must not start a session of its own here.
    if (call.depth > 0) return refusal(new CheckpointMachine().create(goal, call));
    return this.#sessions.write(caller, (held) => {
      const answer = held.live.checkpoint.create(goal, call);
      if (!answer.ok) return answer;
      this.#sessions.append(held, at(caller.level, answer.drafts));
      return { ok: true, text: answer.text, report: undefined };
    });
  }

  rewind(caller: SessionCaller, report: string): CheckpointOutcome {
    const call = callOf(caller);
    if (call.depth > 0) return refusal(new CheckpointMachine().rewind(report, call));
    return this.#sessions.write(caller, (held) => {
      const answer = held.live.checkpoint.rewind(report, call);
      if (!answer.ok) return answer;
      this.#sessions.append(held, at(caller.level, answer.drafts));
      this.#carryOut(held);
      return { ok: true, text: answer.text, report: answer.details?.report };
    });
  }

  settle(
    id: string,
    report: string | undefined,
    reader: SessionReader,
    startedAt: number | undefined,
  ): CheckpointOutcome {
    const { summary, state } = this.#sessions.readable(id, reader);
    const { checkpoint } = state;
    const { active } = checkpoint;
    if (active !== undefined && startedAt !== undefined && Date.parse(active.startedAt) !== startedAt) {
      throw new StoreError(
        phrase(
          'The checkpoint has changed meanwhile: another one is open now. Look at it, then decide again.',
        ),
      );
    }
    const answer = report === undefined ? cancel(checkpoint) : checkpoint.rewind(report, { depth: 0 });
    if (!answer.ok) return answer;
    const held = this.#sessions.get(id);
    if (held === undefined) {
      for (const draft of answer.drafts) this.#sessions.deliver(id, { ...draft, level: summary.level });
    } else {
      this.#sessions.append(held, answer.drafts);
      this.#carryOut(held);
    }
    return { ok: true, text: answer.text, report: report === undefined ? undefined : report.trim() };
  }

  /** A turn of ours carries a rewind out when its step is complete; elsewhere the branch is recorded at once. */
  #carryOut(held: Held): void {
    if (held.turn === undefined) this.#sessions.append(held, held.live.checkpoint.turnEnd());
  }
}

/** A checkpoint's state as a panel shows it, without what belongs to the session. */
export function checkpointView(
  machine: CheckpointMachine | undefined,
): Pick<CheckpointView, 'active' | 'history'> {
  const active = machine?.active;
  return {
    active:
      active === undefined
        ? null
        : {
            goal: active.goal,
            startedAt: Date.parse(active.startedAt),
            since: active.since,
            pending: active.report !== undefined,
          },
    history: machine === undefined ? [] : historyOf(machine),
  };
}

/** Ended checkpoints, newest first. */
export function historyOf({ ended }: CheckpointMachine): CheckpointView['history'] {
  return ended
    .map(({ goal, report = null, since, startedAt, endedAt }) => ({
      goal,
      report,
      since,
      startedAt: Date.parse(startedAt),
      endedAt: Date.parse(endedAt),
    }))
    .reverse();
}

function callOf({ loop }: SessionCaller): { depth: number; callId: string | undefined } {
  return { depth: loop?.depth ?? 0, callId: loop?.callId };
}

function cancel(checkpoint: CheckpointMachine): { ok: true; text: string; drafts: Draft[] } {
  const drafts = checkpoint.cancel();
  if (drafts.length === 0) throw new StoreError(phrase('There is no open checkpoint to cancel.'));
  const text = 'Checkpoint cancelled. What was explored stays in the conversation.';
  return { ok: true, text, drafts };
}

function refusal(answer: { ok: boolean; error?: string }): CheckpointOutcome {
  return { ok: false, error: answer.error ?? '' };
}
