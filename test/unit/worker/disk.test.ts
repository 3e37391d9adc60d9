import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idOf } from '../../../src/session/sessionId.ts';
import { StoreThread } from '../../../src/worker/client.ts';
import type { SessionService } from '../../../src/worker/sessions.ts';
import { openTestSessions, START, temporaryFolder } from '../support/folder.ts';
import { CHAT, CHAT_ID, DELAY, ID, init, OWNER, PERSON, recordsOf } from './kit.ts';

const CALL = { name: 'memory_recall', input: {}, text: '', isError: false } as const;
const sessionsDir = (folder: string) => join(folder, 'store', 'sessions');

describe('damage', () => {
  it('is told of, where it was and how much', async () => {
    const folder = temporaryFolder();
    const first = openTestSessions(folder);
    await first.todoWrite(CHAT, init('a'), DELAY);
    first.close();
    appendFileSync(join(sessionsDir(folder), `${CHAT_ID}.jsonl`), '{"torn');
    const sessions = openTestSessions(folder);
    expect(await sessions.sessionDamage()).toEqual([]);
    await sessions.observe(CHAT, CALL);
    expect(await sessions.sessionDamage()).toEqual([
      { file: `sessions/${CHAT_ID}.jsonl`, offset: expect.any(Number), length: 6, reason: 'torn' },
    ]);
  });
});

describe('a session that is sealed with a key that is not here', () => {
  const sealed = async () => {
    const folder = temporaryFolder();
    const first = openTestSessions(folder);
    await first.checkpoint({ ...CHAT, level: 'CONFIDENTIAL' }, 'g');
    await first.todoWrite({ ...CHAT, level: 'CONFIDENTIAL' }, init('a'), DELAY);
    first.close();
    renameSync(join(folder, 'keys'), join(folder, 'away'));
    return { folder, sessions: openTestSessions(folder) };
  };
  const asks: Record<string, (sessions: SessionService) => Promise<unknown>> = {
    'writes a plan': (sessions) => sessions.todoWrite({ ...CHAT, level: 'RESTRICTED' }, init('b'), DELAY),
    'shows the plan': (sessions) => sessions.todoShow(undefined, PERSON, DELAY),
    'shows it by its id': (sessions) => sessions.todoShow(CHAT_ID, PERSON, DELAY),
    'shows checkpoints': (sessions) => sessions.checkpointShow(undefined, PERSON),
    'edits the plan': (sessions) => sessions.todoEdit(CHAT_ID, [{ op: 'rm', task: 'a' }], PERSON, DELAY),
    'says /todo': (sessions) =>
      sessions.todoCommand({ ...CHAT, level: 'RESTRICTED' }, { verb: 'show' }, undefined, DELAY),
    'begins a turn': (sessions) => sessions.turnBegin({ ...CHAT, level: 'RESTRICTED' }, []),
    'goes on with it': (sessions) => sessions.sessionResume(CHAT_ID, PERSON),
  };

  it.each(Object.keys(asks))('is not taken for an empty one by who %s', async (name) => {
    const { folder, sessions } = await sealed();
    const before = recordsOf(folder, CHAT_ID).length;
    const answer = asks[name]?.(sessions);
    await expect(answer).rejects.toThrow(/LODELINE_KEY/);
    await expect(asks[name]?.(sessions)).rejects.toThrow(/~\/\.lodeline\/keys/);
    expect(recordsOf(folder, CHAT_ID)).toHaveLength(before);
  });

  it('is there again once the key is', async () => {
    const { folder, sessions } = await sealed();
    for (const ask of Object.values(asks)) await ask(sessions).catch(() => undefined);
    rmSync(join(folder, 'keys'), { recursive: true, force: true });
    renameSync(join(folder, 'away'), join(folder, 'keys'));
    expect(await sessions.todoShow(CHAT_ID, PERSON, DELAY)).toMatchObject({
      phases: [{ tasks: [{ content: 'a' }] }],
    });
    const { phases } = await sessions.todoWrite({ ...CHAT, level: 'RESTRICTED' }, [{ op: 'done' }], DELAY);
    expect(phases).toMatchObject([{ tasks: [{ content: 'a', status: 'completed' }] }]);
  });

  it('does not hide the others, and is not told to readers below it', async () => {
    const { sessions } = await sealed();
    await expect(sessions.todoShow(undefined, { level: 'PUBLIC' }, DELAY)).resolves.toMatchObject({
      session: null,
    });
    await sessions.todoWrite({ ...CHAT, key: 'other' }, init('b'), DELAY);
    expect(await sessions.todoShow(undefined, PERSON, DELAY)).toMatchObject({
      phases: [{ tasks: [{ content: 'b' }] }],
    });
    expect(await sessions.sessionsBrowse(PERSON)).toHaveLength(1);
  });
});

