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
const filters = async (panel: Page) => panel.getByRole('button', { name: /^Filter and sort/ }).click();

describe('the index view', { timeout: 30_000 }, () => {
  it('shows one line an entry with its key, category, date and marks', async () => {
    const panel = await harness.open({ count: 12 });
    await option(panel, 'retry-policy, decision, 1 hour ago, Unconfirmed').waitFor();
    await option(panel, /^auth-tokens, pattern, .*Pinned/).waitFor();
    await option(panel, /^api-paging, decision, .*INTERNAL/).waitFor();
    expect(await option(panel, /.*/).count()).toBe(12);
    expect(await option(panel, /^retry-policy,/).textContent()).toMatch(
      /retry-policy\s+\?unconfirmed\s+decision\s+1h ago/,
    );
    await panel.getByText('12 entries').first().waitFor();
  });

  it('adds the start of the content where there is room, and on request', async () => {
    const narrow = await harness.open({ count: 3 });
    await option(narrow, /retry/).waitFor();
    expect(await narrow.getByText('Retries use exponential').count()).toBe(0);
    await filters(narrow);
    await narrow.getByRole('checkbox', { name: 'Show previews' }).click();
    await narrow.getByText('Retries use exponential').waitFor();
    const wide = await harness.open({ count: 3, place: 'editor' }, { width: 900 });
    await wide.getByText('Retries use exponential').waitFor();
  });

  it('searches while typing, once the typing pauses, and shows the relevance', async () => {
    const panel = await harness.open({ count: 40 });
    await option(panel, /retry/).first().waitFor();
    await search(panel).pressSequentially('tokens', { delay: 15 });
    await panel.getByText('8 entries').first().waitFor();
    await option(panel, /^auth-tokens, pattern, relevance 94%/).waitFor();
    const queries = async () => (await calls(panel, 'memory_browse')).map(({ input }) => input.query);
    await expect.poll(async () => (await queries()).at(-1)).toBe('tokens');
    expect((await queries()).length).toBeLessThan(7);
  });

  it('drops answers to questions that are no longer asked', async () => {
    const panel = await harness.open({ count: 40 });
    await option(panel, /retry/).first().waitFor();
    await panel.evaluate(() => {
      window.fakeHost.delay = ({ input }) => (input.query === 'cache' ? 600 : 0);
    });
    await search(panel).fill('cache');
    await panel.waitForTimeout(200);
    await search(panel).fill('schema');
    await option(panel, /^db-schema,/)
      .first()
      .waitFor();
    await panel.waitForTimeout(700);
    expect(await option(panel, /^build-cache/).count()).toBe(0);
  });

  it('filters and sorts', async () => {
    const panel = await harness.open({ count: 40 });
    await filters(panel);
    await panel.getByRole('combobox', { name: 'Category' }).click();
    await panel.getByRole('option', { name: 'bug', exact: true }).click();
    await panel.getByText('8 entries').first().waitFor();
    await panel.getByRole('checkbox', { name: 'Unconfirmed only' }).click();
    await panel.getByText('2 entries').first().waitFor();
    await panel.getByRole('combobox', { name: 'Sort by' }).click();
    await panel.getByRole('option', { name: 'Key', exact: true }).click();
    await panel.getByRole('button', { name: 'Ascending' }).waitFor();
    expect((await calls(panel, 'memory_browse')).at(-1)?.input).toEqual({
      category: 'bug',
      status: 'active',
      confirmed: false,
      sort: 'key',
      descending: false,
      offset: 0,
      limit: 100,
    });
    await filters(panel);
    await panel.getByRole('button', { name: 'Remove filter Unconfirmed' }).click();
    await panel.getByText('8 entries').first().waitFor();
    await filters(panel);
    await panel.getByRole('textbox', { name: 'Tags, all of them' }).fill('api,');
    await panel.getByText('4 entries').first().waitFor();
    await panel.getByRole('button', { name: 'Clear filters' }).click();
    await panel.getByText('40 entries').first().waitFor();
  });

  it('comes by relevance while it is searched, whatever it was sorted by', async () => {
    const panel = await harness.open({ count: 40 });
    await filters(panel);
    await panel.getByRole('combobox', { name: 'Sort by' }).click();
    await panel.getByRole('option', { name: 'Key', exact: true }).click();
    await search(panel).fill('tokens');
    const sort = panel.getByRole('combobox', { name: 'Sort by', disabled: true });
    await expect.poll(() => sort.locator('.selected-value').textContent()).toMatch(/Relevance/);
    await expect
      .poll(async () => (await calls(panel, 'memory_browse')).at(-1)?.input)
      .toEqual({ query: 'tokens', status: 'active', offset: 0, limit: 100 });
    await search(panel).fill('');
    await expect.poll(async () => (await calls(panel, 'memory_browse')).at(-1)?.input.sort).toBe('key');
  });

  it('offers to clear what keeps everything out', async () => {
    const panel = await harness.open({ count: 40 });
    await search(panel).fill('nothing like this');
    await panel.getByRole('heading', { name: 'Nothing matches.' }).waitFor();
    await panel.getByRole('button', { name: 'Clear search and filters' }).click();
    await option(panel, /retry/).first().waitFor();
    await expect.poll(() => search(panel).inputValue()).toBe('');
  });

  it('says what memory is for while there is none, and leads to the first entry', async () => {
    const panel = await harness.open({ count: 0 });
    await panel.getByRole('heading', { name: 'Nothing is remembered yet.' }).waitFor();
    await panel.getByText('Agents save here too').waitFor();
    await panel.getByRole('button', { name: 'Add a memory' }).last().click();
    await panel.getByRole('heading', { name: 'Add a memory' }).waitFor();
  });

  it('shows a failure with its reason and tries again', async () => {
    const panel = await harness.open({ failing: { memory_browse: 'The disk is full.' } });
    await panel.getByRole('alert').getByText('The disk is full.').waitFor();
    await panel.evaluate(() => delete (window.fakeHost.failing as Record<string, string>).memory_browse);
    await panel.getByRole('button', { name: 'Retry' }).click();
    await option(panel, /retry/).first().waitFor();
  });

  it('keeps what it shows when a later reading fails', async () => {
    const panel = await harness.open({ count: 12 });
    await option(panel, /retry/).first().waitFor();
    await panel.evaluate(() => {
      window.fakeHost.failing.memory_browse = 'Busy.';
      window.fakeHost.changed();
    });
    await panel.getByRole('alert').getByText('Busy.').waitFor();
    expect(await option(panel, /.*/).count()).toBe(12);
  });

  it('does not flash a spinner for a short wait', async () => {
    const panel = await harness.open({ count: 3, delay: 5_000 });
    const ring = panel.locator('.state.loading');
    await ring.first().waitFor({ state: 'attached' });
    await panel.waitForTimeout(400);
    expect(await ring.first().evaluate((element) => getComputedStyle(element).opacity)).toBe('1');
    expect(await ring.first().evaluate((element) => getComputedStyle(element).animationDelay)).toBe('0.15s');
  });

  it('is read only in a folder that is not trusted, and says so', async () => {
    const panel = await harness.open({ count: 3, trusted: false });
    await panel.getByText('Read only, because this folder is not trusted.').waitFor();
    await option(panel, /retry/).waitFor();
    expect(await panel.getByRole('button', { name: 'Add a memory' }).count()).toBe(0);
    await list(panel).press('Delete');
    await list(panel).press('p');
    await list(panel).press('Enter');
    await panel.getByText('Retries use exponential').waitFor();
    expect(await panel.getByRole('button', { name: /Edit|Forget|Confirm|Pin/ }).count()).toBe(0);
    const tools = await panel.evaluate(() => window.fakeHost.posted.map(({ tool }) => tool));
    const reads = [
      undefined,
      'memory_browse',
      'memory_open',
      'memory_drafts',
      'memory_conflicts',
      'context_health',
      'backend_status',
    ];
    expect(tools.filter((tool) => !reads.includes(tool as string | undefined))).toEqual([]);
  });

  it('says when no folder is open', async () => {
    const panel = await harness.open({ folder: null });
    await panel.getByRole('heading', { name: 'No folder is open.' }).waitFor();
    expect(await calls(panel, 'memory_browse')).toEqual([]);
  });

  it('shows notices until they are dismissed', async () => {
    const panel = await harness.open({ count: 3, notices: ['One record was damaged.', 'Another thing.'] });
    await panel.getByText('One record was damaged.').waitFor();
    await panel.getByRole('button', { name: 'Dismiss' }).first().click();
    await panel.getByText('One record was damaged.').waitFor({ state: 'detached' });
    expect(await panel.getByText('Another thing.').count()).toBe(1);
  });
});

