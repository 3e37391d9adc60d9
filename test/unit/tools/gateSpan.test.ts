import { describe, expect, it, onTestFinished } from 'vitest';
import { type GateSpan, onGateSpan } from '../../../src/tools/gateSpan.ts';
import { openTestTools } from '../support/folder.ts';

function spansOf(): GateSpan[] {
  const spans: GateSpan[] = [];
  onTestFinished(onGateSpan((span) => spans.push(span)));
  return spans;
}

const note = { category: 'decision', key: 'use-zod', content: 'Use Zod for validation' };

describe('the span of the gate', () => {
  it('is told once for each call, admitted or denied, whatever denied it', async () => {
    const { call, trust } = openTestTools();
    const spans = spansOf();
    await call('memory_remember', note);
    await call('memory_remember', { category: 'decision' });
    await call('memory_browse');
    await call('no_such_tool');
    trust.trusted = false;
    await call('memory_remember', note);
    expect(spans.map(({ tool, isDenied }) => [tool, isDenied])).toEqual([
      ['memory_remember', false],
      ['memory_remember', true],
      ['memory_browse', true],
      ['no_such_tool', true],
      ['memory_remember', true],
    ]);
  });

  it('has the check of the input beside the time of the gate, where there was one', async () => {
    const { call } = openTestTools();
    const spans = spansOf();
    await call('memory_remember', note);
    await call('memory_browse');
    const [checked, unseen] = spans;
    expect(checked?.validationMilliseconds).toBeGreaterThan(0);
    expect(unseen?.validationMilliseconds).toBe(0);
    for (const { milliseconds } of spans) expect(milliseconds).toBeGreaterThan(0);
  });

  it('has ended before anybody is asked', async () => {
    const { call } = openTestTools();
    await call('memory_remember', note);
    const spans = spansOf();
    let before = 0;
    const approve = async () => {
      before = spans.length;
      return 'declined' as const;
    };
    await call('memory_forget', { key: 'use-zod' }, { approve });
    expect(before).toBe(1);
    expect(spans).toHaveLength(1);
  });
});
