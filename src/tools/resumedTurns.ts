/**
 * Turns of loops of ours that begin by looking what an earlier one left: calls of which nobody recorded what became,
 * work in the background, and settings that are looser than they were.
 */
import { policyOf } from '../session/resume/policy.ts';
import type { HostRun } from '../session/resume/run.ts';
import { idOf } from '../session/sessionId.ts';
import type { SessionApi } from '../worker/sessionApi.ts';
import type { HeldPolicies } from './heldPolicy.ts';
import { type LeftExaminer, lookAtLeft } from './left.ts';

export interface ResumedTurnsParts {
  readonly sessions: Pick<SessionApi, 'sessionLeft' | 'sessionSettle'>;
  readonly host: Omit<HostRun, 'policy'>;
  readonly policies: HeldPolicies;
  readonly examiner: LeftExaminer;
}

/** The same way to begin a turn. What cannot be looked at is unknown, which is no reason not to begin. */
export function resumedTurns(
  turnBegin: SessionApi['turnBegin'],
  { sessions, host, policies, examiner }: ResumedTurnsParts,
): SessionApi['turnBegin'] {
  const settle = async (id: string) => {
    const examined = await lookAtLeft(id, sessions, examiner, host.instance);
    if (examined === undefined) return;
    const { told, ...found } = examined;
    await sessions.sessionSettle(id, found);
    told();
  };
  return async (owner, drafts) => {
    // A subagent's session is its own from its first word to its last.
    if (owner.agent === undefined) await settle(idOf(owner.key)).catch(() => {});
    const run = owner.run && { ...owner.run, ...host, policy: policyOf(policies.own) };
    const view = await turnBegin({ ...owner, run }, drafts);
    policies.hold(owner.key, view.policy);
    return view;
  };
}
