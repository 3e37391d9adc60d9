import { describe, expect, it } from 'vitest';
import type { TodoPhase, TodoStep, TodoTask } from '../../src/planProtocol.ts';
import type { Phase } from '../../src/todo/list.ts';
import { applySteps as hostSteps } from '../../src/todo/steps.ts';
import { setLanguage } from '../../webview/kit/l10n.ts';
import { Edits } from '../../webview/todo/edits.ts';
import { OpenPhases } from '../../webview/todo/open-phases.ts';
import { refusal, tooLong } from '../../webview/todo/refusals.ts';
import { buildRows, isOpen } from '../../webview/todo/rows.ts';
import {
  applySteps,
  findTask,
  neighbour,
  type Place,
  restorePhase,
  restoreSteps,
} from '../../webview/todo/steps.ts';

const task = (content: string, status: TodoTask['status'] = 'pending', notes: string[] = []): TodoTask => ({
  content,
  status,
  notes,
});
const PHASES: readonly TodoPhase[] = [
  { name: 'A', tasks: [task('a', 'completed'), task('b', 'in_progress', ['n'])] },
  { name: 'B', tasks: [task('c'), task('d', 'abandoned')] },
];
const places = (...contents: string[]): Place[] =>
  contents.map((content) => findTask(PHASES, content)).filter((place): place is Place => place !== undefined);

describe('steps', () => {
  it.each([
    ['start', [{ op: 'start', task: 'c' }], 'A: a+ b / B: c> d-'],
    ['done, and the next one is active', [{ op: 'done', task: 'b' }], 'A: a+ b+ / B: c> d-'],
    ['reopen', [{ op: 'reopen', task: 'a' }], 'A: a b> / B: c d-'],
    ['rename', [{ op: 'rename', task: 'c', to: 'x' }], 'A: a+ b> / B: x d-'],
    ['rename to what there is', [{ op: 'rename', task: 'c', to: 'a' }], 'A: a+ b> / B: c d-'],
    ['append to a new phase', [{ op: 'append', phase: 'C', items: ['e', 'a'] }], 'A: a+ b> / B: c d- / C: e'],
    ['remove', [{ op: 'rm', task: 'b' }], 'A: a+ / B: c> d-'],
    ['remove a phase’s tasks', [{ op: 'rm', phase: 'A' }], 'A: / B: c> d-'],
    ['move', [{ op: 'move', task: 'a', phase: 'B', index: 1 }], 'A: b> / B: c a+ d-'],
    ['move to nowhere', [{ op: 'move', task: 'a', phase: 'Z', index: 0 }], 'A: a+ b> / B: c d-'],
    ['rename a phase', [{ op: 'rename_phase', phase: 'A', to: 'Z' }], 'Z: a+ b> / B: c d-'],
    ['rename a phase to what there is', [{ op: 'rename_phase', phase: 'A', to: 'B' }], 'A: a+ b> / B: c d-'],
    ['remove a phase', [{ op: 'remove_phase', phase: 'A' }], 'B: c> d-'],
    ['add a phase', [{ op: 'add_phase', phase: 'Z', index: 1 }], 'A: a+ b> / Z: / B: c d-'],
    ['add a phase that is there', [{ op: 'add_phase', phase: 'B', index: 0 }], 'A: a+ b> / B: c d-'],
    ['what is not there', [{ op: 'drop', task: 'z' }], 'A: a+ b> / B: c d-'],
  ] as const)('%s', (_, steps, after) => {
    const sign = { pending: '', in_progress: '>', completed: '+', abandoned: '-' };
    const text = applySteps(PHASES, steps)
      .map(({ name, tasks }) =>
        [`${name}:`, ...tasks.map((each) => each.content + sign[each.status])].join(' '),
      )
      .join(' / ');
    expect(text).toBe(after);
  });

  it('can be taken back, whatever was dropped, finished or removed', () => {
    for (const contents of [['a'], ['b'], ['c'], ['d'], ['a', 'b'], ['c', 'd']]) {
      const removed = contents.map((content) => ({ op: 'rm', task: content }) as const);
      const back = restoreSteps(places(...contents), true);
      const active = { op: 'start', task: 'b' } as const;
      expect(applySteps(applySteps(PHASES, removed), [...back, active])).toEqual(PHASES);
      const dropped = contents.map((content) => ({ op: 'drop', task: content }) as const);
      expect(
        applySteps(applySteps(PHASES, dropped), [...restoreSteps(places(...contents), false), active]),
      ).toEqual(PHASES);
    }
  });

  it.each([0, 1])('put a removed phase back where it was: %s', (index) => {
    const phases = [...PHASES, { name: 'Empty', tasks: [] }];
    for (const [at, phase] of [...phases.entries()].slice(index)) {
      const without = applySteps(phases, [{ op: 'remove_phase', phase: phase.name }]);
      expect(applySteps(without, restorePhase(without, phase, at))).toEqual(phases);
    }
  });

  it('put a removed phase’s tasks into the one that the agent has made anew', () => {
    const [first, ...rest] = PHASES;
    const again = [...rest, { name: 'A', tasks: [task('e')] }];
    const back = applySteps(again, restorePhase(again, first ?? { name: '', tasks: [] }, 0));
    expect(back.map(({ name, tasks }) => [name, ...tasks.map(({ content }) => content)])).toEqual([
      ['B', 'c', 'd'],
      ['A', 'e', 'a', 'b'],
    ]);
  });

  it('are what the host makes of them', () => {
    const host: readonly Phase[] = PHASES.map(({ name, tasks }) => ({
      name,
      tasks: tasks.map(({ notes, ...each }) => (notes.length === 0 ? each : { ...each, notes })),
    }));
    const all: readonly TodoStep[][] = [
      [{ op: 'rename_phase', phase: 'B', to: 'Z' }],
      [{ op: 'remove_phase', phase: 'A' }],
      [{ op: 'add_phase', phase: 'Z', index: 1 }],
      [
        { op: 'remove_phase', phase: 'B' },
        ...restorePhase(PHASES.slice(0, 1), PHASES[1] ?? { name: '', tasks: [] }, 1),
      ],
    ];
    for (const steps of all) {
      const { phases, errors } = hostSteps(host, steps);
      expect(errors).toEqual([]);
      const shown = phases.map(({ name, tasks }) => ({
        name,
        tasks: tasks.map(({ notes = [], ...each }) => ({ ...each, notes })),
      }));
      expect(applySteps(PHASES, steps)).toEqual(shown);
    }
  });

  it('up and down go across phases and end at the ends', () => {
    expect(neighbour(PHASES, 'b', true)).toEqual({ phase: 'B', index: 0 });
    expect(neighbour(PHASES, 'c', false)).toEqual({ phase: 'A', index: 2 });
    expect(neighbour(PHASES, 'a', true)).toEqual({ phase: 'A', index: 1 });
    expect(neighbour(PHASES, 'a', false)).toBeUndefined();
    expect(neighbour(PHASES, 'd', true)).toBeUndefined();
  });
});

