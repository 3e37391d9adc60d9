/** A door's loop reaches its own session, whatever it names. */
import { describe, expect, it } from 'vitest';
import { ownLoop } from '../../../src/tools/ownLoop.ts';
import type { SessionApi } from '../../../src/worker/sessionApi.ts';
import { openTestTools } from '../support/folder.ts';

const owner = (key: string) => ({ key, kind: 'participant', source: 'lodeline', level: 'PUBLIC' }) as const;
const said = (text: string) =>
  [{ type: 'message', message: { role: 'user', content: [{ type: 'text', text }] } }] as const;

async function opened() {
  const { sessions, turns } = openTestTools();
  const all = Object.assign(Object.create(sessions) as SessionApi, turns);
  const other = await all.turnBegin(owner('other'), said('the merger'));
  return { loop: ownLoop(all, 'own'), other: other.id };
}

describe('the loop of a session', () => {
  it('runs its turns', async () => {
    const { loop } = await opened();
    const { id, messages } = await loop.turnBegin(owner('own'), said('hello'));
    expect(messages).toHaveLength(1);
    await loop.turnStep(id, []);
    expect(await loop.turnEnd(id, [], { reason: 'aborted' })).toBeDefined();
    expect(await loop.sessionStart(owner('own'))).toBe(id);
  });

  it.each([
    ['begin a turn', ({ loop }) => loop.turnBegin(owner('other'), said('x'))],
    [
      'begin one of a subagent',
      ({ loop }) =>
        loop.turnBegin({ ...owner('own'), agent: { id: '0-a', parent: 'p', depth: 1 } }, said('x')),
    ],
    ['go on with a turn', ({ loop, other }) => loop.turnStep(other, [])],
    ['stop a turn', ({ loop, other }) => loop.turnStop(other, [], { reminders: 0 })],
    ['end a turn', ({ loop, other }) => loop.turnEnd(other, [], { reason: 'aborted' })],
    ['start a session', ({ loop }) => loop.sessionStart(owner('other'))],
    ['read a fold', ({ loop }) => loop.foldRead({ key: 'other' }, 'b1', 0, 10)],
    ['open folds', ({ loop }) => loop.foldOpen({ key: 'other' })],
    ['fold', ({ loop }) => loop.foldCommit({ key: 'other' }, [])],
  ] satisfies [string, (given: Awaited<ReturnType<typeof opened>>) => Promise<unknown>][])(
    'does not %s of another',
    async (_, act) => {
      await expect(act(await opened())).rejects.toThrow('belongs to another session');
    },
  );
});
