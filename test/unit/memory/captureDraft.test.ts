import { describe, expect, it } from 'vitest';
import type { Capture } from '../../../src/memory/capture.ts';
import { draftOf } from '../../../src/memory/captureDraft.ts';

const capture = (rest: Partial<Capture>): Capture => ({
  ...{
    session: 's',
    agent: 'copilot',
    branch: 'main',
    level: 'PUBLIC',
    tool: 'edit',
    file: '',
    at: 1,
    hash: 'h',
  },
  summary: '',
  ...rest,
});

describe('a captured action as a draft', () => {
  it('is worth more when something was made in a file, and less when something was only looked at', () => {
    const summary = 'Raised the pool to twenty connections for the nightly job';
    const worth = (rest: Partial<Capture>) => draftOf(capture({ summary, ...rest })).confidence ?? 0;
    const order = [
      worth({ file: 'src/pool.ts', summary: `fixed the error: ${summary}` }),
      worth({ file: 'src/pool.ts' }),
      worth({}),
      worth({ tool: 'read_file' }),
      worth({ tool: 'read_file', summary: 'pool' }),
      worth({ summary: '' }),
    ];
    expect(order).toEqual([...order].sort((a, b) => b - a));
    expect(new Set(order).size).toBe(order.length);
    expect(order[1]).toBeGreaterThanOrEqual(0.65);
    expect(order[3]).toBeLessThan(0.65);
  });

  it('has a key of its own words, in every script, that is the same for the same action', () => {
    const korean = draftOf(capture({ summary: '레디스 풀을 스무 개로 늘렸다'.normalize('NFD') }));
    expect(korean.key).toMatch(/^레디스-풀을-스무-개로-[0-9a-f]{4}$/);
    expect(draftOf(capture({ summary: 'a b' })).key).toBe(draftOf(capture({ summary: 'a b', at: 9 })).key);
    expect(draftOf(capture({ summary: 'a b' })).key).not.toBe(draftOf(capture({ summary: 'a  b!' })).key);
    expect(draftOf(capture({ summary: '!!' })).key).toMatch(/^captured-/);
  });
});
