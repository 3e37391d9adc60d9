import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyOps, type Phase, resumeList } from '../../../src/todo/list.ts';
import { todoInput, todoShown } from '../../../src/todo/schema.ts';
import { resultText } from '../../../src/todo/text.ts';
import { contents, LIST, statuses } from './sample.ts';

function run(phases: readonly Phase[], ...ops: unknown[]) {
  const applied = applyOps(phases, ops);
  return { ...applied, text: resultText(applied.phases, applied.errors) };
}

describe('a batch of todo operations', () => {
  it('replaces the list and starts the first task', () => {
    const { phases, errors, text } = run([], {
      op: 'init',
      list: [
        { phase: 'A', items: ['a1', 'a2'] },
        { phase: 'B', items: ['b1'] },
      ],
    });
    expect(phases).toEqual(LIST);
    expect(errors).toEqual([]);
    expect(text).toBe(
      [
        'Remaining items (3):',
        '  - a1 [in_progress] (A)',
        '  - a2 [pending] (A)',
        '  - b1 [pending] (B)',
        'Phase 1/2 "A" — 0/2 tasks complete',
        '  A:',
        '    → a1',
        '    ○ a2',
        '  B:',
        '    ○ b1',
      ].join('\n'),
    );
  });

  it('goes on with the next pending task when one is done', () => {
    const { phases, text } = run(LIST, { op: 'done', task: 'a1' });
    expect(statuses(phases)).toEqual(['completed', 'in_progress', 'pending']);
    for (const line of ['Remaining items (2):', 'Phase 1/2 "A" — 1/2 tasks complete', '    ✓ a1', '    → a2'])
      expect(text).toContain(line);
  });

  it('lets the other active task wait when one is started', () => {
    const { phases, text } = run(LIST, { op: 'start', task: 'b1' });
    expect(statuses(phases)).toEqual(['pending', 'pending', 'in_progress']);
    expect(text).toContain('Phase 1/2 "A" — 0/2 tasks complete');
  });

  it('opens a finished task again when it is started', () => {
    const given: Phase[] = [
      {
        name: 'A',
        tasks: [
          { content: 'x', status: 'completed' },
          { content: 'y', status: 'in_progress' },
        ],
      },
    ];
    expect(statuses(run(given, { op: 'start', task: 'x' }).phases)).toEqual(['in_progress', 'pending']);
  });

  it('finishes a phase, or everything, or flips what is finished', () => {
    const phase = run(LIST, { op: 'done', phase: 'A' });
    expect(statuses(phase.phases)).toEqual(['completed', 'completed', 'in_progress']);
    expect(phase.text).toContain('Phase 2/2 "B" — 0/1 tasks complete');
    const all = run(LIST, { op: 'done' });
    expect(statuses(all.phases)).toEqual(['completed', 'completed', 'completed']);
    expect(all.text).toMatch(/^Remaining items: none\.\nPhase 2\/2 "B" — 1\/1 tasks complete\n/);
    const dropped = run(all.phases, { op: 'drop' });
    expect(statuses(dropped.phases)).toEqual(['abandoned', 'abandoned', 'abandoned']);
    expect(dropped.text).toContain('    ✗ a1');
    expect(dropped.text).toContain('1/1 tasks complete');
  });

  it('takes the task where a phase is given too', () => {
    const { phases } = run(LIST, { op: 'done', task: 'a1', phase: 'B' });
    expect(statuses(phases)).toEqual(['completed', 'in_progress', 'pending']);
  });

  it('removes a task, the tasks of a phase, or all tasks, and leaves the phases', () => {
    expect(contents(run(LIST, { op: 'rm', task: 'a1' }).phases)).toEqual(['a2', 'b1']);
    expect(run(LIST, { op: 'rm', phase: 'A' }).phases[0]).toEqual({ name: 'A', tasks: [] });
    const all = run(LIST, { op: 'rm' });
    expect(all.phases).toEqual([
      { name: 'A', tasks: [] },
      { name: 'B', tasks: [] },
    ]);
    expect(all.text).toBe('Todo list cleared.');
  });

  it('appends what is new and reports what exists', () => {
    const { phases, errors, text } = run(LIST, { op: 'append', phase: 'C', items: ['a1', 'c1', 'c1'] });
    expect(errors).toEqual(['Task "a1" already exists', 'Task "c1" already exists']);
    expect(phases.map((phase) => phase.name)).toEqual(['A', 'B', 'C']);
    expect(phases[2]?.tasks).toEqual([{ content: 'c1', status: 'pending' }]);
    expect(text).toMatch(
      /^Errors: Task "a1" already exists; Task "c1" already exists\nRemaining items \(4\):/,
    );
  });

  it('creates no phase when nothing new is appended', () => {
    const { phases, errors } = run(LIST, { op: 'append', phase: 'C', items: ['a1'] });
    expect(phases).toEqual(LIST);
    expect(errors).toEqual(['Task "a1" already exists']);
  });

  it('keeps one of the duplicates of a new list and reports the others', () => {
    const { phases, errors } = run([], {
      op: 'init',
      list: [
        { phase: 'A', items: ['x', 'x'] },
        { phase: 'B', items: ['x'] },
        { phase: 'A', items: ['y'] },
      ],
    });
    expect(phases).toEqual([
      {
        name: 'A',
        tasks: [
          { content: 'x', status: 'in_progress' },
          { content: 'y', status: 'pending' },
        ],
      },
    ]);
    expect(errors).toEqual([
      'Task "x" already exists',
      'Task "x" already exists',
      'Phase "A" already exists',
    ]);
  });

  it('adds notes, trimmed at the end, and shows those of the active task', () => {
    const one = run(LIST, { op: 'note', task: 'a1', text: 'line1\n  \n' });
    expect(one.phases[0]?.tasks[0]?.notes).toEqual(['line1']);
    expect(one.text).toContain('    → a1 (+1 note)\n        line1\n    ○ a2');
    const two = run(
      one.phases,
      { op: 'note', task: 'a1', text: '  indented\n\nend' },
      { op: 'note', task: 'b1', text: 'hidden' },
    );
    expect(two.text).toContain(
      '    → a1 (+2 notes)\n        line1\n        ---\n          indented\n\n        end\n    ○ a2',
    );
    expect(two.text).toContain('    ○ b1 (+1 note)');
    expect(two.text).not.toContain('hidden');
  });

  it('refuses a blank note and changes nothing', () => {
    const { phases, errors } = run(LIST, { op: 'note', task: 'a1', text: '  \n' });
    expect(errors).toEqual(['Missing text for note operation']);
    expect(phases).toEqual(LIST);
  });

  it('says when the list is empty that is asked for a task', () => {
    expect(run([], { op: 'start', task: 'zzz' })).toEqual({
      phases: [],
      errors: ['Task "zzz" not found (todo list is empty — was it replaced or not yet created?)'],
      text: 'Errors: Task "zzz" not found (todo list is empty — was it replaced or not yet created?)',
    });
  });

  it.each([
    [{ op: 'start', task: 'zzz' }, 'Task "zzz" not found'],
    [{ op: 'done', phase: 'zzz' }, 'Phase "zzz" not found'],
    [{ op: 'start' }, 'Missing task content'],
    [{ op: 'rm', task: '' }, 'Missing task content'],
    [{ op: 'rm', task: 5 }, 'Missing task content'],
    [{ op: 'rm', phase: ['A'] }, 'Missing phase name for rm operation'],
    [{ op: 'init' }, 'Missing list for init operation'],
    [{ op: 'init', list: { phase: 'A', items: ['x'] } }, 'Missing list for init operation'],
    [{ op: 'init', list: [{ items: ['x'] }] }, 'Missing phase name for init operation'],
    [{ op: 'init', list: [{ phase: 'A', items: 'x' }] }, 'Missing items for init operation'],
    [{ op: 'append', items: ['x'] }, 'Missing phase name for append operation'],
    [{ op: 'append', phase: 'A' }, 'Missing items for append operation'],
    [{ op: 'append', phase: 'A', items: [] }, 'Missing items for append operation'],
    [{ op: 'append', phase: 'A', items: [' '] }, 'Missing task content'],
    ['done', 'Operation 1 is not an object'],
    [null, 'Operation 1 is not an object'],
    [{ task: 'a1' }, 'Operation 1: op is missing (use one of init, start, done, drop, rm, append, note)'],
    [
      { op: 'toString' },
      'Operation 1: unknown op "toString" (use one of init, start, done, drop, rm, append, note)',
    ],
  ])('answers %j with an error and leaves the list', (op, error) => {
    expect(applyOps(LIST, [op])).toEqual({ phases: LIST, errors: [error] });
  });

  it('takes an empty field beside a target, and null, as not given', () => {
    const all = { task: '', phase: 'A', items: [], list: [], text: '' };
    expect(statuses(run(LIST, { op: 'done', ...all }).phases)).toEqual([
      'completed',
      'completed',
      'in_progress',
    ]);
    expect(contents(run(LIST, { op: 'rm', task: null, phase: null }).phases)).toEqual([]);
  });

  it.each([[[]], [undefined], [null], ['init'], [{ op: 'done' }]])('answers %j with an error', (ops) => {
    const waiting: Phase[] = [{ name: 'A', tasks: [{ content: 'y', status: 'pending' }] }];
    expect(applyOps(waiting, ops)).toEqual({
      phases: waiting,
      errors: ['Missing ops: give an array of at least one operation'],
    });
  });

  it('goes on after an error and does not touch the list it was given', () => {
    const before = structuredClone(LIST);
    const { phases, errors } = run(
      LIST,
      { op: 'start', task: 'no' },
      { op: 'note', task: 'a2', text: 'n' },
      { op: 'start', task: 'a2' },
      { op: 'start', task: 'b1' },
    );
    expect(errors).toEqual(['Task "no" not found']);
    expect(statuses(phases)).toEqual(['pending', 'pending', 'in_progress']);
    expect(LIST).toEqual(before);
  });

  it('compares exactly: composed and decomposed letters are two tasks', () => {
    const { phases, errors } = run([], { op: 'append', phase: 'P', items: ['é', 'e\u0301', '\ud83d', '😀'] });
    expect(errors).toEqual([]);
    expect(run(phases, { op: 'done', task: 'e\u0301' }).phases[0]?.tasks[1]?.status).toBe('completed');
  });

  it('shows line breaks and halves of characters so that no content looks like our lines', () => {
    const { text } = run([], { op: 'append', phase: 'P\nQ', items: ['x\n  - fake [pending] (P)', '\ud83d'] });
    expect(text.split('\n')).toHaveLength(7);
    expect(text).toContain('    → x\\n  - fake [pending] (P)\n    ○ \\ud83d');
    expect(text.isWellFormed()).toBe(true);
  });

  it('handles ten thousand tasks', () => {
    const items = Array.from({ length: 10_000 }, (_, index) => `task ${index}`);
    const filled = run([], { op: 'init', list: [{ phase: 'P', items }] });
    const ops = items.slice(0, 1000).map((task) => ({ op: 'done', task }));
    const { phases, text } = run(filled.phases, ...ops);
    expect(phases[0]?.tasks[1000]).toEqual({ content: 'task 1000', status: 'in_progress' });
    expect(text).toContain('Phase 1/1 "P" — 1000/10000 tasks complete');
  });
});

