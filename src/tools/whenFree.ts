/** Waiting for a session that another process still has open, or a turn that is about to end. */
import { setTimeout as delay } from 'node:timers/promises';
import { BusyError } from '../worker/api.ts';

/** Together longer than a process takes that has nothing to do with a session: half a second, and the idle one's five. */
const TRIES = 32;
const PAUSE_MS = 250;

/**
 * Calls again while somebody else has the session that the call needs: an idle process lets go of it in a moment, and
 * so does a turn that was stopped.
 * @param call one that has changed nothing when it throws a `BusyError`
 * @param pause milliseconds between two tries
 * @throws what the call throws, a `BusyError` after some seconds of it; an AbortError once the signal fires
 */
export async function whenFree<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  pause: number = PAUSE_MS,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof BusyError) || tried === TRIES) throw error;
    }
    await delay(pause, undefined, { signal });
  }
}
