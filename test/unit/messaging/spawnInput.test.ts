import { describe, expect, it } from 'vitest';
import { SPAWN_INPUT, type SpawnConditions, spawnRequest } from '../../../src/messaging/spawnInput.ts';

const FREE: SpawnConditions = { sandboxed: false, opensChats: true, attachments: true };

function ask(input: object, conditions: Partial<SpawnConditions> = {}) {
  const parsed = SPAWN_INPUT.parse({ task: 't', ...input });
  return spawnRequest(parsed, { ...FREE, ...conditions });
}

const file = { name: 'a', content: 'b' };

describe('what sessions_spawn takes', () => {
  it.each(['target', 'transport', 'channel', 'to', 'threadId', 'thread_id', 'replyTo', 'reply_to'])(
    'refuses %s by its name',
    (name) => {
      expect(ask({ [name]: 'slack' })).toMatchObject({
        status: 'error',
        error: expect.stringContaining(`does not support "${name}"`),
      });
      expect(ask({ [name]: '' })).toHaveProperty('task');
    },
  );

  it.each([
    ['ok-name_1', true],
    ['a'.repeat(64), true],
    ['All', false],
    ['all', false],
    ['last', false],
    ['9x', false],
    ['a'.repeat(65), false],
    ['a b', false],
    ['a\n', false],
  ])('task name %j: %s', (taskName, isFine) => {
    if (isFine) expect(ask({ taskName })).toMatchObject({ label: taskName });
    else
      expect(ask({ taskName })).toMatchObject({
        status: 'error',
        error: expect.stringContaining('taskName'),
      });
  });

  it('O-SN-01: a channel is refused by its name', () => {
    expect(ask({ channel: 'slack' })).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/does not support .*"channel"/),
    });
  });

  it('O-SN-02: a task name begins with a small letter, is none that is taken, and has 64 characters at most', () => {
    const names = ['ok-name_1', 'All', 'all', '9x', 'a'.repeat(65)];
    const answers = names.map((taskName) => ('error' in ask({ taskName }) ? 'invalid' : 'ok'));
    expect(answers).toEqual(['ok', 'invalid', 'invalid', 'invalid', 'invalid']);
  });

  it('has the seed’s defaults', () => {
    expect(ask({})).toEqual({
      ...{ task: 't', label: undefined, agentId: undefined, model: undefined, runTimeoutSeconds: 0 },
      ...{ thread: false, mode: 'run', cleanup: 'keep', attachments: [] },
    });
    expect(ask({ thread: true })).toMatchObject({ mode: 'session' });
    expect(ask({ thread: true, mode: 'run' })).toMatchObject({ mode: 'run' });
  });

  it.each([
    [{ mode: 'session' }, {}, 'error', 'requires thread'],
    [{ thread: true }, { opensChats: false }, 'error', 'no editor'],
    [{ runtime: 'acp', attachments: [file] }, {}, 'error', 'attachments are only supported'],
    [{ runtime: 'acp' }, {}, 'error', 'acp'],
    [{ sandbox: 'require' }, {}, 'forbidden', '"isolated": true'],
    [{}, { sandboxed: true }, 'forbidden', 'Sandboxed'],
    [{ attachments: [file] }, { attachments: false }, 'error', 'tools.sessions_spawn.attachments.enabled'],
    [{ context: 'fork' }, {}, 'error', 'fork'],
    [{ cwd: '/etc' }, {}, 'error', 'cwd'],
    [{ thinking: 'high' }, {}, 'error', 'thinking'],
  ] as const)('refuses %j under %j', (input, conditions, status, error) => {
    expect(ask(input, conditions)).toMatchObject({ status, error: expect.stringContaining(error) });
  });

  it('takes every parameter of the seed at once', () => {
    const input = {
      ...{ label: 'L', agentId: 'main', model: 'm', runTimeoutSeconds: 5, thread: true, mode: 'session' },
      ...{ cleanup: 'delete', sandbox: 'inherit', attachments: [file], attachAs: { mountPath: 'in' } },
      runtime: 'subagent',
    };
    expect(ask(input)).toMatchObject({ runTimeoutSeconds: 5, cleanup: 'delete', attachments: [file] });
  });

  it.each([{ task: ' ' }, { label: 'x'.repeat(65) }, { runTimeoutSeconds: -1 }, { cleanup: 'never' }])(
    'does not take %j',
    (input) => {
      expect(SPAWN_INPUT.safeParse({ task: 't', ...input }).success).toBe(false);
    },
  );
});
