import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { calls, errorsOf, PanelHarness, posted, type Setup } from './harness/panel.ts';

let harness: PanelHarness;
beforeAll(async () => {
  harness = await PanelHarness.start();
}, 60_000);
afterEach(() => harness.closePages());
afterAll(() => harness.stop());

type Subagents = NonNullable<Setup['subagents']>;
type Task = NonNullable<NonNullable<NonNullable<Subagents['batches']>[number]>['tasks']>[number];

const file = (path: string, more: object = {}) => ({
  path,
  status: 'modified' as const,
  added: 2,
  removed: 1,
  binary: false,
  ...more,
});
const hunk = (start: number, text: string) => ({
  header: `at ${text}`,
  oldStart: start,
  oldLines: 2,
  newStart: start + 3,
  newLines: 3,
  lines: [
    { kind: 'context' as const, text: 'before' },
    { kind: 'removed' as const, text: `old ${text}` },
    { kind: 'added' as const, text: `new ${text}` },
    { kind: 'added' as const, text: 'last', noNewline: true as const },
  ],
});
const FILES = [file('src/a.ts'), file('src/b.ts', { status: 'added' }), file('docs/c.png', { binary: true })];
const DIFFS = {
  'src/a.ts': { hunks: [hunk(10, 'one'), hunk(40, 'two')] },
  'src/b.ts': { hunks: [hunk(1, 'three')] },
  'docs/c.png': { binary: true },
};

/** Opens the panel at its only task. */
const open = async (task: Task, setup: Setup = {}, diffs: Subagents['diffs'] = DIFFS, width = 300) => {
  const batches = [{ id: 'b1', agent: 'task', tasks: [{ id: '0-Login', name: 'Login', ...task }] }];
  const panel = await harness.open(
    { panel: 'subagents', subagents: { batches, diffs }, ...setup },
    { width },
  );
  await panel.getByRole('treeitem').nth(1).click();
  await panel.getByRole('heading', { level: 1 }).waitFor();
  return panel;
};
const button = (panel: Page, name: string | RegExp) => panel.getByRole('button', { name });
const focused = (panel: Page, name: string | RegExp) =>
  button(panel, name).and(panel.locator(':focus')).waitFor();
const change = (panel: Page, name: RegExp) => panel.getByRole('group', { name });
const update = (panel: Page, to: Record<string, unknown>) =>
  panel.evaluate((value) => {
    const batch = window.fakeHost.subagents.batches[0];
    if (batch === undefined) throw new Error('no batch');
    batch.tasks = batch.tasks.map((each) => ({ ...each, ...value }));
    window.fakeHost.changed();
  }, to);

