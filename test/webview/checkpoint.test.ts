import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CheckpointView } from '../../src/planProtocol.ts';
import { panelMessage } from '../../src/protocol.ts';
import { calls, errorsOf, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const MINUTE = 60_000;
const since = { messages: 14, tools: 1, tokens: 48_210 };
const active = () => ({ goal: 'find the leak', startedAt: Date.now() - 12 * MINUTE, since, pending: false });
const ended = (goal: string, report: string | null, startedAt = 1_700_000_000_000) => ({
  goal,
  startedAt,
  endedAt: startedAt + 30 * MINUTE,
  report,
  since: { messages: 9, tools: 12, tokens: 21_400 },
});

const open = (checkpoint: Partial<CheckpointView> = {}, setup: Setup = {}) =>
  harness.open({ panel: 'checkpoint', checkpoint, ...setup });
const button = (panel: Page, name: string | RegExp) => panel.getByRole('button', { name });
const report = (panel: Page) => panel.getByRole('textbox', { name: 'Report' });
const status = (panel: Page, text: string) => panel.getByRole('status').getByText(text).waitFor();
const change = (panel: Page, to: Partial<CheckpointView>) =>
  panel.evaluate((value) => {
    Object.assign(window.fakeHost.sessions.checkpoint, value);
    window.fakeHost.changed();
  }, to);

describe('the checkpoint', { timeout: 30_000 }, () => {
  it('is explained where it is off, and turned on in one step', async () => {
    const panel = await open({ enabled: false });
    await panel.getByText(/marks a place in the conversation.*never touches files or git/).waitFor();
    await button(panel, 'Turn on').click();
    await panel.getByRole('heading', { name: 'No checkpoint is set.' }).waitFor();
    await panel.getByText(/\/checkpoint with a goal/).waitFor();
    expect((await calls(panel, 'checkpoint_enable')).length).toBe(1);
  });

  it('tells goal, age and what has happened since, live', async () => {
    const panel = await open({ active: active() });
    await panel.getByRole('heading', { name: 'find the leak' }).waitFor();
    await panel.getByText('Set 12 minutes ago').waitFor();
    await panel
      .getByText('Since then: 14\u00a0messages · 1\u00a0tool\u00a0call · 48,210\u00a0tokens')
      .waitFor();
    await change(panel, { active: { ...active(), since: { messages: 15, tools: 2, tokens: 50_000 } } });
    await panel
      .getByText('Since then: 15\u00a0messages · 2\u00a0tool\u00a0calls · 50,000\u00a0tokens')
      .waitFor();
  });

  it('offers nothing that writes where the folder is not trusted', async () => {
    const panel = await open({ active: active(), history: [ended('old', 'r')] }, { trusted: false });
    await panel.getByRole('heading', { name: 'find the leak' }).waitFor();
    expect(await button(panel, /Rewind|Cancel/).count()).toBe(0);
    const off = await open({ enabled: false }, { trusted: false });
    await off.getByRole('heading', { name: 'Checkpoints are off.' }).waitFor();
    expect(await button(off, 'Turn on').count()).toBe(0);
  });
});

describe('a rewind', { timeout: 30_000 }, () => {
  it('takes a report by keyboard, refuses a blank one, and is shown as on its way', async () => {
    const mine = active();
    const panel = await open({ active: mine });
    await button(panel, 'Rewind with a report…').press('Enter');
    await report(panel).and(panel.locator(':focus')).waitFor();
    await panel.keyboard.type('  ');
    await panel.keyboard.press('Control+Enter');
    await panel.getByText(/A report is needed/).waitFor();
    await panel.keyboard.type('It was the cache.\nFixed.');
    await panel.keyboard.press('Control+Enter');
    await panel.getByText(/A rewind is on its way/).waitFor();
    expect((await calls(panel, 'checkpoint_rewind')).map(({ input }) => input)).toEqual([
      { session: 's1', report: '  It was the cache.\nFixed.', startedAt: mine.startedAt },
    ]);
    expect(await button(panel, /Rewind with/).count()).toBe(0);
    expect(await report(panel).count()).toBe(0);
  });

  it('keeps the draft when closed, when the panel reloads, and when the host refuses', async () => {
    const panel = await open({ active: active() });
    await button(panel, 'Rewind with a report…').click();
    await report(panel).fill('half a report');
    await panel.keyboard.press('Escape');
    await button(panel, 'Go on with the report…').click();
    expect(await report(panel).inputValue()).toBe('half a report');
    await panel.evaluate(() => {
      window.fakeHost.failing.checkpoint_rewind = 'The turn is over.';
    });
    await button(panel, 'Rewind').click();
    await panel.getByText('The turn is over.').waitFor();
    expect(await report(panel).inputValue()).toBe('half a report');
  });

  it('says when a report is too long, and keeps it', async () => {
    const panel = await open({ active: active() });
    await button(panel, 'Rewind with a report…').click();
    await report(panel).fill('w'.repeat(100_001));
    await button(panel, 'Rewind').click();
    await panel.getByText('The report is too long: at most 100,000 characters.').waitFor();
    expect((await report(panel).inputValue()).length).toBe(100_001);
    expect(await calls(panel, 'checkpoint_rewind')).toEqual([]);
  });

  it('goes on after a reload, and while the numbers change', async () => {
    const mine = active();
    const panel = await open({ active: mine });
    await button(panel, 'Rewind with a report…').click();
    await report(panel).pressSequentially('first ');
    await change(panel, { active: { ...mine, since: { messages: 99, tools: 2, tokens: 3 } } });
    await panel.getByText(/takes the place of what has happened since: 99\u00a0messages/).waitFor();
    await panel.keyboard.type('second');
    expect(await report(panel).inputValue()).toBe('first second');
    await panel.waitForTimeout(250);
    await panel.reload();
    await expect.poll(() => report(panel).inputValue()).toBe('first second');
  });

  it('never goes to another checkpoint: a report whose own has ended can be copied', async () => {
    const mine = active();
    const panel = await open({ active: mine });
    await button(panel, 'Rewind with a report…').click();
    await report(panel).fill('too late');
    await change(panel, { active: { ...mine, goal: 'another', startedAt: mine.startedAt + MINUTE } });
    await panel.getByText(/ended while you were writing/).waitFor();
    await panel.getByText('too late').waitFor();
    expect(await report(panel).count()).toBe(0);
    await button(panel, 'Discard').click();
    await panel.getByText('too late').waitFor({ state: 'detached' });
    await button(panel, 'Rewind with a report…').waitFor();
  });
});

describe('cancelling', { timeout: 30_000 }, () => {
  it('asks in place, and keeps it by Escape', async () => {
    const mine = active();
    const panel = await open({ active: mine });
    await button(panel, 'Cancel checkpoint').click();
    await panel
      .getByRole('alertdialog')
      .getByText(/Cancel this checkpoint\?/)
      .waitFor();
    await button(panel, 'Keep it').and(panel.locator(':focus-within, :focus')).waitFor();
    await panel.keyboard.press('Escape');
    await panel.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect((await calls(panel, 'checkpoint_cancel')).length).toBe(0);
    await button(panel, 'Cancel checkpoint').click();
    await panel.getByRole('alertdialog').getByRole('button', { name: 'Cancel checkpoint' }).click();
    await status(panel, 'The checkpoint is cancelled. Nothing else changed.');
    await panel.getByRole('heading', { name: 'No checkpoint is set.' }).waitFor();
    await button(panel, /find the leak.*Cancelled/).waitFor();
    // Of the one that was seen, and not of another that an agent has set meanwhile.
    expect((await calls(panel, 'checkpoint_cancel')).map(({ input }) => input)).toEqual([
      { session: 's1', startedAt: mine.startedAt },
    ]);
  });
});

describe('the history', { timeout: 30_000 }, () => {
  it('unfolds reports as they were written, copies them, and remembers', async () => {
    const text = 'It was the cache.\n\n  const x = 1;\t// kept';
    const panel = await open({ history: [ended('why slow', text, 2), ended('try the SDK', null, 1)] });
    await panel.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(panel, /^why slow/).press('Enter');
    const block = panel.locator('lode-history lode-block .text');
    expect(await block.textContent()).toBe(text);
    expect(await block.evaluate((element) => getComputedStyle(element).whiteSpace)).toContain('pre');
    await button(panel, 'Copy report').click();
    await status(panel, 'Copied the report.');
    expect(await panel.evaluate(() => navigator.clipboard.readText())).toBe(text);
    await button(panel, /^try the SDK.*Cancelled/).click();
    await panel.getByText('Cancelled: everything stayed in the conversation.').waitFor();
    await panel.waitForTimeout(250);
    await panel.reload();
    await panel.getByText('It was the cache.').waitFor();
    expect(await button(panel, /^why slow/).getAttribute('aria-expanded')).toBe('true');
  });

  it('goes on from a report in a new chat', async () => {
    const text = 'It was the cache.';
    const panel = await open({ history: [ended('why slow', text, 2), ended('given up', null, 1)] });
    await button(panel, /^given up/).click();
    expect(await button(panel, 'Continue in a new chat').count()).toBe(0);
    await button(panel, /^why slow/).click();
    await button(panel, 'Continue in a new chat').press('Enter');
    await expect
      .poll(() => posted(panel, 'continueFromReport'))
      .toEqual([{ type: 'continueFromReport', goal: 'why slow', report: text }]);
    const [message] = await posted(panel, 'continueFromReport');
    expect(panelMessage.safeParse(message).success).toBe(true);
  });

  it('begins no chat where the folder is not trusted', async () => {
    const panel = await open({ history: [ended('why slow', 'x')] }, { trusted: false });
    await button(panel, /^why slow/).click();
    await button(panel, 'Copy report').waitFor();
    expect(await button(panel, /chat/).count()).toBe(0);
  });

  it('shows the beginning of a very long report', async () => {
    const panel = await open({ history: [ended('long', `${'0123456789'.repeat(10_000)}END`)] });
    await button(panel, /^long/).click();
    await button(panel, 'Show all (100,003 characters)').click();
    await panel.getByText(/END$/).waitFor();
  });
});

describe('a session', { timeout: 30_000 }, () => {
  const row = { id: 's1', title: 'Retries', source: 'copilot', live: false, lastActive: 1 };

  it('is resumed in a chat unless an agent works on it', async () => {
    const panel = await open({ sessions: [row] });
    await button(panel, 'Resume in a chat').click();
    await expect.poll(() => posted(panel, 'resume')).toEqual([{ type: 'resume', session: 's1' }]);
  });

  it('that cannot be shown says why instead of looking empty', async () => {
    const why = { text: 'It was written with another key.', values: [] };
    const panel = await open({ active: active(), sessions: [row] }, { unreadable: { s1: why } });
    await panel.getByText(why.text).waitFor();
    expect(await panel.getByRole('heading', { name: 'No checkpoint is set.' }).count()).toBe(0);
    expect(await button(panel, /Rewind|Cancel|Resume/).count()).toBe(0);
  });
});

describe('the page', { timeout: 30_000 }, () => {
  it.each([
    ['markup', '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'],
    ['deceiving characters', 'photo\u202egpj.exe \u001b[31mred\u0000'],
    ['half a pair', 'x\ud83dy 👩‍💻'],
    ['a long word', 'w'.repeat(5_000)],
  ])('shows text from agents as text, within its width: %s', async (_, text) => {
    const row = { id: 's1', title: text, source: text, live: true, lastActive: 1 };
    const view = { sessions: [row], active: { ...active(), goal: text }, history: [ended(text, text)] };
    const panel = await open(view, { notices: [text] });
    await panel.locator('lode-history .head').click();
    await button(panel, 'Rewind with a report…').click();
    await report(panel).fill(text);
    await change(panel, { active: null });
    await panel.getByText(/ended while you were writing/).waitFor();
    const found = await panel.evaluate(() => {
      const foreign: string[] = [];
      const walk = (root: Document | ShadowRoot) => {
        for (const element of root.querySelectorAll('*')) {
          if (/^(img|a|iframe|object|embed|form)$/.test(element.localName)) foreign.push(element.outerHTML);
          const box = element.getBoundingClientRect();
          if (box.width > 0 && box.right > innerWidth + 1 && element.localName !== 'bdi')
            foreign.push(element.className);
          if (element.shadowRoot !== null) walk(element.shadowRoot);
        }
      };
      walk(document);
      const policy = window.fakeHost.violations.filter(({ directive }) => !directive.startsWith('style-src'));
      return {
        foreign: foreign.filter((name) => name !== 'visually-hidden'),
        pwned: 'pwned' in window,
        policy,
      };
    });
    expect(found).toEqual({ foreign: [], pwned: false, policy: [] });
    expect(errorsOf(panel)).toEqual([]);
  });
});
