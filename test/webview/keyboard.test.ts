import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { calls, PanelHarness } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const list = (panel: Page) => panel.getByRole('listbox', { name: 'Memory entries' });
const option = (panel: Page, name: string | RegExp) => panel.getByRole('option', { name });
const search = (panel: Page) => panel.getByRole('textbox', { name: 'Search memory' });
const active = (panel: Page) =>
  panel.evaluate(() => {
    const root = document
      .querySelector('lodeline-memory')
      ?.shadowRoot?.querySelector('lode-index')?.shadowRoot;
    return root?.querySelector('.line.active')?.getAttribute('aria-posinset');
  });
const filters = async (panel: Page) => panel.getByRole('button', { name: /^Filter and sort/ }).click();

describe('the keyboard', { timeout: 30_000 }, () => {
  it('moves through one tab stop', async () => {
    const panel = await harness.open({ count: 60 });
    await option(panel, /retry/).first().waitFor();
    await list(panel).focus();
    const steps: readonly (readonly [string, string])[] = [
      ['ArrowDown', '2'],
      ['ArrowDown', '3'],
      ['ArrowUp', '2'],
      ['End', '60'],
      ['Home', '1'],
    ];
    for (const [key, position] of steps) {
      await list(panel).press(key);
      expect(await active(panel)).toBe(position);
    }
    await list(panel).press('PageDown');
    expect(Number(await active(panel))).toBeGreaterThan(15);
    await list(panel).press('PageUp');
    expect(await active(panel)).toBe('1');
    const described = await list(panel).getAttribute('aria-activedescendant');
    expect(await panel.locator(`#${described}`).getAttribute('aria-posinset')).toBe('1');
    await list(panel).press('Shift+Tab');
    await list(panel).press('Tab');
    expect(await list(panel).getAttribute('tabindex')).toBe('0');
  });

  it('finds a line by its first letters', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /retry/).first().waitFor();
    await list(panel).focus();
    await panel.keyboard.type('log', { delay: 20 });
    expect(await active(panel)).toBe('8');
    await panel.waitForTimeout(700);
    await panel.keyboard.type('r');
    expect(await active(panel)).toBe('10');
  });

  it('goes to the search field and back to the list', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /retry/).first().waitFor();
    await list(panel).press('/');
    await panel.keyboard.type('log');
    await expect.poll(() => search(panel).inputValue()).toBe('log');
    await panel.keyboard.press('Escape');
    await expect.poll(() => search(panel).inputValue()).toBe('');
    await panel.keyboard.press('ArrowDown');
    await panel.keyboard.press('Enter');
    await panel.getByRole('heading', { level: 1 }).waitFor();
  });

  it('pins, forgets and takes it back', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /retry/).first().waitFor();
    await list(panel).press('p');
    await option(panel, /^retry-policy.*Pinned/).waitFor();
    await list(panel).press('Delete');
    await option(panel, /^retry-policy/).waitFor({ state: 'detached' });
    await panel.getByRole('status').getByText('Forgot “retry-policy”.').waitFor();
    await panel.getByRole('button', { name: 'Undo' }).press('Enter');
    await option(panel, /^retry-policy/).waitFor();
    // The focus that was on Undo is on the list again.
    await list(panel).and(panel.locator(':focus')).waitFor();
  });
});

describe('several entries at once', { timeout: 30_000 }, () => {
  it('are selected by keyboard, forgotten together and restored together', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /retry/).first().waitFor();
    await list(panel).focus();
    for (const key of ['Space', 'ArrowDown', 'Control+ArrowDown', 'Control+Space', 'Shift+ArrowDown'])
      await list(panel).press(key);
    await panel.getByText('2 selected').first().waitFor();
    expect(await panel.getByRole('option', { selected: true }).count()).toBe(2);
    await panel.getByRole('button', { name: 'Forget' }).click();
    await panel.getByText('8 entries').first().waitFor();
    await panel.getByRole('button', { name: 'Undo' }).click();
    await panel.getByText('10 entries').first().waitFor();
  });

  it('are selected by mouse, pinned and tagged', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /^build-cache/).click({ modifiers: ['ControlOrMeta'] });
    await option(panel, /^error-codes/).click({ modifiers: ['Shift'] });
    await panel.getByText('3 selected').first().waitFor();
    await panel.getByRole('button', { name: 'Pin', exact: true }).click();
    await panel.getByRole('status').getByText('Pinned 3 entries.').waitFor();
    await panel.getByRole('button', { name: 'Tag…' }).click();
    await panel.keyboard.type('later');
    await panel.keyboard.press('Enter');
    await panel.keyboard.press('Enter');
    await panel.getByRole('status').getByText('Tagged 3 entries.').waitFor();
    const [tagged] = await calls(panel, 'memory_tag');
    expect(tagged?.input).toEqual({
      action: 'add',
      tags: ['later'],
      ids: ['e0000002', 'e0000003', 'e0000004'],
    });
    await panel.getByRole('button', { name: 'Clear', exact: true }).click();
    await panel.getByText('10 entries').first().waitFor();
  });

  it('are let go when the list shows others', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /^build-cache/).click({ modifiers: ['ControlOrMeta'] });
    await panel.getByText('1 selected').first().waitFor();
    await search(panel).fill('tokens');
    await panel.getByText('1 selected').first().waitFor({ state: 'hidden' });
  });

  it('are restored together where the forgotten ones are shown', async () => {
    const panel = await harness.open({ count: 10 });
    await option(panel, /retry/).first().waitFor();
    await list(panel).press('Delete');
    await filters(panel);
    await panel.getByRole('combobox', { name: 'Status' }).click();
    await panel.getByRole('option', { name: 'Forgotten', exact: true }).click();
    await panel.getByRole('option', { name: /^retry-policy.*Forgotten/ }).waitFor();
    await list(panel).press('Space');
    await panel.getByRole('button', { name: 'Restore' }).click();
    await panel.getByRole('status').getByText('Restored “retry-policy”.').waitFor();
    await panel.getByRole('heading', { name: 'Nothing matches.' }).waitFor();
  });

  it('says how many failed and why', async () => {
    const panel = await harness.open({ count: 10, failing: { memory_pin: 'Read-only store.' } });
    await list(panel).press('Control+a');
    await panel.getByText('10 selected').first().waitFor();
    await panel.getByRole('button', { name: 'Pin', exact: true }).click();
    await panel.getByRole('status').getByText('10 of 10 failed: Read-only store.').waitFor();
  });
});
