import { expect, it } from 'vitest';
import { HybridClock, inOrder, isStamp, stampMs } from '../../../src/journal/stamp.ts';

it('follows the wall clock while that moves forward', () => {
  let now = 1000;
  const clock = new HybridClock(() => now);
  const first = clock.next();
  now = 1001.7;
  const second = clock.next();
  expect([first, second]).toEqual(['0000000003e8-0000', '0000000003e9-0000']);
  expect(stampMs(second)).toBe(1001);
});

it('counts while the wall clock stands or goes back', () => {
  let now = 1000;
  const clock = new HybridClock(() => now);
  const stamps = [clock.next(), clock.next()];
  now = 5;
  stamps.push(clock.next());
  expect(stamps).toEqual(['0000000003e8-0000', '0000000003e8-0001', '0000000003e8-0002']);
});

it('goes past every stamp it has seen', () => {
  const clock = new HybridClock(() => 1000);
  clock.observe('00000000ffff-00ff');
  clock.observe('000000000001-0000');
  expect(clock.next()).toBe('00000000ffff-0100');
});

it('carries a full counter over to the next millisecond', () => {
  const clock = new HybridClock(() => 1000);
  clock.observe('0000000003e8-ffff');
  expect(clock.next()).toBe('0000000003e9-0000');
});

it('never repeats a stamp', () => {
  const clock = new HybridClock(() => 7);
  const stamps = Array.from({ length: 70_000 }, () => clock.next());
  expect(new Set(stamps).size).toBe(stamps.length);
  expect([...stamps].sort()).toEqual(stamps);
});

it('orders by stamp, then by writer', () => {
  const records = [
    { stamp: '0000000003e9-0000', writer: 'a' },
    { stamp: '0000000003e8-0001', writer: 'b' },
    { stamp: '0000000003e8-0001', writer: 'a' },
  ];
  expect([...records].sort(inOrder)).toEqual([records[2], records[1], records[0]]);
  expect(inOrder({ stamp: 's', writer: 'w' }, { stamp: 's', writer: 'w' })).toBe(0);
});

it('knows a stamp when it sees one', () => {
  expect(isStamp('0000000003e8-0001')).toBe(true);
  for (const other of ['0000000003E8-0001', '0000000003e8', '', 7, undefined]) {
    expect(isStamp(other)).toBe(false);
  }
});
