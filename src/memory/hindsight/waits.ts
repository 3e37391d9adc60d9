/** How long a server that does not take something is left alone, in milliseconds. */
import type { ServerError } from './serverError.ts';

/** The first wait after a failure, doubled with each that follows, up to the longest. */
const FIRST = 1_000;
const LONGEST = 5 * 60_000;
/** A server that refuses us is not asked again at once. */
const REFUSED = 60_000;
/** So long at most a server is left alone that asks for it (`Retry-After`). */
const LONGEST_ASKED = 60 * 60_000;

/**
 * The wait after some failures in a row, with jitter, so that many who wait for one server do not come back at once.
 * @param last what the server last failed with; undefined where it was not the server
 * @param random 0 to 1
 */
export function waitAfter(
  failures: number,
  last: Pick<ServerError, 'kind' | 'retryAfter'> | undefined,
  random: number,
): number {
  const doubled = FIRST * 2 ** Math.min(failures - 1, 20);
  const wait = Math.min(LONGEST, last?.kind === 'refused' ? Math.max(REFUSED, doubled) : doubled);
  return Math.max(Math.round(wait * (0.5 + random / 2)), Math.min(LONGEST_ASKED, last?.retryAfter ?? 0));
}
