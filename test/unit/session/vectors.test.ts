/** The reference vectors of the areas transcript, resume, checkpoint and rewind. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CheckpointMachine } from '../../../src/session/checkpoint.ts';
import { LiveSession } from '../../../src/session/liveSession.ts';
import { textOf } from '../../../src/session/messages.ts';
import { transcriptFile } from '../../../src/session/place.ts';
import type { Draft, SessionRecord } from '../../../src/session/record.ts';
import { followTranscript, openTranscript } from '../../../src/session/transcript.ts';
import { viewOf } from '../../../src/session/view.ts';
import {
  answer,
  draft,
  folder,
  openFree,
  options,
  records,
  resume,
  say,
  start,
  unpaired,
  use,
} from './kit.ts';

const TOP = { depth: 0 };
const CREATED: Draft = { type: 'checkpoint', checkpoint: { event: 'created', goal: 'g', call_id: 'c1' } };

/** A machine that has seen these records, with a way to append what it answers. */
function machine(...drafts: Draft[]) {
  const checkpoint = new CheckpointMachine();
  const all: SessionRecord[] = [];
  const append = (more: Draft[]) => {
    for (const record of records(...all.map(() => CREATED), ...more).slice(all.length)) {
      all.push(record);
      checkpoint.fold(record);
    }
  };
  append(drafts);
  return { checkpoint, append, all };
}

it('N-TR-03, instead of N-TR-02: one whole record and a torn tail', () => {
  const at = options(folder(), { id: 's' });
  const whole =
    '{"uuid":"a","session_id":"s","timestamp":"T","type":"message","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}';
  const torn = '{"uuid":"b","par';
  mkdirSync(at.dir);
  writeFileSync(transcriptFile(at), `${whole}\n${torn}`);
  const opened = openTranscript(at);
  if (!opened.writer) return expect.unreachable();
  expect(opened.records).toHaveLength(1);
  expect(opened.damage).toEqual({ offset: whole.length + 1, length: 16, reason: 'torn' });
  const damaged = join(at.dir, 's', 'local', 'damaged');
  expect(readdirSync(damaged).map((name) => readFileSync(join(damaged, name), 'utf8'))).toEqual([torn]);
  expect(readFileSync(transcriptFile(at), 'utf8')).toBe(`${whole}\n`);
  expect(opened.writer.append([draft(say('user', 'more'))]).ok).toBe(true);
  opened.writer.close();
  const reader = followTranscript(at);
  expect(reader.read().records.map((record) => record.type)).toEqual(['message', 'message']);
  expect(reader.damage).toBeUndefined();
});

it('N-TR-04: messages and usage; a boundary record is only for the observer', () => {
  const at = options(folder());
  const usage = { input_tokens: 10, output_tokens: 2, cache_read_tokens: 0, cache_write_tokens: 0 };
  const { writer } = openFree(at);
  const session = new LiveSession(at, writer, []);
  session.append([
    draft(say('assistant', 'x'), usage),
    { type: 'boundary', boundary: { trigger: 'auto', pre_tokens: 99 } },
    draft(say('user', 'y')),
  ]);
  expect(session.view.messages()).toHaveLength(2);
  expect(session.usage).toEqual(usage);
});

it('N-TR-05: where transcripts are', () => {
  expect(transcriptFile({ dir: 'D', id: 's1' })).toBe(join('D', 's1.jsonl'));
  expect(transcriptFile({ dir: 'D', id: 's1', agentId: 'a9' })).toBe(
    join('D', 's1', 'subagents', 'agent-a9.jsonl'),
  );
});

it('N-TR-06: an id that leads out of the folder', () => {
  for (const id of [
    '../../etc/x',
    '',
    '.',
    '..',
    'a/b',
    'a\\b',
    'a..b',
    '.a',
    'a.',
    'a\0',
    'a\n',
    '나',
    'C:',
  ]) {
    expect(() => transcriptFile({ dir: 'D', id })).toThrow('invalid session id');
    expect(() => transcriptFile({ dir: 'D', id: 's', agentId: id })).toThrow('invalid agent id');
  }
});

it('N-RE-01: a trailing call without a result', () => {
  const view = viewOf(records(draft(say('user', 'q')), draft(say('assistant', use('t1', 'Bash')))));
  expect(view.messages()).toEqual([say('user', 'q')]);
});

it('N-RE-03: pairs both ways, and drops what is left empty', () => {
  const view = viewOf(
    records(
      draft(say('assistant', use('x'))),
      draft(say('user', 'keep me')),
      draft(say('user', answer('y'))),
    ),
  );
  expect(view.messages()).toEqual([say('user', 'keep me')]);
});

it('N-RE-04: a second resume neither shows nor mentions the call again', () => {
  const dir = folder();
  const at = options(dir);
  const first = start(at);
  first.append([draft(say('user', 'q')), draft(say('assistant', 'I will', use('t1', 'Bash')))]);
  first.close();
  const one = resume(at);
  expect(one.report).toMatch(/Bash \(t1\): unknown/);
  expect(one.session.view.messages()).toEqual([say('user', 'q'), say('assistant', 'I will')]);
  one.session.append([draft(say('user', 'again')), draft(say('assistant', 'yes'))]);
  expect(one.session.view.messages().map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'system',
    'user',
    'assistant',
  ]);
  const view = structuredClone(one.session.view.messages());
  one.session.close();
  const two = resume(at);
  expect(two.report).not.toMatch(/t1/);
  expect(two.session.view.messages()).toEqual(view);
  two.session.close();
  const three = resume(at);
  expect(three.report).toBeUndefined();
  expect(three.session.view.messages()).toEqual(view);
});

