import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TodoView } from '../../../src/planProtocol.ts';
import type { TodoCommandData } from '../../../src/tools/todo/command.ts';
import { openTestTools } from '../support/folder.ts';

const person = { actor: 'person', door: 'editor' } as const;
const LIST = [
  { phase: 'Planning', items: ['Read the parser', 'Write the plan'] },
  { phase: '검색 개선', items: ['검색 고치기', '색인 다시 만들기'] },
];

function open() {
  const tools = openTestTools();
  const todo = async (text: string, markdown?: string) => {
    const outcome = await tools.call(
      'todo_command',
      { text, ...(markdown === undefined ? {} : { markdown }) },
      person,
    );
    expect(outcome.isError).toBe(false);
    return { text: outcome.text, data: outcome.data as TodoCommandData };
  };
  /** The list after a command, a line for each phase; or the problem. */
  const list = async (text: string, markdown?: string) => {
    const { data } = await todo(text, markdown);
    if ('problem' in data) return data.problem;
    return data.phases.map(({ name, tasks }) =>
      [name, ...tasks.map(({ content, status }) => `${content}=${status}`)].join(' | '),
    );
  };
  const plan = () => tools.call('todo_write', { ops: [{ op: 'init', list: LIST }] });
  return { ...tools, todo, list, plan };
}

