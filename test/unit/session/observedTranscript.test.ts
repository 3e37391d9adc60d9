import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { levelOf, type ObservedChat, observeChat } from '../../../src/session/observedTranscript.ts';
import type { SeenCall } from '../../../src/session/observedTranscriptLines.ts';
import type { SessionRecord } from '../../../src/session/record.ts';
import { startSession } from '../../../src/session/resume.ts';
import { idOf } from '../../../src/session/sessionId.ts';
import { followTranscript, openTranscript } from '../../../src/session/transcript.ts';
import { glue, random } from '../policy/secretSamples.ts';
import { bytesUnder } from '../support/files.ts';
import { folder, INFO, options } from './kit.ts';

const CHAT = '076577da-8fee-430a-9e0a-a754dc3682ca';

let made = 0;
/** A record as Copilot writes it. */
function line(type: string, data: object, id = `id-${made++}`): string {
  return `${JSON.stringify({ type, data, id, timestamp: '2026-07-12T10:00:00.000Z', parentId: null })}\n`;
}
const user = (content: string, id?: string) => line('user.message', { content }, id);
const assistant = (content: string, id?: string) =>
  line('assistant.message', { content, toolRequests: [{ toolCallId: 'c', name: 'x', arguments: '{}' }] }, id);
const started = (toolCallId: string, toolName = 'read_file', args: unknown = { filePath: '/r/a.ts' }) =>
  line('tool.execution_start', { toolCallId, toolName, arguments: args });
const ended = (toolCallId: string, success = true, content?: string) =>
  line('tool.execution_complete', { toolCallId, success, ...(content && { result: { content } }) });

function chat(changes: Partial<ObservedChat> = {}) {
  const base = folder();
  const dir = join(base, 'data', 'GitHub.copilot-chat', 'transcripts');
  mkdirSync(dir, { recursive: true });
  const transcript = join(dir, `${CHAT}.jsonl`);
  const place = options(base, { id: idOf(CHAT), defaultLevel: 'PUBLIC' });
  const observed: ObservedChat = {
    ...{ chat: CHAT, place, source: 'copilot', level: 'PUBLIC', transcript, call: undefined },
    isOwnTool: (name) => name === 'memory_recall',
    ...changes,
  };
  return {
    ...{ base, dir, transcript, place },
    write: (...lines: string[]) => appendFileSync(transcript, lines.join('')),
    observe: (now: Partial<ObservedChat> = {}) => observeChat({ ...observed, ...now }),
    records: () => followTranscript(place).read().records,
    shown: () => shown(followTranscript(place).read().records),
  };
}

/** Each message in short. */
function shown(records: readonly SessionRecord[]): string[] {
  return records.flatMap((record) => {
    if (record.type !== 'message') return [];
    return record.message.content.map((block) => {
      if (block.type === 'text') return `${record.message.role}: ${block.text}`;
      if (block.type === 'tool_use') return `${block.name} ${JSON.stringify(block.input)}`;
      if (block.type === 'tool_result')
        return `= ${block.content.map((each) => 'text' in each && each.text)}`;
      return block.type;
    });
  });
}

const CALL: SeenCall = {
  id: 'c1__vscode-7',
  name: 'read_file',
  input: { filePath: '/r/a.ts' },
  result: 'text',
  isError: false,
};

