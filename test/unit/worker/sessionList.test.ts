import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/session/messages.ts';
import { draft, say, use } from '../session/kit.ts';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { CHAT, CHAT_ID, Copy, DELAY, ID, init, OWNER, PERSON, recordsOf } from './kit.ts';

const CALL = { name: 'memory_recall', input: {}, text: '', isError: false } as const;

function open(folder = temporaryFolder()) {
  const clock = { time: START };
  return { folder, clock, sessions: openTestSessions(folder, clock) };
}

describe('the session that a panel shows by itself', () => {
  it('is the last one that has something to show', async () => {
    const { sessions, clock } = open();
    await sessions.todoWrite(CHAT, init('x'), DELAY);
    clock.time += 1_000;
    await sessions.checkpoint({ ...CHAT, key: 'second' }, 'g');
    for (let other = 0; other < 10; other++) {
      clock.time += 1_000;
      await sessions.observe({ ...CHAT, key: `other ${other}` }, CALL);
    }
    const list = await sessions.todoShow(undefined, PERSON, DELAY);
    expect(list).toMatchObject({ session: { id: CHAT_ID }, phases: [{ tasks: [{ content: 'x' }] }] });
    expect(list.sessions).toHaveLength(12);
    expect((await sessions.checkpointShow(undefined, PERSON)).active).toMatchObject({ goal: 'g' });
  });

  it('is the last one where none has', async () => {
    const { sessions, clock } = open();
    await sessions.observe(CHAT, CALL);
    clock.time += 1_000;
    await sessions.observe({ ...CHAT, source: 'last', key: 'other' }, CALL);
    expect(await sessions.todoShow(undefined, PERSON, DELAY)).toMatchObject({
      session: { source: 'last' },
      phases: [],
    });
  });

  it('may be asked for however long the list is', async () => {
    const { sessions, clock } = open();
    await sessions.todoWrite(CHAT, init('x'), DELAY);
    for (let other = 0; other < 55; other++) {
      clock.time += 1_000;
      await sessions.observe({ ...CHAT, key: `other ${other}` }, CALL);
    }
    const view = await sessions.todoShow(CHAT_ID, PERSON, DELAY);
    expect(view).toMatchObject({ session: { id: CHAT_ID }, phases: [{}] });
    expect(view.sessions).toHaveLength(50);
    expect(await sessions.sessionsBrowse(PERSON)).toHaveLength(56);
  });
});

describe('the list of sessions', () => {
  it('names each by its title or its first words, and leaves out what the reader may not see', async () => {
    const { sessions, clock } = open();
    await sessions.turnBegin({ ...OWNER, title: 'Given' }, [draft(say('user', 'said'))]);
    clock.time += 1_000;
    await sessions.turnBegin({ ...OWNER, key: 'k2' }, [draft(say('user', 'First words\nand more'))]);
    clock.time += 1_000;
    await sessions.observe({ ...CHAT, level: 'CONFIDENTIAL' }, CALL);
    const rows = await sessions.sessionsBrowse(PERSON);
    expect(rows.map(({ key, kind, title }) => [key, kind, title])).toEqual([
      ['chat', 'copilot', ''],
      ['k2', 'participant', 'First words'],
      ['k', 'participant', 'Given'],
    ]);
    expect(await sessions.sessionsBrowse({ level: 'PUBLIC' })).toHaveLength(2);
  });
});

describe('going on with a session', () => {
  const left = async (folder: string) => {
    const sessions = openTestSessions(folder);
    await sessions.turnBegin(OWNER, [draft(say('user', 'q'))]);
    await sessions.todoWrite(OWNER, init('done already', 'x'), DELAY);
    await sessions.todoWrite(OWNER, [{ op: 'done', task: 'done already' }], DELAY);
    await sessions.checkpoint(OWNER, 'g');
    await sessions.turnStep(ID, [draft(say('assistant', 'I will', use('t', 'write')))]);
    sessions.close();
    appendFileSync(join(folder, 'store', 'sessions', `${ID}.jsonl`), '{"torn');
  };

  it('tells of the work that remains, open calls, damage and the open checkpoint, once', async () => {
    const { sessions, folder } = open();
    await left(folder);
    const first = await sessions.sessionResume(ID, PERSON);
    expect(first).toMatchObject({ key: 'k', title: 'q' });
    for (const part of [
      'did not come to its end',
      '6 bytes',
      'write (t): unknown',
      '"g" is open',
      '- [/] x',
    ]) {
      expect(first.report).toContain(part);
    }
    expect(await sessions.sessionResume(ID, PERSON)).toEqual(first);
    const { messages } = await sessions.turnBegin(OWNER, [draft(say('user', 'go on'))]);
    expect(messages.map(textOf)).toEqual(['q', 'I will', first.report, 'go on']);
  });

  it('says it once also when another process resumes it in between', async () => {
    const { sessions, folder } = open();
    await left(folder);
    const first = await sessions.sessionResume(ID, PERSON);
    sessions.close();
    const other = openTestSessions(folder);
    expect(await other.sessionResume(ID, PERSON)).toEqual(first);
    const view = await other.turnBegin(OWNER, [draft(say('user', 'go on'))]);
    expect(new Copy().take(view).lines.filter((line) => line.includes('was resumed'))).toHaveLength(1);
  });

  it('is recorded also where nothing was left undone', async () => {
    const { sessions, folder } = open();
    await sessions.turnBegin(OWNER, [draft(say('user', 'q'))]);
    await sessions.turnEnd(ID, [], { reason: 'completed' });
    expect((await sessions.sessionResume(ID, PERSON)).report).toBe('');
    expect(recordsOf(folder).at(-1)).toMatchObject({ type: 'reconciled' });
    const { messages } = await sessions.turnBegin(OWNER, [draft(say('user', 'go on'))]);
    expect(messages.map(textOf)).toEqual(['q', 'go on']);
  });

  it('leaves out of the list what was finished before, and makes no other task active', async () => {
    const folder = temporaryFolder();
    const first = openTestSessions(folder);
    await first.todoWrite(OWNER, init('x', 'y', 'z'), DELAY);
    await first.todoEdit(ID, [{ op: 'done', task: 'x' }], PERSON, DELAY);
    first.close();
    const { sessions } = open(folder);
    await sessions.sessionResume(ID, PERSON);
    const { phases } = await sessions.todoShow(ID, PERSON, DELAY);
    expect(phases[0]?.tasks.map(({ content }) => content)).toEqual(['y', 'z']);
    // It stands in the transcript, for a person who asks for all of it.
    const all = await sessions.todoCommand(OWNER, { verb: 'show' }, undefined, DELAY);
    expect(all).toMatchObject({
      phases: [{ tasks: [{ content: 'x' }, { content: 'y' }, { content: 'z' }] }],
    });
  });

  it('is refused for what is not there, or not for this reader', async () => {
    const { sessions } = open();
    await sessions.todoWrite({ ...CHAT, level: 'CONFIDENTIAL' }, init('x'), DELAY);
    const text = /^This session is not there any more\.$/;
    await expect(sessions.sessionResume('nobody', PERSON)).rejects.toThrow(text);
    await expect(sessions.sessionResume(CHAT_ID, { level: 'PUBLIC' })).rejects.toThrow(text);
  });
});