describe('a task', { timeout: 30_000 }, () => {
  it('tells what it handed over, what it found, and what it was asked', async () => {
    const finding = {
      title: 'Charges twice',
      body: 'The key changes.',
      priority: 'P0',
      confidence: 1,
      file: 'src/key.ts',
      lineStart: 18,
      lineEnd: 20,
    } as const;
    const panel = await open({
      description: 'Sign in',
      preview: 'All done.',
      assignment: 'Please do it.',
      findings: [finding],
      progress: { tools: 3, tokens: 1_200 },
    });
    await panel.getByText('All done.').waitFor();
    await panel.getByText(/^task · in its own worktree · .* · 3 tool calls · 1\.2K tokens$/).waitFor();
    await button(panel, 'Open output').click();
    expect(await posted(panel, 'openArtifact')).toEqual([
      { type: 'openArtifact', batch: 'b1', id: '0-Login' },
    ]);
    await button(panel, 'src/key.ts:18').click();
    expect(await posted(panel, 'openFile')).toEqual([{ type: 'openFile', file: 'src/key.ts:18' }]);
    await button(panel, 'Copy findings').click();
    expect(await posted(panel, 'copy')).toEqual([
      { type: 'copy', text: 'P0 Charges twice\nsrc/key.ts:18\nThe key changes.' },
    ]);
    await panel.getByText('Assignment').click();
    await panel.getByText('Please do it.').waitFor();
  });

  it('tells what it does now while it runs', async () => {
    const current = { tool: 'edit', args: 'src/a.ts', at: 1 };
    const panel = await open({
      status: 'running',
      progress: {
        current,
        recent: [{ tool: 'read', args: 'b.ts', at: 0 }],
        lines: ['second', 'first'],
        tools: 2,
        tokens: 5,
      },
    });
    await panel.getByRole('heading', { name: 'Now' }).waitFor();
    expect(await panel.locator('.tool').allInnerTexts()).toEqual(['edit src/a.ts', 'read b.ts']);
    expect(await panel.locator('.said').textContent()).toMatch(/first\s*second/);
    await update(panel, { status: 'completed', ended: 1 });
    await panel.getByRole('heading', { name: 'Now' }).waitFor({ state: 'detached' });
  });

  it.each([
    ['no_changes', 'It changed no files.', []],
    ['applied', 'Its changes are in your folder.', ['Revert']],
    ['waiting', 'Waiting for your review. Nothing of it is in your folder yet.', ['Apply', 'Discard']],
    ['discarded', 'Its work was discarded.', []],
    ['reverted', 'Its changes were taken out of your folder again.', []],
    ['recoverable', 'Its changes are not in your folder.', []],
  ] as const)('whose work is %s says so and offers what follows', async (state, text, acts) => {
    const panel = await open({ landing: { state } });
    await panel.getByText(text).waitFor();
    expect(await panel.locator('.actions vscode-button').allInnerTexts()).toEqual(acts);
  });

  it('names where its work is kept, to be copied, and why it did not land', async () => {
    const recovery = 'refs/lodeline/recovery/b1/0-Login';
    const panel = await open({
      landing: { state: 'recoverable', reason: 'src/a.ts conflicts.', recovery },
      worktree: true,
    });
    await panel.locator('lode-task').getByText('src/a.ts conflicts.').waitFor();
    await panel.getByText(recovery).waitFor();
    await button(panel, 'Copy the name').click();
    expect(await posted(panel, 'copy')).toEqual([{ type: 'copy', text: recovery }]);
    await button(panel, 'Open worktree').click();
    expect(await posted(panel, 'openWorktree')).toEqual([
      { type: 'openWorktree', batch: 'b1', task: '0-Login' },
    ]);
    expect(await panel.locator('.actions vscode-button').allInnerTexts()).toEqual([
      'Apply',
      'Discard',
      'Open worktree',
    ]);
  });

  it('that ended well tells what is to be known of it all the same', async () => {
    const panel = await open({ warning: 'Git worktrees are used.', preview: 'All done.' });
    await panel.locator('lode-task .banner.warning').getByText('Git worktrees are used.').waitFor();
  });

  it('that ended badly says why and can be tried again', async () => {
    const panel = await open({ status: 'interrupted', error: 'The window was closed.' });
    await panel.locator('lode-task').getByText('The window was closed.').waitFor();
    await button(panel, 'Retry').click();
    expect((await calls(panel, 'subagents_retry')).map(({ input }) => input)).toEqual([
      { batch: 'b1', task: '0-Login' },
    ]);
  });

  it('is shown from its top, even when another batch has one of the same id', async () => {
    const panel = await open({ preview: 'line\n'.repeat(60), assignment: 'mine' }, {}, DIFFS, 900);
    await panel.getByText('Assignment').click();
    const body = panel.locator('.body');
    await body.evaluate((element) => element.scrollTo(0, 300));
    await panel.evaluate(() => {
      const preview = 'other\n'.repeat(60);
      window.fakeHost.subagents.add({
        id: 'b2',
        agent: 'b',
        tasks: [{ id: '0-Login', name: 'Twin', preview }],
      });
      window.fakeHost.changed();
    });
    await panel.getByRole('treeitem', { name: /^Twin/ }).click();
    await panel.getByRole('heading', { name: 'Twin' }).waitFor();
    expect(await body.evaluate((element) => element.scrollTop)).toBe(0);
    expect(await panel.locator('details').getAttribute('open')).toBeNull();
  });

  it('that is cleared away meanwhile leaves a way back', async () => {
    const panel = await open({});
    await panel.evaluate(() => {
      window.fakeHost.subagents.batches = [];
      window.fakeHost.subagents.add({ id: 'other', agent: 'other' });
      window.fakeHost.changed();
    });
    await panel.getByText('This task is not there any more.').waitFor();
    await button(panel, 'Back to the list').click();
    await panel.getByRole('treeitem', { name: /^other/ }).waitFor();
  });
});

