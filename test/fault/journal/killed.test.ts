/** Processes that share a journal and die at any moment: what one of them was told is saved, is saved. */
import { afterEach, expect, it } from 'vitest';
import { Fleet, type FleetOptions, type ReaderReport, SOAK } from './fleet.ts';

const WRITERS = 4;
const RECORDS = 500;
/** Violent deaths of each writer. */
const DEATHS = SOAK ? 52 : 3;
/** Longest pause of a writer; in the full run such that no life is long enough to write everything. */
const PAUSE_MS = SOAK ? 20 : 8;
const TIMEOUT_MS = SOAK ? 1_800_000 : 60_000;

const fleets: Fleet[] = [];

afterEach(() => {
  for (const fleet of fleets.splice(0)) fleet.remove();
});

async function launch(options: FleetOptions): Promise<Fleet> {
  const fleet = new Fleet(options);
  fleets.push(fleet);
  await fleet.prepare();
  return fleet;
}

function expectAll(fleet: Fleet, reports: ReaderReport[]): void {
  const journal = fleet.open();
  const records = journal.load();
  const ids = new Set(records.map((record) => record.id));
  expect(fleet.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  expect(ids.size).toBe(records.length);
  const said = records.map((record) => (record.payload as { text: string }).text);
  expect(new Set(said).size).toBe(said.length);
  expect(new Set(fleet.acknowledged).size).toBe(fleet.acknowledged.length);
  for (const report of reports) {
    expect(report.twice).toBe(0);
    expect([...report.ids].sort()).toEqual([...ids].sort());
    expect(report.position).toBe(journal.position());
  }
  // A process that is killed leaves at worst a torn tail, never anything broken.
  expect(journal.damage().filter((report) => report.reason !== 'torn')).toEqual([]);
}

async function run(fleet: Fleet, readers: number, compactors: boolean[]): Promise<ReaderReport[]> {
  const reading = Array.from({ length: readers }, (_, slot) => fleet.read(slot));
  const compacting = compactors.map((violent, slot) => fleet.compact(slot, violent));
  const writing = Array.from({ length: WRITERS }, (_, slot) => fleet.write(slot, RECORDS, DEATHS));
  // Whoever fails first fails the test; nobody is to be left running.
  await Promise.all(writing).finally(() => fleet.stop('compact'));
  await Promise.all(compacting).finally(() => fleet.stop('read'));
  return Promise.all(reading);
}

it(
  'keeps every acknowledged record once while writers are killed and others read',
  async () => {
    const fleet = await launch({ seed: 1, pauseMs: PAUSE_MS });
    const reports = await run(fleet, 2, []);
    expectAll(fleet, reports);
    expect(fleet.acknowledged.length).toBeGreaterThanOrEqual(WRITERS * RECORDS);
    expect(fleet.kills).toBeGreaterThanOrEqual(SOAK ? 200 : 12);
    console.info(`${fleet.acknowledged.length} acknowledged, ${fleet.kills} kills`);
    const journal = fleet.open();
    expect(journal.compact({ retain: () => true })).toMatchObject({ done: true });
    expectAll(fleet, []);
  },
  TIMEOUT_MS,
);

it(
  'keeps every acknowledged record once while segments rotate and are folded, generations change and all are killed',
  async () => {
    const fleet = await launch({ seed: 2, pauseMs: PAUSE_MS, maxSegmentBytes: 2000 });
    const reports = await run(fleet, 1, [false, true]);
    expectAll(fleet, reports);
    expect(fleet.kills).toBeGreaterThanOrEqual(SOAK ? 200 : 12);
    console.info(`${fleet.acknowledged.length} acknowledged, ${fleet.kills} kills`, fleet.outcomes);
    expect(fleet.outcomes.get('folded')).toBeGreaterThan(0);
    expect(fleet.outcomes.get('generation')).toBeGreaterThan(0);
    expect([...fleet.outcomes.keys()].filter((outcome) => outcome.startsWith('failed'))).toEqual([]);
    const journal = fleet.open();
    expect(journal.compact({ retain: () => true, newGeneration: true })).toMatchObject({ done: true });
    expectAll(fleet, []);
  },
  TIMEOUT_MS,
);
