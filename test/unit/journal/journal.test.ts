import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JournalWriteError } from '../../../src/journal/errors.ts';
import { frame } from '../../../src/journal/frame.ts';
import { inOrder } from '../../../src/journal/stamp.ts';
import { filesWith, names, open, type Place, place, say, stored, texts } from './kit.ts';

const SEGMENT = /\.seg$/;

function segmentFile(at: Place): string {
  const [name] = names(at, SEGMENT);
  if (!name) throw new Error('no segment');
  return join(at.dir, name);
}

it('gives back what was appended, in the order of the stamps, to every instance', () => {
  const at = place();
  const first = open(at);
  const second = open(at);
  const written = [say(first, 'a'), say(second, 'b'), say(first, 'c')];
  const read = open(at).load();
  expect(read.sort(inOrder)).toEqual([...written].sort(inOrder));
});

it('appends a batch as one write', () => {
  const at = place();
  const writes: number[] = [];
  const journal = open(at, {
    seam: {
      write(fd, bytes, offset, length) {
        writes.push(length);
        return realWrite(fd, bytes, offset, length);
      },
    },
  });
  journal.append(['a', 'b', 'c'].map((payload) => ({ payload, level: 'OPEN' })));
  expect(writes).toHaveLength(1);
  expect(stored(at)).toEqual(['a', 'b', 'c']);
});

it('leaves no trace before the first append, and then files only its owner can read', () => {
  const at = place();
  const journal = open(at);
  expect(journal.load()).toEqual([]);
  expect(existsSync(at.dir)).toBe(false);
  expect(journal.append([])).toEqual([]);
  expect(existsSync(at.dir)).toBe(false);
  say(journal, 'a');
  if (process.platform === 'win32') return;
  expect(statSync(at.dir).mode & 0o777).toBe(0o700);
  expect(statSync(segmentFile(at)).mode & 0o777).toBe(0o600);
});

it('keeps every string, lone surrogates and delimiters included', () => {
  const at = place();
  const odd = ['\ud800', '\udfff x', '\u001e\n\u0000', '\u2028', 'e\u0301', 'x'.repeat(100_000)];
  open(at).append([
    { payload: odd, level: 'OPEN' },
    { payload: odd, level: 'SECRET' },
  ]);
  expect(
    open(at)
      .load()
      .map((record) => record.payload),
  ).toEqual([odd, odd]);
});

it('tells another instance what is new, once, and nothing when nothing is', () => {
  const at = place();
  const writer = open(at);
  const reader = open(at);
  say(writer, 'a');
  expect(reader.refresh()).toMatchObject({ records: [{ payload: 'a' }], reset: true });
  expect(reader.refresh()).toEqual({ records: [], reset: false });
  say(writer, 'b');
  say(reader, 'own');
  const { records, reset } = reader.refresh();
  expect([texts(records), reset]).toEqual([['b'], false]);
  expect(texts(writer.refresh().records)).toEqual(['a', 'b', 'own']);
});

it('stamps later than everything it has read', () => {
  const at = place();
  const ahead = open(at, { now: () => 9e12 });
  const behind = open(at, { now: () => 1000 });
  const before = say(ahead, 'a');
  behind.load();
  expect(say(behind, 'b').stamp > before.stamp).toBe(true);
});

it('applies the same op id once', () => {
  const at = place();
  const first = open(at);
  const second = open(at);
  const op = { id: 'import:1', payload: 'a', level: 'OPEN' };
  expect(first.append([op, op])).toHaveLength(1);
  expect(first.append([op])).toEqual([]);
  second.load();
  expect(second.append([op])).toEqual([]);
  expect(stored(at)).toEqual(['a']);
});

it('goes on in a new segment when one is full', () => {
  const at = place();
  const journal = open(at, { maxSegmentBytes: 400 });
  const said = Array.from({ length: 10 }, (_, i) => say(journal, `text ${i}`).payload);
  expect(names(at, SEGMENT).length).toBeGreaterThan(2);
  expect(stored(at)).toEqual(said);
  expect(journal.refresh().records).toHaveLength(10);
});

it('reads past a torn tail, reports it once its writer is gone, and reads the rest when it comes', () => {
  const at = place();
  say(open(at), 'a');
  const file = segmentFile(at);
  const whole = frame(JSON.stringify({ v: 1, id: 'x-1', t: '0000000003e8-0000', w: 'x', l: 'OPEN', p: 'b' }));
  appendFileSync(file, whole.subarray(0, 30));
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['a']);
  expect(reader.damage()).toEqual([]);
  const late = open(at, { now: () => Date.now() + 60_000 });
  late.load();
  expect(late.damage()).toMatchObject([{ reason: 'torn', length: 30 }]);
  const orphaned = open(at, { seam: { alive: () => false } });
  orphaned.load();
  expect(orphaned.damage()).toMatchObject([{ reason: 'torn', length: 30 }]);
  appendFileSync(file, whole.subarray(30));
  expect(texts(reader.refresh().records)).toEqual(['b']);
  expect(reader.damage()).toEqual([]);
});

