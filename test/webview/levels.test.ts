import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { panelMessage } from '../../src/protocol.ts';
import { calls, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const option = (panel: Page, name: string | RegExp) =>
  panel.getByRole('listbox', { name: 'Memory entries' }).getByRole('option', { name });
const filters = async (panel: Page) => panel.getByRole('button', { name: /^Filter and sort/ }).click();
const browsed = async (panel: Page) =>
  (await calls(panel, 'memory_browse')).map(({ input }) => input.level).at(-1);

const SESSIONS: NonNullable<NonNullable<Setup['messages']>['sessions']> = [
  { key: 'plain', title: 'Plain' },
  { key: 'plans', title: 'Plans', level: 'CONFIDENTIAL' },
  { key: 'top', title: 'Top', level: 'RESTRICTED' },
];
const sessions = (setup: Setup = {}) =>
  harness.open({ panel: 'sessions', messages: { sessions: SESSIONS }, ...setup }, { width: 300 });
const menu = async (panel: Page, name: RegExp) =>
  panel.getByRole('treeitem', { name }).click({ button: 'right' });

describe('the level of a session', { timeout: 30_000 }, () => {
  it('stands in its row and above its history, in words', async () => {
    const panel = await sessions();
    const row = panel.getByRole('treeitem', { name: 'Plans, idle, chat, CONFIDENTIAL' });
    await row.waitFor();
    await row.locator('.level').getByText('CONFIDENTIAL', { exact: true }).waitFor();
    expect(
      await panel
        .getByRole('treeitem', { name: /^Plain/ })
        .locator('.level')
        .count(),
    ).toBe(0);
    await row.click();
    await panel.locator('lode-session .facts .level').getByText('CONFIDENTIAL').waitFor();
  });

  it('is raised from the menu of its row, and of its history', async () => {
    const panel = await sessions();
    await menu(panel, /^Plans/);
    await panel.getByRole('menuitem', { name: 'Raise the level…' }).click();
    await panel.getByRole('treeitem', { name: /^Plain/ }).click();
    await panel.getByRole('button', { name: 'Actions' }).last().click();
    await panel.getByRole('menuitem', { name: 'Raise the level…' }).click();
    await expect
      .poll(() => posted(panel, 'raiseLevel'))
      .toEqual([
        { type: 'raiseLevel', session: 'plans' },
        { type: 'raiseLevel', session: 'plain' },
      ]);
    for (const message of await posted(panel, 'raiseLevel'))
      expect(panelMessage.safeParse(message).success).toBe(true);
  });

  it('is not offered to rise where it cannot: at the top, and in a folder that is not trusted', async () => {
    const panel = await sessions();
    await menu(panel, /^Top/);
    await panel.getByRole('menuitem', { name: /Show history/ }).waitFor();
    expect(await panel.getByRole('menuitem', { name: /Raise/ }).count()).toBe(0);
    const untrusted = await sessions({ trusted: false });
    await menu(untrusted, /^Plans/);
    await untrusted.getByRole('menuitem', { name: /Show history/ }).waitFor();
    expect(await untrusted.getByRole('menuitem', { name: /Raise/ }).count()).toBe(0);
  });

  it.each(['dark', 'light', 'hc'] as const)('has an edge that is seen in %s', async (theme) => {
    const panel = await harness.open(
      { panel: 'sessions', messages: { sessions: SESSIONS } },
      { width: 300, theme },
    );
    const badge = panel.locator('.level').first();
    await badge.waitFor();
    const colours = await badge.evaluate((each) => {
      const style = getComputedStyle(each);
      return [style.borderTopColor, style.borderInlineStartColor, style.borderTopWidth];
    });
    expect(colours[2]).not.toBe('0px');
    for (const colour of colours.slice(0, 2)) expect(colour).not.toMatch(/rgba\(.*, 0(\.\d+)?\)$/);
  });
});

describe('the memory browser by level', { timeout: 30_000 }, () => {
  it('asks for one level, says so when the filters are folded, and forgets it again', async () => {
    const panel = await harness.open({ count: 12 });
    await option(panel, /^api-paging/).waitFor();
    await filters(panel);
    const level = panel.getByRole('combobox', { name: 'Level' });
    await level.focus();
    await panel.keyboard.type('INT');
    await panel.keyboard.press('Enter');
    await expect.poll(() => browsed(panel)).toBe('INTERNAL');
    await expect.poll(() => option(panel, /.*/).count()).toBeLessThan(12);
    for (const name of await option(panel, /.*/).evaluateAll((all) => all.map((one) => one.ariaLabel)))
      expect(name).toContain('INTERNAL');
    await filters(panel);
    await panel.getByRole('button', { name: 'Remove filter INTERNAL' }).click();
    await expect.poll(() => browsed(panel)).toBeUndefined();
    await expect.poll(() => option(panel, /.*/).count()).toBe(12);
  });

  it('fits a side bar of 300 pixels', async () => {
    const panel = await harness.open({ count: 12 }, { width: 300 });
    await filters(panel);
    await panel.getByRole('combobox', { name: 'Level' }).waitFor();
    expect(await panel.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(300);
  });
});
