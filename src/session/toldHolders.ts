/** Of which holders of which files a session was warned, so that no warning is told again and again. */
import { createHash } from 'node:crypto';
import type { FileHolder } from './presenceConflicts.ts';

/** A warning that was told stands in the chat for a while; then it may have been forgotten. */
const AGAIN_MS = 30 * 60 * 1000;
const MOST = 2_000;

/** The folder in a store in which hooks keep it, a file for each session. */
export const WARNED_FOLDER = 'warned';

/** What was told, by a hash that names it, and when, in Unix milliseconds. */
export type ToldTimes = readonly (readonly [string, number])[];

export class ToldHolders {
  #times: Map<string, number>;

  constructor(times: ToldTimes = []) {
    this.#times = new Map(times);
  }

  /** The newest, for another process. */
  get times(): ToldTimes {
    return [...this.#times];
  }

  /** Those that the session was not told of in the last half hour, which counts as told now. */
  untold(session: string, holders: readonly FileHolder[], now: number): FileHolder[] {
    const untold = holders.filter(({ file, key }) => {
      const at = this.#times.get(nameOf(session, file, key));
      return at === undefined || Math.abs(now - at) > AGAIN_MS;
    });
    for (const { file, key } of untold) {
      const name = nameOf(session, file, key);
      this.#times.delete(name);
      this.#times.set(name, now);
    }
    if (this.#times.size > MOST) this.#times = new Map([...this.#times].slice(-MOST));
    return untold;
  }
}

function nameOf(session: string, file: string, holder: string): string {
  const text = JSON.stringify([session, file.normalize('NFC'), holder]);
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
