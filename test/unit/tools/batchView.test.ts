import { describe, expect, it } from 'vitest';
import { type BatchRecord, NO_PROGRESS, type TaskRecord } from '../../../src/subagent/batchRecord.ts';
import { batchView } from '../../../src/tools/subagent/batchView.ts';

function task(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  return {
    ...{ id, name: id, description: '', assignment: 'a'.repeat(100_000), status: 'completed' },
    ...{ progress: { ...NO_PROGRESS, lines: ['said'] }, preview: 'p'.repeat(2_000), findings: [] },
    files: Array.from({ length: 500 }, (_, at) => ({
      ...({ path: `${at}.ts`, status: 'modified', added: 2, removed: 1, binary: false } as const),
    })),
    ...more,
  };
}

const record = (tasks: readonly TaskRecord[]): BatchRecord => ({
  ...{ version: 1, id: 'b', session: 's', level: 'PUBLIC', agent: 'task', context: '', schema: '' },
  ...{ isolated: true, background: false, started: 1, owner: { pid: 1, host: 'h' }, tasks },
});

describe('a batch in the panel', () => {
  it('is small but for the task that is asked for', () => {
    const view = batchView(record([task('0-A'), task('1-B')]), undefined, '1-B');
    const [listed, whole] = view.tasks;
    expect(JSON.stringify(listed).length).toBeLessThan(1_500);
    expect(listed?.changed).toEqual({ files: 500, added: 1_000, removed: 500 });
    expect(whole?.files).toHaveLength(500);
    expect(whole?.preview).toHaveLength(2_000);
    expect(whole?.assignment).toHaveLength(4_000);
    expect(whole?.progress.lines).toEqual(['said']);
  });

  it('keeps what only the host needs to itself, and tells its reasons as phrases', () => {
    const work = { id: 'w', head: 'h', base: 'b', tree: 't' };
    const warning = 'The output does not match the schema: /ok';
    const landing = { state: 'recoverable', reason: 'Changed meanwhile: a.ts.', undo: 'u', work } as const;
    const view = batchView(
      record([task('0-A', { landing, error: 'Cancelled', warning })]),
      undefined,
      undefined,
    );
    expect(view.tasks[0]?.landing).toEqual({
      state: 'recoverable',
      reason: { text: 'Changed meanwhile: {0}.', values: ['a.ts'] },
      recovery: undefined,
      patch: undefined,
    });
    expect(view.tasks[0]?.error).toEqual({ text: 'Cancelled', values: [] });
    expect(view.tasks[0]?.warning).toEqual({
      text: 'The output does not match the schema: {0}',
      values: ['/ok'],
    });
  });
});
