import { describe, expect, it } from 'vitest';
import type { Phase } from '../../../src/todo/list.ts';
import { applyFitting, applySteps, type Step } from '../../../src/todo/steps.ts';

const LIST: readonly Phase[] = [
  {
    name: 'A',
    tasks: [
      { content: 'a1', status: 'in_progress', notes: ['why'] },
      { content: 'a2', status: 'completed' },
    ],
  },
  { name: 'B', tasks: [{ content: 'b1', status: 'pending' }] },
];

const shape = (phases: readonly Phase[]) =>
  phases.map(
    ({ name, tasks }) => `${name}: ${tasks.map(({ content, status }) => `${content} ${status}`).join(', ')}`,
  );
const edit = (...steps: Step[]) => shape(applySteps(LIST, steps).phases);

describe("a person's edit of the list", () => {
  it('moves a task within its phase and to another, with its notes', () => {
    expect(edit({ op: 'move', task: 'a1', phase: 'A', index: 1 })[0]).toBe('A: a2 completed, a1 in_progress');
    const { phases } = applySteps(LIST, [{ op: 'move', task: 'a1', phase: 'B', index: 0 }]);
    expect(shape(phases)).toEqual(['A: a2 completed', 'B: a1 in_progress, b1 pending']);
    expect(phases[1]?.tasks[0]?.notes).toEqual(['why']);
  });

  it('puts a task at the end when the place is past it', () => {
    expect(edit({ op: 'move', task: 'a1', phase: 'B', index: 99 })[1]).toBe('B: b1 pending, a1 in_progress');
  });

  it('renames and reopens', () => {
    expect(edit({ op: 'rename', task: 'b1', to: '배포 🚀' })[1]).toBe('B: 배포 🚀 pending');
    expect(edit({ op: 'reopen', task: 'a2' })[0]).toBe('A: a1 in_progress, a2 pending');
  });

  it('renames a phase with its tasks as they are, also to the name it has', () => {
    expect(edit({ op: 'rename_phase', phase: 'A', to: '준비' })).toEqual([
      '준비: a1 in_progress, a2 completed',
      'B: b1 pending',
    ]);
    expect(edit({ op: 'rename_phase', phase: 'A', to: 'A' })).toEqual(shape(LIST));
  });

  it('removes a phase with its tasks, and the next one is active', () => {
    expect(edit({ op: 'remove_phase', phase: 'A' })).toEqual(['B: b1 in_progress']);
    expect(edit({ op: 'rm', phase: 'A' }, { op: 'remove_phase', phase: 'A' })).toEqual(['B: b1 in_progress']);
  });

  it('adds an empty phase at its place, or at the end', () => {
    const names = (index: number) =>
      applySteps(LIST, [{ op: 'add_phase', phase: 'N', index }]).phases.map(({ name }) => name);
    expect([0, 1, 2, 99].map(names)).toEqual([
      ['N', 'A', 'B'],
      ['A', 'N', 'B'],
      ['A', 'B', 'N'],
      ['A', 'B', 'N'],
    ]);
  });

  it('does what an agent can do, and leaves one task active', () => {
    expect(edit({ op: 'done', task: 'a1' }, { op: 'append', phase: 'C', items: ['c1'] })).toEqual([
      'A: a1 completed, a2 completed',
      'B: b1 in_progress',
      'C: c1 pending',
    ]);
  });

  it.each<[Step, string]>([
    [{ op: 'rename', task: 'b1', to: 'a1' }, 'Task "a1" already exists'],
    [{ op: 'rename', task: 'b1', to: ' ' }, 'Missing task content'],
    [{ op: 'rename', task: 'x', to: 'y' }, 'Task "x" not found'],
    [{ op: 'move', task: 'x', phase: 'A', index: 0 }, 'Task "x" not found'],
    [{ op: 'move', task: 'a1', phase: 'X', index: 0 }, 'Phase "X" not found'],
    [{ op: 'reopen', task: 'x' }, 'Task "x" not found'],
    [{ op: 'append', phase: 'A', items: ['b1'] }, 'Task "b1" already exists'],
    [{ op: 'rename_phase', phase: 'A', to: 'B' }, 'Phase "B" already exists'],
    [{ op: 'rename_phase', phase: 'A', to: ' ' }, 'Missing phase name'],
    [{ op: 'rename_phase', phase: 'X', to: 'Y' }, 'Phase "X" not found'],
    [{ op: 'remove_phase', phase: 'X' }, 'Phase "X" not found'],
    [{ op: 'add_phase', phase: 'B', index: 0 }, 'Phase "B" already exists'],
    [{ op: 'add_phase', phase: '', index: 0 }, 'Missing phase name'],
  ])('%j is refused, and what came with it is not done', (step, error) => {
    expect(applySteps(LIST, [{ op: 'done', task: 'a1' }, step])).toEqual({ phases: LIST, errors: [error] });
  });
});

it('renames a phase, to no name that is taken or empty', () => {
  expect(edit({ op: 'rename_phase', phase: 'B', to: 'C' })).toEqual([
    'A: a1 in_progress, a2 completed',
    'C: b1 pending',
  ]);
  expect(applySteps(LIST, [{ op: 'rename_phase', phase: 'B', to: 'A' }])).toEqual({
    phases: LIST,
    errors: ['Phase "A" already exists'],
  });
  expect(applySteps(LIST, [{ op: 'rename_phase', phase: 'B', to: ' ' }]).errors).toEqual([
    'Missing phase name',
  ]);
  expect(applySteps(LIST, [{ op: 'rename_phase', phase: 'X', to: 'C' }]).errors).toEqual([
    'Phase "X" not found',
  ]);
});

it('removes a phase with its heading, and the next task becomes active', () => {
  expect(edit({ op: 'remove_phase', phase: 'A' })).toEqual(['B: b1 in_progress']);
  expect(applySteps(LIST, [{ op: 'remove_phase', phase: 'X' }]).errors).toEqual(['Phase "X" not found']);
});

it('leaves out of late steps what no longer fits, and keeps the rest', () => {
  const late: Step[] = [
    { op: 'done', task: 'a1' },
    { op: 'rename', task: 'gone', to: 'x' },
    { op: 'move', task: 'b1', phase: 'A', index: 0 },
    { op: 'rename_phase', phase: 'gone', to: 'x' },
  ];
  expect(shape(applyFitting(LIST, late))).toEqual(['A: b1 in_progress, a1 completed, a2 completed', 'B: ']);
});
