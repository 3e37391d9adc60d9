import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { leaseDir, transcriptFile } from '../../../src/session/place.ts';
import type { Draft } from '../../../src/session/record.ts';
import {
  followTranscript,
  openTranscript,
  type TranscriptOptions,
  transcriptHolder,
} from '../../../src/session/transcript.ts';
import { draft, folder, INFO, openFree, options, START, say } from './kit.ts';

const EVERY_TYPE: Draft[] = [
  { type: 'session', session: INFO },
  draft(say('user', 'q')),
  { type: 'boundary', boundary: { pre_tokens: 1 } },
  { type: 'checkpoint', checkpoint: { event: 'created', goal: 'g' } },
  { type: 'branch_summary', branch_summary: { checkpoint: 'c', from: 'f', summary: 's' } },
  { type: 'rewind_report', rewind_report: { checkpoint: 'c', goal: 'g', report: 'r', started_at: 't' } },
  { type: 'todo', todo: { phases: [] } },
  { type: 'todo_edit', todo_edit: { by: 'person', phases: [{ name: 'p', tasks: [] }] } },
  { type: 'provenance', provenance: { source: 'import' } },
  { type: 'reconciled', reconciled: { calls: [{ id: 'i', name: 'n' }], report: 'r' } },
  { type: 'end', end: { reason: 'completed' } },
];

function written(at: TranscriptOptions, drafts: readonly Draft[]) {
  const { writer } = openFree(at);
  const result = writer.append(drafts);
  expect(writer.close()).toBeUndefined();
  if (!result.ok) throw new Error(result.error.message);
  return result.records;
}

function read(at: TranscriptOptions) {
  const reader = followTranscript(at);
  return { ...reader.read(), damage: reader.damage };
}

it('gives back every type of record as it was appended, plain and sealed', () => {
  for (const level of ['PUBLIC', 'RESTRICTED'] as const) {
    const at = options(folder());
    const records = written(at, [{ ...EVERY_TYPE[0], level } as Draft, ...EVERY_TYPE.slice(1)]);
    expect(read(at)).toEqual({ records, reset: false, damage: undefined });
    expect(records.map(({ seq }) => seq)).toEqual(EVERY_TYPE.map((_, index) => index));
    expect(records.slice(1).map((record) => record.parent_uuid)).toEqual(
      records.slice(0, -1).map(({ uuid }) => uuid),
    );
  }
});

it('writes the ten fields of the reference, and nothing of what is sealed', () => {
  const at = options(folder(), { agentId: 'a1' });
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4 };
  written(at, [
    draft(say('user', 'plain-word'), usage),
    { ...draft(say('user', 'secret-word')), level: 'RESTRICTED' },
  ]);
  const text = readFileSync(transcriptFile(at), 'utf8');
  const [first, second] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(first).toMatchObject({
    session_id: 's',
    agent_id: 'a1',
    is_sidechain: true,
    timestamp: new Date(START).toISOString(),
    type: 'message',
    message: say('user', 'plain-word'),
    usage,
    level: 'PUBLIC',
    seq: 0,
    prev: '',
  });
  expect(second).toMatchObject({ type: 'message', level: 'RESTRICTED', box: expect.any(String) });
  expect(text).not.toContain('secret-word');
  expect(statSync(transcriptFile(at)).mode & 0o777).toBe(0o600);
  expect(statSync(at.dir).mode & 0o777).toBe(0o700);
});

it('keeps halves of surrogate pairs and results of 10 MB', () => {
  const at = options(folder());
  const messages = [say('user', 'half \ud83d and \udc00'), say('user', '한글\n'.repeat(2_500_000))];
  written(
    at,
    messages.map((message) => draft(message)),
  );
  expect(read(at).records.map((record) => record.type === 'message' && record.message)).toEqual(messages);
});

