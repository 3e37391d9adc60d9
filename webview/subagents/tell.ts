import type { BatchView } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { t } from '../kit/l10n.ts';
import { clip, visibleLine } from '../kit/text.ts';
import { outcomeOf, outcomeText, taskName } from './outcome.ts';

/** Tasks change in bursts: one sentence tells of all of them. */
const PAUSE = 1_000;
const NAMED = 3;
const NAME = 60;

/** Tells screen readers what changed state, never of progress. */
export class Teller {
  readonly #say: (text: string) => void;
  readonly #news = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Compares two readings. */
  compare(before: readonly BatchView[], after: readonly BatchView[]): void {
    const known = new Map(before.map((batch) => [batch.id, batch]));
    for (const batch of after) {
      const old = known.get(batch.id);
      // Most batches have ended long ago.
      if (old === undefined) this.#started(batch);
      else this.#compareTasks(old, batch);
    }
    if (this.#news.size > 0) this.#timer ??= setTimeout(() => this.#tell(), PAUSE);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#news.clear();
  }

  #started({ id, agent, tasks }: BatchView): void {
    const name = visibleLine(clip(agent, NAME));
    this.#news.set(
      id,
      tasks.length === 1 ? t('{0}: 1 task', name) : t('{0}: {1} tasks', name, count(tasks.length)),
    );
  }

  #compareTasks(before: BatchView, { id, tasks }: BatchView): void {
    const known = new Map(before.tasks.map((task) => [task.id, outcomeOf(task)]));
    for (const task of tasks) {
      const outcome = outcomeOf(task);
      if (known.get(task.id) === outcome || outcome === 'pending') continue;
      this.#news.set(`${id} ${task.id}`, `${visibleLine(clip(taskName(task), NAME))}: ${outcomeText(task)}`);
    }
  }

  #tell(): void {
    const news = [...this.#news.values()];
    this.stop();
    const more = news.length - NAMED;
    const rest = more > 0 ? [t('{0} more changes', count(more))] : [];
    this.#say([...news.slice(0, NAMED), ...rest].join('. '));
  }
}
