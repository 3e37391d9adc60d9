import { expect, it } from 'vitest';
import { idOf } from '../../../src/session/sessionId.ts';
import { levelledTurns, toldTurns } from '../../../src/tools/levelledTurns.ts';
import { draft, say } from '../session/kit.ts';
import { openTestTools } from '../support/folder.ts';
import { recordsOf } from '../worker/kit.ts';

const OWNER = { key: 'k', kind: 'participant', source: 'lodeline', level: 'PUBLIC' } as const;
const RISE = { reason: 'read a file', source: 'lodeline' };

it('records what is said after a rise at the level to which the session rose, within the turn', async () => {
  const { sessions, taint, folder } = openTestTools();
  const turns = levelledTurns(sessions, taint);
  const { id } = await turns.turnBegin(OWNER, [draft(say('user', 'before'))]);
  await taint.raise({ key: 'k', start: 'PUBLIC' }, 'INTERNAL', RISE);
  await turns.turnStep(id, [draft(say('assistant', 'after one'))]);
  await taint.raise({ key: 'k', start: 'PUBLIC' }, 'RESTRICTED', RISE);
  await turns.turnEnd(id, [draft(say('user', 'after two'))], { reason: 'aborted' });
  const levels = recordsOf(folder, idOf('k')).flatMap((each) =>
    each.type === 'message' ? [each.level] : [],
  );
  expect(levels).toEqual(['PUBLIC', 'INTERNAL', 'RESTRICTED']);
});

it('begins a turn at what its session rose to before', async () => {
  const { sessions, taint, folder } = openTestTools();
  await taint.raise({ key: 'k', start: 'PUBLIC' }, 'CONFIDENTIAL', RISE);
  await levelledTurns(sessions, taint).turnBegin(OWNER, [draft(say('user', 'zanzibar'))]);
  expect(recordsOf(folder, idOf('k')).map(({ level }) => level)).not.toContain('PUBLIC');
});

it('tells of the end of a turn, however it ends, and of no step in it', async () => {
  const { sessions, taint } = openTestTools();
  const turns = levelledTurns(sessions, taint);
  let ends = 0;
  const { turnStop, turnEnd } = toldTurns(turns, () => void ends++);
  const first = await turns.turnBegin(OWNER, [draft(say('user', 'one'))]);
  await turns.turnStep(first.id, [draft(say('assistant', 'a step'))]);
  expect(ends).toBe(0);
  expect(await turnStop(first.id, [draft(say('assistant', 'done'))], { reminders: 1 })).toMatchObject({
    reason: 'completed',
  });
  expect(ends).toBe(1);
  const second = await turns.turnBegin(OWNER, [draft(say('user', 'two'))]);
  await turnEnd(second.id, [], { reason: 'aborted' });
  expect(ends).toBe(2);
});
