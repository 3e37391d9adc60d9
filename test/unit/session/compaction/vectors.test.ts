/** The reference vectors of the area compaction. */
import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/session/chatModel.ts';
import { compacted } from '../../../../src/session/compaction/compacted.ts';
import { rounds, TRUNCATED, truncateForRetry } from '../../../../src/session/compaction/rounds.ts';
import { newCompactionState, SummaryCompactor } from '../../../../src/session/compaction/summaryCompactor.ts';
import { formatSummary } from '../../../../src/session/compaction/summaryText.ts';
import { thresholds } from '../../../../src/session/compaction/thresholds.ts';
import { type Message, textOf } from '../../../../src/session/messages.ts';
import { viewOf } from '../../../../src/session/view.ts';
import { draft, records, say } from '../kit.ts';
import { ScriptedModel } from '../turnKit.ts';

it('N-CO-01: the thresholds of the default window', () => {
  const { predictive, ...rest } = thresholds({ contextWindow: 200_000, maxOutputTokens: 8_000 });
  expect(rest).toEqual({
    ...{ reserved: 8_000, effectiveWindow: 192_000, buffer: 13_000, autoThreshold: 179_000 },
    ...{ microThreshold: 115_200, growth: 23_000 },
  });
  expect(predictive).toBe(169_000);
});

it.each([
  ['N-CO-02', 410_000, { effectiveWindow: 390_000, buffer: 13_000 }],
  ['N-CO-03', 420_000, { effectiveWindow: 400_000, buffer: 30_000 }],
])('%s: the buffer goes by the effective window of %i', (_, contextWindow, expected) => {
  expect(thresholds({ contextWindow, maxOutputTokens: 20_000 })).toMatchObject(expected);
});

it('N-CO-06: a summary without its analysis and tags', () => {
  const raw = '<analysis>\nscratch\n</analysis>\n\n<summary>\nThe outcome.\n</summary>';
  expect(formatSummary(raw)).toBe('Summary:\nThe outcome.');
});

it('N-CO-07: what is too long for a summary loses its oldest rounds', () => {
  const messages = [say('user', 'u0'), say('assistant', 'a1'), say('user', 'u1'), say('assistant', 'a2')];
  expect(rounds(messages)).toHaveLength(3);
  const [first, ...rest] = truncateForRetry(messages) ?? [];
  expect(first).toEqual(say('user', TRUNCATED));
  expect(TRUNCATED).toBe('[earlier conversation truncated for compaction retry]');
  expect(rest).toEqual(messages.slice(1));
});

it('N-CO-09: a compaction keeps the history, and shows the summary and what is recent', () => {
  const messages: Message[] = Array.from({ length: 8 }, (_, at) =>
    say(at % 2 === 0 ? 'user' : 'assistant', `m${at}`),
  );
  const made = compacted({
    ...{ messages, cut: 6, summary: 'DIGEST', trigger: 'auto', used: 100, window: 24_000 },
  });
  const all = records(...messages.map((message) => draft(message)), ...made.drafts);
  const stored = all.flatMap((record) => (record.type === 'message' ? [record.message] : []));
  expect(stored).toHaveLength(10);
  const view = viewOf(all).messages();
  expect(view).toHaveLength(3);
  expect(view).toEqual(made.messages);
  expect(textOf(view[0] as Message)).toMatch(
    /^This session is being continued from a previous conversation that ran out of context\./,
  );
  expect(textOf(view[0] as Message)).toContain('DIGEST');
  const [boundary, summary] = stored.slice(8);
  expect(boundary).toMatchObject({ role: 'user', content: [{ type: 'compact_boundary' }] });
  expect(summary?.role).toBe('user');
});

describe('N-CO-10', () => {
  it('without a summary an overflow that nothing can shorten leaves everything as it is', async () => {
    const state = newCompactionState();
    const compactor = new SummaryCompactor({
      windowOf: () => ({ contextWindow: 32_000, maxOutputTokens: 8_000 }),
      state,
    });
    const messages = [say('user', 'q'), say('assistant', 'a')];
    const model = new ScriptedModel([new ModelError('no')]);
    const { signal } = new AbortController();
    const request = { system: '', messages, tools: [], model, usage: undefined, signal };
    await expect(compactor.overflow(request)).resolves.toBeUndefined();
    expect(messages).toEqual([say('user', 'q'), say('assistant', 'a')]);
  });
});
