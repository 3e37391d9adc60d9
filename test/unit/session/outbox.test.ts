import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KeyRing } from '../../../src/journal/keys.ts';
import { Outbox, type OutboxOptions } from '../../../src/session/outbox.ts';
import type { RunRecord } from '../../../src/session/record.ts';
import { folder, START } from './kit.ts';

const RUN: RunRecord = {
  ...{ id: 'r-1', kind: 'send', level: 'PUBLIC', created: START, requester: 'agent:a:main' },
  ...{ target: 'agent:b:main', request: { message: 'classified words' } },
};
const DONE = { status: 'ok', text: 'yes', level: 'PUBLIC', at: START } as const;

function open(dir: string, changes: Partial<OutboxOptions> = {}): Outbox {
  const keys = new KeyRing({ dir: join(dir, 'keys') });
  return new Outbox({ dir: join(dir, 'outbox'), keys, defaultLevel: 'PUBLIC', now: () => START, ...changes });
}

/** An outbox of another process, for which this one's are dead, or alive. */
function other(dir: string, alive = false): Outbox {
  return open(dir, { seam: { alive: () => alive } });
}

it('takes a run once, whoever puts it there how often', () => {
  const dir = folder();
  const outbox = open(dir);
  expect(outbox.put(RUN)).toEqual({ run: RUN, isNew: true });
  const again = { ...RUN, request: { message: 'else' } };
  expect(outbox.put(again)).toEqual({ run: RUN, isNew: false });
  expect(other(dir, true).put(again)).toEqual({ run: RUN, isNew: false });
});

it('leaves a run to the living process that holds it, and one of a dead process to the first that takes it', () => {
  const dir = folder();
  open(dir).put(RUN);
  expect(other(dir, true).take(RUN.id)).toBeUndefined();
  expect(other(dir, true).isHeld(RUN.id)).toBe(true);
  const taker = other(dir);
  expect(taker.take(RUN.id)).toEqual(RUN);
  expect(other(dir, true).take(RUN.id)).toBeUndefined();
});

it('does not let the one who slept write over the one who took the run', () => {
  const dir = folder();
  const slept = open(dir);
  slept.put(RUN);
  const taker = other(dir);
  taker.take(RUN.id);
  taker.save({ ...RUN, outcome: DONE });
  expect(() => slept.save({ ...RUN, ended: START })).toThrow(/another process/i);
  expect(taker.read(RUN.id)).toEqual({ ...RUN, outcome: DONE });
});

it('lets go of a run that has ended, and never takes it again', () => {
  const dir = folder();
  const outbox = open(dir);
  outbox.put(RUN);
  const ended = { ...RUN, outcome: DONE, ended: START };
  outbox.save(ended);
  expect(outbox.isHeld(RUN.id)).toBe(false);
  expect(other(dir).take(RUN.id)).toBeUndefined();
  expect(other(dir).put(RUN)).toEqual({ run: ended, isNew: false });
});

it('seals what is above the folder’s level, and keeps it for a process that has the key', () => {
  const dir = folder();
  const secret = { ...RUN, level: 'CONFIDENTIAL' } as const;
  open(dir).put(secret);
  const text = readFileSync(join(dir, 'outbox', `${RUN.id}.json`), 'utf8');
  expect(text).not.toMatch(/classified words/);
  expect(open(dir).read(RUN.id)).toEqual(secret);
  const keys = new KeyRing({ dir: join(dir, 'no-keys') });
  const without = open(dir, { keys, seam: { alive: () => false } });
  expect(without.list()).toEqual([]);
  expect(without.take(RUN.id)).toBeUndefined();
});

it('is not kept from the other runs by one that is damaged', () => {
  const dir = folder();
  const outbox = open(dir);
  outbox.put(RUN);
  outbox.put({ ...RUN, id: 'r-2', created: START + 1 });
  const file = join(dir, 'outbox', 'r-1.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('words', 'works'));
  writeFileSync(join(dir, 'outbox', 'r-3.json'), '{');
  writeFileSync(join(dir, 'outbox', 'x y.json'), '');
  mkdirSync(join(dir, 'outbox', 'r-4.json'));
  symlinkSync('r-5.json', join(dir, 'outbox', 'r-5.json'));
  expect(outbox.list().map(({ id }) => id)).toEqual(['r-2']);
});

it('forgets in the end what has ended, and nothing else', () => {
  const dir = folder();
  let now = START;
  const outbox = open(dir, { now: () => now });
  outbox.put({ ...RUN, id: 'open' });
  outbox.put(RUN);
  outbox.save({ ...RUN, ended: START });
  now += 8 * 86_400_000;
  outbox.put({ ...RUN, id: 'late' });
  outbox.save({ ...RUN, id: 'late', ended: now });
  expect(readdirSync(join(dir, 'outbox')).sort()).toEqual([
    'late.json',
    'late.lease',
    'open.json',
    'open.lease',
  ]);
});

it('makes no room among the ended ones of a level for those of another', () => {
  const outbox = open(folder());
  const end = (run: RunRecord) => {
    outbox.put(run);
    outbox.save({ ...run, outcome: DONE, ended: START });
  };
  end(RUN);
  for (let at = 0; at < 501; at++)
    end({ ...RUN, id: `high-${at}`, level: 'CONFIDENTIAL', created: START + 1 + at });
  const kept = outbox.list();
  expect(kept.filter(({ level }) => level === 'PUBLIC')).toHaveLength(1);
  expect(kept).toHaveLength(501);
});

it.each(['', '../x', 'a/b', 'a'.repeat(81), '.'])('refuses the id %j', (id) => {
  expect(() => open(folder()).put({ ...RUN, id })).toThrow(/id/);
});
