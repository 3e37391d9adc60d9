import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { parseEvent, readInput } from '../../../src/cli/hookInput.ts';

const EVENT = { hook_event_name: 'PostToolUse', session_id: 'chat-1', cwd: '/r' };
const event = (changes: object, given = {}) => parseEvent(JSON.stringify({ ...EVENT, ...changes }), given);

it('reads an event of the editor, and one of Claude Code', () => {
  const call = {
    tool_name: 'read_file',
    tool_input: { filePath: 'a' },
    tool_response: 'text',
    tool_use_id: 'c',
  };
  const transcript = '/d/GitHub.copilot-chat/transcripts/chat-1.jsonl';
  expect(event({ ...call, timestamp: '2026-07-12T10:00:00Z', transcript_path: transcript })).toEqual({
    ...{ name: 'PostToolUse', session: 'chat-1', agent: 'copilot', cwd: '/r', transcript },
    ...{ tool: 'read_file', input: { filePath: 'a' } },
    call: {
      ...{ id: 'c', name: 'read_file', input: { filePath: 'a' }, result: 'text', isError: false },
      timestamp: '2026-07-12T10:00:00.000Z',
    },
  });
  expect(event({ transcript_path: '/home/x/.claude/projects/p/chat-1.jsonl', timestamp: 'x' })).toMatchObject(
    {
      agent: 'claude-code',
    },
  );
  expect(event({})).toMatchObject({ agent: 'claude-code', call: undefined });
});

it('takes names from the command line where an agent does not say them', () => {
  const given = { event: 'sessionStart', agent: 'other' };
  expect(parseEvent('{"sessionId":"s"}', given)).toMatchObject({ name: 'sessionStart', agent: 'other' });
});

it.each([
  [{ tool_input: { path: 'a' } }, { path: 'a' }],
  [{ toolArgs: '{"path":"a"}' }, { path: 'a' }],
  [{ tool_input: '{"command":"cat a"}' }, { command: 'cat a' }],
  [{ tool_input: '*** Update File: a' }, '*** Update File: a'],
  [{ tool_input: '"text"' }, '"text"'],
])('takes what a tool is given, also as the text of its JSON: %j', (given, input) => {
  expect(event({ tool_name: 'view', ...given })).toMatchObject({ input });
});

it('takes whatever a tool is given and answers', () => {
  for (const tool_response of [null, 3, [], { a: 1 }, undefined]) {
    const { call } = event({ tool_name: 't', tool_use_id: 'c', tool_response, tool_input: undefined });
    expect(call).toMatchObject({ input: {}, result: JSON.stringify(tool_response) ?? '' });
  }
  expect(event({ tool_name: 't', tool_use_id: 3 }).call).toBeUndefined();
  expect(event({ tool_name: 't', tool_use_id: 'c', timestamp: 'no time' }).call?.timestamp).toBeUndefined();
});

it.each<readonly [string, RegExp]>([
  ['', /not JSON/],
  ['{', /not JSON/],
  ['null', /not a JSON object/],
  ['[]', /not a JSON object/],
  ['{}', /no hook_event_name/],
  ['{"hook_event_name":"Stop"}', /no session_id/],
  ['{"hook_event_name":3,"session_id":"s"}', /no hook_event_name/],
  ...['../../evil', 'a/b', '.', 'a b', 'x'.repeat(129), 'a\\b', '한글'].map(
    (id) => [JSON.stringify({ hook_event_name: 'Stop', session_id: id }), /not an id/] as const,
  ),
])('says why %j is no event', (text, why) => {
  expect(() => parseEvent(text)).toThrow(why);
});

it('reads all of its input, and of endless input nothing', async () => {
  expect(await readInput(Readable.from(['{"a":', Buffer.from('"한'), '"}']))).toBe('{"a":"한"}');
  const chunk = 'x'.repeat(1024 * 1024);
  let read = 0;
  const endless = (function* () {
    for (; read < 40; read++) yield chunk;
  })();
  await expect(readInput(Readable.from(endless))).rejects.toThrow(/longer than/);
  expect(read).toBe(40);
});
