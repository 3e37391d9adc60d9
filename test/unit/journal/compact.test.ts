import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { frame } from '../../../src/journal/frame.ts';
import { filesWith, names, open, place, say, stored, texts } from './kit.ts';

const all = () => true;
const dead = { seam: { alive: () => false } };

it('folds the segments of ended processes and its own into one base', () => {
  const at = place();
  say(open(at), 'gone without a word');
  const closed = open(at);
  say(closed, 'closed');
  closed.close();
  const last = open(at, dead);
  say(last, 'own');
  expect(last.compact({ retain: all })).toEqual({
    done: true,
    generation: 0,
    kept: 3,
    dropped: 0,
    folded: 3,
  });
  expect(names(at, /./)).toEqual([`base-0-1-${last.writer}.seg`, 'manifest-1']);
  expect(stored(at)).toEqual(['closed', 'gone without a word', 'own']);
  say(last, 'later');
  expect(last.compact({ retain: all })).toMatchObject({ kept: 4, folded: 1 });
  expect(names(at, /./)).toEqual([`base-0-2-${last.writer}.seg`, 'manifest-2']);
  expect(stored(at)).toEqual(['closed', 'gone without a word', 'later', 'own']);
});

it('leaves the segments of living processes alone', () => {
  const at = place();
  const living = open(at);
  say(living, 'a');
  const other = open(at);
  say(other, 'b');
  expect(other.compact({ retain: all })).toMatchObject({ kept: 1, folded: 1 });
  expect(names(at, new RegExp(living.writer))).toHaveLength(1);
  say(living, 'c');
  expect(names(at, new RegExp(living.writer))).toHaveLength(1);
  expect(stored(at)).toEqual(['a', 'b', 'c']);
});

it('folds a segment nobody has written to for a day, whoever it belongs to', () => {
  const at = place();
  say(open(at), 'a');
  const old = (Date.now() - 25 * 3600 * 1000) / 1000;
  for (const name of names(at, /seg$/)) utimesSync(join(at.dir, name), old, old);
  expect(open(at).compact({ retain: all })).toMatchObject({ kept: 1 });
});

it('drops what is not retained, and delivers nothing twice to those who read before', () => {
  const at = place();
  const reader = open(at);
  const writer = open(at, dead);
  for (const text of ['keep', 'drop']) say(writer, text);
  reader.load();
  expect(writer.compact({ retain: (record) => record.payload !== 'drop' })).toMatchObject({ dropped: 1 });
  expect(reader.refresh()).toEqual({ records: [], reset: false });
  expect(stored(at)).toEqual(['keep']);
});

it('delivers from a base what a reader had not seen before it was folded', () => {
  const at = place();
  const reader = open(at);
  reader.load();
  const writer = open(at);
  say(writer, 'a');
  writer.compact({ retain: all });
  say(writer, 'b');
  const { records, reset } = reader.refresh();
  expect([texts(records), reset]).toEqual([['a', 'b'], false]);
});

it('leaves no byte of a hard-deleted text, not of living writers nor in damaged copies either', () => {
  const at = place();
  const living = open(at);
  // Somebody else reads all the time, and puts aside the damaged bytes that are still there.
  const deleting = open(at, { seam: { step: () => open(at).load() } });
  say(living, 'the secret plan');
  say(living, 'lunch');
  say(deleting, 'the secret plan again');
  const [file] = names(at, new RegExp(living.writer));
  const broken = readFileSync(join(at.dir, file ?? ''));
  broken[5] = 0x7a;
  writeFileSync(join(at.dir, '0000000000aa-0.seg'), Buffer.concat([broken, frame('{}').subarray(0, 9)]));
  deleting.load();
  expect(deleting.damage()).not.toEqual([]);
  writeFileSync(join(at.dir, 'damaged', 'old.bin'), 'the secret plan');
  const result = deleting.compact({
    retain: ({ payload }) => !String(payload).includes('secret'),
    newGeneration: true,
  });
  expect(result).toMatchObject({ done: true, generation: 1, kept: 1 });
  expect(filesWith(at.dir, 'secret')).toEqual([]);
  expect(names(at, /./)).toEqual([`base-1-1-${deleting.writer}.seg`, 'manifest-1']);
  expect(deleting.refresh()).toMatchObject({ records: [{ payload: 'lunch' }], reset: true });
  expect(living.refresh()).toMatchObject({ records: [{ payload: 'lunch' }], reset: true });
  say(living, 'dinner');
  expect(stored(at)).toEqual(['dinner', 'lunch']);
  expect(filesWith(at.dir, 'secret')).toEqual([]);
});

