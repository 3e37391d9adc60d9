import { expect, it, vi } from 'vitest';
import { Bounds, LimitReached } from '../../../src/subagent/limits.ts';

it('stops a task when its minutes are up, and not before, however many they are', () => {
  vi.useFakeTimers();
  try {
    const signal = (minutes: number) =>
      new Bounds({ steps: 1, minutes, tokens: 0 }, new AbortController().signal).signal;
    const [short, long, endless] = [signal(0.5), signal(100_000), signal(0)];
    vi.advanceTimersByTime(29_000);
    expect(short?.aborted).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(short?.reason).toBeInstanceOf(LimitReached);
    vi.advanceTimersByTime(24 * 3_600_000);
    expect([long?.aborted, endless?.aborted]).toEqual([false, false]);
  } finally {
    vi.useRealTimers();
  }
});
