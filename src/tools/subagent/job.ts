import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import type { BatchRecord, TaskRecord } from '../../subagent/batchRecord.ts';
import { isOpenTask } from '../../subagent/batchRecord.ts';
import { statusWords } from '../../subagent/mergeSummary.ts';
import { defineTool, type ToolContext, ToolError } from '../tool.ts';
import { explained } from './explained.ts';
import { taskCallerOf } from './task.ts';

const DEFAULT_WAIT = 60;
/** Longer waits are better asked for again: nothing is lost by it. */
const LONGEST_WAIT = 600;
/** Jobs of other processes are looked at so often. */
const LOOK_MS = 500;
const LISTED = 50;

export const job = defineTool({
  name: 'job',
  family: 'subagent',
  profile: 'core',
  effect: 'execute',
  effectOf: ({ action }) => (action === 'cancel' ? 'execute' : 'read'),
  title: 'Jobs',
  description:
    'Look after the subagents of this chat. list: which there are and what they do. wait: until they end or the time is up; a wait that times out never stops or fails the work, so wait again. cancel: stop one that is lost. read: an output by its address, agent://<id>, agent://<id>/path.in.json or agent://<id>?q=.items[0].',
  input: z.object({
    action: z.enum(['list', 'wait', 'cancel', 'read']),
    ids: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Job ids such as 0-Login; absent: all that run'),
    timeout: z.number().min(0).max(LONGEST_WAIT).optional().describe('Seconds to wait, 60 if absent'),
    address: z.string().optional().describe('For read'),
  }),
  async run({ action, ids, timeout = DEFAULT_WAIT, address }, call, context) {
    const { subagents } = context;
    const caller = taskCallerOf(call);
    if (action === 'read') {
      if (address === undefined) throw new ToolError('read needs an address such as agent://0-Login.');
      const { content, notes } = await explained(() => subagents.read(address, caller));
      return { text: notes.length === 0 ? content : `${notes.join('\n')}\n\n${content}` };
    }
    const session = await subagents.sessionOf(caller);
    const wanted = ids === undefined ? undefined : [ids].flat();
    const jobs = async () => chosen(await subagents.list(), session, wanted);
    if (action === 'cancel') return { text: cancel(await jobs(), wanted, context) };
    if (action === 'wait') await waitFor(jobs, timeout * 1000, call.signal);
    const found = await jobs();
    return { text: jobsText(found), data: { jobs: found.map(({ task }) => task) } };
  },
});

interface Job {
  readonly batch: BatchRecord;
  readonly task: TaskRecord;
}

/** The named jobs of a session; all of them when none is named. */
function chosen(
  batches: readonly BatchRecord[],
  session: string,
  wanted?: readonly string[],
): readonly Job[] {
  const own = batches
    .filter((batch) => batch.session === session)
    .flatMap((batch) => batch.tasks.map((task) => ({ batch, task })));
  if (wanted === undefined) return own;
  const found = own.filter(({ task }) => wanted.includes(task.id) || wanted.includes(task.name));
  const missing = wanted.filter((id) => !found.some(({ task }) => task.id === id || task.name === id));
  if (missing.length === 0) return found;
  const known = own.slice(0, LISTED).map(({ task }) => task.id);
  throw new ToolError(
    `There is no job ${missing.map(oneLine).join(', ')} in this chat. Jobs: ${known.join(', ') || 'none'}.`,
  );
}

function cancel(
  jobs: readonly Job[],
  wanted: readonly string[] | undefined,
  { subagents }: ToolContext,
): string {
  const open = jobs.filter(({ task }) => isOpenTask(task));
  if (open.length === 0) return wanted === undefined ? 'Nothing runs.' : 'They have ended already.';
  const stopped = open.filter(({ batch, task }) => subagents.cancel(batch.id, task.id) > 0);
  const other = open.length - stopped.length;
  return [
    ...(stopped.length > 0
      ? [`Stopping ${stopped.map(({ task }) => task.id).join(', ')}. Their work is kept.`]
      : []),
    ...(other > 0 ? [`${other} run in another process: cancel them there.`] : []),
  ].join(' ');
}

async function waitFor(jobs: () => Promise<readonly Job[]>, ms: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + ms;
  while ((await jobs()).some(({ task }) => isOpenTask(task))) {
    const left = until - Date.now();
    if (left <= 0) return;
    await delay(Math.min(left, LOOK_MS), undefined, { signal });
  }
}

function jobsText(jobs: readonly Job[]): string {
  if (jobs.length === 0) return 'No jobs in this chat. Start some with task.';
  const open = jobs.filter(({ task }) => isOpenTask(task)).length;
  const head =
    open === 0
      ? 'All jobs have ended.'
      : `${open} of ${jobs.length} still run; wait again or go on with something else.`;
  return [head, ...jobs.slice(0, LISTED).flatMap(jobLines)].join('\n');
}

function jobLines({ batch, task }: Job): string[] {
  const { progress } = task;
  const doing =
    progress.current === undefined ? '' : ` — ${progress.current.tool} ${oneLine(progress.current.args)}`;
  const line = `- ${task.id} (${oneLine(batch.agent)}): ${statusWords(task)}${isOpenTask(task) ? doing : ''}`;
  if (isOpenTask(task)) return [line];
  return [line, ...(task.preview === '' ? [] : [`  Output: agent://${task.id}`])];
}
