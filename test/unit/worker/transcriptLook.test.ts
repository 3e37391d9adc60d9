import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { transcriptFile } from '../../../src/session/place.ts';
import { LOOK_EVERY, RECENT, TranscriptLook } from '../../../src/worker/transcriptLook.ts';

let dir = '';
let ids: string[] = [];
let look: TranscriptLook;

const fileOf = (id: string) => transcriptFile({ dir, id });

/** A transcript written to so many seconds after a moment long ago. */
function make(id: string, second: number): void {
  ids.push(id);
  writeFileSync(fileOf(id), 'x');
  utimesSync(fileOf(id), 1_000_000 + second, 1_000_000 + second);
}

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'look-'));
  ids = [];
  mkdirSync(dir, { recursive: true });
  for (let at = 0; at < RECENT + 10; at++) make(`s${at}`, at);
  look = new TranscriptLook({ dir, places: () => ids.map((id) => ({ dir, id })) });
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const named = (now: number) => {
  const { places, isWhole } = look.look(now);
  return { isWhole, stamps: new Map(places.map(({ place, stamp }) => [place.id, stamp])) };
};

describe('a look at transcripts', () => {
  it('sees all at first, then those written to last, and all again in a while', () => {
    expect(named(0)).toMatchObject({ isWhole: true });
    const next = named(LOOK_EVERY - 1);
    expect([...next.stamps.keys()].sort()).toEqual(ids.slice(10).sort());
    expect(named(LOOK_EVERY).stamps.size).toBe(ids.length);
  });

  it('sees at once what is added to one of those, and to any other in a while', () => {
    const before = named(0).stamps;
    for (const id of ['s0', 's20']) appendFileSync(fileOf(id), 'more');
    const next = named(1).stamps;
    expect(next.get('s20')).not.toBe(before.get('s20'));
    expect(next.has('s0')).toBe(false);
    expect(named(LOOK_EVERY).stamps.get('s0')).not.toBe(before.get('s0'));
  });

  it('sees all when a session has come or gone', () => {
    named(0);
    make('new', 999);
    // Clocks of file systems are coarse.
    utimesSync(dir, 2_000_000, 2_000_000);
    expect(named(1).stamps.has('new')).toBe(true);
    rmSync(fileOf('new'));
    utimesSync(dir, 3_000_000, 3_000_000);
    ids.pop();
    expect(named(2)).toMatchObject({ isWhole: true });
  });

  it('sees all when one of those is gone, whatever its folder says', () => {
    named(0);
    utimesSync(dir, 2_000_000, 2_000_000);
    named(1);
    rmSync(fileOf('s20'));
    utimesSync(dir, 2_000_000, 2_000_000);
    expect(named(2)).toMatchObject({ isWhole: true });
  });
});