describe('/todo', () => {
  it('shows the list as Markdown, and what to do where there is none', async () => {
    const { todo, plan, folder } = open();
    expect((await todo('')).text).toBe('The todo list is empty. Add to it with /todo append "a task".');
    // Looking makes no session.
    const sessions = join(folder, 'store', 'sessions');
    expect(existsSync(sessions) ? readdirSync(sessions) : []).toEqual([]);
    await plan();
    const { text, data } = await todo('show');
    expect(text).toBe(
      '# Planning\n- [/] Read the parser\n- [ ] Write the plan\n\n# 검색 개선\n- [ ] 검색 고치기\n- [ ] 색인 다시 만들기\n',
    );
    expect(data).toMatchObject({ command: { verb: 'show' }, markdown: text });
  });

  it.each(['copy', 'export', 'export "my list.md"', 'edit', 'import', 'import C:\\list.md'])(
    'leaves files, the clipboard and the editor to the door: %s',
    async (command) => {
      const { todo, plan, call } = open();
      await plan();
      const { text, data } = await todo(command);
      expect(text).toContain('- [/] Read the parser');
      expect(data).toMatchObject({ command: { verb: command.split(' ')[0] }, markdown: text });
      expect(
        (await call('todo_write', { ops: [{ op: 'start', task: 'Read the parser' }] })).text,
      ).not.toContain('edited by hand');
    },
  );

  it('says where to export to and import from', async () => {
    const { todo } = open();
    const pathOf = async (text: string) => {
      const { data } = await todo(text);
      return 'command' in data && 'path' in data.command ? data.command.path : undefined;
    };
    expect(await pathOf('export')).toBe('TODO.md');
    expect(await pathOf('import  "할 일.md"')).toBe('할 일.md');
  });

  it.each([
    ['start plan', ['Planning | Read the parser=pending | Write the plan=in_progress']],
    ['done READ', ['Planning | Read the parser=completed | Write the plan=in_progress']],
    ['drop planning', ['Planning | Read the parser=abandoned | Write the plan=abandoned']],
    ['rm "Write the plan"', ['Planning | Read the parser=in_progress']],
    [
      'append plan  Ask "her" first',
      ['Planning | Read the parser=in_progress | Write the plan=pending | Ask "her" first=pending'],
    ],
  ])('takes part of a name: %s', async (text, [planning]) => {
    const { list, plan } = open();
    await plan();
    expect((await list(text))?.[0]).toBe(planning);
  });

  it.each([
    ['start 색인', '검색 개선 | 검색 고치기=pending | 색인 다시 만들기=in_progress'],
    ['done 고치', '검색 개선 | 검색 고치기=completed | 색인 다시 만들기=pending'],
    ['drop 검색 개선', '검색 개선 | 검색 고치기=abandoned | 색인 다시 만들기=abandoned'],
    [
      'append 개선 문서 쓰기',
      '검색 개선 | 검색 고치기=pending | 색인 다시 만들기=pending | 문서 쓰기=pending',
    ],
  ])('takes part of a Korean name, however its syllables are composed: %s', async (text, line) => {
    for (const form of ['NFC', 'NFD'] as const) {
      const { list, plan } = open();
      await plan();
      expect([await list(text.normalize(form))].flat().at(-1)?.normalize('NFC')).toBe(line);
    }
  });

  it('adds to the last phase, to a new one, and to an empty list', async () => {
    const { list } = open();
    expect(await list('append "fix it"')).toEqual(['Todos | Fix it=in_progress']);
    expect(await list('append "ship it" tag the release')).toEqual([
      'Todos | Fix it=in_progress',
      'Ship It | Tag the release=pending',
    ]);
    expect(await list('append announce')).toEqual([
      'Todos | Fix it=in_progress',
      'Ship It | Tag the release=pending | Announce=pending',
    ]);
  });

  it('means everything where no name is given', async () => {
    const { list, plan } = open();
    await plan();
    expect(String(await list('done')).match(/completed/g)).toHaveLength(4);
    expect(String(await list('drop')).match(/abandoned/g)).toHaveLength(4);
    expect(await list('rm')).toEqual(['Planning', '검색 개선']);
  });

  it('takes a text in the place of the list, or nothing of it', async () => {
    const { list, plan } = open();
    await plan();
    expect(await list('import', '# 새 단계\n- [x] 하나\n- [ ] 둘\n  > 메모\n')).toEqual([
      '새 단계 | 하나=completed | 둘=in_progress',
    ]);
    expect(await list('edit', '- [ ] three\nno list at all\n')).toBe(
      'Nothing was changed. Line 2: unrecognized syntax "no list at all"',
    );
    expect(await list('show')).toEqual(['새 단계 | 하나=completed | 둘=in_progress']);
    expect(await list('edit', '')).toEqual([]);
  });

  it('tells the agent of an edit, once, as a notice', async () => {
    const { todo, plan, call } = open();
    await plan();
    await todo('done read');
    const next = () => call('todo_write', { ops: [{ op: 'note', task: 'Write the plan', text: 'n' }] });
    const { text } = await next();
    expect(text).toMatch(/^<system-reminder>\nNotice from Lodeline, not a message[\s\S]*\/todo done/);
    expect(text).toContain('- [x] Read the parser');
    expect((await next()).text).not.toContain('system-reminder');
  });

  it('helps', async () => {
    const { todo } = open();
    for (const text of ['help', '?']) {
      const help = (await todo(text)).text;
      for (const verb of [
        'show',
        'edit',
        'copy',
        'export [path]',
        'import [path]',
        'append [phase] task…',
        'rm',
      ])
        expect(help).toContain(`\n/todo ${verb}`);
    }
  });

  it.each([
    [
      'finish x',
      'There is no /todo finish. Use one of: show, edit, copy, export, import, append, start, done, drop, rm, help.',
      'unknown-verb',
    ],
    ['start', '/todo start needs more: /todo start task', 'missing-argument'],
    ['done ""', 'The name is empty. Give a task or a phase, or a part of its name.', 'no-match'],
    [
      'done nothing',
      'No task or phase is called "nothing". See the list with /todo, then give a part of a name.',
      'no-match',
    ],
    ['done the', '"the" could be "Read the parser", "Write the plan". Give more of the name.', 'no-match'],
    [
      'append planning Read the parser',
      'Nothing was changed. Task "Read the parser" already exists',
      'errors',
    ],
    ['a\u001b[2J', 'There is no /todo a\\u001b[2J. Use', 'unknown-verb'],
  ])('changes nothing and says what to do: %s', async (text, problem, reason) => {
    const { todo, plan, list } = open();
    await plan();
    const before = await list('show');
    const answer = await todo(text);
    expect(answer.text.slice(0, problem.length)).toBe(problem);
    expect(answer.data).toMatchObject({ problem: answer.text, reason: { problem: reason } });
    expect(await list('show')).toEqual(before);
  });

  it('is for the person alone, and only looks where the folder is not trusted', async () => {
    const { call, plan, trust } = open();
    expect((await call('todo_command', { text: 'show' })).isError).toBe(true);
    await plan();
    trust.trusted = false;
    expect((await call('todo_command', { text: 'show' }, person)).isError).toBe(false);
    expect((await call('todo_command', { text: 'edit' }, person)).isError).toBe(false);
    for (const input of [{ text: 'rm' }, { text: 'edit', markdown: '' }, { text: 'append x' }]) {
      const outcome = await call('todo_command', input, person);
      expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining('not trusted') });
    }
  });

  it('belongs to its own chat', async () => {
    const { call, plan, list } = open();
    await plan();
    await call('todo_command', { text: 'append elsewhere' }, { ...person, session: 'another' });
    expect((await list('show'))?.length).toBe(2);
    const { sessions } = (await call('todo_show', {}, { ...person, level: 'RESTRICTED' })).data as TodoView;
    expect(sessions.length).toBe(2);
  });
});
