import type { BatchView, TaskView } from '../../src/subagentProtocol.ts';
import { phraseText, t } from '../kit/l10n.ts';
import { clip, visibleLine } from '../kit/text.ts';
import type { TreeRow } from '../kit/tree-rows.ts';
import { doneCount, isRunning, outcomeText, summary, taskName } from './outcome.ts';
import type { Place } from './state.ts';

export type BatchRow = TreeRow & {
  readonly kind: 'batch';
  readonly batch: BatchView;
  readonly open: boolean;
};
export type TaskRow = TreeRow & {
  readonly kind: 'task';
  readonly batch: BatchView;
  readonly task: TaskView;
  /** Index of its batch's row. */
  readonly parent: number;
};
export type Row = BatchRow | TaskRow;

const BATCH_HEIGHT = 46;
const LINE_HEIGHT = 24;
const DETAIL_HEIGHT = 42;
const WORDS = 300;

function batchKey(batch: string): string {
  return `batch ${batch}`;
}

export function taskKey({ batch, task }: Place): string {
  return `task ${batch} ${task}`;
}

/** The lines of the tree from top to bottom. Their heights depend on what they hold, never on the time. */
export function buildRows(batches: readonly BatchView[], open: ReadonlySet<string>): readonly Row[] {
  const rows: Row[] = [];
  let top = 0;
  for (const [at, batch] of batches.entries()) {
    const isOpen = open.has(batch.id);
    const parent = rows.length;
    const own = { position: at + 1, size: batches.length, top, height: BATCH_HEIGHT };
    rows.push({ kind: 'batch', key: batchKey(batch.id), batch, open: isOpen, ...own });
    top += BATCH_HEIGHT;
    for (const [index, task] of isOpen ? batch.tasks.entries() : []) {
      const height = hasDetail(task) ? DETAIL_HEIGHT : LINE_HEIGHT;
      const key = taskKey({ batch: batch.id, task: task.id });
      const place = { position: index + 1, size: batch.tasks.length, top, height };
      rows.push({ kind: 'task', key, batch, task, parent, ...place });
      top += height;
    }
  }
  return rows;
}

/** Whether a task has a second line: what it is doing, or what went wrong. */
function hasDetail(task: TaskView): boolean {
  return task.status === 'running' || problemOf(task) !== '';
}

/** What went wrong, on one line; empty when nothing did. */
export function problemOf({ status, error, landing }: TaskView): string {
  const failed = status === 'failed' || status === 'interrupted';
  const text = (failed ? error : null) ?? (landing?.state === 'recoverable' ? landing.reason : undefined);
  return text === undefined ? '' : visibleLine(clip(phraseText(text), WORDS)).trim();
}

/** What typing letters looks for. */
export function rowWord(row: Row): string {
  return row.kind === 'batch' ? row.batch.agent : taskName(row.task);
}

/** What a screen reader says: nothing that changes all the time. */
export function rowName(row: Row): string {
  if (row.kind === 'task') {
    const said = [taskName(row.task), outcomeText(row.task), row.task.description].map((part) =>
      clip(part, WORDS),
    );
    return said.map(visibleLine).filter(Boolean).join(', ');
  }
  const { batch } = row;
  const parts = [
    visibleLine(clip(batch.agent, WORDS)),
    isRunning(batch) ? t('running') : '',
    t('{0} of {1} done', doneCount(batch), batch.tasks.length),
    summary(batch),
    sessionName(batch),
  ];
  return parts.filter(Boolean).join(', ');
}

/** The session that asked for a batch; empty when it is not known. */
export function sessionName({ session }: Pick<BatchView, 'session'>): string {
  return visibleLine(clip(session?.title || session?.source || '', WORDS));
}