it('keeps positions of one generation from passing for those of another', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'a');
  journal.load();
  const before = journal.position();
  journal.compact({ retain: all });
  journal.refresh();
  expect(journal.position()).toBe(before);
  journal.compact({ retain: all, newGeneration: true });
  journal.refresh();
  expect(journal.position()).not.toBe(before);
});

it('carries along, byte for byte, what only a newer version understands', () => {
  const at = place();
  const journal = open(at);
  const asked: unknown[] = [];
  const newer = '{"v":2,"id":"n-1","shape":["unknown"]}';
  const nameless = '{"v":3,"q":1}';
  const wider = '{"v":1,"id":"w-1","t":"000000000001-0000","w":"w","l":"OPEN","p":{"op":"later"},"z":[1, 2]}';
  const odd = '{"v":1,"id":"o-1","t":"not a stamp"}';
  say(journal, 'a');
  const lines = [newer, nameless, nameless, wider, odd];
  writeFileSync(join(at.dir, '0000000000aa-0.seg'), Buffer.concat(lines.map((line) => frame(line))));
  utimesSync(join(at.dir, '0000000000aa-0.seg'), 1, 1);
  expect(stored(at)).toEqual([{ op: 'later' }, 'a']);
  for (const newGeneration of [false, true]) {
    const retain = ({ payload }: { payload: unknown }) => {
      asked.push(payload);
      return true;
    };
    expect(journal.compact({ retain, newGeneration })).toMatchObject({ kept: 5 });
  }
  const base = readFileSync(join(at.dir, names(at, /^base/)[0] ?? ''));
  for (const line of new Set(lines)) expect(base.includes(frame(line))).toBe(true);
  expect(asked).toEqual([{ op: 'later' }, 'a', { op: 'later' }, 'a']);
  journal.load();
  expect(journal.damage().map(({ reason, count }) => [reason, count])).toEqual([
    ['newer-version', 2],
    ['malformed', 1],
  ]);
});

it('leaves a store alone whose manifest a newer version wrote, but still reads and appends', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'a');
  const manifest = frame('{"v":2,"m":{}}');
  writeFileSync(join(at.dir, 'manifest-7'), manifest);
  expect(journal.compact({ retain: all })).toEqual({ done: false, reason: 'newer-version' });
  say(journal, 'b');
  expect(stored(at)).toEqual(['a', 'b']);
  expect(readFileSync(join(at.dir, 'manifest-7'))).toEqual(manifest);
});

it('keeps damaged bytes of folded segments aside', () => {
  const at = place();
  const journal = open(at, dead);
  for (const text of ['a', 'hit', 'b']) say(journal, text);
  const [file = ''] = names(at, /seg$/);
  const bytes = readFileSync(join(at.dir, file));
  bytes[bytes.indexOf('hit')] = 0x48;
  writeFileSync(join(at.dir, file), Buffer.concat([bytes, Buffer.from('\x1etorn')]));
  expect(open(at, dead).compact({ retain: all })).toMatchObject({ kept: 2 });
  expect(stored(at)).toEqual(['a', 'b']);
  expect(filesWith(join(at.dir, 'damaged'), 'Hit')).toHaveLength(1);
  expect(filesWith(join(at.dir, 'damaged'), 'torn')).toHaveLength(1);
});

it('reports a base that is gone or cut short, and opens', () => {
  const at = place();
  const journal = open(at);
  for (const text of ['a', 'b']) say(journal, text);
  journal.compact({ retain: all });
  say(journal, 'c');
  const [base = ''] = names(at, /^base/);
  const bytes = readFileSync(join(at.dir, base));
  writeFileSync(join(at.dir, base), bytes.subarray(0, bytes.lastIndexOf(0x1e)));
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['a', 'b', 'c']);
  expect(reader.damage()).toMatchObject([{ file: base, reason: 'incomplete' }]);
  rmSync(join(at.dir, base));
  expect(texts(reader.load())).toEqual(['c']);
  expect(reader.damage()).toMatchObject([{ file: base, reason: 'missing' }]);
  reader.compact({ retain: all });
  expect(stored(at)).toEqual(['c']);
});

