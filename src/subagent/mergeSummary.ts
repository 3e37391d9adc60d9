/** What a parent reads of how the work of isolated tasks came back, and the words for a task's state. */
import { type BatchRecord, isOpenTask, type TaskRecord } from './batchRecord.ts';
import { counted, oneLine } from './text.ts';

/** One line for each isolated task. */
export function mergeSummary({ tasks }: Pick<BatchRecord, 'tasks'>): string {
  return tasks.map((task) => `- ${task.id}: ${landingWords(task)}`).join('\n');
}

/** How a task stands, in a few words. */
export function statusWords(task: TaskRecord): string {
  const { status, landing, error } = task;
  if (isOpenTask(task)) return status;
  const why = error === undefined || status === 'completed' ? '' : `, ${oneLine(error)}`;
  return landing === undefined ? `${status}${why}` : `${status}${why}; ${landingWords(task)}`;
}

function landingWords({ landing, files, status }: TaskRecord): string {
  if (landing === undefined) return `${status}, nothing to land`;
  const size = counted(files.length, 'file');
  const reason = oneLine(landing.reason ?? '');
  const where = [
    ...(landing.recovery === undefined ? [] : [`kept as ${landing.recovery}`]),
    ...(landing.patch === undefined ? [] : [`patch ${landing.patch}`]),
  ].join(', ');
  switch (landing.state) {
    case 'applied':
      return `applied, ${size} changed`;
    case 'no_changes':
      return `no changes to land. ${reason}`;
    case 'waiting':
      return `${size} changed, waiting for the person's review (${where})`;
    case 'recoverable':
      return `did not land: ${reason} Nothing of it is lost: ${where || 'it is still in its worktree'}`;
    case 'discarded':
      return `discarded by the person (${where})`;
    case 'reverted':
      return `taken back by the person (${where})`;
  }
}