it('cp-02: a second checkpoint', () => {
  const { checkpoint } = machine(CREATED);
  expect(checkpoint.create('x', TOP)).toEqual({ ok: false, error: 'Checkpoint already active.' });
});

it('cp-03: in a subagent', () => {
  const { checkpoint } = machine();
  expect(checkpoint.create('x', { depth: 1 })).toEqual({
    ok: false,
    error: 'Checkpoint not available in subagents.',
  });
});

it('cp-04: a rewind without a checkpoint', () => {
  const { checkpoint } = machine();
  expect(checkpoint.rewind('x', TOP)).toMatchObject({
    error: expect.stringMatching(/^No active checkpoint\./),
  });
});

it('cp-05: a blank report', () => {
  const { checkpoint } = machine(CREATED);
  expect(checkpoint.rewind('  \n', TOP)).toEqual({ ok: false, error: 'Report cannot be empty.' });
  expect(checkpoint.state).toBe('active');
});

it('cp-06: the text at once, the effect when the turn ends', () => {
  const { checkpoint, append, all } = machine(
    draft(say('user', 'q')),
    CREATED,
    draft(say('user', 'explore')),
  );
  const answer = checkpoint.rewind(' findings ', TOP);
  expect(answer).toMatchObject({
    text: 'Rewind requested.\nReport captured for context replacement.',
    details: { report: 'findings', rewound: true },
  });
  append(answer.ok ? answer.drafts : []);
  expect(checkpoint.state).toBe('pending');
  expect(viewOf(all).messages()).toHaveLength(2);
  append(checkpoint.turnEnd());
  expect(checkpoint.state).toBe('none');
  const [prompt, report, ...rest] = viewOf(all).messages();
  expect(prompt).toEqual(say('user', 'q'));
  expect(report && textOf(report)).toMatch(/\n\nfindings$/);
  expect(rest).toEqual([]);
});

it('cp-09: a turn that the person aborts', () => {
  const { checkpoint, append } = machine(CREATED);
  append([{ type: 'end', end: { reason: 'aborted' } }]);
  expect(checkpoint.state).toBe('none');
  expect(checkpoint.turnEnd()).toEqual([]);
});

it('cp-10: a second rewind after a completed one', () => {
  const { checkpoint, append } = machine(CREATED);
  const first = checkpoint.rewind('r', TOP);
  append(first.ok ? first.drafts : []);
  append(checkpoint.turnEnd());
  expect(checkpoint.rewind('x', TOP)).toMatchObject({ error: expect.stringContaining('already completed') });
});

it('cp-11: a stale rewind cannot touch a later checkpoint', () => {
  const { checkpoint, append, all } = machine({ ...CREATED, uuid: 'one' });
  const first = checkpoint.rewind('old', TOP);
  const stale = first.ok ? first.drafts : [];
  append(stale);
  const done = checkpoint.turnEnd();
  append([...done, { ...CREATED, uuid: 'two' }, draft(say('user', 'later'))]);
  append([...stale, ...done]);
  expect(checkpoint.state).toBe('active');
  expect(checkpoint.active?.uuid).toBe('two');
  expect(checkpoint.turnEnd()).toEqual([]);
  expect(checkpoint.ended).toHaveLength(1);
  expect(viewOf(all).messages().at(-1)).toEqual(say('user', 'later'));
});

it('cp-12: a resume keeps an open checkpoint', () => {
  const at = options(folder());
  const session = start(at);
  session.append([
    draft(say('user', 'q')),
    draft(say('assistant', use('c1', 'checkpoint'))),
    CREATED,
    draft(say('user', answer('c1'))),
  ]);
  session.close();
  expect(existsSync(transcriptFile(at))).toBe(true);
  const resumed = resume(at);
  expect(resumed.session.checkpoint.state).toBe('active');
  expect(resumed.report).toMatch(/The checkpoint "g" is open/);
});

it('cp-14: a checkpoint and a rewind among other calls', () => {
  const { checkpoint, append, all } = machine(
    draft(say('user', 'q')),
    draft(say('assistant', use('c1', 'checkpoint'), use('f1'))),
    CREATED,
    draft(say('user', answer('c1'), answer('f1'), 'a reminder')),
    draft(say('assistant', 'look', use('w1', 'rewind'), use('f2'))),
  );
  const rewind = checkpoint.rewind('found', { depth: 0, callId: 'w1' });
  append(rewind.ok ? rewind.drafts : []);
  append([draft(say('user', answer('w1'))), draft(say('user', answer('f2')))]);
  append(checkpoint.turnEnd());
  const messages = viewOf(all).messages();
  expect(unpaired(messages)).toEqual([]);
  expect(messages.slice(0, 3)).toEqual([
    say('user', 'q'),
    say('assistant', use('c1', 'checkpoint'), use('f1')),
    say('user', answer('c1'), answer('f1')),
  ]);
  expect(messages).toHaveLength(4);
});
