import { describe, expect, it } from 'vitest';
import { type Command, parseCommand } from '../../../src/todo/commands.ts';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { DELAY, ID, init, OWNER, PERSON, recordsOf } from './kit.ts';

function open(folder = temporaryFolder()) {
  const clock = { time: START };
  const sessions = openTestSessions(folder, clock);
  const todo = (text: string, markdown?: string) =>
    sessions.todoCommand(OWNER, parseCommand(text) as Command, markdown, DELAY);
  return { folder, clock, sessions, todo };
}

describe('a person’s /todo', () => {
  it('starts a session for what it changes, and is told to the agent with how it was done', async () => {
    const { todo, sessions, folder } = open();
    expect(await todo('append Build "write it"')).toMatchObject({
      phases: [{ name: 'Build', tasks: [{ content: 'Write it', status: 'in_progress' }] }],
      markdown: '# Build\n- [/] Write it\n',
    });
    expect(recordsOf(folder).at(-1)).toMatchObject({ todo_edit: { by: 'person' } });
    const { notice } = await sessions.todoWrite(OWNER, [{ op: 'start', task: 'Write it' }], DELAY);
    expect(notice).toContain('edited by hand (by /todo append)');
  });

  it.each(['', 'show', 'copy', 'export', 'help', 'edit'])('makes no session by looking: %j', async (text) => {
    const { todo, sessions } = open();
    expect(await todo(text)).toMatchObject({ phases: [] });
    expect(await sessions.sessionsBrowse(PERSON)).toEqual([]);
  });

  it('says why it changes nothing', async () => {
    const { todo, folder } = open();
    await todo('append A one');
    expect(await todo('done other')).toMatchObject({ problem: { problem: 'no-match', name: 'other' } });
    expect(await todo('import x.md', 'garbage')).toMatchObject({ problem: { problem: 'errors' } });
    expect(recordsOf(folder).filter(({ type }) => type === 'todo_edit')).toHaveLength(1);
  });

  it('puts a text in the place of the list', async () => {
    const { todo } = open();
    await todo('append A one');
    expect(await todo('import', '# B\n- [x] two\n- [ ] three\n')).toMatchObject({
      phases: [{ name: 'B', tasks: [{ status: 'completed' }, { status: 'in_progress' }] }],
    });
    expect(await todo('edit')).toMatchObject({ markdown: '# B\n- [x] two\n- [/] three\n' });
  });

  it('shows all of the list with what time took out, and no other command does', async () => {
    const { todo, sessions, clock } = open();
    const contents = async (text: string) => {
      const shown = await todo(text);
      return 'problem' in shown
        ? shown
        : shown.phases.map(({ name, tasks }) => [name, ...tasks.map((t) => t.content)]);
    };
    const list = [
      { phase: 'A', items: ['a1'] },
      { phase: 'B', items: ['b1', 'b2'] },
    ];
    await sessions.todoWrite(OWNER, [{ op: 'init', list }], DELAY);
    await sessions.todoWrite(
      OWNER,
      [
        { op: 'done', task: 'a1' },
        { op: 'done', task: 'b1' },
      ],
      DELAY,
    );
    clock.time += 61_000;
    expect(await contents('copy')).toEqual([['B', 'b2']]);
    expect(await contents('show')).toEqual([
      ['A', 'a1'],
      ['B', 'b1', 'b2'],
    ]);
    // Also when the list was written without them since, and by another process.
    await sessions.todoWrite(OWNER, [{ op: 'append', phase: 'C', items: ['c1'] }], DELAY);
    sessions.close();
    expect(await contents('show')).toEqual([
      ['A', 'a1'],
      ['B', 'b1', 'b2'],
      ['C', 'c1'],
    ]);
    // What was taken out by hand is gone.
    await todo('rm b2');
    expect(await contents('show')).toEqual([
      ['A', 'a1'],
      ['B', 'b1'],
      ['C', 'c1'],
    ]);
  });

  it('does not show a plan above the caller’s level', async () => {
    const { todo, sessions } = open();
    await sessions.todoWrite({ ...OWNER, level: 'CONFIDENTIAL' }, init('secret'), DELAY);
    await expect(todo('show')).rejects.toThrow();
    await expect(todo('append x')).rejects.toThrow();
  });

  it('does not raise the level of the session it changes', async () => {
    const { sessions, folder } = open();
    await sessions.todoWrite(OWNER, init('x'), DELAY);
    await sessions.todoCommand(
      { ...OWNER, level: 'RESTRICTED' },
      { verb: 'done', name: 'x' },
      undefined,
      DELAY,
    );
    expect(recordsOf(folder, ID).at(-1)).toMatchObject({ type: 'todo_edit', level: 'PUBLIC' });
  });
});
