import { autoClear, type Finished } from '../todo/autoClear.ts';
import { isOpen, keepTasks, type Phase, resumeList, type Task } from '../todo/list.ts';

/** A list as the records have it, and what is left of it. */
interface Cleared {
  readonly source: readonly Phase[];
  readonly phases: readonly Phase[];
  readonly finished: Finished;
}

/**
 * The lists of sessions without what was finished a while ago, or before a resume. The transcript keeps it; the next
 * write leaves it out.
 */
export class ClearedLists {
  readonly #now: () => number;
  readonly #lists = new Map<string, Cleared>();
  readonly #opened = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What is left by now. `delay`: `tasks.todoClearDelay`, seconds. */
  cleared(id: string, phases: readonly Phase[], delay: number): readonly Phase[] {
    const finished = this.#lists.get(id)?.finished ?? new Map();
    const cleared = autoClear({ phases: this.current(id, phases), finished, now: this.#now(), delay });
    this.#lists.set(id, { source: phases, phases: cleared.phases, finished: cleared.finished });
    return cleared.phases;
  }

  /** What was left when somebody last looked. */
  current(id: string, phases: readonly Phase[]): readonly Phase[] {
    const known = this.#lists.get(id);
    return known?.source === phases ? known.phases : phases;
  }

  /** This process has opened a session: for the first time, it is a resume. */
  opened(id: string, phases: readonly Phase[]): void {
    if (!this.#opened.has(id)) this.resume(id, phases);
    this.#opened.add(id);
  }

  /** A session is gone on with: what was finished before is out (seed 000). */
  resume(id: string, phases: readonly Phase[]): void {
    this.#lists.set(id, { source: phases, phases: resumeList(phases), finished: new Map() });
  }

  clear(): void {
    this.#lists.clear();
    this.#opened.clear();
  }
}

/** What of a list is not in what is left of it. */
export function clearedFrom(phases: readonly Phase[], left: readonly Phase[]): readonly Phase[] {
  const present = contents(left);
  return keepTasks(phases, ({ content }) => !present.has(content)).filter(({ tasks }) => tasks.length > 0);
}

/** Finished tasks that time has cleared are not what a person took out. */
export function withoutCleared(known: readonly Phase[], left: readonly Phase[]): readonly Phase[] {
  const present = contents(left);
  return keepTasks(known, (task) => isOpen(task) || present.has(task.content));
}

/** A list with what was cleared from it: each task before what is left of its phase, and phases that are gone first. */
export function withCleared(phases: readonly Phase[], cleared: readonly Phase[]): readonly Phase[] {
  const present = contents(phases);
  const gone = new Map<string, Task[]>();
  for (const { name, tasks } of cleared) {
    const fresh = tasks.filter(({ content }) => !present.has(content));
    for (const { content } of fresh) present.add(content);
    if (fresh.length > 0) gone.set(name, [...(gone.get(name) ?? []), ...fresh]);
  }
  const whole = phases.map(({ name, tasks }) => ({ name, tasks: [...(gone.get(name) ?? []), ...tasks] }));
  for (const { name } of phases) gone.delete(name);
  return [...[...gone].map(([name, tasks]) => ({ name, tasks })), ...whole];
}

function contents(phases: readonly Phase[]): Set<string> {
  return new Set(phases.flatMap(({ tasks }) => tasks.map(({ content }) => content)));
}
