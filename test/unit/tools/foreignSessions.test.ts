/** What agents and the person are shown of sessions that other programs tell of, and warned of. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SessionsView } from '../../../src/sessionProtocol.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openTestTools, START, temporaryFolder } from '../support/folder.ts';

const PERSON: Partial<ToolCall> = { actor: 'person', door: 'panel', level: 'RESTRICTED', session: 'window' };

/** A folder in which `claude` is at work on files through the other program, seen by the session `s-1`. */
function place(files: readonly string[] = ['src/shared.ts']) {
  const folder = realpathSync(temporaryFolder());
  const dir = join(folder, '.toon-memory', 'memory', 'sessions');
  mkdirSync(dir, { recursive: true });
  mkdirSync(join(folder, 'src'));
  const tools = openTestTools(folder, { time: START }, { 'tools.sessions.visibility': 'all' });
  const put = (touched: readonly string[], agent = 'claude', id = 'sess-B') => {
    const now = new Date(tools.clock.time).toISOString();
    const record = { id, agent, pid: 1, branch: 'foo', startedAt: now, lastSeen: now, ended: false };
    const times = Object.fromEntries(touched.map((file) => [file, now]));
    writeFileSync(join(dir, `${id}.json`), JSON.stringify({ ...record, files: times }));
  };
  put(files);
  const remember = (file: string, as: Partial<ToolCall> = {}) =>
    tools.call('memory_remember', { category: 'bug', key: file, content: 'It leaks.', file }, as);
  const attend = (key: string, touched: readonly string[], window?: string) =>
    tools.sessions.attend({
      ...{ key, agent: key, branch: 'main', level: 'PUBLIC', root: folder, files: touched, window },
    });
  return { ...tools, put, remember, attend };
}

describe('a session that another program tells of', () => {
  it('is listed by memory_sessions with what it holds, and in the brief', async () => {
    const { call, attend } = place(['src/shared.ts', 'src/b.ts', 'src/c.ts', 'src/d.ts']);
    await attend('s-1', ['src/shared.ts']);
    const { text } = await call('memory_sessions');
    expect(text).toContain('• claude @ foo\n   id: toon-memory:sess-B\n   Files:\n     • src/b.ts');
    expect(text).toMatch(/⚠️ src\/shared\.ts {2}↔ {2}.*claude@foo/);
    expect((await call('context_brief')).text).toMatch(
      /## Also at work\n- claude@foo: src\/b\.ts, src\/c\.ts, src\/d\.ts, and 1 more\n- ⚠️ src\/shared\.ts {2}↔ {2}.*claude@foo/,
    );
  });

  it('is not in the brief of whoever works alone', async () => {
    expect((await openTestTools().call('context_brief')).text).not.toContain('Also at work');
  });

  it('stands in the panel with its conflicts, and takes no messages', async () => {
    const { call, attend } = place();
    await attend('mine', ['src/shared.ts']);
    await attend('window-1', ['src/person.ts'], 'window-1');
    await attend('window-2', ['src/person.ts'], 'window-2');
    const { data } = await call('sessions_show', {}, PERSON);
    const { sessions, conflicts } = data as SessionsView;
    const line = sessions.find(({ source }) => source === 'claude');
    expect(line).toMatchObject({
      ...{ kind: 'agent', id: null, peer: 'toon-memory', maySend: false, state: 'idle' },
      conflicts: [{ file: 'src/shared.ts', sessions: ['mine@main'] }],
    });
    expect(sessions.find(({ source }) => source === 'mine')).toMatchObject({
      conflicts: [{ file: 'src/shared.ts', sessions: ['claude@foo'] }],
    });
    expect(conflicts?.map(({ file }) => file)).toEqual(['src/person.ts', 'src/shared.ts']);
    const sent = await call('sessions_send', { sessionKey: line?.key, message: 'Hello' });
    expect(sent.text).toContain('it takes no messages');
  });

  it('is noticed by a window when it comes, touches a file or goes', async () => {
    const { sessions, clock, put } = place();
    const polled = () => {
      clock.time += 2_000;
      return sessions.poll();
    };
    polled();
    expect(polled()).toBe(false);
    put(['src/shared.ts', 'src/b.ts']);
    expect(polled()).toBe(true);
    expect(polled()).toBe(false);
    clock.time += 600_000;
    expect(polled()).toBe(true);
  });
});

describe('an agent that names a file on which another works', () => {
  const WARNING =
    /⚠️ Another session is at work on this file, too\..*\n {2}src\/shared\.ts {2}↔ {2}claude@foo \(just now\)$/;

  it('is told once for each file and each other, and again after half an hour', async () => {
    const { remember, put, clock } = place();
    expect((await remember('src/shared.ts:12')).text).toMatch(WARNING);
    expect((await remember('src/shared.ts')).text).not.toContain('⚠️ Another session');
    put(['src/shared.ts'], 'codex', 'sess-C');
    expect((await remember('src/shared.ts')).text).toContain('src/shared.ts  ↔  codex@foo');
    clock.time += 31 * 60_000;
    put(['src/shared.ts']);
    expect((await remember('src/shared.ts')).text).toMatch(WARNING);
  });

  it('is told whether another session was told or not, and its call takes place', async () => {
    const { remember } = place();
    expect((await remember('src/shared.ts')).text).toMatch(WARNING);
    const { text, isError } = await remember('src/shared.ts', { session: 's-2' });
    expect(text).toMatch(WARNING);
    expect(isError).toBe(false);
  });

  it('is told nothing where nobody else works, of itself, or of what it may not see', async () => {
    const { remember, attend, sessions } = place();
    await attend('s-1', ['src/own.ts']);
    await sessions.attend({
      ...{ key: 'high', agent: 'high', branch: '', level: 'RESTRICTED', root: '/', files: ['src/high.ts'] },
    });
    for (const file of ['src/own.ts', 'src/free.ts', 'src/high.ts', '../src/shared.ts'])
      expect((await remember(file)).text).not.toContain('at work on');
  });

  it('is told nothing of the window that it runs in', async () => {
    const { remember, attend } = place([]);
    await attend('w', ['src/a.ts'], 'w');
    expect((await remember('src/a.ts')).text).not.toContain('at work on');
  });
});
