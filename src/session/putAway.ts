/** Sessions that the person is done with: they are in no list until somebody goes on with them. */
import { rmSync } from 'node:fs';
import { SharedState, type SharedStateOptions } from '../journal/sharedState.ts';
import { firstOfEach, LEVELS, type Level, parseLevel } from '../policy/level.ts';

/** As many of each level are remembered, the last ones. */
const MOST = 2_000;

/** What was said of a session last. */
interface Mark {
  /** Unix milliseconds. */
  readonly at: number;
  readonly isAway: boolean;
  /** Of the session at that moment; what has none is of the lowest. */
  readonly level?: Level | undefined;
}

type Marks = Readonly<Record<string, Mark>>;

type PutAwayOptions = Pick<SharedStateOptions<Marks>, 'dir' | 'now' | 'alive'>;

export class PutAwaySessions {
  readonly #options: PutAwayOptions;
  #state: SharedState<Marks>;

  constructor({ dir, now, alive }: PutAwayOptions) {
    this.#options = { dir, now, alive };
    this.#state = this.#open();
  }

  /** Puts sessions away, or back into the lists. @throws when it cannot be written. */
  put(sessions: readonly { readonly id: string; readonly level: Level }[], isAway: boolean): void {
    this.#state.write((own, all) => {
      // A clock that was put back must not make the newer word the older one.
      const at = (id: string): number => Math.max(this.#options.now(), (all[id]?.at ?? 0) + 1);
      const marks = sessions.map(({ id, level }): [string, Mark] => [id, { at: at(id), isAway, level }]);
      return mergeMarks(own, Object.fromEntries(marks));
    });
  }

  /** Tells of a session, by its id and when it was last active, whether it is away. */
  reader(): (id: string, lastActive: number) => boolean {
    const said = this.words();
    return (id, lastActive) => said(id, lastActive) === true;
  }

  /** The same, and false for one that was put back since it was last active; undefined when nothing was said. */
  words(): (id: string, lastActive: number) => boolean | undefined {
    const marks = this.#read();
    return (id, lastActive) => {
      const mark = Object.hasOwn(marks, id) ? marks[id] : undefined;
      return mark !== undefined && lastActive <= mark.at ? mark.isAway : undefined;
    };
  }

  /** Removes all of it from disk. */
  erase(): void {
    rmSync(this.#options.dir, { recursive: true, force: true });
    this.#state = this.#open();
  }

  #open(): SharedState<Marks> {
    return new SharedState<Marks>({
      ...this.#options,
      ...{ empty: {}, parse: parseMarks, merge: mergeMarks },
    });
  }

  #read(): Marks {
    try {
      return this.#state.read();
    } catch {
      // Better one session too many in a list than no list.
      return {};
    }
  }
}

/** The later word counts; of two at the same moment the one that shows the session. */
function mergeMarks(a: Marks, b: Marks): Marks {
  const all = new Map(Object.entries(a));
  for (const [id, mark] of Object.entries(b)) {
    const other = all.get(id);
    if (other === undefined || mark.at > other.at || (mark.at === other.at && !mark.isAway))
      all.set(id, mark);
  }
  const sorted = [...all].sort(([one, x], [two, y]) => y.at - x.at || (one < two ? -1 : 1));
  return Object.fromEntries(firstOfEach(sorted, ([, { level = LEVELS[0] }]) => level, MOST));
}

function parseMarks(value: unknown): Marks | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const marks = Object.entries(value).filter(
    (entry): entry is [string, Mark] =>
      typeof entry[1] === 'object' &&
      entry[1] !== null &&
      Number.isFinite(entry[1].at) &&
      typeof entry[1].isAway === 'boolean' &&
      (entry[1].level === undefined || parseLevel(String(entry[1].level)) !== undefined),
  );
  return Object.fromEntries(marks);
}
