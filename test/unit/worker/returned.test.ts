import { expect, it } from 'vitest';
import { draft, say } from '../session/kit.ts';
import { openTestSessions, temporaryFolder } from '../support/folder.ts';
import { Copy, DELAY, ID, init, inLoop, OWNER, PERSON, recordsOf } from './kit.ts';

function open(folder = temporaryFolder()) {
  const sessions = openTestSessions(folder);
  /** One whole turn; answers its name and what its model was shown first. */
  const turn = async (text: string, returnTo?: string | null) => {
    const view = await sessions.turnBegin({ ...OWNER, returnTo }, [draft(say('user', text))]);
    const outcome = await sessions.turnEnd(ID, [draft(say('assistant', `re ${text}`))], {
      reason: 'completed',
    });
    return { end: outcome.turn ?? '', lines: new Copy().take(view).lines };
  };
  return { folder, sessions, turn };
}

it('goes on from the end of an earlier turn, and from the beginning', async () => {
  const { turn, sessions, folder } = open();
  const { end } = await turn('a');
  await turn('b');
  expect((await turn('c', end)).lines).toEqual(['a', 're a', 'c']);
  expect((await turn('d')).lines).toEqual(['a', 're a', 'c', 're c', 'd']);
  expect((await turn('e', null)).lines).toEqual(['e']);
  sessions.close();
  expect((await open(folder).turn('f')).lines).toEqual(['e', 're e', 'f']);
});

it('goes back to what was left by going back', async () => {
  const { turn } = open();
  const { end } = await turn('a');
  const { end: left } = await turn('b');
  await turn('c', end);
  expect((await turn('d', left)).lines).toEqual(['a', 're a', 'b', 're b', 'd']);
});

it('changes nothing for a turn that is unknown or the latest, or where nothing was said', async () => {
  const { turn, folder } = open();
  await turn('a', null);
  await turn('b', 'unknown');
  const { end } = await turn('c');
  expect((await turn('d', end)).lines).toEqual(['a', 're a', 'b', 're b', 'c', 're c', 'd']);
  expect(recordsOf(folder).filter(({ type }) => type === 'returned')).toEqual([]);
});

it('gives up a checkpoint made after it, keeps one made before it, and the list either way', async () => {
  const { turn, sessions } = open();
  const { end: before } = await turn('a');
  await sessions.turnBegin(OWNER, [draft(say('user', 'b'))]);
  await sessions.checkpoint(inLoop('c'), 'g');
  const { turn: inside } = await sessions.turnEnd(ID, [], { reason: 'completed' });
  await turn('c');
  await turn('d', inside);
  expect((await sessions.checkpointShow(ID, PERSON)).active).toMatchObject({
    goal: 'g',
    since: { messages: 2 },
  });
  expect(await sessions.rewind({ ...OWNER }, 'found')).toMatchObject({ ok: true });
  expect((await turn('e')).lines).toEqual(['a', 're a', 'b', expect.stringMatching(/found$/), 'e']);
  await sessions.checkpoint(OWNER, 'second');
  await sessions.todoWrite(OWNER, init('x'), DELAY);
  await turn('f', before);
  const { active, history } = await sessions.checkpointShow(ID, PERSON);
  expect(active).toBeNull();
  expect(history).toMatchObject([
    { goal: 'second', report: null },
    { goal: 'g', report: 'found' },
  ]);
  expect((await sessions.todoShow(ID, PERSON, DELAY)).phases).toMatchObject([{ tasks: [{ content: 'x' }] }]);
});

it('tells the agent of the list as it is, where that was written in what was taken back', async () => {
  const { turn, sessions } = open();
  await sessions.turnBegin(OWNER, [draft(say('user', 'a'))]);
  await sessions.todoWrite(inLoop('t'), init('x', 'y'), DELAY);
  const { turn: end } = await sessions.turnEnd(ID, [], { reason: 'completed' });
  await sessions.turnBegin(OWNER, [draft(say('user', 'b'))]);
  await sessions.todoWrite(inLoop('u'), [{ op: 'done', task: 'x' }], DELAY);
  const { turn: later } = await sessions.turnEnd(ID, [], { reason: 'completed' });
  const told = /taken back.*\[x\] x/s;
  expect((await turn('c', end)).lines).toEqual(['a', 'c', expect.stringMatching(told)]);
  expect((await turn('d')).lines.filter((line) => told.test(line))).toHaveLength(1);
  expect((await turn('e', later)).lines).toEqual(['a', 'b', 'e']);
  expect((await turn('f', null)).lines).toEqual(['f', expect.stringMatching(told)]);
});

it('shows an exploration again that a rewind had folded', async () => {
  const { turn, sessions } = open();
  await sessions.turnBegin(OWNER, [draft(say('user', 'a'))]);
  await sessions.checkpoint(inLoop('c'), 'g');
  const { turn: inside } = await sessions.turnEnd(ID, [draft(say('assistant', 'dug'))], {
    reason: 'completed',
  });
  await sessions.rewind(OWNER, 'found');
  expect((await turn('b')).lines).toEqual(['a', expect.stringMatching(/found$/), 'b']);
  expect((await turn('c', inside)).lines).toEqual(['a', 'dug', 'c']);
  expect((await sessions.checkpointShow(ID, PERSON)).active).toBeNull();
});

it('keeps the calls of a chat that was only observed before its first turn', async () => {
  const { turn, sessions } = open();
  await sessions.observe(OWNER, { name: 'memory_recall', input: {}, text: 'nothing', isError: false });
  const { lines } = await turn('a', null);
  expect(lines.at(-1)).toBe('a');
  expect(lines).toHaveLength(3);
});

it('is possible to where a session stood that was resumed', async () => {
  const { turn, sessions } = open();
  await turn('a');
  const { turn: end } = await sessions.sessionResume(ID, PERSON);
  await turn('b');
  expect((await turn('c', end)).lines).toEqual(['a', 're a', 'c']);
});
