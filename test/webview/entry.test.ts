import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { calls, PanelHarness, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const ENTRY = {
  id: 'one',
  key: 'payments',
  content: 'Use [[auth-tokens]] here.\n  Not [[missing]].',
  file: 'src/pay.ts:42',
  tags: ['money'],
  links: ['error-codes'],
  revisions: [
    { text: 'The limit was raised.', at: Date.now(), actor: 'agent', source: 'claude-code', addition: true },
    { text: 'The old text.', at: Date.now() - 1e9, actor: 'person', source: 'panel', addition: false },
  ],
};
const OPEN: Setup = { count: 10, entries: [ENTRY], show: { view: 'entry', id: 'one' } };

const title = (panel: Page, name: string) => panel.getByRole('heading', { level: 1, name }).waitFor();
const button = (panel: Page, name: string) => panel.getByRole('button', { name, exact: true });
const content = (panel: Page) => panel.getByRole('textbox', { name: 'Content' });
const edit = async (panel: Page) => {
  await button(panel, 'Edit').click();
  await content(panel).waitFor();
};

describe('the fetch view', { timeout: 30_000 }, () => {
  it('shows the whole entry', async () => {
    const panel = await harness.open(OPEN);
    await title(panel, 'payments');
    const shown = panel.locator('lode-entry');
    const parts = [
      'decision',
      'Use [[auth-tokens]] here.',
      'Added later',
      'The limit was raised.',
      'claude-code',
    ];
    const facts = ['src/pay.ts:42', '#money', 'error-codes', '40%', '70%', 'main', 'PUBLIC'];
    for (const part of [...parts, ...facts]) await shown.getByText(part).first().waitFor();
    const top = async (text: string) => (await shown.getByText(text).first().boundingBox())?.y ?? 0;
    expect(await top('The limit was raised.')).toBeLessThan(await top('error-codes'));
    await panel.getByText('Earlier versions (1)').click();
    await panel.getByText('The old text.').waitFor();
  });

  it('says when it is not there any more, and leads back to the list', async () => {
    const panel = await harness.open({ ...OPEN, show: { view: 'entry', id: 'deleted-elsewhere' } });
    await panel.getByRole('heading', { name: 'This memory is not there any more.' }).waitFor();
    await button(panel, 'Back to the list').click();
    await panel.getByRole('option', { name: /^payments/ }).waitFor();
  });

  it('follows references and links, and finds the way back', async () => {
    const panel = await harness.open(OPEN);
    await button(panel, '[[auth-tokens]]').click();
    await title(panel, 'auth-tokens');
    await button(panel, 'payments').click();
    await title(panel, 'payments');
    await button(panel, 'error-codes').click();
    await title(panel, 'error-codes');
    await panel.keyboard.press('Alt+ArrowLeft');
    await title(panel, 'payments');
    await button(panel, 'Back').click();
    await title(panel, 'auth-tokens');
    await panel.keyboard.press('Escape');
    await panel.keyboard.press('Escape');
    await panel.getByRole('listbox', { name: 'Memory entries' }).waitFor();
    expect(await button(panel, '[[missing]]').count()).toBe(0);
  });

  it('opens the file reference through the host', async () => {
    const panel = await harness.open(OPEN);
    await button(panel, 'src/pay.ts:42').click();
    expect(await panel.evaluate(() => window.fakeHost.posted.at(-1))).toEqual({
      type: 'openFile',
      file: 'src/pay.ts:42',
    });
  });

  it('leads from a tag to the entries that have it', async () => {
    const panel = await harness.open(OPEN);
    await panel.getByRole('button', { name: '#money' }).click();
    await panel.getByText('1 entry').first().waitFor();
    await button(panel, 'Remove filter #money').waitFor();
  });

  it('says where it comes from when nobody has confirmed it', async () => {
    const own = { ...OPEN, entries: [{ ...ENTRY, confirmed: false, source: 'copilot' }] };
    const agent = await harness.open(own);
    await agent.getByText('Written by an agent and not confirmed by a person yet.').waitFor();
    const file = { ...ENTRY, confirmed: false, source: 'file', pinned: false };
    const panel = await harness.open({ ...OPEN, entries: [file] });
    const from = 'From a memory file and not confirmed by a person here yet.';
    await panel.getByText(from, { exact: true }).waitFor();
    await button(panel, 'Pin').click();
    await panel.getByText(`${from} Its pin counts once it is confirmed.`).waitFor();
    await button(panel, 'Confirm').click();
    await panel.getByText(from).waitFor({ state: 'detached' });
    const list = await harness.open({ entries: [file] });
    await list.getByTitle(from).waitFor();
  });

  it('confirms, pins, forgets, takes back, restores and deletes for good', async () => {
    const panel = await harness.open({ ...OPEN, entries: [{ ...ENTRY, confirmed: false }] });
    await button(panel, 'Confirm').click();
    await button(panel, 'Confirm').waitFor({ state: 'detached' });
    await button(panel, 'Pin').click();
    await button(panel, 'Unpin').click();
    await button(panel, 'Pin').waitFor();
    await button(panel, 'Forget').click();
    await panel.getByText('Forgotten: agents do not see this entry.').waitFor();
    await button(panel, 'Undo').click();
    await button(panel, 'Forget').click();
    await button(panel, 'Restore').click();
    await button(panel, 'Forget').click();
    await button(panel, 'Delete for good…').click();
    await panel.getByRole('listbox', { name: 'Memory entries' }).waitFor();
    expect((await calls(panel, 'memory_forget')).map(({ input }) => input.action ?? 'soft')).toEqual([
      'soft',
      'restore',
      'soft',
      'restore',
      'soft',
      'hard',
    ]);
    expect(await panel.getByRole('option', { name: /^payments/ }).count()).toBe(0);
  });

  it('stays when the person declines to delete for good', async () => {
    const panel = await harness.open({
      ...OPEN,
      entries: [{ ...ENTRY, status: 'forgotten' }],
      failing: { memory_forget: 'Declined.' },
    });
    await button(panel, 'Delete for good…').click();
    await panel.getByRole('status').getByText('Declined.').waitFor();
    await title(panel, 'payments');
  });

  it('says when the entry cannot be read', async () => {
    const panel = await harness.open({ ...OPEN, failing: { memory_open: 'The disk is away.' } });
    await panel.getByRole('alert').getByText('The disk is away.').waitFor();
    await button(panel, 'Retry').waitFor();
    await button(panel, 'Back').click();
    await panel.getByRole('listbox', { name: 'Memory entries' }).waitFor();
  });

  it('stands beside the list in a wide editor', async () => {
    const panel = await harness.open({ ...OPEN, place: 'editor' }, { width: 900 });
    await title(panel, 'payments');
    await panel.getByRole('option', { name: /^build-cache,/ }).click();
    await title(panel, 'build-cache');
    expect(await panel.getByRole('option', { name: /^build-cache,/ }).getAttribute('class')).toContain(
      'current',
    );
  });
});

describe('the edit form', { timeout: 30_000 }, () => {
  it('saves what changed with Ctrl+Enter', async () => {
    const panel = await harness.open(OPEN);
    await edit(panel);
    await expect.poll(() => content(panel).inputValue()).toBe(ENTRY.content);
    await content(panel).fill('New text.');
    await panel.getByRole('textbox', { name: 'Tags', exact: true }).fill('cash');
    await panel.keyboard.press('Control+Enter');
    await panel.getByRole('status').getByText('Saved.').waitFor();
    await title(panel, 'payments');
    await panel.getByText('New text.').waitFor();
    expect((await calls(panel, 'memory_edit')).map(({ input }) => input)).toEqual([
      { key: 'one', content: 'New text.', set_tags: ['money', 'cash'] },
    ]);
  });

  it('keeps what was typed when the host refuses', async () => {
    const panel = await harness.open({ ...OPEN, failing: { memory_edit: 'The store is locked.' } });
    await edit(panel);
    await content(panel).fill('New text.');
    await button(panel, 'Save').click();
    await panel.getByRole('alert').getByText('The store is locked.').waitFor();
    await expect.poll(() => content(panel).inputValue()).toBe('New text.');
  });

  it('says what is wrong and puts the caret there', async () => {
    const panel = await harness.open(OPEN);
    await edit(panel);
    await panel.getByRole('textbox', { name: 'Expires' }).fill('soon');
    await button(panel, 'Save').click();
    await panel.getByRole('alert').getByText('Use 7d, 24h or a date').waitFor();
    await panel.keyboard.press('Control+a');
    await panel.keyboard.type('7d');
    await panel.getByRole('alert').waitFor({ state: 'detached' });
    await button(panel, 'Save').click();
    await panel.getByRole('status').getByText('Saved.').waitFor();
  });

  it('asks before it gives up changes, and only then', async () => {
    const panel = await harness.open(OPEN);
    await edit(panel);
    await panel.keyboard.press('Escape');
    await button(panel, 'Edit').waitFor();
    await edit(panel);
    await content(panel).fill('New text.');
    await panel.keyboard.press('Escape');
    await panel.getByRole('alertdialog').waitFor();
    await button(panel, 'Keep editing').click();
    await expect.poll(() => content(panel).inputValue()).toBe('New text.');
    await button(panel, 'Back').click();
    await button(panel, 'Discard').click();
    await panel.getByText('Use [[auth-tokens]] here.').waitFor();
    expect(await calls(panel, 'memory_edit')).toEqual([]);
  });

  it('asks before another entry takes its place', async () => {
    const panel = await harness.open({ ...OPEN, place: 'editor' }, { width: 900 });
    await edit(panel);
    await content(panel).fill('New text.');
    await panel.getByRole('option', { name: /^build-cache,/ }).click();
    await panel.getByRole('alertdialog').waitFor();
    await panel.keyboard.press('Escape');
    await expect.poll(() => content(panel).inputValue()).toBe('New text.');
    await panel.getByRole('option', { name: /^build-cache,/ }).click();
    await button(panel, 'Discard').click();
    await title(panel, 'build-cache');
  });

  it('shows what was written elsewhere meanwhile, and loses neither', async () => {
    const panel = await harness.open(OPEN);
    await edit(panel);
    await content(panel).fill('Mine.');
    await panel.evaluate(() => window.fakeHost.write('one', { content: 'Theirs.' }));
    await button(panel, 'Show their version').click();
    await panel.getByText('Theirs.').waitFor();
    await expect.poll(() => content(panel).inputValue()).toBe('Mine.');
    await button(panel, 'Discard mine and use theirs').click();
    await expect.poll(() => content(panel).inputValue()).toBe('Theirs.');
    expect(await panel.getByRole('alert').count()).toBe(0);
  });

  it('takes over a change elsewhere while nothing was typed, and minds no pin', async () => {
    const panel = await harness.open(OPEN);
    await edit(panel);
    await panel.evaluate(() => window.fakeHost.write('one', { content: 'Theirs.' }));
    await expect.poll(() => content(panel).inputValue()).toBe('Theirs.');
    await content(panel).fill('Mine.');
    await panel.evaluate(() => window.fakeHost.write('one', { pinned: true }));
    await panel.waitForTimeout(300);
    expect(await panel.getByRole('alert').count()).toBe(0);
    expect(await content(panel).inputValue()).toBe('Mine.');
  });

  it('survives a reload with everything typed', async () => {
    const panel = await harness.open({ ...OPEN, show: null });
    await panel.getByRole('option', { name: /^payments/ }).click();
    await edit(panel);
    await content(panel).fill('Half a thou');
    await panel.waitForTimeout(250);
    await panel.reload();
    await content(panel).waitFor();
    await expect.poll(() => content(panel).inputValue()).toBe('Half a thou');
    await button(panel, 'Cancel').click();
    await panel.getByRole('alertdialog').waitFor();
  });
});

describe('the add form', { timeout: 30_000 }, () => {
  it('suggests a key until the person writes one, and opens what was saved', async () => {
    const panel = await harness.open({ count: 3 });
    await button(panel, 'Add a memory').click();
    await button(panel, 'Save').click();
    await panel.getByText('There is nothing to remember yet.').waitFor();
    await content(panel).fill('Cache keys hold the Node version');
    const key = panel.getByRole('textbox', { name: 'Key', exact: true });
    await expect.poll(() => key.inputValue()).toBe('cache-keys-hold-the-node');
    await key.fill('cache-keys');
    await content(panel).fill('Cache keys hold the Node version.');
    await expect.poll(() => key.inputValue()).toBe('cache-keys');
    await panel.getByRole('combobox', { name: 'Category' }).click();
    await panel.getByRole('option', { name: 'warning', exact: true }).click();
    await panel.keyboard.press('Control+Enter');
    await title(panel, 'cache-keys');
    expect((await calls(panel, 'memory_remember')).map(({ input }) => input)).toEqual([
      { category: 'warning', key: 'cache-keys', content: 'Cache keys hold the Node version.' },
    ]);
    await button(panel, 'Back').click();
    await panel.getByText('4 entries').first().waitFor();
  });

  it('takes over what a command hands it', async () => {
    const panel = await harness.open({
      count: 3,
      show: { view: 'add', content: '재시도는 다섯 번', file: 'src/a.ts:7' },
    });
    await content(panel).waitFor();
    await expect
      .poll(() => panel.getByRole('textbox', { name: 'Key', exact: true }).inputValue())
      .toBe('재시도는-다섯-번');
    await expect
      .poll(() => panel.getByRole('textbox', { name: 'File', exact: true }).inputValue())
      .toBe('src/a.ts:7');
  });
});
