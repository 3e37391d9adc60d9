/** Where a document stands among the others: its session, its moment there, its key and the keys it links to. */
export interface Place {
  readonly key: string;
  /** Session in which it was written; '' when unknown. */
  readonly session: string;
  /** When it was written there, epoch milliseconds. */
  readonly at: number;
  /** Keys of explicit links and `[[key]]` references, normalised, each once. */
  readonly links?: readonly string[] | undefined;
  readonly tags: readonly string[];
}

/** A document written in a session, as a step of it. */
export interface Step {
  readonly id: string;
  readonly at: number;
}

/** The steps before a moment and those after it, nearest first. */
export interface Around {
  readonly before: Step[];
  readonly after: Step[];
}

const NOBODY: ReadonlySet<string> = new Set();
const NOTHING: readonly string[] = [];

/**
 * How the documents of one level stand to each other: links both ways and order within sessions. Every answer takes
 * time by the size of the answer, not of the level. Nothing here depends on another level.
 */
export class Surroundings {
  readonly #places = new Map<string, Place>();
  readonly #byKey = new Map<string, string>();
  readonly #linkedFrom = new Map<string, Set<string>>();
  /** Ordered by moment, then id. */
  readonly #sessions = new Map<string, Step[]>();

  /** Adds a document that is not there. */
  add(id: string, { key, session, at, links, tags }: Place): void {
    const place = { key, session, at, links, tags };
    this.#places.set(id, place);
    this.#byKey.set(place.key, id);
    for (const key of place.links ?? []) {
      const from = this.#linkedFrom.get(key);
      if (from === undefined) this.#linkedFrom.set(key, new Set([id]));
      else from.add(id);
    }
    if (place.session === '') return;
    const step = { id, at: place.at };
    const steps = this.#sessions.get(place.session);
    if (steps === undefined) this.#sessions.set(place.session, [step]);
    else steps.splice(indexOf(steps, step), 0, step);
  }

  /** Takes a document out; nothing happens when it is not there. */
  remove(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    if (this.#byKey.get(place.key) === id) this.#byKey.delete(place.key);
    for (const key of place.links ?? []) {
      const from = this.#linkedFrom.get(key);
      from?.delete(id);
      if (from?.size === 0) this.#linkedFrom.delete(key);
    }
    const steps = this.#sessions.get(place.session);
    if (steps === undefined) return;
    steps.splice(indexOf(steps, { id, at: place.at }), 1);
    if (steps.length === 0) this.#sessions.delete(place.session);
  }

  place(id: string): Place | undefined {
    return this.#places.get(id);
  }

  /** The document with this key. */
  named(key: string): string | undefined {
    return this.#byKey.get(key);
  }

  /** Documents that link to this key. */
  linkedFrom(key: string): ReadonlySet<string> {
    return this.#linkedFrom.get(key) ?? NOBODY;
  }

  /** Keys a document links to. */
  links(id: string): readonly string[] {
    return this.#places.get(id)?.links ?? NOTHING;
  }

  /** The last `count` steps of a session before a moment and the first `count` after it, nearest first. */
  around(session: string, step: Step, count: number): Around {
    const steps = this.#sessions.get(session) ?? [];
    const from = indexOf(steps, step);
    const next = steps[from]?.id === step.id ? from + 1 : from;
    return {
      before: steps.slice(Math.max(0, from - count), from).reverse(),
      after: steps.slice(next, next + count),
    };
  }
}

/** Where a step stands, or would stand, in an ordered list. */
function indexOf(steps: readonly Step[], step: Step): number {
  let from = 0;
  let to = steps.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareSteps(steps[middle] as Step, step) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The order of a session: by moment, then id. */
export function compareSteps(one: Step, other: Step): number {
  return one.at - other.at || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}
