import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { CHAT, CHAT_ID, DELAY, init, PERSON, recordsOf, user } from './kit.ts';

const CALL = { name: 'memory_recall', input: { query: 'q' }, text: 'nothing', isError: false } as const;

describe('a call that is observed', () => {
  it('stands in the transcript with its result, in a session that starts with it', async () => {
    const folder = temporaryFolder();
    const sessions = openTestSessions(folder);
    expect(await sessions.observe(CHAT, CALL)).toBeUndefined();
    await sessions.observe({ ...CHAT, level: 'INTERNAL' }, { ...CALL, text: 'wrong', isError: true });
    const [info, call, result, , failed] = recordsOf(folder, CHAT_ID);
    expect(info).toMatchObject({ session: { key: 'chat', kind: 'copilot', source: 'copilot', depth: 0 } });
    expect(call).toMatchObject({ message: { content: [{ name: 'memory_recall', input: { query: 'q' } }] } });
    const id = call?.type === 'message' && call.message.content[0];
    expect(result).toMatchObject({
      message: { content: [{ tool_use_id: id && 'id' in id && id.id, content: [{ text: 'nothing' }] }] },
    });
    expect(failed).toMatchObject({ level: 'INTERNAL', message: { content: [{ is_error: true }] } });
  });

  it('tells once of a person’s edit, also after a restart', async () => {
    const folder = temporaryFolder();
    const sessions = openTestSessions(folder);
    await sessions.todoWrite(CHAT, init('x', 'y'), DELAY);
    await sessions.todoEdit(CHAT_ID, [{ op: 'rm', task: 'y' }], PERSON, DELAY);
    expect(await sessions.observe(CHAT, CALL)).toMatch(
      /edited by hand[\s\S]*Taken out on purpose[\s\S]*: y\n/,
    );
    expect(await sessions.observe(CHAT, CALL)).toBeUndefined();
    sessions.close();
    expect(await openTestSessions(folder).observe(CHAT, CALL)).toBeUndefined();
  });

  it('does no harm where the session is held by another process', async () => {
    const folder = temporaryFolder();
    const other = openTestSessions(folder);
    await other.observe(CHAT, CALL);
    expect(await openTestSessions(folder).observe(CHAT, CALL)).toBeUndefined();
    expect(recordsOf(folder, CHAT_ID)).toHaveLength(3);
  });

  it('does no harm where the session is above the call’s level', async () => {
    const sessions = openTestSessions(temporaryFolder());
    await sessions.todoWrite({ ...CHAT, level: 'CONFIDENTIAL' }, init('secret'), DELAY);
    await sessions.todoEdit(CHAT_ID, [{ op: 'rm', task: 'secret' }], PERSON, DELAY);
    expect(await sessions.observe(CHAT, CALL)).toBeUndefined();
  });

  it('does no harm where the folder cannot be written to, and goes on when it can', async () => {
    const folder = temporaryFolder();
    const dir = join(folder, 'store');
    writeFileSync(dir, 'a file');
    const sessions = openTestSessions(folder);
    expect(await sessions.observe(CHAT, CALL)).toBeUndefined();
    rmSync(dir);
    await sessions.observe(CHAT, CALL);
    rmSync(dir, { recursive: true });
    await sessions.observe(CHAT, CALL);
    expect(recordsOf(folder, CHAT_ID)).toHaveLength(3);
  });

  it('is no turn that a resume would miss the end of', async () => {
    const folder = temporaryFolder();
    const first = openTestSessions(folder, { time: START });
    await first.observe(CHAT, CALL);
    first.close();
    const next = openTestSessions(folder);
    expect((await next.sessionResume(CHAT_ID, PERSON)).report).toBe('');
  });

  it('does not keep a chat from having turns of ours later', async () => {
    const folder = temporaryFolder();
    const first = openTestSessions(folder);
    await first.observe(CHAT, CALL);
    await first.turnBegin({ ...CHAT, kind: 'participant' }, [user('find it')]);
    expect(await first.conversation(CHAT_ID)).toContain('find it');
    first.close();
    const { report } = await openTestSessions(folder).sessionResume(CHAT_ID, PERSON);
    expect(report).toContain('The last turn did not come to its end.');
  });
});
