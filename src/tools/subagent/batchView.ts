/** A batch as the panel shows it. */

import type { BatchView, SessionRow, TaskView } from '../../protocol.ts';
import { type BatchRecord, isOpenTask, type TaskRecord } from '../../subagent/batchRecord.ts';

/** The record without what a panel has no use for; what is not so is null. */
export function batchView(record: BatchRecord, session: SessionRow | undefined): BatchView {
  const { id, agent, isolated, background, started, ended = null, tasks } = record;
  return {
    ...{ id, agent, isolated, background, started, ended },
    session: session === undefined ? null : { id: session.id, title: session.title, source: session.source },
    live: tasks.some(isOpenTask),
    tasks: tasks.map(taskView),
  };
}

function taskView(task: TaskRecord): TaskView {
  const { id, name, description, assignment, status, progress, preview, findings, files, worktree } = task;
  return {
    ...{ id, name, description, assignment, status, progress, preview, findings, files },
    started: task.started ?? null,
    ended: task.ended ?? null,
    error: task.error ?? null,
    landing: task.landing ?? null,
    worktree: worktree !== undefined,
  };
}
