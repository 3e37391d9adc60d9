import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { calls, errorsOf, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

type Batches = NonNullable<NonNullable<Setup['subagents']>['batches']>;

const FILE = { path: 'src/a.ts', status: 'modified', added: 3, removed: 1, binary: false } as const;
const RUNNING = {
  id: 'b3',
  agent: 'task',
  session: { id: 's1', title: 'Retries', source: 'copilot' },
  tasks: [
    {
      id: '4-Metrics',
      name: 'Metrics',
      description: 'Count them',
      status: 'running',
      progress: { current: { tool: 'edit', args: 'src/m.ts', at: 1 }, tokens: 48_210, tools: 3 },
    },
    { id: '5-Docs', name: 'Docs', status: 'pending', started: null },
  ],
} as const;
const ENDED = {
  id: 'b2',
  agent: 'explore',
  live: false,
  tasks: [
    { id: '0-Client', name: 'Client', files: [FILE], landing: { state: 'waiting' } },
    { id: '1-Keys', name: 'Keys', files: [FILE], landing: { state: 'applied' } },
    { id: '2-Errors', name: 'Errors', status: 'failed', error: 'It never called yield.' },
  ],
} as const;
const OLD = {
  id: 'b1',
  agent: 'reviewer',
  live: false,
  tasks: [{ id: '0-Review', name: 'Review' }],
} as const;
const BATCHES: Batches = [RUNNING, ENDED, OLD];

const open = (batches: Batches = BATCHES, setup: Setup = {}, width = 300) =>
  harness.open({ panel: 'subagents', subagents: { batches }, ...setup }, { width });
const tree = (panel: Page) => panel.getByRole('tree', { name: 'Subagents' });
const item = (panel: Page, name: string | RegExp) => panel.getByRole('treeitem', { name });
const button = (panel: Page, name: string | RegExp) =>
  panel.getByRole('button', { name, exact: typeof name === 'string' });
const active = (panel: Page) => panel.locator('.row.active').getAttribute('aria-label');
const status = (panel: Page, text: string | RegExp) => panel.getByRole('status').getByText(text).waitFor();
const scrollTop = (panel: Page) => panel.locator('.tree').evaluate((element) => element.scrollTop);
const inputs = async (panel: Page, tool: string) => (await calls(panel, tool)).map(({ input }) => input);
/** Changes one task as the process that runs it does. */
const change = (panel: Page, batch: string, task: string, to: Record<string, unknown>) =>
  panel.evaluate(
    ([inBatch, id, value]) => {
      const found = window.fakeHost.subagents.batches.find((each) => each.id === inBatch);
      if (found === undefined) throw new Error('no such batch');
      found.tasks = found.tasks.map((each) => (each.id === id ? { ...each, ...value } : each));
      window.fakeHost.changed();
    },
    [batch, task, to] as const,
  );

describe('the tree', { timeout: 30_000 }, () => {
  it('tells batches with their tasks, and opens what runs and the latest only', async () => {
    const panel = await open();
    const batch = item(panel, 'task, running, 0 of 2 done, Retries');
    await batch.waitFor();
    expect(await batch.getAttribute('aria-expanded')).toBe('true');
    expect(await batch.getAttribute('aria-level')).toBe('1');
    expect(await batch.getAttribute('aria-setsize')).toBe('3');
    const task = item(panel, 'Docs, waiting');
    expect(await task.getAttribute('aria-level')).toBe('2');
    expect(await task.getAttribute('aria-posinset')).toBe('2');
    expect(await task.getAttribute('aria-setsize')).toBe('2');
    await panel.getByText('edit src/m.ts').waitFor();
    await panel.getByText(/48\.2K tokens · 1m \d+s/).waitFor();
    const ended = item(panel, 'explore, 2 of 3 done, 1 failed · 1 to review · 1 applied');
    expect(await ended.getAttribute('aria-expanded')).toBe('false');
    expect(await item(panel, /^Client/).count()).toBe(0);
    await ended.click();
    await item(panel, 'Client, to review').waitFor();
    await panel.getByText('It never called yield.').waitFor();
  });

  it('does not take an open task of a process that is gone for running', async () => {
    const panel = await open([
      { ...RUNNING, live: false, tasks: [{ ...RUNNING.tasks[0], status: 'interrupted' }] },
    ]);
    await item(panel, 'task, 0 of 1 done, 1 interrupted, Retries').waitFor();
    await item(panel, /^Metrics, interrupted/).waitFor();
  });

  it.each([
    ['interrupted', 'applied', 'interrupted · applied', '1 interrupted · 1 applied', 'done'],
    ['cancelled', 'applied', 'cancelled · applied', '1 cancelled · 1 applied', 'done'],
    ['failed', 'discarded', 'failed · discarded', '1 failed', 'discarded'],
    ['failed', 'reverted', 'failed · reverted', '1 failed', 'reverted'],
    ['interrupted', 'waiting', 'to review', '1 to review', 'waiting'],
    ['failed', 'recoverable', 'failed', '1 failed', 'failed'],
    ['failed', 'no_changes', 'failed', '1 failed', 'failed'],
  ] as const)(
    'says of a task that is %s and whose work is %s: %s',
    async (status, state, said, counted, sign) => {
      const task = { id: '0-Half', name: 'Half', status, landing: { state } };
      const panel = await open([{ ...OLD, tasks: [task] }], {}, 900);
      await item(panel, `Half, ${said}`).getByText(said, { exact: true }).waitFor();
      await item(panel, `reviewer, 0 of 1 done, ${counted}`).waitFor();
      expect(await panel.locator('.row.batch').getAttribute('class')).toContain(sign);
      await item(panel, `Half, ${said}`).click();
      await panel.locator('lode-task').getByText(said, { exact: true }).waitFor();
    },
  );

  it('does not take a batch for done of which nothing is there', async () => {
    const tasks = (['reverted', 'discarded'] as const).map((state) => ({ name: state, landing: { state } }));
    const panel = await open([{ ...OLD, tasks }]);
    await item(panel, /^reverted/).waitFor();
    expect(await panel.locator('.row.batch').getAttribute('class')).toMatch(/reverted|discarded/);
  });

  it('says what it is for when there is nothing, with the one next step', async () => {
    const panel = await open([]);
    await panel.getByRole('heading', { name: 'No subagents have run yet.' }).waitFor();
    await panel.getByText('Ask an agent in a chat to split its work with the task tool.').waitFor();
  });

  it('says why it could not be read, and tries again', async () => {
    const panel = await open(BATCHES, { failing: { subagents_show: 'The store is gone.' } });
    await panel.getByText('The store is gone.').waitFor();
    await panel.evaluate(() => {
      delete window.fakeHost.failing.subagents_show;
    });
    await button(panel, 'Retry').click();
    await item(panel, /^Metrics/).waitFor();
  });

  it('is used with the keyboard alone', async () => {
    const panel = await open();
    await item(panel, /^task/).waitFor();
    await tree(panel).focus();
    const press = async (...keys: string[]) => {
      for (const key of keys) await panel.keyboard.press(key);
      return active(panel);
    };
    expect(await press('Home', 'ArrowRight')).toMatch(/^Metrics/);
    expect(await press('ArrowLeft')).toMatch(/^task/);
    await press('ArrowLeft');
    await item(panel, /^Metrics/).waitFor({ state: 'detached' });
    expect(await press('ArrowDown')).toMatch(/^explore/);
    await press('ArrowRight');
    await item(panel, /^Client/).waitFor();
    expect(await press('End')).toMatch(/^reviewer/);
    expect(await press('k')).toMatch(/^Keys/);
    const id = await tree(panel).getAttribute('aria-activedescendant');
    expect(await panel.locator(`#${id}`).getAttribute('aria-label')).toMatch(/^Keys/);
    await press('Enter');
    await panel.getByRole('heading', { name: 'Keys' }).and(panel.locator(':focus')).waitFor();
    await panel.keyboard.press('Escape');
    await tree(panel).and(panel.locator(':focus')).waitFor();
    expect(await active(panel)).toMatch(/^Keys/);
  });

  it('offers in its menu what is possible now', async () => {
    const panel = await open();
    await item(panel, /^Metrics/).click({ button: 'right' });
    const names = () => panel.getByRole('menuitem').allInnerTexts();
    expect((await names()).map((name) => name.split('\n')[0])).toEqual(['Show details', 'Cancel task']);
    await panel.keyboard.press('Escape');
    await item(panel, /^explore/).click();
    await item(panel, /^Client/).click({ button: 'right' });
    expect((await names()).map((name) => name.split('\n')[0])).toEqual([
      'Show details',
      'Open changes',
      'Apply',
      'Discard',
    ]);
    await panel.getByRole('menuitem', { name: 'Open changes' }).click();
    expect(await posted(panel, 'openChanges')).toEqual([
      { type: 'openChanges', batch: 'b2', task: '0-Client' },
    ]);
  });

  it('leads to what waits for review, one after the other', async () => {
    const other = { ...OLD, tasks: [{ id: '0-X', name: 'Other', landing: { state: 'waiting' } }] } as const;
    const panel = await open([RUNNING, ENDED, other], {}, 900);
    await button(panel, '2 to review').click();
    await panel.getByRole('heading', { name: 'Client' }).waitFor();
    await button(panel, '2 to review').click();
    await panel.getByRole('heading', { name: 'Other' }).waitFor();
    await item(panel, /^Other/).waitFor();
  });
});

describe('a live change', { timeout: 30_000 }, () => {
  const MANY: Batches = [
    RUNNING,
    ...Array.from({ length: 40 }, (_, at) => ({ ...OLD, id: `o${at}`, agent: `old${at}` })),
  ];

  it('keeps what is open, the active line, the focus and the place in the tree', async () => {
    const panel = await open(MANY);
    await item(panel, /^task/).waitFor();
    await tree(panel).focus();
    await panel.keyboard.press('End');
    await panel.keyboard.press('PageUp');
    const name = await active(panel);
    const place = () =>
      panel.locator('.row.active').evaluate((element) => element.getBoundingClientRect().top);
    const before = await place();
    await panel.evaluate(() => {
      window.fakeHost.subagents.add({
        id: 'new',
        agent: 'newest',
        tasks: [{ name: 'First', status: 'running' }, {}],
      });
      window.fakeHost.changed();
    });
    await status(panel, 'newest: 2 tasks');
    expect(await active(panel)).toBe(name);
    expect(await place()).toBe(before);
    await tree(panel).and(panel.locator(':focus')).waitFor();
    await panel.keyboard.press('Home');
    await item(panel, /^newest/).waitFor();
    expect(await item(panel, /^task/).getAttribute('aria-expanded')).toBe('true');
  });

  it('does not move what is looked at without the focus either', async () => {
    const panel = await open(MANY);
    await item(panel, /^task/).waitFor();
    await panel.locator('.tree').evaluate((element) => {
      element.scrollTop = 700;
    });
    await item(panel, /^old18/).waitFor();
    const place = () => item(panel, /^old18/).evaluate((element) => element.getBoundingClientRect().top);
    const before = await place();
    await panel.evaluate(() => {
      window.fakeHost.subagents.add({ id: 'new', agent: 'newest', tasks: [{}, {}] });
      window.fakeHost.changed();
    });
    await expect.poll(() => scrollTop(panel)).toBeGreaterThan(700);
    expect(await place()).toBe(before);
  });

  it('does not fold a batch that ends, until the panel is loaded again', async () => {
    const panel = await open([OLD, RUNNING]);
    await item(panel, /^Metrics/).waitFor();
    await change(panel, 'b3', '4-Metrics', { status: 'completed', ended: 1 });
    await change(panel, 'b3', '5-Docs', { status: 'cancelled', ended: 1 });
    await item(panel, 'Metrics, done, Count them').waitFor();
    await item(panel, 'Docs, cancelled').waitFor();
  });

  it('tells screen readers what changed state, all of it at once, and never of progress', async () => {
    const panel = await open();
    await item(panel, /^Metrics/).waitFor();
    await tree(panel).focus();
    await panel.evaluate(() => {
      const heard: string[] = [];
      Object.assign(window, { heard });
      const region = document
        .querySelector('lodeline-subagents')
        ?.shadowRoot?.querySelector('lode-toast')
        ?.shadowRoot?.querySelector('[role=status]');
      if (region)
        new MutationObserver(() => heard.push(region.textContent ?? '')).observe(region, {
          childList: true,
          characterData: true,
          subtree: true,
        });
    });
    await change(panel, 'b3', '4-Metrics', { progress: { recent: [], lines: [], tools: 4, tokens: 50_000 } });
    await panel.getByText(/50K tokens/).waitFor();
    await change(panel, 'b3', '4-Metrics', { status: 'failed', error: 'no' });
    await change(panel, 'b3', '5-Docs', { status: 'running' });
    await status(panel, 'Metrics: failed. Docs: running');
    expect(await panel.evaluate(() => Reflect.get(window, 'heard'))).toEqual([
      'Metrics: failed. Docs: running',
    ]);
  });

  it('that comes while another one is being read is read once, after it', async () => {
    const panel = await open();
    await item(panel, /^Metrics/).waitFor();
    await panel.evaluate(() => {
      window.fakeHost.delay = 8_000;
    });
    for (let step = 0; step < 5; step++) {
      await panel.evaluate(() => window.fakeHost.changed());
      await panel.waitForTimeout(120);
    }
    expect((await calls(panel, 'subagents_show')).length).toBe(2);
    await panel.evaluate(() => {
      window.fakeHost.delay = 0;
    });
    await change(panel, 'b3', '5-Docs', { status: 'failed', error: 'no' });
    await item(panel, 'Docs, failed').waitFor({ timeout: 15_000 });
  });

  it('is remembered over a reload: open batches, the active line, the task', async () => {
    const panel = await open();
    await item(panel, /^explore/).click();
    await item(panel, /^Client/).click();
    await panel.getByRole('heading', { name: 'Client' }).waitFor();
    await panel.waitForTimeout(250);
    await panel.reload();
    await panel.getByRole('heading', { name: 'Client' }).waitFor();
    await button(panel, 'Back to the list').click();
    expect(await active(panel)).toMatch(/^Client/);
  });
});

describe('what a person does', { timeout: 30_000 }, () => {
  const at = async (name: string, setup: Setup = {}) => {
    const panel = await open(BATCHES, setup);
    await item(panel, /^explore/).click();
    await item(panel, new RegExp(`^${name}`)).click();
    await panel.getByRole('heading', { name }).waitFor();
    return panel;
  };

  it('is shown before it happens: which files, and how much', async () => {
    const panel = await at('Client');
    await button(panel, 'Apply').click();
    const asked = panel.getByRole('alertdialog', { name: 'Apply' });
    await asked.getByText('Apply the changes of “Client” to your folder?').waitFor();
    await asked.getByText('src/a.ts').waitFor();
    await asked.getByText('+3').first().waitFor();
    expect(await calls(panel, 'subagents_apply')).toEqual([]);
    await panel.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
    await panel.getByRole('heading', { name: 'Client' }).and(panel.locator(':focus')).waitFor();
    expect(await calls(panel, 'subagents_apply')).toEqual([]);
  });

  it('applies, says what the host says, and takes it back where the host offers that', async () => {
    const panel = await at('Client');
    await panel.evaluate(() => {
      window.fakeHost.subagents.answers.subagents_apply = {
        text: 'Applied 1 file.',
        data: { undo: 'subagents_revert' },
      };
      window.fakeHost.subagents.answers.subagents_revert = {
        data: { phrase: { text: 'Took back {0}.', values: ['it'] } },
      };
    });
    await button(panel, 'Apply').click();
    await panel.keyboard.press('Enter');
    await status(panel, 'Applied 1 file.');
    await panel.getByText('Its changes are in your folder.').waitFor();
    await button(panel, 'Undo').click();
    await panel.getByText('Its changes were taken out of your folder again.').waitFor();
    expect(await inputs(panel, 'subagents_apply')).toEqual([{ batch: 'b2', task: '0-Client' }]);
    expect(await inputs(panel, 'subagents_revert')).toEqual([{ batch: 'b2', task: '0-Client' }]);
  });

  it.each([
    ['Client', 'Discard', 'subagents_discard', 'Its work was discarded.'],
    ['Keys', 'Revert', 'subagents_revert', 'Its changes were taken out of your folder again.'],
  ] as const)('asks about %s → %s with the safe answer first', async (name, act, tool, then) => {
    const panel = await at(name);
    await button(panel, act).click();
    await button(panel, 'Keep it').and(panel.locator(':focus')).waitFor();
    await panel.keyboard.press('Enter');
    expect(await calls(panel, tool)).toEqual([]);
    await button(panel, act).click();
    await panel.getByRole('alertdialog').getByRole('button', { name: act }).click();
    await panel.getByText(then).waitFor();
    expect((await inputs(panel, tool)).length).toBe(1);
  });

  it('tells an error as one, and changes nothing', async () => {
    const panel = await at('Client', { failing: { subagents_apply: 'src/a.ts has changed.' } });
    await button(panel, 'Apply').click();
    await panel.keyboard.press('Enter');
    await status(panel, 'src/a.ts has changed.');
    await button(panel, 'Apply').waitFor();
    expect(await button(panel, 'Undo').count()).toBe(0);
  });

  it('cannot be done twice while it is on its way', async () => {
    const panel = await at('Errors');
    await panel.evaluate(() => {
      window.fakeHost.delay = ({ tool }) => (tool === 'subagents_retry' ? Number.POSITIVE_INFINITY : 0);
    });
    await button(panel, 'Retry').click();
    await panel.locator('vscode-button[disabled]', { hasText: 'Retry' }).waitFor();
    expect(await inputs(panel, 'subagents_retry')).toEqual([{ batch: 'b2', task: '2-Errors' }]);
  });

  it('cancels a whole batch, after a question', async () => {
    const panel = await open();
    await item(panel, /^task/).click({ button: 'right' });
    await panel.getByRole('menuitem', { name: 'Cancel all' }).click();
    await panel.getByText('Cancel the 2 open tasks of “task”?').waitFor();
    await panel.getByRole('alertdialog').getByRole('button', { name: 'Cancel all' }).click();
    await item(panel, 'Metrics, cancelled, Count them').waitFor();
    expect(await inputs(panel, 'subagents_cancel')).toEqual([{ batch: 'b3' }]);
  });

  it('is not asked about any more when it has become impossible', async () => {
    const panel = await at('Client');
    await button(panel, 'Discard').click();
    await panel.getByRole('alertdialog').waitFor();
    await change(panel, 'b2', '0-Client', { landing: { state: 'applied' } });
    await panel.getByRole('alertdialog').waitFor({ state: 'detached' });
    expect(await calls(panel, 'subagents_discard')).toEqual([]);
  });

  it('gives the focus back to where the question came from, and only if it had it', async () => {
    const panel = await open(BATCHES, {}, 900);
    await item(panel, /^explore/).click();
    await item(panel, /^Client/).click();
    await button(panel, 'Discard').click();
    await button(panel, 'Keep it').and(panel.locator(':focus')).waitFor();
    await panel.keyboard.press('Escape');
    await panel.getByRole('heading', { name: 'Client' }).and(panel.locator(':focus')).waitFor();
    await item(panel, /^Keys/).click({ button: 'right' });
    await panel.getByRole('menuitem', { name: 'Revert' }).click();
    await button(panel, 'Keep it').and(panel.locator(':focus')).waitFor();
    await panel.keyboard.press('Escape');
    await tree(panel).and(panel.locator(':focus')).waitFor();
    await button(panel, 'Discard').click();
    await panel.getByRole('alertdialog').waitFor();
    await button(panel, 'Open changes').focus();
    await change(panel, 'b2', '0-Client', { landing: { state: 'applied' } });
    await panel.getByRole('alertdialog').waitFor({ state: 'detached' });
    await button(panel, 'Open changes').and(panel.locator(':focus')).waitFor();
  });

  it('is not offered where the folder is not trusted; reading is', async () => {
    const panel = await at('Client', { trusted: false });
    await panel.getByText('Read only, because this folder is not trusted.').waitFor();
    expect(await button(panel, /^(?:Apply|Discard|Revert|Retry|Cancel)/).count()).toBe(0);
    await button(panel, 'Open changes').waitFor();
    await button(panel, 'Back to the list').click();
    await item(panel, /^Errors/).click({ button: 'right' });
    expect((await panel.getByRole('menuitem').allInnerTexts()).map((name) => name.split('\n')[0])).toEqual([
      'Show details',
    ]);
  });
});

describe('many batches', { timeout: 60_000 }, () => {
  it('render only what is in view, 500 of them with 50 tasks each', async () => {
    const tasks = Array.from({ length: 50 }, (_, at) => ({
      id: `${at}-T`,
      name: `T${at}`,
      description: 'some words',
    }));
    const batches = Array.from({ length: 500 }, (_, at) => ({
      id: `b${at}`,
      agent: `agent${at}`,
      live: false,
      tasks,
    }));
    const panel = await open(batches);
    await item(panel, /^agent0,/).waitFor();
    // As with a person who opened all of them.
    await panel.evaluate(
      (ids) =>
        sessionStorage.setItem(
          'state',
          JSON.stringify({ version: 1, open: Object.fromEntries(ids.map((id) => [id, true])) }),
        ),
      batches.map(({ id }) => id),
    );
    await panel.reload();
    await item(panel, /^agent0,/).waitFor();
    await tree(panel).focus();
    await panel.keyboard.press('End');
    const last = item(panel, /^T49/).last();
    await last.waitFor();
    expect(await active(panel)).toMatch(/^T49/);
    expect(await last.getAttribute('aria-setsize')).toBe('50');
    expect(await panel.getByRole('treeitem').count()).toBeLessThan(80);
    await panel.evaluate(() => window.fakeHost.changed());
    await expect.poll(async () => (await calls(panel, 'subagents_show')).length).toBe(2);
    expect(await active(panel)).toMatch(/^T49/);
    expect(errorsOf(panel)).toEqual([]);
  });
});
