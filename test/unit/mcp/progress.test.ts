import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { tellProgress } from '../../../src/mcp/progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function begin(send = async () => {}) {
  const listeners = new Set<() => void>();
  const told: number[] = [];
  const abort = new AbortController();
  const stop = tellProgress({
    name: 'task',
    news: {
      onWork: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    signal: abort.signal,
    send: ({ progress, message }) => {
      expect(message).toContain('task');
      told.push(progress);
      return send();
    },
  });
  const work = () => {
    for (const listener of listeners) listener();
  };
  return { told, work, stop, abort, listeners };
}

it('is told at least every quarter of a minute, each time with more', () => {
  const { told } = begin();
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([1, 2, 3, 4]);
});

it('is told soon after something came of the work, and not for each of many things', () => {
  const { told, work } = begin();
  for (let at = 0; at < 100; at++) {
    work();
    vi.advanceTimersByTime(50);
  }
  expect(told.length).toBeGreaterThanOrEqual(4);
  expect(told.length).toBeLessThanOrEqual(5);
  expect(told).toEqual(told.map((_, at) => at + 1));
  const before = told.length;
  vi.advanceTimersByTime(20_000);
  expect(told.length).toBeGreaterThan(before);
});

it('is not told of a short call, whatever others work', () => {
  const { told, work, stop } = begin();
  work();
  vi.advanceTimersByTime(900);
  stop();
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});

it.each(['answer', 'cancel'] as const)('is not told after the %s, and nothing is left behind', (end) => {
  const { told, work, stop, abort, listeners } = begin();
  vi.advanceTimersByTime(15_000);
  work();
  if (end === 'answer') stop();
  else abort.abort();
  expect(listeners.size).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([1]);
});

it('goes on when a notification could not be sent', async () => {
  const { told } = begin(() => Promise.reject(new Error('closed')));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(told).toEqual([1, 2]);
});
