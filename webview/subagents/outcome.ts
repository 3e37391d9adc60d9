import type { TemplateResult } from 'lit';
import type { BatchView, TaskView } from '../../src/subagentProtocol.ts';
import { count } from '../kit/format.ts';
import { icons } from '../kit/icons.ts';
import { t } from '../kit/l10n.ts';

type Landing = NonNullable<TaskView['landing']>['state'];

type Ended = Pick<TaskView, 'status' | 'landing'>;

/** Where a task stands, in one word: what it does, how it ended, and what became of its work. */
export type Outcome = Exclude<TaskView['status'], 'completed'> | Landing | 'done';

/** What a person decides about work, also of a task that did not end well. */
const DECIDED: readonly Landing[] = ['applied', 'discarded', 'reverted'];

/** How a task ended and what became of its work: two, where its end does not tell. */
function outcomesOf({ status, landing }: Ended): readonly [Outcome] | readonly [Outcome, Outcome] {
  const state = landing?.state;
  if (state === 'waiting') return [state];
  if (status === 'completed') return [state ?? 'done'];
  return state !== undefined && DECIDED.includes(state) ? [status, state] : [status];
}

/**
 * What counts for how a task looks. Work that waits for the person comes before everything else; where they have
 * decided, there is nothing left to look at.
 */
export function outcomeOf(task: Ended): Outcome {
  const [first, second] = outcomesOf(task);
  return second ?? first;
}

/** Where a task stands, for the person: "applied", or "interrupted · applied". */
export function outcomeText(task: Ended): string {
  return outcomesOf(task).map(outcomeName).join(' · ');
}

/** Whether a task can still change by itself. */
export function isOpenTask({ status }: Pick<TaskView, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

export function isRunning({ live, tasks }: Pick<BatchView, 'live' | 'tasks'>): boolean {
  return live && tasks.some(isOpenTask);
}

export function outcomeName(outcome: Outcome): string {
  const names: Record<Outcome, string> = {
    pending: t('waiting'),
    running: t('running'),
    done: t('done'),
    failed: t('failed'),
    cancelled: t('cancelled'),
    interrupted: t('interrupted'),
    waiting: t('to review'),
    applied: t('applied'),
    no_changes: t('no changes'),
    recoverable: t('not applied'),
    discarded: t('discarded'),
    reverted: t('reverted'),
  };
  return names[outcome];
}

export function outcomeIcon(outcome: Outcome): TemplateResult {
  switch (outcome) {
    case 'pending':
      return icons.pending;
    case 'running':
      return icons.running;
    case 'failed':
      return icons.failed;
    case 'interrupted':
    case 'recoverable':
      return icons.interrupted;
    case 'waiting':
      return icons.review;
    case 'cancelled':
    case 'discarded':
    case 'reverted':
      return icons.abandoned;
    default:
      return icons.completed;
  }
}

const WORST_FIRST: readonly Outcome[] = ['running', 'failed', 'interrupted', 'recoverable', 'waiting'];
/** Nothing of it is there: a batch of nothing else is not done either. */
const LEFT: readonly Outcome[] = ['cancelled', 'discarded', 'reverted'];

/** What a batch shows for all its tasks: what runs, else what the person should look at first. */
export function batchOutcome(batch: Pick<BatchView, 'live' | 'tasks'>): Outcome {
  if (isRunning(batch)) return 'running';
  const found = new Set(batch.tasks.map(outcomeOf));
  const worst = WORST_FIRST.find((outcome) => found.has(outcome));
  if (worst !== undefined) return worst;
  const [first = 'done', ...others] = found;
  return [first, ...others].every((outcome) => LEFT.includes(outcome)) ? first : 'done';
}

/** A task's name, or its id where an agent gave none. */
export function taskName({ name, id }: Pick<TaskView, 'name' | 'id'>): string {
  return name.trim() === '' ? id : name;
}

export function doneCount({ tasks }: Pick<BatchView, 'tasks'>): number {
  return tasks.filter(({ status }) => status === 'completed').length;
}

const COUNTED = ['failed', 'interrupted', 'recoverable', 'waiting', 'cancelled', 'applied'] as const;

/** What became of the tasks of a batch, such as "1 failed · 2 to review"; empty when there is nothing to tell. */
export function summary({ tasks }: Pick<BatchView, 'tasks'>): string {
  const outcomes = tasks.flatMap<Outcome>(outcomesOf);
  const texts: Record<(typeof COUNTED)[number], (size: string) => string> = {
    failed: (size) => t('{0} failed', size),
    interrupted: (size) => t('{0} interrupted', size),
    recoverable: (size) => t('{0} not applied', size),
    waiting: (size) => t('{0} to review', size),
    cancelled: (size) => t('{0} cancelled', size),
    applied: (size) => t('{0} applied', size),
  };
  return COUNTED.map((outcome) => [outcome, outcomes.filter((each) => each === outcome).length] as const)
    .filter(([, size]) => size > 0)
    .map(([outcome, size]) => texts[outcome](count(size)))
    .join(' · ');
}
