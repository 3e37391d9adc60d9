import { describe, expect, it } from 'vitest';
import type { AuditPage } from '../../../src/policy/audit.ts';
import type { SessionsView } from '../../../src/sessionProtocol.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openWorld, TARGETS } from '../messaging/worldKit.ts';
import { openTestTools } from '../support/folder.ts';

const PERSON: Partial<ToolCall> = {
  ...{ actor: 'person', door: 'palette', level: 'RESTRICTED', session: 'window', source: 'palette' },
};

const levels = async ({ call }: Pick<ReturnType<typeof openWorld>, 'call'>, key: string) => {
  const { data } = await call('sessions_show', {}, PERSON);
  return (data as SessionsView).sessions.find((each) => each.key === key)?.level;
};
const raised = async ({ call }: Pick<ReturnType<typeof openWorld>, 'call'>) =>
  ((await call('audit_show', {}, PERSON)).data as AuditPage).records.filter(
    ({ kind }) => kind === 'level-raised',
  );

describe('a session that the person raises', () => {
  it('is raised for its door, is shown so, and is in the audit log once', async () => {
    const world = openWorld();
    const input = { session: TARGETS.a, level: 'CONFIDENTIAL', reason: ' before I open the plans ' };
    expect(await world.call('session_raise', input, PERSON)).toMatchObject({
      ...{ isError: false, data: { before: 'PUBLIC', after: 'CONFIDENTIAL', changed: true } },
    });
    expect(world.taint.levelOf({ key: 'a', start: 'PUBLIC' })).toBe('CONFIDENTIAL');
    expect(await levels(world, TARGETS.a)).toBe('CONFIDENTIAL');
    expect(await levels(world, TARGETS.b)).toBe('PUBLIC');
    expect((await world.call('session_raise', input, PERSON)).data).toMatchObject({ changed: false });
    expect(await raised(world)).toMatchObject([
      {
        ...{ actor: 'person', source: 'palette', tool: 'session_raise', rule: 'person', session: 'a' },
        ...{ before: 'PUBLIC', after: 'CONFIDENTIAL', reason: 'before I open the plans' },
      },
    ]);
  });

  it('saves at the new level, and its next call reads up to it', async () => {
    const tools = openTestTools();
    const chat = { session: 'chat' };
    await tools.call('session_raise', { session: 'current', level: 'INTERNAL' }, { ...PERSON, ...chat });
    await tools.call('memory_save', { key: 'rule-x', content: 'only here' }, chat);
    expect((await tools.call('memory_get', { key: 'rule-x' }, chat)).text).toContain('"INTERNAL"');
    expect((await tools.call('memory_get', { key: 'rule-x' }, { session: 'other' })).text).not.toContain(
      'only here',
    );
  });

  it.each(['RESTRICTED', 'CONFIDENTIAL', 'INTERNAL', 'PUBLIC'])(
    'never falls to %s from above',
    async (level) => {
      const world = openWorld();
      await world.call('session_raise', { session: TARGETS.b, level: 'CONFIDENTIAL' }, PERSON);
      const { isError } = await world.call('session_raise', { session: TARGETS.b, level }, PERSON);
      expect(isError).toBe(level === 'INTERNAL' || level === 'PUBLIC');
      expect(await levels(world, TARGETS.b)).toBe(level === 'RESTRICTED' ? level : 'CONFIDENTIAL');
    },
  );

  it('is known by the level of its transcript, too', async () => {
    const world = openWorld();
    const secret = 'agent:main:webchat:direct:secret';
    const down = await world.call('session_raise', { session: secret, level: 'INTERNAL' }, PERSON);
    expect(down).toMatchObject({
      isError: true,
      text: 'The level of this session is CONFIDENTIAL already, and a level only rises.',
    });
    expect(await raised(world)).toEqual([]);
  });

  it('is one that is there, or the window before its first call', async () => {
    const world = openWorld();
    expect(await world.call('session_raise', { session: 'nobody', level: 'INTERNAL' }, PERSON)).toMatchObject(
      {
        ...{ isError: true, text: 'There is no such session.' },
      },
    );
    await world.call('session_raise', { session: 'window', level: 'INTERNAL' }, PERSON);
    expect(world.taint.levelOf({ key: 'window', start: 'PUBLIC' })).toBe('INTERNAL');
  });

  it('is never raised by an agent', async () => {
    const world = openWorld();
    const input = { session: TARGETS.a, level: 'RESTRICTED' };
    expect(await world.call('session_raise', input, { session: 'a' })).toMatchObject({ isError: true });
    expect(world.taint.levelOf({ key: 'a', start: 'PUBLIC' })).toBe('PUBLIC');
  });

  it('keeps no secret that the reason names', async () => {
    const world = openWorld();
    const token = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    await world.call(
      'session_raise',
      { session: TARGETS.a, level: 'INTERNAL', reason: `has ${token}` },
      PERSON,
    );
    expect(JSON.stringify(await raised(world))).not.toContain(token);
  });
});
