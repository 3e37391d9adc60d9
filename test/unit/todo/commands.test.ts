import { describe, expect, it } from 'vitest';
import {
  applyCommand,
  commandOps,
  type EditCommand,
  importList,
  parseCommand,
} from '../../../src/todo/commands.ts';
import type { Phase } from '../../../src/todo/list.ts';
import { contents, LIST, statuses } from './sample.ts';

const WORK: readonly Phase[] = [
  {
    name: 'Planning',
    tasks: [
      { content: 'Read the parser', status: 'completed' },
      { content: 'Write the plan', status: 'in_progress' },
    ],
  },
  {
    name: 'Build parser',
    tasks: [
      { content: 'Fix the parser', status: 'pending' },
      { content: '검색 고치기', status: 'pending' },
    ],
  },
];

function edit(text: string, phases: readonly Phase[] = WORK) {
  return commandOps(parseCommand(text) as EditCommand, phases);
}

describe('/todo', () => {
  it.each([
    ['', { verb: 'show' }],
    ['  ', { verb: 'show' }],
    ['show', { verb: 'show' }],
    ['EDIT', { verb: 'edit' }],
    ['copy', { verb: 'copy' }],
    ['help', { verb: 'help' }],
    ['?', { verb: 'help' }],
    ['export', { verb: 'export', path: 'TODO.md' }],
    ['import  "my list.md" ', { verb: 'import', path: 'my list.md' }],
    ['export C:\\new\\todo.md', { verb: 'export', path: 'C:\\new\\todo.md' }],
    ['append fix', { verb: 'append', task: 'fix' }],
    ['append "fix the login"', { verb: 'append', task: 'fix the login' }],
    ['append build fix  the "login"', { verb: 'append', phase: 'build', task: 'fix  the "login"' }],
    ['append "the \\"big\\" one" "fix it"', { verb: 'append', phase: 'the "big" one', task: 'fix it' }],
    ['append "" fix', { verb: 'append', task: 'fix' }],
    ['append', { problem: 'missing-argument', verb: 'append' }],
    ['append ""', { problem: 'missing-argument', verb: 'append' }],
    ['start', { problem: 'missing-argument', verb: 'start' }],
    ['start fix the\nparser', { verb: 'start', name: 'fix the\nparser' }],
    ['done', { verb: 'done' }],
    ['drop "fix it"', { verb: 'drop', name: 'fix it' }],
    ['rm ""', { verb: 'rm', name: '' }],
    ['finish x', { problem: 'unknown-verb', verb: 'finish' }],
    ['toString', { problem: 'unknown-verb', verb: 'toString' }],
  ])('reads %j', (text, command) => {
    expect(parseCommand(text)).toEqual(command);
  });

  it.each([
    ['start fix THE parser', [{ op: 'start', task: 'Fix the parser' }]],
    ['start plan', [{ op: 'start', task: 'Write the plan' }]],
    // Two contain it and one of them is open.
    ['done the parser', [{ op: 'done', task: 'Fix the parser' }]],
    ['drop building', { problem: 'no-match', name: 'building', candidates: [] }],
    ['drop build', [{ op: 'drop', phase: 'Build parser' }]],
    ['rm planning', [{ op: 'rm', phase: 'Planning' }]],
    ['start planning', { problem: 'no-match', name: 'planning', candidates: [] }],
    ['rm', [{ op: 'rm' }]],
    ['rm ""', { problem: 'no-match', name: '', candidates: [] }],
    ['done 검색'.normalize('NFD'), [{ op: 'done', task: '검색 고치기' }]],
    [
      'start the',
      {
        problem: 'no-match',
        name: 'the',
        candidates: ['Read the parser', 'Write the plan', 'Fix the parser'],
      },
    ],
    ['append planning ship it', [{ op: 'append', phase: 'Planning', items: ['Ship it'] }]],
    ['append build ship it', [{ op: 'append', phase: 'Build parser', items: ['Ship it'] }]],
    ['append parser ship', [{ op: 'append', phase: 'Build parser', items: ['Ship'] }]],
    ['append "final steps" ship it', [{ op: 'append', phase: 'Final Steps', items: ['Ship it'] }]],
    ['append ship', [{ op: 'append', phase: 'Build parser', items: ['Ship'] }]],
  ])('finds what %j names', (text, ops) => {
    expect(edit(text)).toEqual(ops);
  });

  it('puts a first task under "Todos"', () => {
    expect(edit('append ship', [])).toEqual([{ op: 'append', phase: 'Todos', items: ['Ship'] }]);
  });

  it('prefers the same text to one that differs in case', () => {
    const phases: Phase[] = [
      {
        name: 'P',
        tasks: [
          { content: 'FIX', status: 'pending' },
          { content: 'fix', status: 'pending' },
        ],
      },
    ];
    expect(edit('done fix', phases)).toEqual([{ op: 'done', task: 'fix' }]);
    expect(edit('done Fix', phases)).toEqual([{ op: 'done', task: 'FIX' }]);
  });

  it('changes the list, or says why not', () => {
    expect(statuses(applyCommand({ verb: 'done', name: 'a1' }, LIST) as Phase[])).toEqual([
      'completed',
      'in_progress',
      'pending',
    ]);
    expect(applyCommand({ verb: 'start', name: 'zzz' }, LIST)).toEqual({
      problem: 'no-match',
      name: 'zzz',
      candidates: [],
    });
    expect(applyCommand({ verb: 'append', phase: 'new', task: 'write the plan' }, WORK)).toEqual({
      problem: 'errors',
      errors: ['Task "Write the plan" already exists'],
    });
  });
});

describe('an import', () => {
  it('replaces the list and keeps one task active', () => {
    const phases = importList('# A\n- [x] a\n- [/] b\n- [/] c\n') as Phase[];
    expect(contents(phases)).toEqual(['a', 'b', 'c']);
    expect(statuses(phases)).toEqual(['completed', 'in_progress', 'pending']);
    expect(statuses(importList('- [ ] a') as Phase[])).toEqual(['in_progress']);
  });

  it('applies nothing when a line cannot be read or two names are the same', () => {
    expect(importList('# X\n- [?] q\nhello\n')).toMatchObject({ problem: 'errors', errors: { length: 2 } });
    expect(importList('# A\n- [ ] a\n- [ ]\n# A\n- [ ] a\n#\n')).toEqual({
      problem: 'errors',
      errors: [
        'Missing task content',
        'Phase "A" already exists',
        'Task "a" already exists',
        'Missing phase name',
      ],
    });
  });
});