describe('a list of 100,000 entries', { timeout: 60_000 }, () => {
  it('renders what is in view and reads pages as they come into view', async () => {
    const panel = await harness.open({ count: 100_000 });
    await panel.getByText('100,000 entries').first().waitFor();
    expect(await option(panel, /.*/).count()).toBeLessThan(60);
    await list(panel).focus();
    await list(panel).press('End');
    await option(panel, /^release-steps-99999,/).waitFor();
    expect(await option(panel, /^release-steps-99999,/).getAttribute('aria-posinset')).toBe('100000');
    expect(await option(panel, /^release-steps-99999,/).getAttribute('aria-setsize')).toBe('100000');
    expect(await option(panel, /.*/).count()).toBeLessThan(60);
    const browse = await calls(panel, 'memory_browse');
    expect(browse.length).toBeLessThan(8);
    expect(browse.every(({ input }) => Number(input.limit) <= 200)).toBe(true);
    await list(panel).press('Home');
    await option(panel, /^retry-policy,/).waitFor();
  });

  it('draws what is in view and little more while it is scrolled through', async () => {
    const panel = await harness.open({ count: 100_000, delay: 20 });
    await panel.getByText('100,000 entries').first().waitFor();
    // What a frame costs is what is drawn in it, however many entries there are.
    const most = await list(panel).evaluate(async (element) => {
      let rows = 0;
      for (let step = 0; step < 60; step++) {
        element.scrollTop += 4_000;
        element.dispatchEvent(new Event('scroll'));
        await (element as unknown as { updateComplete: Promise<void> }).updateComplete;
        rows = Math.max(rows, element.shadowRoot?.querySelectorAll('[role=option]').length ?? 0);
        rows = Math.max(rows, element.querySelectorAll('[role=option]').length);
        await new Promise(requestAnimationFrame);
      }
      return rows;
    });
    expect(most).toBeGreaterThan(5);
    expect(most).toBeLessThan(80);
    expect((await calls(panel, 'memory_browse')).length).toBeLessThan(140);
    await option(panel, /^retry-policy-1\d{4},|^auth-tokens-1\d{4},/)
      .first()
      .waitFor();
  });
});
