import { setImmediate as nextTurn } from 'node:timers/promises';

/** Other calls wait at most about this long, in milliseconds. */
const SLICE = 10;

/**
 * Does long work bit by bit, so that calls which come meanwhile are answered.
 * @throws what the work throws; an AbortError once the signal fires
 */
export async function inSlices<Result>(
  work: Generator<void, Result>,
  signal?: AbortSignal | undefined,
): Promise<Result> {
  for (;;) {
    const until = performance.now() + SLICE;
    do {
      const step = work.next();
      if (step.done === true) return step.value;
    } while (performance.now() < until);
    await nextTurn();
    signal?.throwIfAborted();
  }
}
