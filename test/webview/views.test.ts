import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AILING, DRAFTS } from './harness/ailing.ts';
import { calls, errorsOf, PanelHarness } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const tab = (panel: Page, name: RegExp) => panel.getByRole('tab', { name });

describe('the switch between the views of memory', { timeout: 30_000 }, () => {
  it('is one tab stop, whose arrow keys go round', async () => {
    const panel = await harness.open({ count: 3 });
    await tab(panel, /^Entries/).press('ArrowRight');
    await panel.keyboard.press('ArrowRight');
    await expect.poll(() => tab(panel, /^Health/).getAttribute('aria-selected')).toBe('true');
    await panel.getByRole('heading', { name: 'Health 100 of 100' }).waitFor();
    await panel.keyboard.press('End');
    await panel.getByRole('heading', { name: 'Nothing is archived.' }).waitFor();
    await panel.keyboard.press('ArrowRight');
    await panel.getByRole('option', { name: /^retry-policy/ }).waitFor();
    await panel.keyboard.press('Tab');
    expect(await panel.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.localName)).not.toBe(
      'lode-views',
    );
  });

  it('fits a narrow side bar with every count', async () => {
    const panel = await harness.open({ count: 40, care: { ...AILING.care, drafts: DRAFTS } }, { width: 300 });
    await tab(panel, /^Health, 6 to look at/).waitFor();
    await tab(panel, /^Drafts, 3 to look at/).waitFor();
    const last = await tab(panel, /^Archive/).boundingBox();
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(300);
  });

  it('keeps what was shown over hiding the panel', async () => {
    const panel = await harness.open({ count: 40, care: { drafts: DRAFTS } });
    await tab(panel, /^Drafts/).click();
    await panel.getByRole('heading', { name: '3 drafts' }).waitFor();
    await panel.reload();
    await panel.getByRole('heading', { name: '3 drafts' }).waitFor();
  });

  it('leads back from an entry to the view that it was opened from', async () => {
    const panel = await harness.open({ count: 40, ...AILING });
    await tab(panel, /^Health/).click();
    await panel.getByRole('button', { name: 'db-schema', exact: true }).click();
    await panel.getByRole('heading', { name: 'db-schema' }).waitFor();
    await panel.keyboard.press('Alt+ArrowLeft');
    await panel.getByRole('heading', { name: 'Health 71 of 100' }).waitFor();
  });

  it('says why a view could not be read, and reads it again', async () => {
    const failing = { context_health: 'The store thread ended.', memory_drafts: 'The store thread ended.' };
    const panel = await harness.open({ count: 3, failing });
    for (const [name, title] of [
      [/^Health/, 'The health of memory could not be read.'],
      [/^Drafts/, 'The drafts could not be read.'],
    ] as const) {
      await tab(panel, name).click();
      await panel.getByRole('heading', { name: title }).waitFor();
    }
    await panel.evaluate(() => {
      window.fakeHost.failing.memory_drafts = undefined as unknown as string;
    });
    await panel.getByRole('button', { name: 'Retry' }).click();
    await panel.getByRole('heading', { name: 'No drafts wait.' }).waitFor();
  });

  it('offers nothing that changes memory where the folder is not trusted', async () => {
    const panel = await harness.open({ count: 40, trusted: false, care: { ...AILING.care, drafts: DRAFTS } });
    for (const [name, change] of [
      [/^Health/, /^(Fix|Merge|Remove|Put away)/],
      [/^Drafts/, /^(Accept|Reject|Edit|Preview)/],
      [/^Archive/, /^Archive old/],
    ] as const) {
      await tab(panel, name).click();
      await panel.getByRole('heading', { level: 1 }).first().waitFor();
      expect(await panel.getByRole('button', { name: change }).count(), String(name)).toBe(0);
    }
  });

  it('shows hostile text as text, under a policy that nothing violates', async () => {
    const evil = '<img src=x onerror="window.hurt=1"><b>\u202e';
    const panel = await harness.open({
      count: 3,
      care: {
        findings: [
          { kind: 'old-session', phrase: { text: '"{0}" was last active on {1}', values: [evil, evil] } },
        ],
        drafts: [{ key: evil, content: evil, source: evil, tool: evil, file: evil }],
      },
      entries: [
        {
          id: 'evil',
          key: evil,
          content: evil,
          source: evil,
          revisions: [{ text: `${evil}!`, at: 1, actor: 'agent', source: evil, addition: true }],
        },
      ],
    });
    for (const name of [/^Health/, /^Drafts/, /^Health/]) {
      await tab(panel, name).click();
      await panel.getByText('<img src=x').filter({ visible: true }).first().waitFor();
    }
    await panel.getByRole('button', { name: 'Review' }).click();
    await panel.getByText('<img src=x').filter({ visible: true }).first().waitFor();
    expect(await panel.evaluate(() => 'hurt' in window)).toBe(false);
    // What the controls' toolkit styles inline is refused, and not needed.
    const violations = await panel.evaluate(() => window.fakeHost.violations);
    expect(violations.filter(({ directive }) => !directive.startsWith('style-src'))).toEqual([]);
    expect(errorsOf(panel)).toEqual([]);
  });

  it('reads one at a time while agents write, and what they wrote last', async () => {
    const panel = await harness.open({ count: 3 });
    await tab(panel, /^Health/).click();
    await panel.getByRole('button', { name: /^(Review|Look for conflicts)$/ }).click();
    await panel.evaluate(() => {
      const reads: number[] = [];
      Object.assign(window, { reads });
      window.fakeHost.delay = ({ tool, input }) => {
        const isLook = tool === 'memory_conflicts' && input.kind === 'similar';
        if (isLook) reads.push(performance.now());
        return isLook ? 200 : 0;
      };
    });
    await panel.getByRole('combobox', { name: 'Which conflicts' }).click();
    await panel.getByRole('option', { name: 'Entries that say nearly the same' }).click();
    const last = await panel.evaluate(async () => {
      for (let at = 0; at < 15; at++) {
        window.fakeHost.changed();
        await new Promise((resolve) => setTimeout(resolve, 90));
      }
      return performance.now();
    });
    const reads = () => panel.evaluate(() => (window as unknown as { reads: number[] }).reads);
    await expect.poll(async () => (await reads()).at(-1), { timeout: 10_000 }).toBeGreaterThan(last - 90);
    // The first is of the choice, which does not wait.
    const gaps = (await reads()).slice(1).map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
  });

  it('asks for counts once a burst of changes is over', async () => {
    const panel = await harness.open({ count: 3 });
    await expect.poll(async () => (await calls(panel, 'memory_drafts')).length, { timeout: 5_000 }).toBe(1);
    await panel.evaluate(() => {
      for (let at = 0; at < 20; at++) window.fakeHost.changed();
    });
    await expect.poll(async () => (await calls(panel, 'memory_drafts')).length, { timeout: 5_000 }).toBe(2);
  });
});

describe('everything that can be operated', { timeout: 60_000 }, () => {
  it('has a name in every view', async () => {
    const setup = { count: 40, ...AILING, care: { ...AILING.care, drafts: DRAFTS } };
    const panel = await harness.open(setup);
    const unnamed =
      /^\s*- (button|textbox|combobox|checkbox|tab|option|link|listbox|group|region|application)(:| \[|$)/;
    for (const [name, act] of [
      [/^Entries/, undefined],
      [/^Graph/, undefined],
      [/^Health/, /^Merge…:/],
      [/^Drafts/, /^Edit…:/],
      [/^Archive/, /^Archive old/],
      [/^Health/, /^(Review|Look for conflicts)$/],
    ] as const) {
      await tab(panel, name).click();
      if (act !== undefined) await panel.getByRole('button', { name: act }).first().click();
      await panel.waitForTimeout(300);
      const lines = (await panel.locator('lodeline-memory').ariaSnapshot()).split('\n');
      expect(
        lines.filter((line) => unnamed.test(line)),
        `${name} ${act}`,
      ).toEqual([]);
      expect(
        lines.some((line) => line.includes('- tabpanel')),
        String(name),
      ).toBe(true);
    }
  });
});
