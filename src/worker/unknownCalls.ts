/** What keeps tools of a session from acting: the person is shown it, and says what is in order. */
import type { Acknowledged } from '../session/effects.ts';
import { type Found, settlement } from '../session/resume/findings.ts';
import type { Ledger } from '../session/resume/ledger.ts';
import { idOf } from '../session/sessionId.ts';
import { phrase, StoreError } from './api.ts';
import type { Held } from './held.ts';
import type { HeldSessions } from './heldSessions.ts';
import type { OpenQuestions, SessionLeft, SessionReader } from './sessionApi.ts';

export class UnknownCalls {
  readonly #sessions: HeldSessions;

  constructor(sessions: HeldSessions) {
    this.#sessions = sessions;
  }

  left(id: string): SessionLeft | undefined {
    if (!this.#sessions.exists(id)) return undefined;
    const held = this.#sessions.open(id);
    if (held.turn !== undefined) return undefined;
    const { ledger, info, writer } = held.live;
    // A transcript that somebody else began does not say whose it is.
    if (info === undefined || idOf(info.key) !== id) return undefined;
    return {
      ...{ id, key: info.key, kind: info.kind, level: writer.level },
      instance: ledger.run?.instance,
      calls: ledger.unresolved,
    };
  }

  settle(id: string, found: Found): void {
    if (!this.#sessions.exists(id)) return;
    const held = this.#sessions.open(id);
    if (held.turn === undefined) this.settled(held, found);
  }

  /** Records what became of the calls of a session that was left; nothing when there is nothing new. */
  settled(held: Held, found: Found): void {
    const drafts = settlement(held.live.ledger, found, this.#sessions.parts(held));
    if (drafts.length > 0) this.#sessions.append(held, drafts);
  }

  list(id: string, reader: SessionReader): OpenQuestions {
    return questionsOf(this.#sessions.readable(id, reader).state.ledger);
  }

  acknowledge(id: string, { calls, policy = {} }: Omit<Acknowledged, 'by'>, reader: SessionReader) {
    const { summary, state } = this.#sessions.readable(id, reader);
    const open = questionsOf(state.ledger);
    const ids = new Set(open.calls.map((call) => call.id));
    if (calls.some((call) => !ids.has(call.id)))
      throw new StoreError(
        phrase('There is no open question about this call any more. Look at the session again.'),
      );
    const keys = new Set(open.policy.map(({ key }) => key));
    if (Object.keys(policy).some((key) => !keys.has(key)))
      throw new StoreError(
        phrase('There is no open question about this setting any more. Look at the session again.'),
      );
    const isPolicy = Object.keys(policy).length > 0;
    if (calls.length > 0 || isPolicy) {
      const acknowledged: Acknowledged = { by: 'person', calls, ...(isPolicy && { policy }) };
      const held = this.#sessions.get(id);
      if (held === undefined)
        this.#sessions.deliver(id, { type: 'acknowledged', acknowledged, level: summary.level });
      else this.#sessions.append(held, [{ type: 'acknowledged', acknowledged }]);
    }
    return questionsOf(this.#sessions.state(id).ledger);
  }
}

/** What is open by a session's records. */
function questionsOf({ unknown, run, accepted }: Ledger): OpenQuestions {
  const policy = Object.entries(run?.asked ?? {})
    .filter(([key, says]) => JSON.stringify(accepted[key]) !== JSON.stringify(says))
    .map(([key, says]) => ({ key, counts: run?.policy[key] ?? null, says }));
  return { calls: unknown, policy };
}
