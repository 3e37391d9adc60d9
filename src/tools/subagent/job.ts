import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { oneLine } from '../../memory/line.ts';
import type { Level } from '../../policy/level.ts';
import type { RunEntry } from '../../session/steps.ts';
import type { BatchRecord, TaskRecord } from '../../subagent/batchRecord.ts';
import { isOpenTask, isTaskShownAt, NO_PROGRESS } from '../../subagent/batchRecord.ts';
import { statusWords } from '../../subagent/mergeSummary.ts';
import { defineTool, type ToolCall, type ToolContext, ToolError } from '../tool.ts';
import { explained } from './explained.ts';
import { isOpen, namedRuns, runData, runLines, runsOf } from './jobRuns.ts';
import { taskCallerOf } from './task.ts';

/**
 * Clients of MCP give up a request after 60 s unless they are told otherwise (the SDK's `DEFAULT_REQUEST_TIMEOUT_MSEC`):
 * a wait that nobody limited answers well before that, so that its answer arrives. In seconds.
 */
export const DEFAULT_WAIT = 45;
/** Longer waits are better asked for again: nothing is lost by it. */
const LONGEST_WAIT = 600;
/** Jobs of other processes are looked at so often. */
const LOOK_MS = 500;
const LISTED = 50;
/** Characters of an output that are read at once: more would fill a model's window. */
const MOST = 100_000;

export const job = defineTool({
  name: 'job',
  family: 'subagent',
  profile: 'core',
  effect: 'execute',
  effectOf: ({ action }) => (action === 'cancel' ? 'execute' : 'read'),
  title: 'Jobs',
  description:
    'Look after the subagents of this chat and what it sent or spawned: list, wait, cancel, or read an output: agent://<id>, agent://<id>/path.in.json, agent://<id>?q=.items[0]. A wait that times out stops nothing: wait again.',
  input: z.object({
    action: z.enum(['list', 'wait', 'cancel', 'read']),
    ids: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Such as 0-Login, a runId or a sessionKey; absent: all that run'),
    timeout: z.number().min(0).max(LONGEST_WAIT).optional().describe(`Seconds, ${DEFAULT_WAIT} if absent`),
    address: z.string().optional(),
    from: z.int().min(0).optional().describe('Character to begin at'),
  }),
  async run({ action, ids, timeout = DEFAULT_WAIT, address, from = 0 }, call, context) {
    const { subagents } = context;
    const caller = taskCallerOf(call);
    if (action === 'read') {
      if (address === undefined) throw new ToolError('read needs an address such as agent://0-Login.');
      const { content, notes } = await explained(() => subagents.read(address, caller));
      return { text: [...notes, part(content, from)].join('\n\n') };
    }
    const session = await subagents.sessionOf(caller);
    const wanted = ids === undefined ? undefined : [ids].flat();
    // A subagent looks after those that it started, not after itself and those beside it.
    const below = caller.nested === undefined ? '' : `${caller.nested.id}.`;
    const look = async (): Promise<Jobs> => {
      const { found: runs, rest } = namedRuns(await runsOf(call, context), wanted);
      // Each of the names may be a run's.
      if (rest?.length === 0) return { runs, tasks: [] };
      const own = jobsOf(await subagents.list(), session, below).flatMap((each) =>
        shownAt(call.level, below, each),
      );
      return { runs, tasks: chosen(own, rest) };
    };
    if (action === 'cancel') return { text: cancel(await look(), wanted, context) };
    if (action === 'wait') await waitFor(look, timeout * 1000, call.signal);
    const { tasks, runs } = await look();
    return {
      text: jobsText({ tasks, runs }, call),
      // An output that lies in the record is read like any other: it may be long.
      data: {
        jobs: tasks.map(({ task: { output: _, ...rest } }) => rest),
        runs: runs.map((run) => runData(run, call)),
      },
    };
  },
});

