import type { BatchView, TaskView } from '../../src/subagentProtocol.ts';
import { isOpenTask, isRunning } from './outcome.ts';

/** What a person can do to a task or, without one, to a batch. */
export type Act = 'apply' | 'discard' | 'revert' | 'cancel' | 'retry';

/** The acts that are asked about first: all but the one that changes nothing that is there. */
export type AskedAct = Exclude<Act, 'retry'>;

const NEVER: ReadonlySet<Act> = new Set();

/** What makes sense now for a task or, without one, for a whole batch. */
export function actsOf(batch: BatchView, task: TaskView | undefined): ReadonlySet<Act> {
  return task === undefined ? batchActs(batch) : taskActs(batch, task);
}

function taskActs({ live }: Pick<BatchView, 'live'>, task: TaskView): ReadonlySet<Act> {
  if (isOpenTask(task)) return live ? new Set(['cancel']) : NEVER;
  const { landing } = task;
  const acts = new Set<Act>();
  if (task.status !== 'completed') acts.add('retry');
  if (landing === null) return acts;
  // What was applied by itself can be taken back, whatever becomes of the rest.
  if (landing.parts?.some(({ canRevert }) => canRevert)) acts.add('revert');
  const kept = landing.recovery !== undefined || landing.patch !== undefined;
  switch (landing.state) {
    case 'waiting':
      return acts.add('apply').add('discard');
    case 'recoverable':
      return kept ? acts.add('apply').add('discard') : acts;
    case 'applied':
      return acts.add('revert');
    case 'discarded':
    case 'reverted':
      return kept ? acts.add('apply') : acts;
    default:
      return acts;
  }
}

function batchActs(batch: BatchView): ReadonlySet<Act> {
  if (isRunning(batch)) return new Set(['cancel']);
  const unfinished = batch.tasks.some((task) => !isOpenTask(task) && task.status !== 'completed');
  return unfinished ? new Set(['retry']) : NEVER;
}