describe('its changes', { timeout: 30_000 }, () => {
  it('are told by file, and opened line by line with what a screen reader needs', async () => {
    const panel = await open({ files: FILES });
    await panel.getByRole('heading', { name: '3 files, lines: 6 added, 3 removed' }).waitFor();
    await button(panel, 'src/a.ts, modified, lines: 2 added, 1 removed').click();
    await change(panel, /^Change 1 of 2, line 13$/).waitFor();
    expect((await calls(panel, 'subagents_diff')).map(({ input }) => input)).toEqual([
      { batch: 'b1', task: '0-Login', path: 'src/a.ts' },
    ]);
    const lines = change(panel, /^Change 1 of 2/).locator('.line');
    expect(await lines.nth(1).textContent()).toMatch(/^11\s*−\s*removed: old one$/);
    expect(await lines.nth(2).textContent()).toMatch(/^14\s*\+\s*added: new one$/);
    await panel.getByText('No line end at the end of the file').first().waitFor();
  });

  it('are gone through with the keyboard, over the files, and left again', async () => {
    const panel = await open({ files: FILES });
    await button(panel, /^src\/a\.ts/).focus();
    for (const [key, name] of [
      ['ArrowDown', /^src\/b/],
      ['ArrowDown', /^docs/],
      ['Home', /^src\/a/],
    ] as const) {
      await panel.keyboard.press(key);
      await focused(panel, name);
    }
    await panel.keyboard.press('ArrowRight');
    await change(panel, /^Change 1 of 2/).waitFor();
    const at = (name: RegExp) => change(panel, name).and(panel.locator(':focus')).waitFor();
    await panel.keyboard.press('n');
    await at(/^Change 1 of 2/);
    await panel.keyboard.press('Alt+ArrowDown');
    await at(/^Change 2 of 2/);
    await panel.keyboard.press('n');
    await at(/^Change 1 of 1/);
    await panel.keyboard.press('p');
    await at(/^Change 2 of 2/);
    await panel.keyboard.press('Alt+ArrowUp');
    await at(/^Change 1 of 2/);
    await panel.keyboard.press('Escape');
    await focused(panel, /^src\/a\.ts/);
    await panel.keyboard.press('ArrowLeft');
    await change(panel, /^Change/)
      .first()
      .waitFor({ state: 'detached' });
    await panel.keyboard.press('Escape');
    await panel.getByRole('tree').and(panel.locator(':focus')).waitFor();
  });

  it('are gone through with the mouse, too', async () => {
    const panel = await open({ files: FILES });
    await button(panel, /^src\/a\.ts/).click();
    await button(panel, 'Next change').click();
    await button(panel, 'Next change').click();
    await change(panel, /^Change 2 of 2/)
      .and(panel.locator(':focus'))
      .waitFor();
    await button(panel, 'Previous change').click();
    await change(panel, /^Change 1 of 2/)
      .and(panel.locator(':focus'))
      .waitFor();
  });

  it('never scroll the panel itself: its top stays in view wherever the person goes', async () => {
    const panel = await open({ files: FILES, preview: 'line\n'.repeat(60) });
    for (const key of ['n', 'n', 'n']) {
      await panel.keyboard.press(key);
      await change(panel, /^Change/)
        .and(panel.locator(':focus'))
        .waitFor();
    }
    await change(panel, /^Change 1 of 1/)
      .and(panel.locator(':focus'))
      .waitFor();
    const top = (name: RegExp) =>
      button(panel, name).evaluate((element) => element.getBoundingClientRect().top);
    expect(await top(/^Back to the list/)).toBeGreaterThanOrEqual(0);
    // The file's line stays above its changes.
    expect(await top(/^src\/b\.ts/)).toBeGreaterThan(0);
    expect(await panel.evaluate(() => document.querySelector('lodeline-subagents')?.scrollTop)).toBe(0);
  });

  it('wait for a file that is being read instead of passing it by', async () => {
    const panel = await open({ files: FILES });
    // Long enough for both presses to come while it is read, also on a slow machine.
    await panel.evaluate(() => {
      window.fakeHost.delay = 3_000;
    });
    await panel.keyboard.press('n');
    await focused(panel, /^src\/a\.ts/);
    await panel.keyboard.press('n');
    await change(panel, /^Change 1 of 2/)
      .and(panel.locator(':focus'))
      .waitFor();
  });

  it('stay open and in place while the task goes on, and are read again when they change', async () => {
    const panel = await open({ files: FILES, status: 'running', preview: 'line\n'.repeat(40) });
    await button(panel, /^src\/a\.ts/).click();
    await change(panel, /^Change 2 of 2/).waitFor();
    await panel.keyboard.press('n');
    await panel.locator('.body').evaluate((element) => element.scrollTo(0, 300));
    const place = () =>
      change(panel, /^Change 1 of 2/).evaluate((element) => element.getBoundingClientRect().top);
    const before = await place();
    await update(panel, { progress: { recent: [], lines: [], tools: 9, tokens: 9 } });
    await panel.getByText(/9 tool calls/).waitFor();
    await change(panel, /^Change 1 of 2/)
      .and(panel.locator(':focus'))
      .waitFor();
    expect(await place()).toBe(before);
    expect((await calls(panel, 'subagents_diff')).length).toBe(1);
    await panel.evaluate(() => {
      window.fakeHost.subagents.diffs['src/a.ts'] = { hunks: [] };
    });
    await update(panel, { files: [{ ...FILES[0], added: 7 }] });
    await panel.getByText('No line changed.').waitFor();
  });

  it.each([
    ['at once', 0],
    ['long after the changes were read', 300],
  ])('come back after a reload, with their place, when frames come %s', async (_, late) => {
    const panel = await open({ files: FILES, preview: 'line\n'.repeat(60) });
    await button(panel, /^src\/a\.ts/).click();
    await change(panel, /^Change 2 of 2/).waitFor();
    const body = panel.locator('.body');
    await body.evaluate((element) => element.scrollTo(0, 500));
    await expect.poll(() => panel.evaluate(() => sessionStorage.getItem('state'))).toContain(':500,');
    await panel.addInitScript((delay) => {
      const frame = window.requestAnimationFrame.bind(window);
      if (delay > 0) window.requestAnimationFrame = (run) => window.setTimeout(() => frame(run), delay);
    }, late);
    await panel.reload();
    await change(panel, /^Change 2 of 2/).waitFor();
    await expect.poll(() => body.evaluate((element) => element.scrollTop)).toBeGreaterThan(0);
    // Buttons, which stand above, take their size with a frame.
    const frames = () =>
      new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
    await panel.evaluate(frames);
    expect(await body.evaluate((element) => element.scrollTop)).toBe(500);
  });

  it('wrap where there is little room, and as the person likes from then on', async () => {
    const panel = await open({ files: FILES });
    await button(panel, /^src\/a\.ts/).click();
    const wrap = button(panel, 'Wrap long lines');
    expect(await wrap.getAttribute('aria-pressed')).toBe('true');
    await wrap.click();
    await button(panel, /^src\/b\.ts/).click();
    expect(await wrap.getAttribute('aria-pressed')).toBe('false');
    const wide = await open({ files: FILES }, {}, DIFFS, 1200);
    await button(wide, /^src\/a\.ts/).click();
    expect(await button(wide, 'Wrap long lines').getAttribute('aria-pressed')).toBe('false');
  });

  it('are left to the editor where they are binary, very long, or cut', async () => {
    const long = {
      ...hunk(1, 'x'),
      lines: Array.from({ length: 1_500 }, (_, at) => ({ kind: 'added' as const, text: `line ${at}` })),
    };
    const diffs = {
      ...DIFFS,
      'src/a.ts': { hunks: [long] },
      'src/b.ts': { hunks: [hunk(1, 'three')], truncated: true },
    };
    const panel = await open({ files: FILES }, {}, diffs);
    await button(panel, /^docs/).click();
    await panel.getByText('A binary file: its changes cannot be shown here.').waitFor();
    await button(panel, /^src\/b/).click();
    await panel.getByText('There is more than can be shown here.').waitFor();
    await button(panel, /^src\/a/).click();
    await panel.getByText('500 more lines are not shown here.').waitFor();
    expect(await panel.locator('.line').count()).toBe(1_000);
    await button(panel, 'Open in the editor').last().click();
    expect(await posted(panel, 'openChanges')).toEqual([
      { type: 'openChanges', batch: 'b1', task: '0-Login', path: 'src/a.ts' },
    ]);
  });

  it('that cannot be read say why, and are tried again', async () => {
    const panel = await open({ files: FILES }, { failing: { subagents_diff: 'The worktree is gone.' } });
    await button(panel, /^src\/a/).click();
    await panel.getByText('The worktree is gone.').waitFor();
    await panel.evaluate(() => {
      delete window.fakeHost.failing.subagents_diff;
    });
    await button(panel, 'Retry').click();
    await change(panel, /^Change 1 of 2/).waitFor();
  });

  it('of very many files are listed in part until all are asked for', async () => {
    const files = Array.from({ length: 1_000 }, (_, at) => file(`src/${at}.ts`));
    const panel = await open({ files });
    expect(await panel.locator('.file').count()).toBe(200);
    await button(panel, 'Show all 1,000 files').click();
    await button(panel, /^src\/999\.ts/).waitFor();
  });
});

