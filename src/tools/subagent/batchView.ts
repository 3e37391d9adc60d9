/** A batch as the panel shows it. */
import type { SessionRow } from '../../planProtocol.ts';
import {
  type BatchRecord,
  type ChangedFile,
  isOpenTask,
  type TaskLanding,
  type TaskRecord,
} from '../../subagent/batchRecord.ts';
import type { BatchView, TaskView } from '../../subagentProtocol.ts';
import { toldPhrase } from './told.ts';

/** Of a task that is not shown whole, these files are named. */
const FILES = 6;
/** What a panel shows of a text before the person opens the whole. */
const MOST = 4_000;

/**
 * The record without what a panel has no use for; what is not so is null.
 * @param whole id of the task that is shown with everything; the others are lines of a list, which is read again
 *   with every change of any of them
 */
export function batchView(
  record: BatchRecord,
  session: SessionRow | undefined,
  whole: string | undefined,
): BatchView {
  const { id, agent, isolated, background, started, ended = null, tasks } = record;
  return {
    ...{ id, agent, isolated, background, started, ended },
    session: session === undefined ? null : { id: session.id, title: session.title, source: session.source },
    live: tasks.some(isOpenTask),
    tasks: tasks.map((task) => taskView(task, task.id === whole)),
  };
}

function taskView(task: TaskRecord, isWhole: boolean): TaskView {
  const { id, name, description, status, progress, files } = task;
  return {
    ...{ id, name, description, status },
    started: task.started ?? null,
    ended: task.ended ?? null,
    error: task.error === undefined ? null : toldPhrase(task.error.slice(0, MOST)),
    warning: task.warning === undefined ? null : toldPhrase(task.warning.slice(0, MOST)),
    landing: task.landing === undefined ? null : landingView(task.landing, isWhole),
    worktree: task.worktree !== undefined,
    changed: changedOf(files),
    progress: isWhole ? progress : { ...progress, recent: [], lines: [] },
    assignment: isWhole ? task.assignment.slice(0, MOST) : '',
    preview: isWhole ? task.preview : '',
    findings: isWhole ? task.findings : [],
    files: isWhole ? files : files.slice(0, FILES),
  };
}

function landingView(landing: TaskLanding, isWhole: boolean): TaskView['landing'] {
  const { state, reason, recovery, patch, parts, landed, undo } = landing;
  return {
    ...{ state, recovery, patch, reason: reason === undefined ? undefined : toldPhrase(reason) },
    // What landed together with the rest is taken back with it.
    parts: parts?.map((part) => ({
      ...{ path: part.path, hunks: part.hunks ?? null },
      canRevert: part.undo !== undefined && undo === undefined,
    })),
    landed: isWhole ? landed : undefined,
  };
}

function changedOf(files: readonly ChangedFile[]): TaskView['changed'] {
  const sum = (name: 'added' | 'removed') => files.reduce((total, file) => total + file[name], 0);
  return { files: files.length, added: sum('added'), removed: sum('removed') };
}