describe('a lease', () => {
  it('of a thread of this process that is gone is free at once, of one that lives it is not', async () => {
    const folder = temporaryFolder();
    const crashed = openTestSessions(folder);
    await crashed.todoWrite(CHAT, init('a'), DELAY);
    const lease = join(sessionsDir(folder), `${CHAT_ID}.lease`);
    const [number = ''] = readdirSync(lease);
    const claim = { pid: process.pid, thread: 7, host: hostname(), started: 0 };
    writeFileSync(join(lease, number), JSON.stringify(claim));
    utimesSync(join(lease, number), START / 1000, START / 1000);
    const living = openTestSessions(folder, undefined, new Set([6, 8]));
    await expect(living.todoWrite(CHAT, init('b'), DELAY)).rejects.toThrow(/Another process/);
    const next = openTestSessions(folder, undefined, new Set([7]));
    await expect(next.todoWrite(CHAT, init('b'), DELAY)).resolves.toMatchObject({ errors: [] });
  });

  it('comes with the thread that is told which ones are gone', async () => {
    const script = `
      import { parentPort, threadId, workerData } from 'node:worker_threads';
      parentPort.on('message', ({ id, type, method }) => {
        if (method === 'damage') throw new Error('crash');
        const value = type === 'call' ? [threadId, workerData.deadThreads] : undefined;
        parentPort.postMessage({ type: 'done', id, value });
      });`;
    const thread = new StoreThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const store = thread.open({ dir: '/x', keysDir: '/y', defaultLevel: 'PUBLIC', vocabulary: {} });
    const [first, none] = (await store.sessionDamage()) as unknown as [number, number[]];
    expect(none).toEqual([]);
    await expect(store.damage()).rejects.toThrow('crash');
    expect(await store.sessionDamage()).toEqual([expect.any(Number), [first]]);
    await thread.dispose();
  });
});

describe('a session key', () => {
  it('of halves of characters is one of its own', () => {
    const keys = ['\ud800', '\ud801', '\udc00', '\ufffd', '?', 'a\ud800', 'a\ud801'];
    expect(new Set(keys.map(idOf)).size).toBe(keys.length);
    expect(idOf('agent:main:main')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('what the file system refuses', () => {
  const asks: Record<string, (sessions: SessionService) => Promise<unknown>> = {
    todoWrite: (sessions) => sessions.todoWrite(CHAT, init('b'), DELAY),
    checkpoint: (sessions) => sessions.checkpoint(CHAT, 'g'),
    turnBegin: (sessions) => sessions.turnBegin(OWNER, []),
    agent: (sessions) => sessions.turnBegin({ ...OWNER, agent: { id: 'a', parent: ID, depth: 1 } }, []),
    todoCommand: (sessions) => sessions.todoCommand(CHAT, { verb: 'done' }, undefined, DELAY),
    todoShow: (sessions) => sessions.todoShow(undefined, PERSON, DELAY),
    sessionsBrowse: (sessions) => sessions.sessionsBrowse(PERSON),
  };
  const inTheWay: Record<string, (folder: string) => void> = {
    'a file for the store': (folder) => writeFileSync(join(folder, 'store'), ''),
    'a file for the folder of sessions': (folder) => {
      mkdirSync(join(folder, 'store'));
      writeFileSync(sessionsDir(folder), '');
    },
  };

  for (const [what, put] of Object.entries(inTheWay)) {
    it.each(Object.keys(asks))(`is told without paths, with what to do: ${what}, %s`, async (name) => {
      const folder = temporaryFolder();
      put(folder);
      const error = await asks[name]?.(openTestSessions(folder)).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({
        name: 'StoreError',
        message: expect.stringMatching(/E[A-Z]{3,}.*[Tt]ry again/),
      });
      expect((error as Error).message).not.toContain(folder);
    });
  }

  it('in the transcript’s place is told so, too', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(sessionsDir(folder), `${CHAT_ID}.jsonl`), { recursive: true });
    const error = await openTestSessions(folder)
      .todoWrite(CHAT, init('b'), DELAY)
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(/EISDIR/) });
    expect((error as Error).message).not.toContain(folder);
  });

  it('as a key to seal with is told with where keys are', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'keys'), '');
    const error = await openTestSessions(folder)
      .todoWrite({ ...CHAT, level: 'CONFIDENTIAL' }, init('b'), DELAY)
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', message: expect.stringMatching(/LODELINE_KEY/) });
    expect((error as Error).message).not.toContain(folder);
  });
});
