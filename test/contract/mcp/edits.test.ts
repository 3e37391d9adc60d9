/** What a person changes in the todo panel, in the editor's process, reaches an agent over MCP. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSessions } from '../../../src/worker/openStore.ts';
import { call, connect, newPlace, type Place } from './support.ts';

const PERSON = { level: 'RESTRICTED' } as const;

/** The sessions as another process sees them. */
function editor({ home, root }: Place) {
  const sessions = openSessions(
    {
      dir: join(root, '.lodeline', 'store'),
      keysDir: join(home, '.lodeline', 'keys'),
      defaultLevel: 'PUBLIC',
      vocabulary: {},
    },
    { now: Date.now },
  );
  onTestFinished(() => sessions.close());
  return sessions;
}

test("a person's edit is told with the agent's next call, whatever it calls, and once", async () => {
  const place = newPlace();
  const client = await connect(place, ['--session', 'work']);
  await call(client, 'todo_write', {
    ops: [{ op: 'init', list: [{ phase: 'Build', items: ['parse', 'render'] }] }],
  });
  const sessions = editor(place);
  const { session } = await sessions.todoShow(undefined, PERSON, 60);
  const edited = await sessions.todoEdit(session?.id ?? '', [{ op: 'rm', task: 'parse' }], PERSON, 60);
  expect(edited.errors).toEqual([]);
  const { text, isError, data } = await call(client, 'memory_stats', {});
  expect(isError).toBe(false);
  expect(text).toMatch(/\n\n<system-reminder>\nNotice from Lodeline[\s\S]*parse[\s\S]*<\/system-reminder>$/);
  expect(JSON.stringify(data)).not.toContain('parse');
  expect((await call(client, 'memory_stats', {})).text).not.toContain('system-reminder');
});

test('an agent that only uses memory has a session, without what memory says', async () => {
  const place = newPlace();
  const client = await connect(place, ['--session', 'work']);
  await call(client, 'memory_remember', { category: 'decision', key: 'use-zod', content: 'Use Zod' });
  const sessions = editor(place);
  expect(await sessions.sessionsBrowse(PERSON)).toMatchObject([
    { key: 'work', kind: 'mcp', source: 'contract-test', live: true },
  ]);
  expect(JSON.stringify(await sessions.exportSessions(PERSON))).not.toContain('zod');
});
