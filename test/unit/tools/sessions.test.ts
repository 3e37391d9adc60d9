import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaptureLog } from '../../../src/memory/capture.ts';
import { PresenceBoard } from '../../../src/session/presence.ts';
import { openTestSessions, openTestTools, START, temporaryFolder } from '../support/folder.ts';

/** Tools as the session `s-1` calls them, and what other processes of the folder say. */
function place(settings: Record<string, unknown> = {}) {
  const folder = temporaryFolder();
  const clock = { time: START };
  const common = { defaultLevel: 'PUBLIC', now: () => clock.time } as const;
  const board = new PresenceBoard({ dir: join(folder, 'store', 'presence'), ...common });
  const log = new CaptureLog({ dir: join(folder, 'store', 'captured'), ...common });
  const attend = (
    key: string,
    files: readonly string[],
    branch = 'feature/foo',
    level: 'PUBLIC' | 'INTERNAL' = 'PUBLIC',
  ) => board.attend([{ key, agent: key, branch, level, root: folder, files }]);
  return { ...openTestTools(folder, clock, settings), clock, attend, captures: log };
}

describe('memory_sessions', () => {
  it('names to whoever works in a sandbox no session that the tools about sessions hide from it', async () => {
    const settings: Record<string, unknown> = { 'tools.sessions.visibility': 'all' };
    const { call, attend } = place(settings);
    attend('s-1', ['src/shared.ts']);
    attend('claude-code', ['src/shared.ts', 'src/own.ts']);
    const tools = ['memory_sessions', 'context_generate', 'context_diff'];
    const told = async (sandboxed: boolean) =>
      (await Promise.all(tools.map((tool) => call(tool, {}, { sandboxed }))))
        .map(({ text }) => text)
        .join('\n');
    expect(await told(false)).toContain('claude-code');
    expect(await told(true)).not.toContain('claude-code');
    settings['agents.defaults.sandbox.sessionToolsVisibility'] = 'all';
    expect(await told(true)).toContain('claude-code');
  });

  it('shows sessions, branches, files and soft conflicts in the shape of the example', async () => {
    const { call, attend, clock } = place();
    attend('s-1', ['src/shared.ts']);
    clock.time += 1000;
    attend('claude-code', ['src/shared.ts', 'src/own.ts']);
    const { text } = await call('memory_sessions', { conflictsOnly: false });
    expect(text).toBe(`🧭 Active sessions (2) — 10 min window:

• claude-code @ feature/foo
   id: claude-code
   Files:
     • src/own.ts
     • src/shared.ts
• s-1 @ feature/foo (you)
   id: s-1
   Files:
     • src/shared.ts

🔥 Soft conflicts (1):
  ⚠️ src/shared.ts  ↔  claude-code@feature/foo, s-1@feature/foo`);
    expect((await call('memory_sessions', { conflictsOnly: true })).text).toMatch(
      /^🔥 Soft conflicts \(1\):\n.*shared\.ts.*$/,
    );
  });

  it.each(['memory_sessions', 'context_generate', 'context_diff'])(
    'knows the caller in its first call: %s',
    async (tool) => {
      const { call } = place();
      expect((await call(tool, {}, { session: 'new', source: 'codex' })).text).toMatch(
        /Active sessions \(1\).*\n\n• codex @ main \(you\)\n {3}id: new/,
      );
    },
  );

  it('says when there is nobody, and no conflict', async () => {
    const { call } = place();
    expect((await call('memory_sessions', {}, { actor: 'person' })).text).toBe('🧭 No active sessions.');
    expect((await call('memory_sessions', { conflictsOnly: true })).text).toMatch(/^No soft conflicts/);
  });

  it('knows every agent that calls a tool, until its process ends', async () => {
    const { call, folder, clock, sessions } = place();
    await call('memory_stats', {}, { session: 'one', source: 'copilot' });
    await call('memory_stats', {}, { session: 'two', source: 'codex' });
    const other = openTestSessions(folder, clock);
    const agents = async () => (await other.presences({ level: 'PUBLIC' })).sessions.map(({ key }) => key);
    expect((await agents()).toSorted()).toEqual(['one', 'two']);
    sessions.close();
    expect(await agents()).toEqual([]);
  });

  it('shows nothing from above the caller, and no line that a name could fake', async () => {
    const { call, attend } = place();
    attend('high', ['merger.md'], 'main', 'INTERNAL');
    attend('x', ['ok.ts'], 'a\n• you @ main (you)');
    const { text, data } = await call('memory_sessions');
    expect(JSON.stringify(data)).not.toContain('merger.md');
    expect(text).not.toContain('merger.md');
    expect(text.match(/^• /gm)).toHaveLength(2);
  });

  it('counts the files that it does not list', async () => {
    const { call, attend } = place();
    attend(
      'x',
      Array.from({ length: 50 }, (_, n) => `${n}.ts`),
    );
    expect((await call('memory_sessions')).text).toContain('… and 30 more');
  });
});

describe('memory_captured', () => {
  const ACTION = { session: 's', agent: 'copilot', branch: 'main', level: 'PUBLIC' } as const;

  it('lists the newest first, by tool and file', async () => {
    const { call, captures, clock } = place({ 'memory.capture.enabled': true });
    await captures.add({ ...ACTION, tool: 'run_in_terminal', input: { command: 'npm test' }, file: '' });
    clock.time += 60_000;
    await captures.add({ ...ACTION, tool: 'read_file', input: { filePath: '/r/a.ts' }, file: 'a.ts' });
    expect((await call('memory_captured')).text).toBe(`📝 Captured activity (2), newest first:

[2026-07-12 09:01] copilot@main · read_file · a.ts — {"filePath":"/r/a.ts"}
[2026-07-12 09:00] copilot@main · run_in_terminal — npm test`);
    const { text } = await call('memory_captured', { limit: 1, tool: 'term', file: '' });
    expect(text).toContain('Captured activity (1)');
    expect(text).toContain('npm test');
    expect((await call('memory_captured', { file: 'b.ts' })).text).toBe('No captured activity.');
    for (const limit of [0, -1, 501, 1.5])
      expect((await call('memory_captured', { limit })).isError).toBe(true);
  });

  it('says how to turn capturing on', async () => {
    expect((await place().call('memory_captured')).text).toContain('"memory.capture.enabled": true');
  });

  it('is cleared only when the person agrees', async () => {
    const { call, captures } = place();
    await captures.add({ ...ACTION, tool: 't', input: 1, file: '' });
    expect(await call('memory_captured', { clear: true })).toMatchObject({ isError: true });
    expect(await call('memory_captured', { clear: true }, { approve: async () => 'declined' })).toMatchObject(
      { isError: true },
    );
    const { text } = await call('memory_captured', { clear: true }, { approve: async () => 'approved' });
    expect(text).toBe('🧹 Cleared 1 captured action.');
    expect((await call('memory_captured')).text).toMatch(/^No captured activity\./);
  });

  it('is gone with everything else', async () => {
    const { captures, attend, sessions } = place();
    await captures.add({ ...ACTION, tool: 't', input: 1, file: '' });
    attend('x', ['a.ts']);
    await sessions.eraseSessions();
    expect((await sessions.captured({ limit: 9, tool: '', file: '' }, { level: 'RESTRICTED' })).total).toBe(
      0,
    );
    expect((await sessions.presences({ level: 'RESTRICTED' })).sessions).toEqual([]);
  });
});
