import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { use } from '../session/kit.ts';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { answered, Copy, DELAY, ID, init, inLoop, OWNER, PERSON, recordsOf, said, user } from './kit.ts';

function open(folder = temporaryFolder()) {
  const clock = { time: START };
  return { folder, clock, sessions: openTestSessions(folder, clock) };
}

describe('a turn', () => {
  it('answers the whole view when it begins, and then what changed', async () => {
    const { sessions, folder } = open();
    const copy = new Copy();
    expect(copy.take(await sessions.turnBegin(OWNER, [user('q')])).lines).toEqual(['q']);
    const hidden = await sessions.turnStep(ID, [said('look', use('a'))]);
    expect(hidden).toMatchObject({ id: ID, keep: 1 });
    copy.take(hidden);
    expect(copy.take(await sessions.turnStep(ID, [answered('a')])).lines).toEqual([
      'q',
      'look read(a)',
      '=a',
    ]);
    const outcome = await sessions.turnStop(ID, [said('done')], { reminders: 3 });
    expect(outcome).toMatchObject({ reason: 'completed', turn: recordsOf(folder).at(-1)?.uuid });
    const next = await sessions.turnBegin(OWNER, [user('more')]);
    expect(next.keep).toBe(0);
    expect(new Copy().take(next).lines).toEqual(['q', 'look read(a)', '=a', 'done', 'more']);
  });

  it('runs alone in its session, in this process and against others', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await expect(sessions.turnBegin(OWNER, [user('r')])).rejects.toThrow(/turn of this session is running/);
    await expect(sessions.sessionResume(ID, PERSON)).rejects.toThrow(/turn of this session is running/);
    await expect(openTestSessions(folder).turnBegin(OWNER, [user('r')])).rejects.toThrow(/Another process/);
    await sessions.turnEnd(ID, [], { reason: 'completed' });
    await expect(sessions.turnBegin(OWNER, [user('r')])).resolves.toMatchObject({ id: ID });
  });

  it('is over for good once it ended', async () => {
    const { sessions } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await sessions.turnEnd(ID, [], { reason: 'limit' });
    const over = /This turn is over/;
    await expect(sessions.turnStep(ID, [said('x')])).rejects.toThrow(over);
    await expect(sessions.turnStop(ID, [said('x')], { reminders: 0 })).rejects.toThrow(over);
    await expect(sessions.turnEnd('nobody', [], { reason: 'limit' })).rejects.toThrow(over);
  });

  it('keeps its session however long it takes, and lets go of it some time after its end', async () => {
    const { sessions, clock, folder } = open();
    const other = openTestSessions(folder, clock);
    await sessions.turnBegin(OWNER, [user('q')]);
    for (let minute = 0; minute < 30; minute++) {
      clock.time += 60_000;
      sessions.poll();
    }
    await expect(other.turnBegin(OWNER, [user('r')])).rejects.toThrow(/Another process/);
    await sessions.turnEnd(ID, [], { reason: 'completed' });
    clock.time += 130_000;
    sessions.poll();
    await expect(other.turnBegin(OWNER, [user('r')])).resolves.toMatchObject({ id: ID });
  });

  it('gives calls that never answered a result, so that none stays open', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await sessions.turnStep(ID, [said('both', use('a'), use('b'))]);
    await sessions.turnEnd(ID, [answered('a')], { reason: 'aborted' });
    const [result, end] = recordsOf(folder).slice(-2);
    expect(result).toMatchObject({ message: { content: [{ tool_use_id: 'b', is_error: true }] } });
    expect(result?.type === 'message' && JSON.stringify(result.message)).toMatch(/may have taken effect/);
    expect(end).toMatchObject({ type: 'end', end: { reason: 'aborted' } });
    sessions.close();
    const view = await openTestSessions(folder).turnBegin(OWNER, [user('on')]);
    expect(new Copy().take(view).lines).toEqual(['q', 'both read(a) read(b)', '=a', '=b', 'on']);
  });

  it('keeps the levels of what was said, and lets its own calls through at theirs', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    await sessions.turnStep(ID, [{ ...user('secret'), level: 'CONFIDENTIAL' }]);
    await expect(sessions.todoWrite(inLoop('a'), init('x'), DELAY)).resolves.toMatchObject({ errors: [] });
    await sessions.turnEnd(ID, [], { reason: 'completed' });
    expect(recordsOf(folder).map(({ level }) => level)).toEqual([
      'PUBLIC',
      'PUBLIC',
      'CONFIDENTIAL',
      'CONFIDENTIAL',
      'CONFIDENTIAL',
    ]);
    await expect(sessions.turnBegin(OWNER, [user('r')])).rejects.toThrow(/above the level of this call/);
  });
});