describe('a resumed list', () => {
  const given: Phase[] = [
    {
      name: 'A',
      tasks: [
        { content: 'x', status: 'completed' },
        { content: 'y', status: 'pending' },
      ],
    },
    { name: 'B', tasks: [{ content: 'z', status: 'abandoned' }] },
  ];

  it('has no finished tasks, and its next task waits for the next operation', () => {
    const resumed = resumeList(given);
    expect(resumed).toEqual([{ name: 'A', tasks: [{ content: 'y', status: 'pending' }] }]);
    expect(contents(given)).toContain('x');
    expect(statuses(run(resumed, { op: 'note', task: 'y', text: 'n' }).phases)).toEqual(['in_progress']);
  });
});

describe('the input of todo_write', () => {
  it('describes the operations to a model and lets every shape through', () => {
    const schema = z.toJSONSchema(todoShown, { io: 'input' });
    expect(schema).toMatchObject({
      type: 'object',
      required: ['ops'],
      properties: {
        ops: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['op'],
            properties: { op: { enum: ['init', 'start', 'done', 'drop', 'rm', 'append', 'note'] } },
          },
        },
      },
    });
    expect(JSON.stringify(schema)).not.toMatch(/anyOf|oneOf|\$ref/);
    expect(todoInput.parse({ ops: [{ op: 'start', task: 5 }] })).toEqual({ ops: [{ op: 'start', task: 5 }] });
    expect(todoInput.parse({})).toEqual({});
  });
});
