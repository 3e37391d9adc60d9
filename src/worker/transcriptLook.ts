import { statSync } from 'node:fs';
import { type SessionPlace, transcriptFile } from '../session/place.ts';

/** Transcripts that every look sees: those written to last. To look at thousands takes longer than to search them. */
export const RECENT = 64;
/** After so many milliseconds all of them are looked at. */
export const LOOK_EVERY = 500;

/** A transcript as it is on disk; `stamp` is undefined where it is gone. */
export interface Seen {
  readonly place: SessionPlace;
  readonly stamp: string | undefined;
  /** When it was last written to, epoch milliseconds. */
  readonly time: number;
}

export interface LookOptions {
  /** The folder of all sessions. */
  readonly dir: string;
  /** The transcripts there are. */
  places(): readonly SessionPlace[];
}

/** Tells how transcripts are on disk without looking at each of them every time. */
export class TranscriptLook {
  readonly #options: LookOptions;
  #last:
    | { readonly at: number; readonly folderTime: number | undefined; readonly recent: Seen[] }
    | undefined;

  constructor(options: LookOptions) {
    this.#options = options;
  }

  /**
   * Every transcript (`isWhole`), or those written to last where all were looked at just now and no session has come
   * or gone since. What was written to others is seen `LOOK_EVERY` later at most. `now`: on the clock of
   * `performance.now`.
   */
  look(now = performance.now()): { readonly places: readonly Seen[]; readonly isWhole: boolean } {
    const folderTime = statSync(this.#options.dir, { throwIfNoEntry: false })?.mtimeMs;
    const last = this.#last;
    if (last?.folderTime === folderTime && last !== undefined && now - last.at < LOOK_EVERY) {
      const places = last.recent.map(({ place }) => seen(place));
      if (places.every(({ stamp }) => stamp !== undefined)) return { places, isWhole: false };
    }
    const places = this.#options.places().map(seen);
    const recent = [...places].sort((one, other) => other.time - one.time).slice(0, RECENT);
    this.#last = { at: now, folderTime, recent };
    return { places, isWhole: true };
  }
}

/** The name of a place among all: ids have no slashes. */
export function nameOf({ id, agentId }: SessionPlace): string {
  return agentId === undefined ? id : `${id}/${agentId}`;
}

function seen(place: SessionPlace): Seen {
  const stat = statSync(transcriptFile(place), { throwIfNoEntry: false });
  if (stat === undefined) return { place, stamp: undefined, time: 0 };
  return { place, stamp: `${stat.size} ${stat.mtimeMs} ${stat.ino}`, time: stat.mtimeMs };
}