describe('a turn whose records cannot be saved', () => {
  const harmed = async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    appendFileSync(join(folder, 'store', 'sessions', `${ID}.jsonl`), 'garbage\n');
    return sessions;
  };

  it('is over: a step says so, the ends tell it as the outcome', async () => {
    await expect((await harmed()).turnStep(ID, [said('x')])).rejects.toThrow(/^Nothing was saved: /);
    const failed = { reason: 'writer-failed', detail: expect.stringMatching(/^Nothing was saved: /) };
    expect(await (await harmed()).turnStop(ID, [said('x')], { reminders: 0 })).toEqual(failed);
    expect(await (await harmed()).turnEnd(ID, [said('x')], { reason: 'error' })).toEqual(failed);
  });

  it('leaves the session free for a turn that goes on', async () => {
    const sessions = await harmed();
    await expect(sessions.turnStep(ID, [said('x')])).rejects.toThrow();
    const view = await sessions.turnBegin(OWNER, [user('again')]);
    expect(new Copy().take(view).lines).toEqual([
      'q',
      expect.stringMatching(/^This session was resumed/),
      'again',
    ]);
  });

  it('is not carried on in a new transcript behind its back when everything was deleted', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    rmSync(join(folder, 'store', 'sessions'), { recursive: true });
    await expect(sessions.todoWrite(inLoop('a'), init('x'), DELAY)).rejects.toThrow(/^Nothing was saved: /);
    await expect(sessions.turnStep(ID, [said('x')])).rejects.toThrow(/This turn is over/);
  });
});

describe('subagents', () => {
  const agent = (id: string, parent = ID) =>
    ({ ...OWNER, key: `k:${id}`, kind: 'subagent', agent: { id, parent, depth: 1 } }) as const;

  it('have transcripts of their own, several at once beside the turn of their parent', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [user('q')]);
    const [one, two] = await Promise.all([
      sessions.turnBegin(agent('one'), [user('do one')]),
      sessions.turnBegin(agent('two'), [user('do two')]),
    ]);
    expect(new Set([one.id, two.id, ID]).size).toBe(3);
    const below = await sessions.turnBegin(agent('deep', one.id), [user('do deep')]);
    await sessions.turnStep(one.id, [said('1')]);
    expect(await sessions.turnStop(two.id, [said('2')], { reminders: 0 })).toMatchObject({
      reason: 'completed',
    });
    await expect(sessions.turnBegin(agent('one'), [])).rejects.toThrow(/turn of this session is running/);
    await sessions.turnEnd(one.id, [], { reason: 'completed' });
    await sessions.turnEnd(below.id, [], { reason: 'completed' });
    expect(recordsOf(folder, ID, 'two').map(({ type }) => type)).toEqual([
      'session',
      'message',
      'message',
      'end',
    ]);
    expect(recordsOf(folder, ID, 'deep')[0]).toMatchObject({
      agent_id: 'deep',
      is_sidechain: true,
      session: { kind: 'subagent', depth: 1, parent: one.id },
    });
    expect(await sessions.sessionsBrowse(PERSON)).toMatchObject([{ id: ID, kind: 'participant' }]);
  });

  it('have no checkpoints and no list', async () => {
    const { sessions } = open();
    const caller = { ...inLoop('a', 1), key: 'k:one' };
    const refused = { ok: false, error: 'Checkpoint not available in subagents.' };
    expect(await sessions.checkpoint(caller, 'g')).toEqual(refused);
    expect(await sessions.rewind(caller, 'r')).toEqual(refused);
    await expect(sessions.todoWrite(caller, init('x'), DELAY)).rejects.toThrow(/belongs to the session/);
    expect(await sessions.sessionsBrowse(PERSON)).toEqual([]);
  });

  it('are refused beside a parent that no session can be', async () => {
    const { sessions } = open();
    await expect(sessions.turnBegin(agent('a', '../x'), [])).rejects.toThrow(/invalid session id/);
  });

  it.each(['../x', '', 'a/b', '.'])('are refused under the id %j', async (id) => {
    const { sessions } = open();
    await expect(sessions.turnBegin(agent(id), [])).rejects.toThrow(/invalid agent id/);
  });
});
