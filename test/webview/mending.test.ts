import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AILING, CONTRADICTED, DRAFTS } from './harness/ailing.ts';
import { calls, PanelHarness, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const button = (panel: Page, name: string | RegExp) => panel.getByRole('button', { name });
const heading = (panel: Page, name: string | RegExp) => panel.getByRole('heading', { name });
const inputs = async (panel: Page, tool: string) => (await calls(panel, tool)).map(({ input }) => input);

async function opened(view: string, setup: Setup): Promise<Page> {
  const panel = await harness.open(setup);
  await panel.getByRole('tab', { name: new RegExp(`^${view}`) }).click();
  return panel;
}

describe('the health view', { timeout: 30_000 }, () => {
  it('mends a finding with one click, looks again, and takes it back', async () => {
    const panel = await opened('Health', { count: 40, ...AILING });
    await button(panel, 'Remove file: db-schema').click();
    await panel.getByText('Changed 1 entry.').first().waitFor();
    await heading(panel, /^Files that are not there/).waitFor({ state: 'detached' });
    expect(await inputs(panel, 'memory_edit')).toEqual([{ key: 'e0000006', file: '' }]);
    await button(panel, 'Undo').click();
    await heading(panel, /^Files that are not there/).waitFor();
  });

  it('shows what a fix would take out of recall before it does it', async () => {
    const panel = await opened('Health', { count: 40, ...AILING });
    await button(panel, 'Fix all 2').click();
    await panel.getByText('date-parsing gives way to retry-policy').waitFor();
    expect(await inputs(panel, 'memory_consolidate')).toEqual([{ mode: 'identical', dryRun: true }]);
    await panel.keyboard.press('Escape');
    await button(panel, 'Do it').waitFor({ state: 'detached' });
    await button(panel, 'Merge…: date-parsing').click();
    await button(panel, 'Do it').click();
    await heading(panel, /^Duplicates/).waitFor({ state: 'detached' });
    expect((await inputs(panel, 'memory_consolidate')).at(-1)).toEqual({ mode: 'identical' });
    await button(panel, 'Undo').click();
    await heading(panel, /^Duplicates/).waitFor();
  });

  it('puts an old session away, and back', async () => {
    const panel = await opened('Health', { count: 40, ...AILING });
    await button(panel, /^Put away: /).click();
    await panel.getByText('Put 1 session away.').first().waitFor();
    await button(panel, 'Undo').click();
    await button(panel, /^Put away: /).waitFor();
    expect(await inputs(panel, 'session_put_away')).toEqual([
      { sessions: ['s-old'], back: false },
      { sessions: ['s-old'], back: true },
    ]);
  });

  it('has nothing to mend in a memory that is well', async () => {
    const panel = await opened('Health', { count: 3 });
    await heading(panel, 'Nothing to mend.').waitFor();
  });
});

describe('the drafts view', { timeout: 30_000 }, () => {
  const setup: Setup = { count: 3, care: { drafts: DRAFTS } };

  it('goes through drafts by keyboard alone', async () => {
    const panel = await opened('Drafts', setup);
    await panel.getByRole('listitem', { name: /^fix-the-pool/ }).focus();
    await panel.keyboard.press('a');
    await heading(panel, '2 drafts').waitFor();
    await panel
      .getByRole('listitem', { name: /^queue-drains/ })
      .and(panel.locator(':focus'))
      .waitFor();
    await panel.keyboard.press('r');
    await heading(panel, '1 draft').waitFor();
    expect((await inputs(panel, 'memory_drafts')).filter(({ action }) => action !== undefined)).toEqual([
      { action: 'accept', ids: ['fix-the-pool-timeout-9f3a'] },
      { action: 'reject', ids: ['d1'] },
    ]);
    await button(panel, 'Undo').click();
    await heading(panel, '2 drafts').waitFor();
  });

  it('accepts a draft with another text', async () => {
    const panel = await opened('Drafts', setup);
    await button(panel, 'Edit…: ls-src-1c2d').click();
    await panel.getByRole('textbox', { name: 'Text of ls-src-1c2d' }).fill('Sources are below src.');
    await panel.keyboard.press('Control+Enter');
    await heading(panel, '2 drafts').waitFor();
    expect((await inputs(panel, 'memory_drafts')).filter(({ action }) => action !== undefined)).toEqual([
      { action: 'accept', ids: ['ls-src-1c2d'], content: 'Sources are below src.' },
    ]);
  });

  it('rejects many at once', async () => {
    const panel = await opened('Drafts', setup);
    await button(panel, 'Select all').click();
    await heading(panel, '3 selected').waitFor();
    await button(panel, /^Reject$/).click();
    await heading(panel, 'No drafts wait.').waitFor();
  });

  it('shows what promoting would accept and why others wait, then accepts just these', async () => {
    const panel = await opened('Drafts', setup);
    await button(panel, 'Preview promotion').click();
    await panel.getByText('confidence 0.25').waitFor();
    await button(panel, 'Accept 2').click();
    await panel.getByText('Accepted 2 drafts.').first().waitFor();
    await panel.getByRole('listitem', { name: /^ls-src/ }).waitFor();
    await heading(panel, '1 draft').waitFor();
  });
});

describe('the archive view', { timeout: 30_000 }, () => {
  it('shows what would be archived, does it, finds it, and restores it', async () => {
    const panel = await opened('Archive', { count: 130 });
    await button(panel, 'Archive old entries…').click();
    await panel.getByText('10 entries would be taken out of recall.').waitFor();
    await button(panel, 'Archive 10').click();
    await panel.getByText('Archived 10 entries.').first().waitFor();
    const list = panel.getByRole('listbox', { name: 'Archived entries' });
    await panel.getByRole('textbox', { name: 'Search memory' }).fill('retry-policy-120');
    await panel.getByRole('option', { name: /^retry-policy-120/ }).waitFor();
    await list.focus();
    await panel.keyboard.press('r');
    await heading(panel, 'Nothing matches.').waitFor();
    expect(await inputs(panel, 'memory_forget')).toEqual([{ key: 'e0000120', action: 'restore' }]);
  });
});

describe('conflicts', { timeout: 30_000 }, () => {
  const open = async (setup: Setup) => {
    const panel = await opened('Health', setup);
    await button(panel, /^(Review|Look for conflicts)$/).click();
    return panel;
  };

  it('stand side by side until one is kept, and that is taken back', async () => {
    const panel = await open({ count: 3, entries: CONTRADICTED });
    await panel.locator('ins', { hasText: 'ten' }).waitFor();
    await button(panel, /^Keep this: .*claude-code/).click();
    await heading(panel, 'No conflicts.').waitFor();
    const [edit] = await inputs(panel, 'memory_edit');
    expect(edit).toMatchObject({ key: 'retry', content: expect.stringContaining('at most ten times') });
    await button(panel, 'Undo').click();
    await panel.locator('ins', { hasText: 'ten' }).waitFor();
  });

  it('between entries end with a link, or with one entry', async () => {
    const setup: Setup = { count: 3, care: { similar: [['e0000000', 'e0000002']] } };
    for (const [choice, tools] of [
      ['Keep both', { memory_edit: [{ key: 'e0000000', add_links: ['build-cache'] }], memory_forget: [] }],
      [
        /^Keep this: build-cache/,
        {
          memory_edit: [],
          memory_forget: [{ key: 'e0000000', action: 'supersede', new_key: 'e0000002' }],
        },
      ],
    ] as const) {
      const panel = await open(setup);
      await panel.getByRole('combobox', { name: 'Which conflicts' }).click();
      await panel.getByRole('option', { name: 'Entries that say nearly the same' }).click();
      await button(panel, choice).click();
      await heading(panel, 'No conflicts.').waitFor();
      for (const [tool, made] of Object.entries(tools)) expect(await inputs(panel, tool)).toEqual(made);
    }
  });
});