it('quarantines damaged bytes once, reports them, and reads everything else', () => {
  const at = place();
  const journal = open(at);
  for (const text of ['before', 'hit', 'after']) say(journal, text);
  const file = segmentFile(at);
  const bytes = readFileSync(file);
  bytes[bytes.indexOf('hit')] = 0x48;
  writeFileSync(file, bytes);
  for (let round = 0; round < 2; round++) {
    const reader = open(at);
    expect(texts(reader.load())).toEqual(['after', 'before']);
    expect(reader.damage()).toMatchObject([{ file: names(at, SEGMENT)[0], reason: 'unverified', count: 1 }]);
  }
  expect(filesWith(join(at.dir, 'damaged'), 'Hit')).toHaveLength(1);
});

function realWrite(fd: number, bytes: Uint8Array, offset: number, length: number): number {
  return writeSync(fd, bytes, offset, length);
}

it('saves what a disk takes in small bites', () => {
  const at = place();
  const write = (fd: number, bytes: Uint8Array, offset: number, length: number) =>
    realWrite(fd, bytes, offset, Math.min(length, 7));
  say(open(at, { seam: { write } }), 'a long text in many pieces');
  expect(stored(at)).toEqual(['a long text in many pieces']);
});

it('acknowledges nothing on a full disk, leaves nothing of it, and works again when there is room', () => {
  const at = place();
  let room = Number.POSITIVE_INFINITY;
  const write = (fd: number, bytes: Uint8Array, offset: number, length: number) => {
    if (room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const some = Math.min(length, room);
    room -= some;
    return realWrite(fd, bytes, offset, some);
  };
  const journal = open(at, { seam: { write } });
  say(journal, 'kept');
  const watcher = open(at);
  watcher.load();
  // Less than the two records take; how long their stamps and names are is not always the same.
  for (room of [200, 0, 230]) {
    const lost = ['lost 1', 'lost 2'].map((payload) => ({ payload, level: 'OPEN' }));
    expect(() => journal.append(lost)).toThrow(JournalWriteError);
  }
  room = Number.POSITIVE_INFINITY;
  expect(filesWith(at.dir, 'lost')).toEqual([]);
  say(journal, 'kept too');
  expect(texts(watcher.refresh().records)).toEqual(['kept too']);
  expect(stored(at)).toEqual(['kept', 'kept too']);
  expect(watcher.damage()).toEqual([]);
});

it('starts over when a writer takes back records that were read before they were durable', () => {
  const at = place();
  say(open(at), 'a');
  const size = statSync(segmentFile(at)).size;
  const json = JSON.stringify({ v: 1, id: 'x-1', t: '0000000003e8-0000', w: 'x', l: 'OPEN', p: 'b' });
  appendFileSync(segmentFile(at), frame(json));
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['a', 'b']);
  truncateSync(segmentFile(at), size);
  const { records, reset } = reader.refresh();
  expect([texts(records), reset]).toEqual([['a'], true]);
});

it('names equal states equally and others differently', () => {
  const at = place();
  const first = open(at);
  const second = open(at);
  const positions = [first.position()];
  for (const text of ['a', 'b', 'c']) {
    say(first, text);
    positions.push(first.position());
  }
  say(second, 'd');
  first.refresh();
  second.refresh();
  positions.push(first.position());
  expect(new Set(positions).size).toBe(5);
  expect(second.position()).toBe(first.position());
  const fresh = open(at);
  fresh.load();
  expect(fresh.position()).toBe(first.position());
  fresh.load();
  expect(fresh.position()).toBe(first.position());
});

it('goes on when somebody deletes the whole store under it', () => {
  const at = place();
  const journal = open(at);
  const reader = open(at);
  say(journal, 'a');
  reader.load();
  rmSync(at.dir, { recursive: true });
  expect(reader.refresh()).toEqual({ records: [], reset: true });
  say(journal, 'b');
  expect(texts(reader.refresh().records)).toEqual(['b']);
  expect(stored(at)).toEqual(['b']);
});

it('appends nothing once closed', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'a');
  journal.close();
  journal.close();
  expect(() => say(journal, 'b')).toThrow(JournalWriteError);
  expect(stored(at)).toEqual(['a']);
});

it('survives anything at all in its files', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'a');
  const junk = [
    Buffer.alloc(0),
    Buffer.alloc(5000),
    Buffer.from('\x1e\x1e\n\n\x1e'),
    frame('[]'),
    frame('{"v":1}'),
  ];
  for (const [i, bytes] of junk.entries()) {
    writeFileSync(join(at.dir, `0000000000a${i}-0.seg`), bytes);
    writeFileSync(join(at.dir, `base-0-${i}-0000000000a0.seg`), bytes);
    utimesSync(join(at.dir, `0000000000a${i}-0.seg`), 1, 1);
  }
  writeFileSync(join(at.dir, 'manifest-9'), 'junk');
  writeFileSync(join(at.dir, 'note.txt'), 'junk');
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['a']);
  expect(reader.damage().length).toBeGreaterThan(5);
  expect(reader.compact({ retain: () => true })).toMatchObject({ done: true });
  expect(texts(reader.refresh().records)).toEqual([]);
  expect(stored(at)).toEqual(['a']);
  expect(names(at, /manifest/)).toEqual(['manifest-10']);
});
