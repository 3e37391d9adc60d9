import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CONTRADICTED } from './harness/ailing.ts';
import { calls, PanelHarness } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const button = (panel: Page, name: string | RegExp) => panel.getByRole('button', { name });
const inputs = async (panel: Page, tool: string) => (await calls(panel, tool)).map(({ input }) => input);
const ids = ['e0000000', 'e0000001'];

async function selected(rows = 2, width = 300): Promise<Page> {
  const panel = await harness.open({ count: 12 }, { width });
  const list = panel.getByRole('listbox', { name: 'Memory entries' });
  await panel.getByRole('option', { name: /^retry-policy,/ }).waitFor();
  await list.focus();
  for (let row = 0; row < rows; row++) {
    if (row > 0) await list.press('ArrowDown');
    await list.press('Space');
  }
  return panel;
}

describe('many entries at once', { timeout: 30_000 }, () => {
  it.each([260, 300, 420])(
    'are counted beside what can be done, not under it, at %i pixels',
    async (width) => {
      const panel = await selected(3, width);
      const bar = panel.getByRole('toolbar', { name: 'Selected entries' });
      const boxes = await bar.locator('span, button').evaluateAll((all) =>
        all.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const { left, right, top, bottom } = range.getBoundingClientRect();
          return { left, right, top, bottom };
        }),
      );
      expect(boxes).toHaveLength(6);
      for (const [at, one] of boxes.entries()) {
        expect(one.right).toBeLessThanOrEqual(width);
        for (const other of boxes.slice(at + 1))
          expect(one.right <= other.left || one.bottom <= other.top + 1 || other.right <= one.left).toBe(
            true,
          );
      }
    },
  );

  it.each(['add', 'remove'])('%s tags, which is taken back', async (action) => {
    const panel = await selected();
    await button(panel, 'Tag…').click();
    await panel.getByRole('textbox', { name: 'Tags to add or remove' }).fill('api,');
    await button(panel, action === 'add' ? 'Add tags' : 'Remove tags').click();
    await panel
      .getByText(/^(Tagged 2 entries|Took tags off 2 entries)\.$/)
      .first()
      .waitFor();
    expect(await inputs(panel, 'memory_tag')).toEqual([{ action, tags: ['api'], ids }]);
    const tags = () => panel.evaluate(() => window.fakeHost.entries.get('e0000000')?.tags);
    expect(await tags()).toEqual(action === 'add' ? ['api', 'backend'] : ['backend']);
    await button(panel, 'Undo').click();
    await expect.poll(tags).toEqual(['api', 'backend']);
  });

  it('tag those of every level', async () => {
    const panel = await selected(6);
    await button(panel, 'Tag…').click();
    await panel.getByRole('textbox', { name: 'Tags to add or remove' }).fill('all,');
    await button(panel, 'Add tags').click();
    await panel.getByText('Tagged 6 entries.').first().waitFor();
    expect((await inputs(panel, 'memory_tag')).map((input) => (input.ids as string[]).length)).toEqual([
      6, 1,
    ]);
  });

  it('become one, with the text that the person sees before', async () => {
    const panel = await selected();
    await button(panel, 'Merge…').click();
    const text = panel.getByRole('textbox', { name: 'Text after the merge' });
    await expect.poll(() => text.inputValue()).toMatch(/^Retries use .*\n\nAccess tokens live/s);
    await text.fill('Both in one.');
    await panel.keyboard.press('Control+Enter');
    await panel.getByText('Merged into “retry-policy”.').first().waitFor();
    expect(await inputs(panel, 'memory_edit')).toEqual([
      { key: ids[0], content: 'Both in one.', add_tags: ['build'], add_links: [] },
    ]);
    expect(await inputs(panel, 'memory_forget')).toEqual([
      { key: ids[1], action: 'supersede', new_key: ids[0] },
    ]);
    await button(panel, 'Undo').click();
    const status = () => panel.evaluate(() => window.fakeHost.entries.get('e0000001')?.status);
    await expect.poll(status).toBe('active');
  });

  it('of different levels do not become one', async () => {
    const panel = await selected(6);
    await button(panel, 'Merge…').click();
    await panel.getByText('Entries of different levels cannot be merged.').first().waitFor();
    expect(await inputs(panel, 'memory_edit')).toEqual([]);
  });
});

describe('earlier versions', { timeout: 30_000 }, () => {
  it('are compared with the text now, and become it again', async () => {
    const panel = await harness.open({
      count: 3,
      entries: CONTRADICTED,
      show: { view: 'entry', id: 'retry' },
    });
    await panel.getByText('Earlier versions (1)').click();
    await button(panel, /^Compare Nov|^Compare .* with the text now$/)
      .nth(1)
      .click();
    await panel.locator('del', { hasText: 'three times' }).waitFor();
    await button(panel, /^Make .* the text$/)
      .nth(1)
      .click();
    await panel
      .getByText(/says this now/)
      .first()
      .waitFor();
    expect(await inputs(panel, 'memory_edit')).toEqual([
      { key: 'retry', content: 'Retries: three times, one second apart.' },
    ]);
    await panel.getByText('Earlier versions (2)').waitFor();
    await button(panel, 'Undo').click();
    await panel.getByText('Earlier versions (1)').waitFor();
  });
});