describe('refusals', () => {
  const hostList: readonly Phase[] = [
    { name: 'A', tasks: [{ content: 'x', status: 'in_progress' }] },
    { name: 'B', tasks: [{ content: 'two\nlines', status: 'pending' }] },
  ];
  const refused: readonly (readonly [string, TodoStep, string])[] = [
    ['no task', { op: 'done', task: 'gone' }, '“gone” is not in the plan any more.'],
    [
      'no task to move',
      { op: 'move', task: 'gone', phase: 'A', index: 0 },
      '“gone” is not in the plan any more.',
    ],
    [
      'a name that is taken',
      { op: 'rename', task: 'x', to: 'two\nlines' },
      '“two lines” is in the plan already.',
    ],
    ['a task that is there', { op: 'append', phase: 'A', items: ['x'] }, '“x” is in the plan already.'],
    [
      'no phase',
      { op: 'remove_phase', phase: '"B" not found' },
      'The phase “"B" not found” is not in the plan any more.',
    ],
    [
      'no phase to rename',
      { op: 'rename_phase', phase: 'Z', to: 'z' },
      'The phase “Z” is not in the plan any more.',
    ],
    ['a phase that is there', { op: 'add_phase', phase: 'B', index: 0 }, 'There is a phase “B” already.'],
    [
      'a phase’s name that is taken',
      { op: 'rename_phase', phase: 'A', to: 'B' },
      'There is a phase “B” already.',
    ],
  ];

  it.each(refused)('are told in the person’s words: %s', (_, step, text) => {
    setLanguage({}, 'en');
    expect(hostSteps(hostList, [step]).errors.map(refusal)).toEqual([text]);
  });

  it('are told in the person’s language, also on an empty list', () => {
    const english = '“{0}” is not in the plan any more.';
    setLanguage({ [english]: '“{0}”은(는) 없습니다.' }, 'ko');
    expect(hostSteps([], [{ op: 'done', task: 'a' }]).errors.map(refusal)).toEqual(['“a”은(는) 없습니다.']);
    expect(refusal('something\u202e else')).toBe('something[U+202E] else');
    setLanguage({}, 'en');
  });

  it('begin at what the list refuses, and not before', () => {
    setLanguage({}, 'en');
    for (const length of [10_000, 10_001]) {
      const { errors } = hostSteps(hostList, [{ op: 'append', phase: 'A', items: ['w'.repeat(length)] }]);
      expect(tooLong('w'.repeat(length)) === undefined).toBe(errors.length === 0);
    }
  });
});