it('does not open what is above the level of its reader, or without its key', () => {
  const dir = folder();
  const at = options(dir);
  written(at, [draft(say('user', 'a')), { ...draft(say('user', 'b')), level: 'CONFIDENTIAL' }]);
  const seen = (changes: Partial<TranscriptOptions>) =>
    read(options(dir, changes)).records.map((record) =>
      record.type === 'opaque' ? record.reason : record.type,
    );
  expect(seen({ reader: 'PUBLIC' })).toEqual(['message', 'withheld']);
  expect(seen({ reader: 'CONFIDENTIAL' })).toEqual(['message', 'message']);
  expect(seen({ keys: new KeyRing({ dir: join(dir, 'none') }) })).toEqual(['message', 'key-missing']);
});

it('never lets a level fall', () => {
  const at = options(folder());
  written(at, [{ ...draft(say('user', 'a')), level: 'CONFIDENTIAL' }]);
  expect(
    written(at, [{ ...draft(say('user', 'b')), level: 'PUBLIC' }, draft(say('user', 'c'))]),
  ).toMatchObject([{ level: 'CONFIDENTIAL' }, { level: 'CONFIDENTIAL' }]);
});

it('notices any byte that changes, and keeps what is before it', () => {
  const at = options(folder());
  const records = written(at, [
    draft(say('user', 'a')),
    { ...draft(say('user', 'b')), level: 'RESTRICTED' },
    { type: 'end', end: { reason: 'completed' } },
  ]);
  const file = transcriptFile(at);
  const bytes = readFileSync(file);
  let line = 0;
  for (let position = 0; position < bytes.length; position++) {
    const changed = Buffer.from(bytes);
    changed[position] = (bytes[position] ?? 0) ^ ([0x01, 0x20, 0x80][position % 3] ?? 0);
    writeFileSync(file, changed);
    const found = read(at);
    expect(found.records, `byte ${position}`).toEqual(records.slice(0, line));
    expect(found.damage?.length).toBeGreaterThan(0);
    if (bytes[position] === 0x0a) line++;
  }
  for (const missing of [0, 1]) {
    const lines = bytes.toString('latin1').split('\n');
    lines.splice(missing, 1);
    writeFileSync(file, lines.join('\n'), 'latin1');
    expect(read(at).damage?.reason).toBe('unverified');
  }
});

it('notices a whole line that stands in the place of another', () => {
  const [one, other] = [options(folder()), options(folder())];
  const lines = [one, other].map((at, index) => {
    written(at, [draft(say('user', `a${index}`)), draft(say('user', 'b')), draft(say('user', 'c'))]);
    return readFileSync(transcriptFile(at), 'utf8').split('\n');
  });
  writeFileSync(transcriptFile(one), [lines[1]?.[0], ...(lines[0]?.slice(1) ?? [])].join('\n'));
  expect(read(one)).toMatchObject({ records: [{ seq: 0 }], damage: { reason: 'unverified' } });
});

it('goes on before damage in the middle, which is put aside', () => {
  const at = options(folder());
  written(at, [draft(say('user', 'aaa')), draft(say('user', 'bbb')), draft(say('user', 'ccc'))]);
  const file = transcriptFile(at);
  writeFileSync(file, readFileSync(file, 'latin1').replace('bbb', 'bxb'), 'latin1');
  const opened = openTranscript(at);
  expect(opened).toMatchObject({ damage: { reason: 'unverified' }, records: [{ type: 'message' }] });
  opened.writer?.append([draft(say('user', 'ddd'))]);
  opened.writer?.close();
  expect(read(at)).toMatchObject({ records: [{}, {}], damage: undefined });
  const damaged = join(at.dir, 's', 'local', 'damaged');
  expect(readdirSync(damaged).map((name) => readFileSync(join(damaged, name), 'utf8'))).toEqual([
    expect.stringMatching(/bxb.*ccc/s),
  ]);
});

it('remembers an error, and writes nothing after it', () => {
  const at = options(folder());
  let fails = false;
  const { writer } = openFree({
    ...at,
    seam: {
      step: (name) => {
        if (fails && name === 'append: write') throw new Error('ENOSPC: no space left');
      },
    },
  });
  expect(writer.append([draft(say('user', 'a'))]).ok).toBe(true);
  fails = true;
  const error = { reason: 'write-failed', message: 'ENOSPC: no space left' };
  expect(writer.append([draft(say('user', 'b'))])).toEqual({ ok: false, error });
  fails = false;
  expect(writer.append([draft(say('user', 'c'))])).toEqual({ ok: false, error });
  expect(writer.sync()).toEqual(error);
  expect(writer.error).toEqual(error);
  writer.close();
  expect(read(at).records).toHaveLength(1);
  expect(openFree(at).records).toHaveLength(1);
});