it('loses nothing and gains nothing when a manifest is damaged', () => {
  const at = place();
  const journal = open(at);
  for (const text of ['a', 'b']) say(journal, text);
  journal.compact({ retain: all, newGeneration: true });
  say(journal, 'c');
  const [manifest = ''] = names(at, /^manifest/);
  writeFileSync(join(at.dir, manifest), 'nonsense');
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['a', 'b', 'c']);
  expect(reader.damage()).toMatchObject([{ file: manifest, reason: 'unverified' }]);
  expect(reader.shouldCompact()).toBe(true);
  say(reader, 'd');
  expect(reader.compact({ retain: all })).toMatchObject({ done: true, generation: 1 });
  expect(names(at, /^manifest/)).toEqual(['manifest-2']);
  expect(stored(at)).toEqual(['a', 'b', 'c', 'd']);
});

it('keeps going past a segment that cannot be read', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'a');
  mkdirSync(join(at.dir, '0000000000aa-0.seg'));
  const reader = open(at);
  expect(texts(reader.load())).toEqual(['a']);
  expect(reader.damage()).toMatchObject([{ reason: 'unreadable' }]);
  expect(journal.compact({ retain: all })).toMatchObject({ done: true, kept: 1 });
  expect(stored(at)).toEqual(['a']);
});

it('asks for compaction when there is much to fold, or something was left lying', () => {
  const at = place();
  const journal = open(at, { ...dead, maxSegmentBytes: 100 });
  journal.load();
  expect(journal.shouldCompact()).toBe(false);
  for (let i = 0; i < 40; i++) say(journal, `${i}`);
  journal.refresh();
  expect(journal.shouldCompact()).toBe(true);
  journal.compact({ retain: all });
  journal.refresh();
  expect(journal.shouldCompact()).toBe(false);
});

it('steps aside while another process compacts, and only then', () => {
  const at = place();
  const journal = open(at);
  say(journal, 'a');
  const lock = join(at.dir, 'compact.lock');
  const holder = { pid: process.pid, host: hostname(), time: Date.now(), writer: 'other' };
  const skipped = { done: false, reason: 'locked' };
  writeFileSync(lock, JSON.stringify(holder));
  expect(journal.compact({ retain: all })).toEqual(skipped);
  writeFileSync(lock, JSON.stringify({ ...holder, host: 'elsewhere', pid: 1 }));
  expect(open(at, dead).compact({ retain: all })).toEqual(skipped);
  const long = new Date(Date.now() - 60_000);
  for (const stale of [JSON.stringify({ ...holder, time: Date.now() - 11 * 60 * 1000 }), '{"pid":', '{}']) {
    writeFileSync(lock, stale);
    utimesSync(lock, long, long);
    expect(journal.compact({ retain: all })).toMatchObject({ done: true });
  }
  writeFileSync(lock, JSON.stringify(holder));
  expect(open(at, dead).compact({ retain: all })).toMatchObject({ done: true });
  expect(names(at, /lock/)).toEqual([]);
});

it('says what went wrong when a new base cannot be written, and loses nothing', () => {
  const at = place();
  let full = false;
  const write = (_fd: number, bytes: Uint8Array): number => {
    if (full) throw new Error('no space left on device');
    return realWrite(_fd, bytes);
  };
  const journal = open(at, { seam: { write } });
  for (const text of ['a', 'b']) say(journal, text);
  full = true;
  expect(() => journal.compact({ retain: all })).toThrow(/no space left/);
  full = false;
  expect(names(at, /lock|base|tmp/)).toEqual([]);
  expect(stored(at)).toEqual(['a', 'b']);
  say(journal, 'c');
  expect(stored(at)).toEqual(['a', 'b', 'c']);
});

function realWrite(fd: number, bytes: Uint8Array): number {
  appendFileSync(fd, bytes);
  return bytes.length;
}
