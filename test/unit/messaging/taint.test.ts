/** A session counts with what it rose to since its last record, wherever sessions are shown or decided about. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { Taint } from '../../../src/policy/taint.ts';
import type { SessionsView } from '../../../src/sessionProtocol.ts';
import type { ToolCall } from '../../../src/tools/tool.ts';
import { openWorld, TARGETS } from './worldKit.ts';

const RISE = { reason: 'read a file', source: 'copilot' } as const;
const SETTINGS = { 'tools.sessions.visibility': 'agent' };
const PERSON: Partial<ToolCall> = { actor: 'person', door: 'panel', level: 'RESTRICTED', session: 'window' };

type World = ReturnType<typeof openWorld>;

/** Raises a session as a hook's process does. */
function raiseElsewhere({ folder }: World, key: string, level: 'INTERNAL' | 'CONFIDENTIAL') {
  const taint = new Taint({
    dir: join(folder, 'store', 'taint'),
    keys: () => new KeyRing({ dir: join(folder, 'keys') }),
    audit: { record: () => {} },
  });
  return taint.raise({ key, start: 'PUBLIC' }, level, RISE);
}

const keysOf = async (world: World, who: Partial<ToolCall>) =>
  (await world.list(who)).sessions.map(({ key }) => key);

describe('a session that another process raised', () => {
  it('is as if it were not there for those below it, in every answer', async () => {
    const world = openWorld(SETTINGS);
    const a = world.as('a');
    const answers = async (sessionKey: string) => [
      await world.ask('sessions_history', { sessionKey }, a),
      await world.ask('session_status', { sessionKey }, a),
      await world.ask('sessions_send', { sessionKey, message: 'm', timeoutSeconds: 0 }, a),
    ];
    expect(await keysOf(world, a)).toContain(TARGETS.b);
    await raiseElsewhere(world, 'b', 'CONFIDENTIAL');
    expect(await keysOf(world, a)).not.toContain(TARGETS.b);
    expect(await answers(TARGETS.b)).toEqual(await answers('agent:main:direct:nobody'));
  });

  it('is shown at its level to those who stand as high, and to the person', async () => {
    const world = openWorld(SETTINGS);
    await raiseElsewhere(world, 'b', 'INTERNAL');
    await raiseElsewhere(world, 'a', 'CONFIDENTIAL');
    const { sessions } = await world.list(world.as('a'));
    expect(sessions.find(({ key }) => key === TARGETS.b)).toMatchObject({ level: 'INTERNAL' });
    expect(sessions.find(({ key }) => key === TARGETS.a)).toMatchObject({ level: 'CONFIDENTIAL' });
    const { data } = await world.call('sessions_show', {}, PERSON);
    const line = (data as SessionsView).sessions.find(({ key }) => key === TARGETS.b);
    expect(line).toMatchObject({ level: 'INTERNAL' });
  });

  it('may not write to one below it, and may be written to by one that is not above it', async () => {
    const world = openWorld(SETTINGS);
    const send = async (from: string, sessionKey: string) => {
      const input = { sessionKey, message: 'm', timeoutSeconds: 0 };
      return JSON.parse(await world.ask('sessions_send', input, world.as(from))) as { status: string };
    };
    const maySend = async (from: string, sessionKey: string) =>
      JSON.parse(await world.ask('session_status', { sessionKey }, world.as(from))) as { maySend: boolean };
    await raiseElsewhere(world, 'a', 'INTERNAL');
    expect(await maySend('a', TARGETS.b)).toMatchObject({ maySend: false });
    expect(await send('a', TARGETS.b)).toMatchObject({ status: 'forbidden' });
    await raiseElsewhere(world, 'b', 'INTERNAL');
    expect(await maySend('a', TARGETS.b)).toMatchObject({ maySend: true });
    expect(await send('a', TARGETS.b)).toMatchObject({ status: 'accepted' });
  });

  it('counts as the highest where its level cannot be told', async () => {
    const world = openWorld(SETTINGS);
    mkdirSync(join(world.folder, 'store'), { recursive: true });
    writeFileSync(join(world.folder, 'store', 'taint'), 'in the way');
    const visible = await world.access.visible({
      ...{ door: 'panel', actor: 'agent', level: 'CONFIDENTIAL', session: 'a' },
    });
    expect(visible.rows.filter(({ origin }) => origin.key !== 'a')).toEqual([]);
    const { data } = await world.call('sessions_show', {}, PERSON);
    expect(new Set((data as SessionsView).sessions.map(({ level }) => level))).toEqual(
      new Set(['RESTRICTED']),
    );
  });
});