it('stops when somebody else writes to the file', () => {
  const at = options(folder());
  const { writer } = openFree(at);
  writer.append([draft(say('user', 'a'))]);
  appendFileSync(transcriptFile(at), 'x');
  expect(writer.append([draft(say('user', 'b'))])).toMatchObject({ error: { reason: 'changed' } });
});

it('tells a follower what is new, and when the file was replaced', () => {
  const at = options(folder());
  const reader = followTranscript(at);
  expect(reader.read()).toEqual({ records: [], reset: false });
  const { writer } = openFree(at);
  writer.append([draft(say('user', 'a'))]);
  expect(reader.read()).toMatchObject({ records: [{ seq: 0 }], reset: false });
  writer.append([draft(say('user', 'b')), draft(say('user', 'c'))]);
  const file = transcriptFile(at);
  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, -7));
  expect(reader.read()).toMatchObject({ records: [{ seq: 1 }] });
  expect(reader.damage?.reason).toBe('torn');
  writeFileSync(file, whole);
  expect(reader.read()).toMatchObject({ records: [{ seq: 2 }], reset: false });
  expect(reader.damage).toBeUndefined();
  expect(reader.read()).toEqual({ records: [], reset: false });
  writeFileSync(file, whole.subarray(0, whole.indexOf(0x0a) + 1));
  expect(reader.read()).toMatchObject({ records: [{ seq: 0 }], reset: true });
});

it('has one writer; the next one comes when it is done, dead or silent', () => {
  const dir = folder();
  let time = START;
  let alive = true;
  const at = options(dir, { now: () => time, seam: { alive: () => alive } });
  const { writer: first } = openFree(at);
  first.append([draft(say('user', '1'))]);
  expect(first.sync()).toBeUndefined();
  expect(openTranscript(at)).toMatchObject({
    writer: undefined,
    holder: { pid: process.pid, started: START },
  });
  expect(transcriptHolder(at)?.heartbeat).toBe(START);
  time += 9 * 60_000;
  first.heartbeat();
  time += 9 * 60_000;
  expect(openTranscript(at).writer).toBeUndefined();
  time += 2 * 60_000;
  const second = openFree(at);
  expect(second.records).toHaveLength(1);
  // The first one wakes up.
  expect(first.append([draft(say('user', 'late'))])).toMatchObject({ error: { reason: 'lease-lost' } });
  expect(first.sync()).toMatchObject({ reason: 'lease-lost' });
  first.close();
  second.writer.append([draft(say('user', '2'))]);
  alive = false;
  const third = openFree(at);
  expect(third.records).toHaveLength(2);
  third.writer.close();
  const fourth = openFree(at);
  fourth.writer.close();
  expect(readdirSync(leaseDir(at))).toEqual(['4']);
});

it('acknowledges nothing that the one who took over may not have read', () => {
  const at = options(folder());
  let takeOver: (() => void) | undefined;
  const { writer: first } = openFree({
    ...at,
    seam: {
      step: (name) => {
        if (name !== 'append: write') return;
        takeOver?.();
        takeOver = undefined;
      },
    },
  });
  first.append([draft(say('user', '1'))]);
  first.sync();
  let second: ReturnType<typeof openFree> | undefined;
  takeOver = () => {
    second = openFree({ ...at, seam: { alive: () => false } });
    second.writer.append([draft(say('user', '2'))]);
    second.writer.sync();
  };
  // It found the lease in order and is about to write when the other takes over.
  first.append([draft(say('user', 'lost'))]);
  expect(first.sync()).toMatchObject({ reason: 'lease-lost' });
  expect(second?.writer.append([draft(say('user', '3'))]).ok).toBe(true);
  second?.writer.close();
  expect(read(at)).toMatchObject({ records: [{ seq: 0 }, { seq: 1 }, { seq: 2 }], damage: undefined });
  expect(existsSync(join(leaseDir(at), '1'))).toBe(false);
});
