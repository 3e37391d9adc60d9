/** Sessions that were left: somebody looks what became of what they did, before they go on. */
import type { Found } from '../session/resume/findings.ts';
import type { SessionApi, SessionLeft } from '../worker/sessionApi.ts';

/** What was found; `told` is to be called once it is recorded. */
export interface Examined extends Found {
  told(): void;
}

export interface LeftExaminer {
  /** Never throws: what cannot be looked at is unknown. */
  examine(left: SessionLeft): Promise<Examined>;
}

/**
 * Looks what a session left; undefined where there is nothing to look at, no such session, or a turn of it runs.
 * @param instance the app that looks: what runs in the background is looked at once in each life of an app
 */
export async function lookAtLeft(
  id: string,
  sessions: Pick<SessionApi, 'sessionLeft'>,
  examiner: LeftExaminer,
  instance?: string,
): Promise<Examined | undefined> {
  const left = await sessions.sessionLeft(id);
  return left === undefined || !isToBeLookedAt(left, instance) ? undefined : examiner.examine(left);
}

function isToBeLookedAt({ calls, instance }: SessionLeft, own: string | undefined): boolean {
  return calls.length > 0 || (instance !== undefined && instance !== own);
}
