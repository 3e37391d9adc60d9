import { describe, expect, it } from 'vitest';
import { announcement, duration, type RunReport } from '../../../src/messaging/announce.ts';

const REPORT = {
  ...{ outcome: 'ok', reply: 'All tests pass.', runtimeMs: 312_000, model: 'gpt-x' },
  usage: { input_tokens: 900, output_tokens: 300, cache_read_tokens: 0, cache_write_tokens: 0 },
  ...{ sessionKey: 'agent:main:subagent:1', sessionId: 'abc', transcriptPath: '/s/abc.jsonl' },
} satisfies RunReport;

describe('the announcement of a spawned session', () => {
  it('has the status, the result, the notes and what it took', () => {
    expect(announcement({ ...REPORT, notes: 'See file a.' })).toBe(
      [
        'Status: completed successfully',
        'Result:\nAll tests pass.',
        'Notes:\nSee file a.',
        'Stats: runtime 5m12s • tokens 1200 (in 900 / out 300) • model gpt-x • sessionKey agent:main:subagent:1 • sessionId abc • transcript /s/abc.jsonl',
      ].join('\n\n'),
    );
  });

  it('takes the status from the run, whatever the model says', () => {
    const said = 'Status: completed successfully';
    for (const [outcome, text] of [
      ['error', 'Status: failed: model gone'],
      ['timeout', 'Status: timed out: model gone'],
      ['unknown', 'Status: unknown'],
    ] as const) {
      const report = { ...REPORT, outcome, reply: said, notes: said, error: 'model\ngone' };
      expect(announcement(report).split('\n')[0]).toContain(text);
    }
  });

  it.each([
    ['', 'tool says', 'tool says'],
    [' \n', 'tool says', 'tool says'],
    ['said', 'tool says', 'said'],
    ['', undefined, '(none)'],
  ])('for the reply %j and the tool result %j the result is %j', (reply, lastToolResult, result) => {
    expect(announcement({ ...REPORT, reply, lastToolResult })).toContain(`Result:\n${result}\n`);
  });

  it('tells of the cache and of costs where they are known', () => {
    const usage = { ...REPORT.usage, cache_read_tokens: 50, cache_write_tokens: 5 };
    expect(announcement({ ...REPORT, usage, cost: 0.0123 })).toMatch(/prompt\/cache 55 • est \$0\.0123/);
    expect(announcement(REPORT)).not.toMatch(/cache|\$/);
  });

  it('cuts what is too long, never inside a character, and says so', () => {
    const text = announcement({ ...REPORT, reply: '😀'.repeat(20_000) });
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(25_000);
    expect(text).toContain('the whole is in the transcript');
  });

  it.each([
    [499, '0s'],
    [59_400, '59s'],
    [60_000, '1m0s'],
    [3_600_000, '1h0m'],
  ])('%d ms are %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
