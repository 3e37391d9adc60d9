/** A folder in which everything was used is encrypted, goes on to be used, and is decrypted, all through the tools. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/session/chatModel.ts';
import { textOf } from '../../../src/session/messages.ts';
import { openTalk } from '../../unit/messaging/sendKit.ts';
import { hand, named, use } from '../../unit/subagent/kit.ts';
import { temporaryFolder } from '../../unit/support/folder.ts';
import { filesWith } from './kit.ts';

const SETTINGS = { 'checkpoint.enabled': true };
const APPROVED = { approve: async () => 'approved' as const };
const PERSON = { actor: 'person', level: 'RESTRICTED' } as const;
const AS_A = { session: 'a', source: 'lodeline', door: 'editor', loop: { callId: 'c', depth: 0 } } as const;

/** What is said and written in a round; all of it has the name of the round in it. */
const word = (round: string, what: string) => `mark-${what}-of-${round}`;

/** Does what the task names. */
function mind(request: ModelRequest) {
  const asked = request.messages
    .filter(({ role }) => role !== 'assistant')
    .map(textOf)
    .join('\n');
  const step = request.messages.filter(({ role }) => role === 'assistant').length;
  const [, round = 'none'] = /round-(\w+)/.exec(asked) ?? [];
  const last = JSON.stringify(request.messages.at(-1));
  if (asked.includes('NoteTaker'))
    return step === 0
      ? [use('write', { path: `local://${round}.md`, content: word(round, 'note') })]
      : [hand(word(round, 'output'))];
  if (asked.includes('NoteReader'))
    return step === 0 ? [use('read', { path: `local://${round}.md` })] : [hand(last)];
  if (asked.includes('given files')) {
    const [path = ''] = /\.lodeline\/attachments\/[\w-]+\/a\.txt/.exec(asked) ?? [];
    return step === 0 ? [use('read', { path })] : `I read ${last}`;
  }
  return 'Well.';
}

type Talk = Awaited<ReturnType<typeof openTalk>>;

/** One of everything that is kept. */
async function useAll(talk: Talk, round: string): Promise<void> {
  const { call, sessions, messaging, send, folder } = talk;
  const remember = (key: string, content: string) =>
    call('memory_remember', { category: 'bug', key, content, tags: [word(round, 'tag')] });
  await remember(`${round}-one`, word(round, 'content'));
  await remember(`${round}-one`, word(round, 'revision'));
  await remember(`${round}-two`, word(round, 'forgotten'));
  await call('memory_forget', { key: `${round}-two` });
  await call('memory_archive', { keys: [`${round}-two`] });
  await call('memory_backup');
  await call('memory_checkpoint', { note: word(round, 'snapshot') });
  await call(
    'todo_write',
    { ops: [{ op: 'init', list: [{ phase: 'P', items: [word(round, 'plan')] }] }] },
    AS_A,
  );
  const task = {
    agent: 'task',
    tasks: named('NoteTaker').map((one) => ({ ...one, assignment: `NoteTaker round-${round}` })),
  };
  expect((await call('task', task, AS_A)).text).toContain(word(round, 'output'));
  await send({ message: word(round, 'message') });
  const attachments = [{ name: 'a.txt', content: word(round, 'given') }];
  await call('sessions_spawn', { task: `Read the given files, round-${round}.`, attachments }, AS_A);
  await messaging.idle();
  await sessions.attend({
    ...{ key: 'w', agent: 'copilot', branch: word(round, 'branch'), level: 'PUBLIC', root: folder },
    files: [`${word(round, 'file')}.ts`],
  });
}

const KINDS = [
  'content',
  'revision',
  'forgotten',
  'tag',
  'plan',
  'note',
  'output',
  'message',
  'given',
  'file',
];
const marks = (...rounds: string[]) => rounds.flatMap((round) => KINDS.map((kind) => word(round, kind)));

it('keeps nothing in the clear from then on, and everything that it had', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.toon-memory', 'memory', 'sessions'), { recursive: true });
  const talk = await openTalk((_text, request) => mind(request), SETTINGS, folder);
  const { call } = talk;
  await useAll(talk, 'before');
  const there = filesWith(folder, marks('before'));
  expect(marks('before').filter((mark) => !there.some((line) => line.endsWith(mark)))).toEqual([]);

  expect((await call('memory_encrypt', {}, APPROVED)).text).toContain('Encryption enabled');
  expect(filesWith(folder, marks('before'))).toEqual([]);
  await useAll(talk, 'after');
  expect(filesWith(folder, marks('before', 'after'))).toEqual([]);

  // What was kept is used as before.
  const readBy = async (round: string) => {
    const tasks = named('NoteReader').map((one) => ({ ...one, assignment: `NoteReader round-${round}` }));
    return (await call('task', { agent: 'task', tasks }, AS_A)).text;
  };
  for (const round of ['before', 'after']) {
    expect(await readBy(round)).toContain(word(round, 'note'));
    expect((await call('memory_recall', { query: word(round, 'content') })).text).toContain(
      word(round, 'content'),
    );
  }
  const output = await call('job', { action: 'read', address: 'agent://0-NoteTaker' }, AS_A);
  expect(output.text).toContain(word('before', 'output'));
  const exported = (await call('memory_export', { clear: true }, PERSON)).text;
  for (const mark of marks('before', 'after').filter((each) => /content|output/.test(each)))
    expect(exported).toContain(mark);
  const spawned = JSON.stringify(
    await call('sessions_history', { sessionKey: 'agent:main:webchat:direct:a' }, AS_A),
  );
  expect(spawned).toContain(`I read`);
  expect(spawned).toContain(word('after', 'given'));
  expect(filesWith(folder, marks('before', 'after'))).toEqual([]);

  expect((await call('memory_decrypt', {}, APPROVED)).text).toContain('Encryption disabled');
  const open = filesWith(folder, marks('before', 'after'));
  expect(marks('before', 'after').filter((mark) => !open.some((line) => line.endsWith(mark)))).toEqual([]);
  const given = join(folder, '.lodeline', 'attachments');
  const folders = readdirSync(given).filter((name) => existsSync(join(given, name, 'a.txt')));
  expect(folders.map((name) => readFileSync(join(given, name, 'a.txt'), 'utf8')).sort()).toEqual([
    word('after', 'given'),
    word('before', 'given'),
  ]);
});
