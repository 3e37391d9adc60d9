import { isOpen, keepTasks, type Phase, type Task } from './list.ts';

/** When each finished task was first seen finished, epoch milliseconds, by phase and content. Starts empty. */
export type Finished = ReadonlyMap<string, number>;

export interface Clearing {
  readonly phases: readonly Phase[];
  readonly finished: Finished;
  /** Contents that were cleared now. */
  readonly cleared: readonly string[];
  /** When to ask again, epoch milliseconds; undefined while nothing is waiting. */
  readonly next: number | undefined;
}

export interface ClearInput {
  readonly phases: readonly Phase[];
  /** What the previous call returned. */
  readonly finished: Finished;
  /** Epoch milliseconds. */
  readonly now: number;
  /** `tasks.todoClearDelay` in seconds: below 0 never, 0 at the next tick. */
  readonly delay: number;
}

/**
 * Takes finished tasks out of the list some time after they were finished (seed 000, "auto clear"), with the phases
 * that this empties. To be called after every change of the list and when `next` comes. A task that was opened
 * again starts anew when it is finished again.
 */
export function autoClear({ phases, finished, now, delay }: ClearInput): Clearing {
  const since = new Map<string, number>();
  const cleared: string[] = [];
  let next: number | undefined;
  const keep = (task: Task, phase: Phase): boolean => {
    if (isOpen(task)) return true;
    const key = JSON.stringify([phase.name, task.content]);
    const seen = finished.get(key);
    // A clock that was set back must not make a task stay for hours.
    const start = Math.min(seen ?? now, now);
    const due = start + delay * 1000;
    // What has just been finished is still shown once, also with no delay.
    if (delay >= 0 && seen !== undefined && due <= now) {
      cleared.push(task.content);
      return false;
    }
    since.set(key, start);
    if (delay >= 0) next = Math.min(next ?? due, due);
    return true;
  };
  const kept = keepTasks(phases, keep);
  return { phases: cleared.length > 0 ? kept : phases, finished: since, cleared, next };
}
