/** Commands: which are asked about, what they get, and that they end. POSIX shells only. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { checkCommand, environmentOf, isAllowed } from '../../../../src/subagent/workspace/commandPolicy.ts';
import { runCommand } from '../../../../src/subagent/workspace/process.ts';
import { folderWith, openTools } from './kit.ts';

const yes = { approve: async () => 'approved' as const };

describe('the question', () => {
  it('shows the command as it is, and nothing runs without a yes', async () => {
    const root = folderWith();
    for (const answer of ['declined', 'unavailable'] as const) {
      const { wrong, questions } = openTools(root, { approve: async () => answer });
      expect(await wrong('run', { command: 'touch made' })).toContain('did not run');
      expect(questions).toEqual([`touch made\n\nIn ${root}`]);
    }
    expect(existsSync(join(root, 'made'))).toBe(false);
  });

  it('is refused when a person could not see what the command is', () => {
    for (const hidden of [
      '\u0000',
      '\r',
      '\u001B[2K',
      '\u202E',
      '\u200B',
      '\u2028',
      '\uFEFF',
      '\u00AD',
      '\uD800',
      '\u0085',
    ])
      expect(() => checkCommand(`ls ${hidden}x`), JSON.stringify(hidden)).toThrow();
    expect(() => checkCommand(' \n')).toThrow(/empty/);
    expect(() => checkCommand('x'.repeat(4001))).toThrow(/script file/);
    expect(() => checkCommand("cat <<'E'\n\t한글 😀\nE")).not.toThrow();
  });

  it('ends with the call when it is cancelled', async () => {
    const controller = new AbortController();
    const { tools } = openTools(folderWith(), {
      approve: () => {
        controller.abort(new Error('enough'));
        return new Promise(() => {});
      },
    });
    await expect(
      tools.call({ id: 'c', name: 'run', input: { command: 'ls' } }, controller.signal),
    ).rejects.toThrow('enough');
  });

  it('is not there when the setting says never', async () => {
    const { tools, wrong, questions } = openTools(folderWith(), {
      ...yes,
      settings: { 'task.run.mode': 'never' },
    });
    expect(tools.specs().map(({ name }) => name)).not.toContain('run');
    expect(await wrong('run', { command: 'ls' })).toContain('task.run.mode');
    expect(questions).toEqual([]);
  });

  it('is not asked for what the person allowed', async () => {
    const { call, wrong, questions } = openTools(folderWith(), {
      settings: { 'task.run.allow': ['echo *'] },
    });
    expect(await call('run', { command: 'echo a' })).toBe('a\n(Exit code 0.)');
    expect(questions).toEqual([]);
    await wrong('run', { command: 'echo a; echo b' });
    expect(questions).toHaveLength(1);
  });
});

describe('the list of allowed commands', () => {
  it('means the command itself, or its beginning', () => {
    expect(isAllowed('npm test', ['npm test'])).toBe(true);
    expect(isAllowed('npm test -- --run src/a.test.ts', ['npm test*'])).toBe(true);
    expect(isAllowed('a && b', ['a && b'])).toBe(true);
    expect(isAllowed('npm tes', ['npm test*'])).toBe(false);
    expect(isAllowed('npm test x', ['npm test'])).toBe(false);
    expect(isAllowed('', ['', '*'])).toBe(true);
    expect(isAllowed('', [''])).toBe(false);
    for (const list of [undefined, null, 'npm test', { 0: 'npm test' }, [1, null]])
      expect(isAllowed('npm test', list)).toBe(false);
  });

  it('does not let a beginning go on with anything that a shell may take for more', () => {
    const special = [...';&|`$<>(){}[]\\!#~*?\'"^%\n\r\t\0\u00A0\u2028'];
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...special), fc.string(), (before, character, after) => {
        expect(isAllowed(`npm test ${before}${character}${after}`, ['npm test*', 'npm*'])).toBe(false);
      }),
    );
  });
});

describe('a command', () => {
  it('runs in the folder and answers both streams and the exit code', async () => {
    const root = folderWith();
    const { call } = openTools(root, yes);
    expect(await call('run', { command: 'pwd; echo oops >&2; exit 3' })).toBe(
      `${root}\noops\n(Exit code 3.)`,
    );
    expect(await call('run', { command: 'true' })).toBe('Exit code 0. No output.');
    expect(await call('run', { command: 'kill -9 $$' })).toBe('Ended by SIGKILL. No output.');
    expect(await call('run', { command: "printf '\\033[31mred\\033[0m \\377'; cat" })).toBe(
      'red \uFFFD\n(Exit code 0.)',
    );
  });

  it('gets no secrets', async () => {
    vi.stubEnv('LODELINE_MODEL_KEY', 'secret-1');
    vi.stubEnv('GITHUB_TOKEN', 'secret-2');
    vi.stubEnv('GIT_DIR', 'secret-3');
    vi.stubEnv('LODELINE_KEY', 'secret-4');
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    try {
      const text = await openTools(folderWith(), yes).call('run', { command: 'env' });
      expect(text).not.toMatch(/secret|NODE_OPTIONS|LODELINE|GIT_/);
      expect(text).toContain('PATH=');
    } finally {
      vi.unstubAllEnvs();
    }
    expect(environmentOf({ Path: 'a', lc_all: 'b', LC_ALL: 'c', LD_PRELOAD: 'd' })).toEqual({
      Path: 'a',
      LC_ALL: 'c',
    });
  });

  it('keeps the beginning and the end of a long output', async () => {
    const { call } = openTools(folderWith(), yes);
    const text = await call('run', {
      command: 'echo first; i=0; while [ $i -lt 30000 ]; do echo "line $i"; i=$((i+1)); done; echo last',
    });
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(text).toMatch(/^first\nline 0\n/);
    expect(text).toMatch(/characters are left out here[\s\S]*line 29999\nlast\n\(Exit code 0\.\)$/);
  });

  it('is ended with all its processes when its time is up', async () => {
    const root = folderWith();
    const { call } = openTools(root, yes);
    const text = await call('run', { command: 'echo begun; (sleep 300 & echo $! > pid; wait)', timeout: 1 });
    expect(text).toMatch(/^begun\n\(Ended after 1 seconds/);
    await vi.waitFor(() => expect(isRunning(readFileSync(join(root, 'pid'), 'utf8'))).toBe(false));
  });

  it('is ended with all its processes when it is cancelled, also when it does not want to', async () => {
    const root = folderWith();
    const controller = new AbortController();
    const command = "trap '' TERM; (trap '' TERM; sleep 300) & echo $! > pid; wait; wait";
    const ended = runCommand(
      command,
      { cwd: root, env: environmentOf(process.env), timeout: 60_000 },
      controller.signal,
    );
    await vi.waitFor(() => expect(readFileSync(join(root, 'pid'), 'utf8')).toMatch(/\d\n/), {
      timeout: 30_000,
    });
    controller.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    await vi.waitFor(() => expect(isRunning(readFileSync(join(root, 'pid'), 'utf8'))).toBe(false));
  });

  it('leaves nothing in the background, and is not waited for when something keeps its output open', async () => {
    const root = folderWith();
    const { call } = openTools(root, yes);
    expect(await call('run', { command: 'sleep 300 & echo $! > pid; echo done' })).toBe(
      'done\n(Exit code 0.)',
    );
    await vi.waitFor(() => expect(isRunning(readFileSync(join(root, 'pid'), 'utf8'))).toBe(false));
    expect(await call('run', { command: 'setsid sleep 3 & echo done' })).toBe('done\n(Exit code 0.)');
  });

  it('says what is wrong when it cannot start', async () => {
    const gone = join(folderWith(), 'gone');
    const ended = runCommand('ls', { cwd: gone, env: {}, timeout: 1000 }, new AbortController().signal);
    await expect(ended).rejects.toThrow('ENOENT');
    await delay(0);
  });
});

function isRunning(pid: string): boolean {
  try {
    process.kill(Number(pid), 0);
    // A process that ended and that nobody has asked about is none.
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid.trim()}/status`, 'utf8'));
  } catch {
    return false;
  }
}