/** A text from a character on, as much as a model reads at once. */
function part(text: string, from: number): string {
  const rest = text.slice(from);
  const shown = rest.length <= MOST ? rest : rest.slice(0, MOST).replace(/[\uD800-\uDBFF]$/, '');
  if (from === 0 && shown === text) return text;
  const end = from + shown.length;
  const next = end < text.length ? ` Go on with "from": ${end}.` : '';
  return `${shown}\n\n(Characters ${from} to ${end} of ${text.length}.${next})`;
}

interface Job {
  readonly batch: BatchRecord;
  readonly task: TaskRecord;
}

/** Subagents of tasks, and runs in other sessions. */
interface Jobs {
  readonly tasks: readonly Job[];
  readonly runs: readonly RunEntry[];
}

/** The jobs of a session whose ids begin so. */
function jobsOf(batches: readonly BatchRecord[], session: string, below: string): readonly Job[] {
  return batches
    .filter((batch) => batch.session === session)
    .flatMap((batch) => batch.tasks.map((task) => ({ batch, task })))
    .filter(({ task }) => task.id.startsWith(below));
}

/**
 * A subagent may have come to a level above its caller's, who is raised only when it hands over: until then the caller
 * is told that it runs, and of those that it started at that level nothing.
 */
function shownAt(level: Level, below: string, { batch, task }: Job): readonly Job[] {
  if (isTaskShownAt(level, batch, task)) return [{ batch, task }];
  const isOwn = !task.id.slice(below.length).includes('.');
  return isOwn ? [{ batch, task: { ...task, level: undefined, progress: NO_PROGRESS } }] : [];
}

/** The named ones of these jobs; all of them when none is named. */
function chosen(own: readonly Job[], wanted: readonly string[] | undefined): readonly Job[] {
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
  { tasks, runs }: Jobs,
  wanted: readonly string[] | undefined,
  { subagents, messaging }: ToolContext,
): string {
  const open = [
    ...tasks
      .filter(({ task }) => isOpenTask(task))
      .map(({ batch, task }) => ({ id: task.id, stop: () => subagents.cancel(batch.id, task.id) > 0 })),
    ...runs.filter(isOpen).map(({ run: { id } }) => ({ id, stop: () => messaging.cancel(id) })),
  ];
  if (open.length === 0) return wanted === undefined ? 'Nothing runs.' : 'They have ended already.';
  const stopped = open.filter(({ stop }) => stop());
  const other = open.length - stopped.length;
  return [
    ...(stopped.length > 0
      ? [`Stopping ${stopped.map(({ id }) => id).join(', ')}. Their work is kept.`]
      : []),
    ...(other > 0 ? [`${other} run in another process: cancel them there.`] : []),
  ].join(' ');
}

function openIn({ tasks, runs }: Jobs): number {
  return tasks.filter(({ task }) => isOpenTask(task)).length + runs.filter(isOpen).length;
}

async function waitFor(look: () => Promise<Jobs>, ms: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + ms;
  while (openIn(await look()) > 0) {
    const left = until - Date.now();
    if (left <= 0) return;
    await delay(Math.min(left, LOOK_MS), undefined, { signal });
  }
}

function jobsText({ tasks, runs }: Jobs, call: ToolCall): string {
  const count = tasks.length + runs.length;
  if (count === 0) return 'No jobs in this chat. Start some with task or sessions_spawn.';
  const open = openIn({ tasks, runs });
  const head =
    open === 0
      ? 'All jobs have ended.'
      : `${open} of ${count} still run; wait again or go on with something else.`;
  const lines = [...tasks.slice(0, LISTED).flatMap(jobLines), ...runs.flatMap((run) => runLines(run, call))];
  return [head, ...lines].join('\n');
}

function jobLines({ batch, task }: Job): string[] {
  const { progress } = task;
  const doing =
    progress.current === undefined ? '' : ` — ${progress.current.tool} ${oneLine(progress.current.args)}`;
  const line = `- ${task.id} (${oneLine(batch.agent)}): ${statusWords(task)}${isOpenTask(task) ? doing : ''}`;
  if (isOpenTask(task)) return [line];
  return [
    line,
    ...(task.warning === undefined ? [] : [`  Warning: ${oneLine(task.warning)}`]),
    ...(task.preview === '' ? [] : [`  Output: agent://${task.id}`]),
  ];
}
