import { describe, expect, it } from 'vitest';
import { autoClear } from '../../../src/todo/autoClear.ts';
import { applyOps, type Phase } from '../../../src/todo/list.ts';
import { contents, LIST } from './sample.ts';

const NOW = 1_000_000;
const NOTHING = new Map<string, number>();

function changed(...ops: unknown[]): readonly Phase[] {
  return applyOps(LIST, ops).phases;
}

describe('clearing finished tasks', () => {
  it('takes a task out when its time is over', () => {
    const first = autoClear({
      phases: changed({ op: 'done', task: 'a1' }),
      finished: NOTHING,
      now: NOW,
      delay: 1,
    });
    expect(first).toMatchObject({ cleared: [], next: NOW + 1000 });
    expect(contents(first.phases)).toContain('a1');
    const early = autoClear({ ...first, now: NOW + 999, delay: 1 });
    expect(early).toMatchObject({ cleared: [], next: NOW + 1000 });
    const due = autoClear({ ...early, now: NOW + 1000, delay: 1 });
    expect(due).toEqual({
      phases: [
        { name: 'A', tasks: [{ content: 'a2', status: 'in_progress' }] },
        { name: 'B', tasks: [{ content: 'b1', status: 'pending' }] },
      ],
      finished: NOTHING,
      cleared: ['a1'],
      next: undefined,
    });
  });

  it('takes a phase out that this empties, and no other', () => {
    const phases = [...changed({ op: 'drop', phase: 'A' }), { name: 'Later', tasks: [] }];
    const first = autoClear({ phases, finished: NOTHING, now: NOW, delay: 60 });
    const due = autoClear({ ...first, now: NOW + 60_000, delay: 60 });
    expect(due.phases.map((phase) => phase.name)).toEqual(['B', 'Later']);
    expect(due.cleared).toEqual(['a1', 'a2']);
  });

  it('starts anew for a task that was opened again', () => {
    const done = changed({ op: 'done', task: 'a1' });
    const first = autoClear({ phases: done, finished: NOTHING, now: NOW, delay: 60 });
    const reopened = autoClear({ phases: LIST, finished: first.finished, now: NOW + 30_000, delay: 60 });
    expect(reopened).toMatchObject({ finished: NOTHING, next: undefined });
    const again = autoClear({ phases: done, finished: reopened.finished, now: NOW + 59_000, delay: 60 });
    expect(autoClear({ ...again, now: NOW + 60_000, delay: 60 })).toMatchObject({
      cleared: [],
      next: NOW + 119_000,
    });
  });

  it('waits for each task by itself', () => {
    const first = autoClear({
      phases: changed({ op: 'done', task: 'a1' }),
      finished: NOTHING,
      now: NOW,
      delay: 60,
    });
    const { phases } = applyOps(first.phases, [{ op: 'done', task: 'a2' }]);
    const second = autoClear({ ...first, phases, now: NOW + 10_000, delay: 60 });
    expect(second.next).toBe(NOW + 60_000);
    const due = autoClear({ ...second, now: NOW + 60_000, delay: 60 });
    expect(due).toMatchObject({ cleared: ['a1'], next: NOW + 70_000 });
  });

  it('never clears below 0, and at 0 with the next tick', () => {
    const phases = changed({ op: 'done' });
    const never = autoClear({ phases, finished: NOTHING, now: NOW, delay: -1 });
    expect(autoClear({ ...never, now: Number.MAX_SAFE_INTEGER, delay: -1 })).toMatchObject({
      phases,
      cleared: [],
      next: undefined,
    });
    const tick = autoClear({ phases, finished: NOTHING, now: NOW, delay: 0 });
    expect(tick).toMatchObject({ phases, next: NOW });
    expect(autoClear({ ...tick, now: NOW, delay: 0 }).phases).toEqual([]);
  });

  it('is not held up by a clock that was set back', () => {
    const first = autoClear({
      phases: changed({ op: 'done', task: 'a1' }),
      finished: NOTHING,
      now: NOW,
      delay: 60,
    });
    expect(autoClear({ ...first, now: 0, delay: 60 }).next).toBe(60_000);
  });
});
