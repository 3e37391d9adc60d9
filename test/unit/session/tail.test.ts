import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LineCodec } from '../../../src/session/line.ts';
import { transcriptFile } from '../../../src/session/place.ts';
import { readTail, recordsBackwards } from '../../../src/session/tail.ts';
import type { TranscriptOptions } from '../../../src/session/transcript.ts';
import { followTranscript } from '../../../src/session/transcript.ts';
import { draft, folder, options, say, start } from './kit.ts';

const USAGE = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 30, cache_write_tokens: 0 };

function backwards(where: TranscriptOptions, before?: number) {
  return [...recordsBackwards(transcriptFile(where), new LineCodec(where), before)];
}

function uuids(where: TranscriptOptions, before?: number): string[] {
  return backwards(where, before).map((placed) => (placed === 'damaged' ? placed : placed.record.uuid));
}

/** A transcript with texts of these lengths, and the uuids of its records. */
function written(lengths: readonly number[]) {
  const where = options(folder());
  const session = start(where);
  session.append(lengths.map((length) => draft(say('user', '가'.repeat(length)))));
  session.close();
  return {
    where,
    file: transcriptFile(where),
    all: followTranscript(where)
      .read()
      .records.map((r) => r.uuid),
  };
}

it.each([
  [[]],
  [[1]],
  [[0, 10, 40_000, 3, 200_000, 1]],
  // Line feeds at the edges of what is read at once.
  [Array.from({ length: 40 }, (_, at) => 10_700 + at)],
])('reads what a reader from the beginning reads, the other way around', (lengths) => {
  const { where, all } = written(lengths);
  expect(uuids(where)).toEqual(all.toReversed());
});

it('goes on before any record, and before none of a place that is none', () => {
  const { where, all } = written([5, 40_000, 7, 9]);
  for (const [at, placed] of backwards(where).entries()) {
    if (placed === 'damaged') throw new Error('damaged');
    expect(uuids(where, placed.offset)).toEqual(all.toReversed().slice(at + 1));
    // Within a line: only whole lines before it.
    expect(uuids(where, placed.offset + 3)).toEqual(all.toReversed().slice(at + 1));
  }
  expect(uuids(where, 10 ** 9)).toEqual(all.toReversed());
});

it('passes over a torn end, and stops before what does not verify', () => {
  const { where, file, all } = written([5, 6, 7, 8]);
  appendFileSync(file, '{"torn":');
  expect(uuids(where)).toEqual(all.toReversed());
  truncateSync(file, statSync(file).size - 8);

  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, `${lines.toSpliced(2, 1).join('\n')}\n`);
  expect(uuids(where)).toEqual([all[4], all[3], 'damaged']);
  writeFileSync(file, `${lines.with(3, '{}').join('\n')}\n`);
  expect(uuids(where)).toEqual([all[4], 'damaged']);
});

it('tells the last answer of a model, however much came after it', () => {
  const where = options(folder());
  const session = start(where);
  const said = { ...draft(say('assistant', 'yes'), USAGE), model: 'm-1', window: 1000 };
  session.append([said, draft(say('user', 'x'.repeat(100_000)))]);
  const read = () => readTail(transcriptFile(where), new LineCodec(where))?.tail;
  expect(read()).toEqual({ model: 'm-1', window: 1000, tokens: 150, isOpen: true });

  session.append([{ type: 'end', end: { reason: 'aborted' } }]);
  session.close();
  // A turn is over only when nothing was said since.
  expect(read()).toMatchObject({ model: 'm-1', end: 'aborted' });
});

it('tells a turn that is open from what other sessions leave after one, or before the first', () => {
  const where = options(folder());
  const session = start(where);
  const read = () => readTail(transcriptFile(where), new LineCodec(where))?.tail;
  const provenance = {
    ...{ kind: 'inter_session' as const, sourceSessionKey: 'agent:main:main' },
    ...{ sourceChannel: 'internal', sourceTool: 'sessions_spawn' },
  };
  const left = () => ({ ...draft(say('system', 'It is done.')), provenance });
  expect(read()).toEqual({});
  session.append([left()]);
  expect(read()).toEqual({});
  session.append([draft(say('user', 'go')), draft(say('assistant', 'gone'))]);
  expect(read()).toEqual({ isOpen: true });
  session.append([left()]);
  expect(read()).toEqual({ isOpen: true });
  session.append([{ type: 'end', end: { reason: 'completed' } }, left(), left()]);
  expect(read()).toEqual({ end: 'completed' });
  session.append([{ ...left(), begins: true }]);
  expect(read()).toEqual({ isOpen: true });
  session.close();
});

it('tells the model of answers among some calls that were only observed, and looks no further than a few of them', () => {
  const where = options(folder());
  const session = start(where);
  const model = () => readTail(transcriptFile(where), new LineCodec(where))?.tail.model;
  const observed = (count: number) => Array.from({ length: count }, () => draft(say('assistant', 'called')));
  session.append([{ ...draft(say('assistant', 'yes'), USAGE), model: 'm-1' }, ...observed(7)]);
  expect(model()).toBe('m-1');
  session.append(observed(1));
  expect(model()).toBeUndefined();
  session.close();
});

it('has nothing of a file that is not there', () => {
  const where = options(folder());
  expect(uuids(where)).toEqual([]);
  expect(readTail(transcriptFile(where), new LineCodec(where))).toBeUndefined();
});
