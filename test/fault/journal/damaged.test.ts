/** Files that were cut short, or of which one byte changed: only the record that was hit may go. */
import { cpSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scan } from '../../../src/journal/frame.ts';
import { Journal } from '../../../src/journal/journal.ts';
import { KeyRing } from '../../../src/journal/keys.ts';
import { randomFrom } from './common.ts';
import { Fleet, SOAK } from './fleet.ts';

const COPIES = SOAK ? 1000 : 150;
const TIMEOUT_MS = SOAK ? 1_800_000 : 120_000;

const fleet = new Fleet({ seed: 3, pauseMs: 0 });

interface Whole {
  file: string;
  bytes: Buffer;
  /** Where each record begins and ends, and its op id if it is an op. */
  records: { start: number; end: number; id: string | undefined }[];
}

let files: Whole[] = [];
let allIds: string[] = [];

/** A store with a manifest, a base and segments whose processes have ended, two of them without a word. */
beforeAll(async () => {
  await fleet.prepare();
  await Promise.all([0, 1].map((slot) => fleet.write(slot, 30, 0)));
  const folding = fleet.open();
  const drop = folding.load()[0]?.id;
  folding.compact({ retain: (record) => record.id !== drop });
  await Promise.all([2, 3].map((slot) => fleet.write(slot, 30, 1)));
  await fleet.write(4, 30, 0);
  allIds = fleet
    .open()
    .load()
    .map((record) => record.id)
    .sort();
  files = readdirSync(fleet.dir).map((file) => {
    const bytes = readFileSync(join(fleet.dir, file));
    return { file, bytes, records: recordsOf(bytes) };
  });
  expect(files.map(({ file }) => file.replace(/-.*/, ''))).toEqual(
    expect.arrayContaining(['base', 'manifest']),
  );
  expect(files.length).toBeGreaterThanOrEqual(5);
}, TIMEOUT_MS);

afterAll(() => fleet.remove());

function recordsOf(bytes: Buffer): Whole['records'] {
  const records: Whole['records'] = [];
  scan(bytes, false, {
    body(start, end) {
      const { id } = JSON.parse(bytes.toString('utf8', start, end)) as { id?: string };
      records.push({ start: bytes.lastIndexOf(0x1e, start), end: end + 1, id });
      return true;
    },
    damage: () => expect.unreachable(),
  });
  return records;
}

/** Opens a copy of the store with one file's bytes replaced, and checks what is there. */
function check(whole: Whole, bytes: Buffer, mayGo: Set<string>, mustReport: boolean, further: boolean): void {
  const dir = join(fleet.root, 'copy');
  cpSync(fleet.dir, dir, { recursive: true });
  writeFileSync(join(dir, whole.file), bytes);
  // A moment ago: a torn tail in a segment that names no living owner might still be a write in flight.
  const then = Date.now() / 1000 - 60;
  utimesSync(join(dir, whole.file), then, then);
  const open = () =>
    new Journal({
      dir,
      keys: new KeyRing({ dir: fleet.keys }),
      sealed: (level) => level === 'SECRET',
      now: Date.now,
    });
  const journal = open();
  const ids = journal.load().map((record) => record.id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(allIds.filter((id) => !mayGo.has(id) && !ids.includes(id))).toEqual([]);
  expect(ids.filter((id) => !allIds.includes(id))).toEqual([]);
  const damaged = journal.damage().filter((report) => report.file === whole.file);
  if (mustReport) expect(damaged, `${whole.file}, ${bytes.length} bytes`).not.toEqual([]);
  if (further) {
    const added = journal.append([{ payload: 'more', level: 'SECRET' }]).map((record) => record.id);
    expect(journal.compact({ retain: () => true })).toMatchObject({ done: true });
    const after = open();
    expect(
      after
        .load()
        .map((record) => record.id)
        .sort(),
    ).toEqual([...ids, ...added].sort());
    // A segment that no longer says whose it is stays as it is for a day.
    expect(after.damage().filter((report) => report.file !== whole.file)).toEqual([]);
  }
  rmSync(dir, { recursive: true });
}

it(
  'loses only what was cut off, wherever within its last three records a file is truncated',
  () => {
    for (const whole of files) {
      const from = whole.records.at(-3)?.start ?? 0;
      const ends = new Set(whole.records.map(({ end }) => end));
      for (let cut = from; cut < whole.bytes.length; cut++) {
        // A small run takes every boundary, and every ninth byte between.
        const boundary = [cut - 1, cut, cut + 1].some((at) => ends.has(at) || at === from);
        if (!SOAK && !boundary && cut % 9 !== 0) continue;
        const gone = whole.records.filter(({ end }) => cut < end - 1).map(({ id }) => id ?? '');
        // Nothing can tell a segment that ends with a whole record from one that always did.
        const between = ends.has(cut) || ends.has(cut + 1) || cut === 0;
        const mustReport = /^(base|manifest)/.test(whole.file) ? cut + 1 < whole.bytes.length : !between;
        check(whole, whole.bytes.subarray(0, cut), new Set(gone), mustReport, cut % 16 === 0);
      }
    }
  },
  TIMEOUT_MS,
);

it(
  'loses at most the record that was hit when any one byte of a file changes, and reports it',
  () => {
    const random = randomFrom(4);
    const pick = (count: number) => Math.floor(random() * count);
    for (let copy = 0; copy < COPIES; copy++) {
      const whole = files[copy % files.length];
      if (!whole) throw new Error('no files');
      // Every fourth change hits a delimiter or its neighbour.
      const record = whole.records[pick(whole.records.length)];
      const edge = record && pick(2) ? record.start + pick(2) : (record?.end ?? 1) - 1;
      const at = copy % 4 === 0 ? edge : pick(whole.bytes.length);
      const bytes = Buffer.from(whole.bytes);
      const special = [0x1e, 0x0a][pick(8)];
      const value =
        special !== undefined && special !== bytes[at] ? special : (bytes[at] ?? 0) ^ (1 + pick(255));
      bytes[at] = value;
      const hit = whole.records.find(({ start, end }) => start <= at && at < end)?.id ?? '';
      check(whole, bytes, new Set([hit]), true, copy % 8 === 0);
    }
  },
  TIMEOUT_MS,
);
