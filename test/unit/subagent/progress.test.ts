import { describe, expect, it } from 'vitest';
import { ProgressTracker } from '../../../src/subagent/progress.ts';

describe('the progress of a task', () => {
  it('shows the running call, the last five, the last eight lines and what was used', () => {
    let now = 0;
    let changes = 0;
    const tracker = new ProgressTracker(
      () => now++,
      () => changes++,
    );
    for (let at = 0; at < 7; at++) {
      tracker.called({ id: `c${at}`, name: 'read', input: { path: `f${at}` } });
      tracker.answered({ id: `c${at}` });
    }
    tracker.called({ id: 'last', name: 'run', input: { command: 'x'.repeat(200) } });
    tracker.used(120);
    tracker.used(30);
    const { current, recent, tools, tokens } = tracker.snapshot;
    expect(current?.tool).toBe('run');
    expect(current?.args).toHaveLength(60);
    expect(recent.map(({ args }) => args)).toEqual([6, 5, 4, 3, 2].map((at) => `{"path":"f${at}"}`));
    expect([tools, tokens]).toEqual([8, 150]);
    expect(changes).toBeGreaterThan(10);
  });

  it('keeps only the end of what is said, on lines that are not empty, also through a call', () => {
    const tracker = new ProgressTracker(Date.now, () => {});
    tracker.said('x'.repeat(100_000));
    tracker.said('\n\none\n \ntwo');
    tracker.called({ id: 'a', name: 'read', input: {} });
    tracker.said('three\ud83d');
    expect(tracker.snapshot.lines.slice(0, 3)).toEqual(['three\ufffd', 'two', 'one']);
    for (let at = 0; at < 20; at++) tracker.said(`\nline ${at}`);
    expect(tracker.snapshot.lines).toHaveLength(8);
  });

  it('knows of calls side by side which one still runs', () => {
    const tracker = new ProgressTracker(Date.now, () => {});
    tracker.called({ id: 'a', name: 'read', input: {} });
    tracker.called({ id: 'b', name: 'search', input: {} });
    tracker.answered({ id: 'b' });
    expect(tracker.snapshot.current?.tool).toBe('read');
    tracker.answered({ id: 'a' });
    tracker.answered({ id: 'a' });
    expect(tracker.snapshot.current).toBeUndefined();
    expect(tracker.snapshot.recent.map(({ tool }) => tool)).toEqual(['read', 'search']);
  });
});