const HOSTILE: readonly (readonly [string, string])[] = [
  ['markup', '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'],
  ['a command link', '[run](command:workbench.action.terminal.new) <a href="command:x">x</a>'],
  ['ANSI', '\u001b[31mred\u001b[0m\u0000'],
  ['a reversed line', 'photo\u202egpj.exe'],
  ['half a pair', 'x\ud83dy'],
  ['decomposed Hangul', '한글 파일'.normalize('NFD')],
  ['a template', '{{window.pwned=1}} </div>'],
  ['an empty text', ''],
  ['a very long word', 'x'.repeat(100_000)],
];

describe('text from agents and files', { timeout: 30_000 }, () => {
  it.each(HOSTILE)('is shown as text: %s', async (_, text) => {
    const use = { tool: text, args: text, at: 1 };
    const lines = [{ kind: 'added' as const, text }];
    const panel = await open(
      {
        name: text,
        description: text,
        assignment: text,
        error: text,
        warning: text,
        preview: text,
        status: 'failed',
        progress: { current: use, recent: [use], lines: [text], tools: 1, tokens: 1 },
        findings: [
          { title: text, body: text, priority: 'P1', confidence: 1, file: text, lineStart: 1, lineEnd: 1 },
        ],
        files: [file(text)],
        landing: { state: 'recoverable', reason: text, recovery: text },
      },
      { notices: [text] },
      { [text]: { hunks: [{ ...hunk(1, ''), header: text, lines }] } },
    );
    await panel.locator('.file').click();
    await change(panel, /^Change 1 of 1/).waitFor();
    await button(panel, 'Discard').first().click();
    await panel.getByRole('alertdialog').waitFor();
    const page = await panel.evaluate(() => {
      const foreign: string[] = [];
      const walk = (root: Document | ShadowRoot | Element) => {
        for (const element of root.querySelectorAll('*')) {
          if (/^(img|a|iframe|object|embed|form|video|audio)$/.test(element.localName))
            foreign.push(element.outerHTML);
          if (element.localName === 'script' && element.getRootNode() !== document)
            foreign.push(element.outerHTML);
          if (element.shadowRoot !== null) walk(element.shadowRoot);
        }
      };
      walk(document);
      const violations = window.fakeHost.violations.filter(
        ({ directive }) => !directive.startsWith('style-src'),
      );
      return { foreign, pwned: 'pwned' in window, violations, wide: document.documentElement.scrollWidth };
    });
    expect(page).toEqual({ foreign: [], pwned: false, violations: [], wide: 300 });
    expect(errorsOf(panel)).toEqual([]);
  });

  it('shows deceiving characters for what they are, and asks for a file by its true name', async () => {
    const path = 'src/photo\u202egpj.exe';
    const panel = await open(
      { name: 'a\u202eb', files: [file(path)] },
      {},
      {
        [path]: {
          hunks: [{ ...hunk(1, ''), lines: [{ kind: 'added', text: 'if (admin\u202e \u001b[31m) {' }] }],
        },
      },
    );
    await panel.getByRole('heading', { name: 'a[U+202E]b' }).waitFor();
    await button(panel, /src\/photo\[U\+202E\]gpj\.exe/).click();
    await panel.getByText('if (admin[U+202E] ␛[31m) {').waitFor();
    expect((await calls(panel, 'subagents_diff')).at(-1)?.input).toEqual({
      batch: 'b1',
      task: '0-Login',
      path,
    });
  });
});
