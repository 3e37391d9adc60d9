/**
 * Records what a frame of the graph costs in a real browser, for a person to read: LODELINE_FRAMES is how many entries
 * there are, such as 1000; else nothing runs. Nothing here fails for being slow.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { linkedEntries } from './harness/linked.ts';
import { PanelHarness } from './harness/panel.ts';

const size = Number(process.env.LODELINE_FRAMES ?? 0);

const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread, microseconds: a busy machine does not count. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Does something, and tells what the page's thread did for it. */
async function record(panel: Page, what: string, act: () => Promise<unknown>): Promise<void> {
  const browser = panel.context().browser();
  await browser?.startTracing(panel, { categories: CATEGORIES });
  await act();
  const trace = JSON.parse(String(await browser?.stopTracing())) as { traceEvents: readonly TraceEvent[] };
  const events = trace.traceEvents;
  const busiest = mainThread(events);
  const timesOf = (name: string): number[] =>
    events
      .filter((event) => event.name === name && `${event.pid} ${event.tid}` === busiest)
      .map(({ tdur = 0 }) => tdur / 1000)
      .sort((a, b) => a - b);
  const frames = timesOf('FireAnimationFrame');
  const tasks = [...timesOf('RunTask'), ...timesOf('ThreadControllerImpl::RunTask')].sort((a, b) => a - b);
  const at = (times: readonly number[], part: number) =>
    (times[Math.floor((times.length - 1) * part)] ?? 0).toFixed(1);
  console.log(
    `${what}: ${frames.length} frames, script ms p50 ${at(frames, 0.5)}, p95 ${at(frames, 0.95)}, max ${at(frames, 1)}; ${tasks.length} tasks, max ${at(tasks, 1)} ms`,
  );
}

/** The thread that ran frames. */
function mainThread(events: readonly TraceEvent[]): string {
  const frame = events.find(({ name }) => name === 'FireAnimationFrame');
  return `${frame?.pid} ${frame?.tid}`;
}

describe.skipIf(size === 0)('frames of the graph', () => {
  let harness: PanelHarness;
  beforeAll(async () => {
    harness = await PanelHarness.start();
  }, 60_000);
  afterAll(() => harness.stop());

  it('are recorded', { timeout: 120_000 }, async () => {
    const panel = await harness.open(
      { count: 0, entries: linkedEntries(size, 0), place: 'editor' },
      { width: 1000, height: 800 },
    );
    await record(panel, 'laying out', async () => {
      await panel.getByRole('tab', { name: 'Graph' }).click();
      await panel.waitForTimeout(8_000);
    });
    const picture = panel.getByRole('application');
    await record(panel, 'dragging', async () => {
      await picture.hover();
      await panel.mouse.down();
      for (let step = 0; step < 60; step++) await panel.mouse.move(500 + 3 * step, 400 + step);
      await panel.mouse.up();
    });
    await record(panel, 'zooming', async () => {
      for (let step = 0; step < 40; step++) await panel.mouse.wheel(0, step < 20 ? -60 : 60);
    });
    await record(panel, 'walking', async () => {
      await picture.focus();
      for (let step = 0; step < 40; step++) await panel.keyboard.press('PageDown');
    });
    await record(panel, 'searching', () =>
      panel.getByRole('textbox').first().pressSequentially('cache-1', { delay: 30 }),
    );
    await record(panel, 'changing', async () => {
      await panel.evaluate(() => window.fakeHost.write('g9', { links: [] }));
      await panel.waitForTimeout(4_000);
    });
  });
});