describe('a chat that hooks tell of', () => {
  it('stands in a session of its own: what was said, and each call with its result', async () => {
    const { write, observe, records, shown } = chat();
    write(
      line('session.start', { version: 1 }),
      user('Look'),
      line('assistant.turn_start', {}),
      assistant('I look.'),
      started('c1'),
    );
    expect(await observe({ call: CALL })).toBeUndefined();
    write(ended('c1'), assistant('Done.'));
    await observe();
    expect(records()[0]).toMatchObject({ session: { key: CHAT, kind: 'copilot', source: 'copilot' } });
    expect(records()[1]).toMatchObject({ timestamp: '2026-07-12T10:00:00.000Z' });
    expect(shown()).toEqual([
      'user: Look',
      'assistant: I look.',
      'read_file {"filePath":"/r/a.ts"}',
      '= text',
      'assistant: Done.',
    ]);
  });

  it('keeps calls that only the transcript tells of, when they have ended', async () => {
    const { write, observe, shown } = chat();
    write(started('a'), started('b'));
    await observe();
    expect(shown()).toEqual([]);
    write(ended('b', false), ended('a', true, 'text'));
    await observe();
    expect(shown()).toEqual([
      'read_file {"filePath":"/r/a.ts"}',
      '= (failed)',
      'read_file {"filePath":"/r/a.ts"}',
      '= text',
    ]);
  });

  it('counts a call once that the transcript tells of already when the hook does', async () => {
    const { write, observe, shown, records } = chat();
    write(started('c1'), ended('c1'), assistant('Done.'));
    await observe({ call: CALL });
    expect(shown()).toEqual(['read_file {"filePath":"/r/a.ts"}', '= text', 'assistant: Done.']);
    const uuids = records().map(({ uuid }) => uuid);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  it('says so when nobody tells what a tool answered', async () => {
    const { observe, shown } = chat();
    await observe({ call: { ...CALL, result: '' } });
    expect(shown().at(-1)).toBe('= (done; what it answered is not told)');
  });

  it('leaves out calls of tools of ours, which are recorded where they run', async () => {
    const { write, observe, shown } = chat();
    write(started('a', 'memory_recall', { query: 'private' }), ended('a', true, 'private'));
    await observe({ call: { ...CALL, name: 'memory_recall' } });
    expect(shown()).toEqual([]);
  });

  it('keeps no secret, no half character and no endless text', async () => {
    const { base, write, observe, shown } = chat();
    const secret = glue('glp', 'at-', random(20));
    write(user(`my token is ${secret}`), assistant('half \ud83d'), user('x'.repeat(100_000)));
    await observe({ call: { ...CALL, input: { command: secret, big: 'y'.repeat(50_000) }, result: secret } });
    expect(bytesUnder(join(base, 'sessions'))).not.toContain(secret);
    expect(Math.max(...shown().map(({ length }) => length))).toBeLessThan(40_000);
    expect(shown().join('').isWellFormed()).toBe(true);
  });
});

describe('a transcript that is read again and again', () => {
  it('is read once, however it grows', async () => {
    const { write, observe, shown, transcript } = chat();
    const all = Array.from({ length: 20 }, (_, n) => user(`message ${n} 한글`));
    const bytes = Buffer.from(all.join(''));
    for (let at = 0; at < bytes.length; at += 97) {
      appendFileSync(transcript, bytes.subarray(at, at + 97));
      await observe();
    }
    write('');
    await observe();
    expect(shown()).toEqual(all.map((_, n) => `user: message ${n} 한글`));
  });

  it('counts each record once when it shrinks, is replaced, or the position is lost or damaged', async () => {
    const { base, write, observe, shown, transcript } = chat();
    const lines = [user('one', '1'), user('two', '2')];
    write(...lines);
    await observe();
    truncateSync(transcript, lines[0]?.length);
    await observe();
    write(user('three', '3'));
    await observe();
    renameSync(transcript, `${transcript}.old`);
    write(user('one', '1'), user('other', '4'));
    await observe();
    const position = join(base, 'sessions', idOf(CHAT), 'local', 'observed.json');
    for (const text of ['', '{"head":3}', '{"head":"x","headLength":-1,"offset":1e99}']) {
      writeFileSync(position, text);
      await observe();
    }
    rmSync(position);
    await observe();
    expect(shown()).toEqual(['user: one', 'user: two', 'user: three', 'user: other']);
  });

  it('passes over lines that are no records, and a line without end', async () => {
    const { write, observe, shown } = chat();
    write(
      '\n',
      'null\n',
      '{"type":"user.message"}\n',
      '[1]\n',
      '\0\n',
      line('unknown.kind', { content: 'x' }),
    );
    write(line('user.message', { content: 3 }), '{"type":"user.message","data":{"content":"');
    write('x'.repeat(5 * 1024 * 1024), '\n', user('after'));
    for (let n = 0; n < 5; n++) await observe();
    expect(shown()).toEqual(['user: after']);
  });

  it('does not wait forever for a call that never ends', async () => {
    const { write, observe, shown } = chat();
    write(started('lost'), ...Array.from({ length: 12 }, (_, n) => user(`${n} ${'x'.repeat(30_000)}`)));
    await observe();
    write(user('after'));
    await observe();
    expect(shown()).toHaveLength(13);
  });
});

describe('a path that an agent names', () => {
  it.each([
    [
      'a link',
      ({ transcript }: ReturnType<typeof chat>) => symlinkSync(join(transcript, '..', 'x.txt'), transcript),
    ],
    ['a folder', ({ transcript }: ReturnType<typeof chat>) => mkdirSync(transcript)],
    ['nothing', () => {}],
  ])('is not read when it is %s', async (_, make) => {
    const place = chat();
    writeFileSync(join(place.dir, 'x.txt'), user('secret'));
    make(place);
    expect(await place.observe()).toMatch(/is not read/);
    expect(place.shown()).toEqual([]);
  });

  it('is not read when it does not lie where the editor keeps transcripts', async () => {
    const { base, dir, transcript, write, observe, shown } = chat();
    write(user('secret'));
    linkSync(transcript, join(dir, 'other.jsonl'));
    linkSync(transcript, join(base, `${CHAT}.jsonl`));
    const paths = [
      join(dir, 'other.jsonl'),
      join(base, `${CHAT}.jsonl`),
      `${CHAT}.jsonl`,
      `${dir}/../transcripts/x/${CHAT}.jsonl`,
      `${transcript}\0`,
    ];
    for (const path of paths) expect(await observe({ transcript: path })).toMatch(/is not read/);
    mkdirSync(join(base, 'GitHub.copilot-chat'));
    symlinkSync(base, join(base, 'GitHub.copilot-chat', 'transcripts'));
    expect(
      await observe({ transcript: join(base, 'GitHub.copilot-chat', 'transcripts', `${CHAT}.jsonl`) }),
    ).toMatch(/is not read/);
    expect(shown()).toEqual([]);
  });

  it('does not keep a call from being recorded', async () => {
    const { observe, shown } = chat();
    expect(await observe({ transcript: undefined, call: CALL })).toBeUndefined();
    expect(shown()).toHaveLength(2);
  });
});

describe('a session that another process holds', () => {
  it('gets the records through its inbox, once', async () => {
    const { write, observe, place, shown } = chat();
    const held = startSession(place, { ...INFO, key: CHAT, kind: 'copilot' });
    write(user('one'), started('c1'));
    await observe({ call: CALL });
    await observe({ call: CALL });
    expect(shown()).toEqual([]);
    held.session?.takeInbox();
    expect(shown()).toHaveLength(3);
    held.session?.close();
    write(ended('c1'), user('two'));
    await observe();
    expect(shown()).toEqual(['user: one', 'read_file {"filePath":"/r/a.ts"}', '= text', 'user: two']);
  });

  it('gets them although it was killed before it took them in', async () => {
    const { write, observe, place, shown } = chat();
    const seam = { alive: () => false };
    const held = openTranscript(place);
    held.writer?.append([{ type: 'session', session: { ...INFO, key: CHAT, kind: 'copilot' } }]);
    write(user('one'));
    await observe();
    expect(shown()).toEqual([]);
    await observe({ place: { ...place, seam } });
    expect(shown()).toEqual(['user: one']);
  });

  it('keeps its level, which its inbox and its transcript are sealed for', async () => {
    const { base, write, observe, place, records } = chat();
    const info = { ...INFO, key: CHAT, kind: 'copilot' } as const;
    const held = startSession(place, info, 'CONFIDENTIAL');
    write(user('the merger'));
    await observe();
    expect(bytesUnder(join(base, 'sessions'))).not.toContain('the merger');
    held.session?.close();
    await observe();
    expect(bytesUnder(join(base, 'sessions'))).not.toContain('the merger');
    expect(records().at(-1)).toMatchObject({
      level: 'CONFIDENTIAL',
      message: { content: [{ text: 'the merger' }] },
    });
    expect(levelOf(place)).toBe('CONFIDENTIAL');
  });
});

it('leaves a session alone whose loop is ours, and one that it cannot read', async () => {
  const { write, observe, place, records } = chat();
  startSession(place, { ...INFO, key: CHAT }).session?.close();
  write(user('one'));
  await observe();
  expect(records()).toHaveLength(1);
  const other = chat();
  mkdirSync(other.place.dir, { recursive: true });
  const file = join(other.place.dir, `${idOf(CHAT)}.jsonl`);
  writeFileSync(file, 'garbage\n');
  other.write(user('one'));
  await other.observe();
  expect(readFileSync(file, 'utf8')).toBe('garbage\n');
});