describe('rows', () => {
  it('keep apart what has the same name', () => {
    setLanguage({}, 'en');
    const twice = [
      { name: 'A', tasks: [task('x'), task('x')] },
      { name: 'A', tasks: [] },
    ];
    const keys = buildRows(twice, { open: {}, expanded: [], edit: null }).map(({ key }) => key);
    expect(new Set(keys).size).toBe(4);
  });

  it('show what is written even where there is no place for it', () => {
    const edit = { kind: 'rename', task: 'gone', phase: 'gone too', text: 'x' } as const;
    const rows = buildRows(PHASES, { open: { A: false, B: false }, expanded: [], edit });
    expect(rows.map(({ kind }) => kind)).toEqual(['phase', 'phase', 'edit']);
  });

  it('have what is written in the place of a phase’s name, its tasks below as before', () => {
    const edit = { kind: 'rename-phase', phase: 'B', text: 'x' } as const;
    const kinds = (open: Record<string, boolean>) =>
      buildRows(PHASES, { open, expanded: [], edit })
        .map(({ kind }) => kind)
        .join(' ');
    expect(kinds({})).toBe('phase task task edit task task');
    expect(kinds({ A: false, B: false })).toBe('phase edit');
    const twice = [PHASES[1], PHASES[1]].filter((phase) => phase !== undefined);
    expect(
      buildRows(twice, { open: {}, expanded: [], edit }).filter(({ kind }) => kind === 'edit').length,
    ).toBe(1);
  });

  it('fold complete phases unless the person says otherwise', () => {
    const done = { name: '__proto__', tasks: [task('x', 'completed')] };
    expect(isOpen(done, {})).toBe(false);
    expect(isOpen(done, JSON.parse('{"__proto__":true}'))).toBe(true);
    expect(isOpen({ name: 'x', tasks: [] }, {})).toBe(true);
  });
});

describe('edits', () => {
  it('go one after the other, show at once, and give way to the answers', async () => {
    const sent: string[] = [];
    let answer: (() => void) | undefined;
    const edits = new Edits(async (_, steps) => {
      sent.push(steps.map(({ op }) => op).join());
      await new Promise<void>((done) => {
        answer = done;
      });
      if (steps[0]?.op === 'drop') throw new Error('no');
      return { phases: PHASES, errors: [] };
    });
    const first = edits.add('s', [{ op: 'done', task: 'c' }]);
    const second = edits.add('s', [{ op: 'drop', task: 'b' }]).catch(() => 'refused');
    await Promise.resolve();
    const shown = edits.over('s', PHASES);
    expect(findTask(shown, 'c')?.task.status).toBe('completed');
    expect(findTask(shown, 'b')?.task.status).toBe('abandoned');
    expect(edits.over('other', PHASES)).toBe(PHASES);
    expect(sent).toEqual(['done']);
    answer?.();
    await first;
    await new Promise((done) => setTimeout(done));
    expect(sent).toEqual(['done', 'drop']);
    answer?.();
    expect(await second).toBe('refused');
    expect(edits.over('s', PHASES)).toBe(PHASES);
  });
});

describe('open phases', () => {
  it('are remembered where they differ from what would be anyway', () => {
    const done = { name: 'Done', tasks: [task('x', 'completed')] };
    const phases = [...PHASES, done];
    const open = new OpenPhases();
    expect(open.choose({ A: true, B: false, Done: true, gone: true }, phases)).toEqual({
      B: false,
      Done: true,
    });
    const chosen = { B: false };
    open.use('Done');
    expect(open.all(chosen)).toEqual({ B: false, Done: true });
    expect(open.all(chosen)).toBe(open.all(chosen));
    // In use, not chosen: another start folds it.
    expect(open.choose({ B: false, Done: true }, phases)).toEqual({ B: false });
    expect(open.choose({ Done: false }, phases)).toEqual({});
    expect(open.all({})).toEqual({});
  });

  it('are as they were under another name', () => {
    const open = new OpenPhases();
    open.use('A');
    const chosen = open.rename(open.rename({ B: false }, 'B', 'b'), 'A', '__proto__');
    expect(open.all(chosen)).toEqual(JSON.parse('{"A":true,"B":false,"b":false,"__proto__":true}'));
    expect(open.rename(chosen, 'toString', 'x')).toBe(chosen);
  });
});
