/** A person applies files and hunks of a task's work, and decides on what was left behind. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LeftView } from '../../src/subagentProtocol.ts';
import { calls, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

const hunk = (start: number) => ({
  ...{ header: '', oldStart: start, oldLines: 1, newStart: start, newLines: 1 },
  lines: [{ kind: 'added' as const, text: `line ${start}` }],
});
const file = (path: string, status: 'modified' | 'added' = 'modified') => ({
  ...{ path, status, added: 2, removed: 1, binary: false },
});
const FILES = [file('src/a.ts'), file('src/b.ts', 'added')];
const DIFFS = { 'src/a.ts': { hunks: [hunk(10), hunk(40)] }, 'src/b.ts': { hunks: [hunk(1)] } };
const TASK = { id: '0-Login', name: 'Login', files: FILES };

const open = async (landing: object = { state: 'waiting' }, setup: Setup = {}) => {
  const batches = [{ id: 'b1', agent: 'task', tasks: [{ ...TASK, landing }] }];
  const panel = await harness.open(
    { panel: 'subagents', subagents: { batches, diffs: DIFFS }, ...setup },
    {},
  );
  await panel.getByRole('treeitem').nth(1).click();
  await panel.getByRole('heading', { level: 1 }).waitFor();
  return panel;
};
const button = (panel: Page, name: string | RegExp) =>
  panel.getByRole('button', { name, exact: typeof name === 'string' });
const change = (panel: Page, name: RegExp) => panel.getByRole('group', { name });
const inputs = async (panel: Page, tool: string) => (await calls(panel, tool)).map(({ input }) => input);
const TARGET = { batch: 'b1', task: '0-Login' };

describe('a part of a task’s work', { timeout: 30_000 }, () => {
  it('is applied by hunk, shown as applied, and taken back', async () => {
    const panel = await open();
    await button(panel, /^src\/a\.ts/).click();
    await button(panel, 'Apply change 2 (A)').click();
    await change(panel, /^Change 2 of 2, line 40, applied$/).waitFor();
    await button(panel, /^src\/a\.ts.*partly applied$/).waitFor();
    await panel.getByText('A part of it is in your folder.').waitFor();
    expect(await inputs(panel, 'subagents_apply')).toEqual([{ ...TARGET, path: 'src/a.ts', hunk: 1 }]);
    await button(panel, 'Revert change 2').click();
    await change(panel, /^Change 2 of 2, line 40$/).waitFor();
    expect(await inputs(panel, 'subagents_revert')).toEqual([{ ...TARGET, path: 'src/a.ts', hunk: 1 }]);
    await button(panel, 'Undo').click();
    await change(panel, /^Change 2 of 2, line 40, applied$/).waitFor();
    await button(panel, 'Apply change 1 (A)').click();
    await button(panel, /^src\/a\.ts.*, applied$/).waitFor();
    await button(panel, 'Take src/a.ts back').click();
    await change(panel, /^Change 1 of 2, line 10$/).waitFor();
    expect((await inputs(panel, 'subagents_revert')).at(-1)).toEqual({ ...TARGET, path: 'src/a.ts' });
  });

  it('is applied by file; a new file has no hunks of its own', async () => {
    const panel = await open();
    await button(panel, /^src\/b\.ts/).click();
    await change(panel, /^Change 1 of 1/).waitFor();
    expect(await button(panel, /^Apply change/).count()).toBe(0);
    await button(panel, 'Apply src/b.ts').click();
    await button(panel, /^src\/b\.ts.*, applied$/).waitFor();
    expect(await inputs(panel, 'subagents_apply')).toEqual([{ ...TARGET, path: 'src/b.ts' }]);
    await button(panel, 'Undo').click();
    await button(panel, 'Apply src/b.ts').waitFor();
  });

  it('is applied with the keyboard, and the focus stays with it', async () => {
    const panel = await open();
    await button(panel, /^src\/b\.ts/).focus();
    await panel.keyboard.press('a');
    await button(panel, /^src\/b\.ts.*, applied$/)
      .and(panel.locator(':focus'))
      .waitFor();
    await panel.keyboard.press('a');
    await button(panel, /^src\/a\.ts/).click();
    await change(panel, /^Change 1 of 2/).waitFor();
    await panel.keyboard.press('n');
    await panel.keyboard.press('a');
    await change(panel, /^Change 1 of 2, line 10, applied$/)
      .and(panel.locator(':focus'))
      .waitFor();
    await panel.keyboard.press('n');
    await change(panel, /^Change 2 of 2/)
      .and(panel.locator(':focus'))
      .waitFor();
    // What is there already is not applied again.
    expect((await inputs(panel, 'subagents_apply')).length).toBe(2);
  });

  it('that conflicts says so beside it, to screen readers too, until it is tried again', async () => {
    const panel = await open({ state: 'waiting' }, { failing: { subagents_apply: 'src/a.ts differs.' } });
    await button(panel, /^src\/a\.ts/).click();
    await button(panel, 'Apply change 1 (A)').click();
    const alert = change(panel, /^Change 1 of 2/).getByRole('alert');
    expect(await alert.textContent()).toBe('Not applied: src/a.ts differs.');
    expect(
      await change(panel, /^Change 2 of 2/)
        .getByRole('alert')
        .count(),
    ).toBe(0);
    await panel.evaluate(() => {
      delete window.fakeHost.failing.subagents_apply;
    });
    await button(panel, 'Apply change 1 (A)').click();
    await change(panel, /^Change 1 of 2, line 10, applied$/).waitFor();
    await alert.waitFor({ state: 'detached' });
  });

  it.each([
    ['is not trusted', { state: 'waiting' }, { trusted: false }],
    ['has it all', { state: 'applied' }, {}],
    [
      'has it all, with parts before the rest',
      {
        ...{ state: 'applied', landed: ['src/a.ts'] },
        parts: [{ path: 'src/a.ts', hunks: null, canRevert: false }],
      },
      {},
    ],
  ] as const)('is not offered where the folder %s', async (_, landing, setup) => {
    const panel = await open(landing, setup);
    await button(panel, /^src\/a\.ts/).click();
    await change(panel, /^Change 1 of 2/).waitFor();
    expect(await button(panel, /^(?:Apply|Take|Revert change)/).count()).toBe(0);
  });
});

const LEFT: readonly LeftView[] = [
  {
    ...{ kind: 'branch', id: 'refs/heads/lodeline/task/2-Keys-0a1b2c3d', task: '2-Keys', session: null },
    ...{
      time: Date.now() - 3 * 86_400_000,
      place: 'refs/heads/lodeline/task/2-Keys-0a1b2c3d',
      canRead: true,
    },
  },
  {
    ...{ kind: 'worktree', id: '/store/worktrees/s/0-Gone', task: '0-Gone', canRead: false, time: null },
    ...{ session: { title: 'Retry payments', source: 'copilot' }, place: '/store/worktrees/s/0-Gone' },
  },
];
const BATCHES = [{ id: 'b1', agent: 'task', tasks: [TASK] }];
const withLeft = (left = LEFT, batches: NonNullable<Setup['subagents']>['batches'] = BATCHES) => {
  const leftFiles = { [LEFT[0]?.id ?? '']: [file('src/keys.ts'), file('src/new.ts', 'added')] };
  return harness.open({ panel: 'subagents', subagents: { batches, left, leftFiles } }, { width: 300 });
};

describe('what was left behind', { timeout: 30_000 }, () => {
  it('is not spoken of where there is none', async () => {
    const panel = await withLeft([]);
    await panel.getByRole('treeitem').first().waitFor();
    await expect.poll(async () => (await calls(panel, 'subagents_left')).length).toBe(1);
    expect(await panel.getByText('Left behind').count()).toBe(0);
  });

  it('is told of below the list, with what it is, and stays open', async () => {
    const panel = await withLeft();
    const fold = button(panel, /^Left behind\s*2$/);
    await fold.click();
    const items = panel.getByRole('listitem');
    expect(await items.nth(0).textContent()).toMatch(
      /2-Keys\s*branch[\s\S]*3d ago[\s\S]*lodeline\/task\/2-Keys-0a1b2c3d/,
    );
    expect(await items.nth(1).textContent()).toMatch(/0-Gone\s*worktree · Retry payments/);
    await items.nth(1).getByText('remove it by hand').waitFor();
    expect(await items.nth(1).getByRole('button').allInnerTexts()).toEqual(['Copy the name']);
    await button(panel, 'Open changes: 2-Keys').click();
    expect(await posted(panel, 'openLeft')).toEqual([{ type: 'openLeft', kind: 'branch', id: LEFT[0]?.id }]);
    await panel.waitForTimeout(250);
    await panel.reload();
    await items.nth(0).waitFor();
  });

  it('is open by itself where nothing else is there', async () => {
    const panel = await withLeft(LEFT, []);
    await panel.getByText('No subagents have run yet.').waitFor();
    await button(panel, 'Apply: 2-Keys').waitFor();
  });

  it.each(['Apply', 'Discard'] as const)(
    'is asked about with what it changes, and undone: %s',
    async (name) => {
      const panel = await withLeft();
      await button(panel, /^Left behind/).click();
      await button(panel, `${name}: 2-Keys`).click();
      const question = panel.getByRole('alertdialog');
      await question.getByText('2 files').waitFor();
      await question.getByText('src/new.ts').waitFor();
      await panel.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      await button(panel, /^Left behind/)
        .and(panel.locator(':focus'))
        .waitFor();
      const tool = `subagents_left_${name.toLowerCase()}`;
      expect(await calls(panel, tool)).toEqual([]);
      await button(panel, `${name}: 2-Keys`).click();
      await question.getByRole('button', { name }).click();
      await button(panel, `${name}: 2-Keys`).waitFor({ state: 'detached' });
      expect(await inputs(panel, tool)).toEqual([{ kind: 'branch', id: LEFT[0]?.id }]);
      await button(panel, 'Undo').click();
      await button(panel, `${name}: 2-Keys`).waitFor();
    },
  );

  it('that cannot be looked at says why, and nothing is asked', async () => {
    const panel = await withLeft();
    await panel.evaluate(() => {
      window.fakeHost.failing.subagents_left_files = 'The folder is gone.';
    });
    await button(panel, /^Left behind/).click();
    await button(panel, 'Discard: 2-Keys').click();
    await panel.getByText('The folder is gone.').first().waitFor();
    expect(await panel.getByRole('alertdialog').count()).toBe(0);
  });
});
