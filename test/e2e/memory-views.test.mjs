// @ts-check
/** The memory browser's other views in the real editor, over what an agent has saved through MCP. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openView, resizeSidebar, setTheme } from './harness/workbench.mjs';
import { command, memoryPanel, open, overMcp, picture, ROOT, shownThemes } from './support.mjs';

describe('the views of memory in the real editor', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let window;

  beforeAll(async () => {
    run = await open();
    window = await run.editor.openWindow();
    await overMcp(run, async (call) => {
      const save = async (/** @type {string} */ key, /** @type {string} */ content, rest = {}) =>
        await call('memory_remember', { category: 'decision', key, content, ...rest });
      await save('port', 'The server listens on 8080 behind the proxy.');
      await save('port', 'The server listens on 9090 behind the proxy.');
      await save('cache', 'The cache is cleared at night, see [[no-such-rule]].');
      await save('build', 'The build needs the lock file.', { file: 'gone.lock' });
    });
    await openView(window, 'Lodeline');
    await resizeSidebar(window, 420);
  }, 600_000);
  afterAll(async () => await run?.close());

  const tab = async (/** @type {RegExp} */ name) => {
    const panel = await memoryPanel(window);
    await panel.getByRole('tab', { name }).click();
    return panel;
  };

  it('counts what there is to look at', async () => {
    const panel = await memoryPanel(window);
    await panel.getByRole('tab', { name: /^Health, 3 to look at/ }).waitFor({ timeout: 60_000 });
  });

  it('mends what is wrong, one click each, and takes one back', async () => {
    const panel = await tab(/^Health/);
    await panel.getByText('[[no-such-rule]] leads nowhere').waitFor();
    await picture(window, 'health');
    await panel.getByRole('button', { name: 'Remove file: build' }).click();
    await panel.getByText('gone.lock is not there').waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Undo' }).click();
    await panel.getByText('gone.lock is not there').waitFor();
    await panel.getByRole('button', { name: 'Remove link: cache' }).click();
    await panel.getByText('[[no-such-rule]] leads nowhere').waitFor({ state: 'detached' });
  });

  it('decides between two texts under one key', async () => {
    const panel = await tab(/^Health/);
    await panel.getByRole('button', { name: 'Review' }).click();
    await panel.locator('ins', { hasText: '9090' }).waitFor();
    await picture(window, 'conflicts');
    await panel
      .getByRole('button', { name: /^Keep this: port/ })
      .last()
      .click();
    await panel.getByRole('heading', { name: 'No conflicts.' }).waitFor();
    const recalled = await overMcp(run, async (call) => await call('memory_recall', { ids: 'port' }));
    expect(recalled).toContain('9090');
  });

  it('compares an earlier version and brings it back', async () => {
    const panel = await tab(/^Entries/);
    await panel.getByRole('option', { name: /^port,/ }).click();
    await panel.getByText('Earlier versions (1)').click();
    await panel.getByRole('button', { name: /^Compare / }).click();
    await panel.locator('del', { hasText: '8080' }).waitFor();
    await picture(window, 'revisions');
    await panel.getByRole('button', { name: /^Make .* the text$/ }).click();
    await panel
      .getByText(/says this now/)
      .first()
      .waitFor();
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
  });
});

/** A web of decisions about a tide service: every area has its notes, which name each other and the area's own. */
const AREAS = ['cache', 'forecast', 'harbours', 'alerts', 'display', 'importer', '배포'];
const NOTES = ['limit', 'retry-policy', 'schema', 'owner', 'tests', 'known-problems', 'next-steps'];
const CATEGORIES = ['decision', 'pattern', 'bug', 'warning', 'knowledge'];

/** Everything that the views have something to say about. @param {import('./support.mjs').Run} run */
async function seed(run) {
  await overMcp(
    run,
    async (call) => {
      for (const key of ['old-build-box', 'first-forecast-model', '예전-배포-절차'])
        await call('memory_remember', {
          category: 'decision',
          key,
          content: `${key} was in use until the move.`,
        });
    },
    { daysAgo: 60 },
  );
  await overMcp(run, async (call) => {
    await call('memory_archive', { dryRun: false });
    for (const [at, area] of AREAS.entries()) {
      await call('memory_remember', {
        ...{ category: 'knowledge', key: `${area}-overview`, tags: `${area};overview` },
        content: `How the ${area} part is built, and why. See [[${AREAS[(at + 1) % AREAS.length]}-overview]].`,
      });
      for (const [note, name] of NOTES.entries())
        await call('memory_remember', {
          ...{ category: CATEGORIES[(at + note) % CATEGORIES.length], key: `${area}-${name}`, tags: area },
          content: `What was found about the ${name.replace('-', ' ')} of the ${area} part in review ${at * 7 + note}.`,
          links: [
            `${area}-overview`,
            ...(note > 4 ? [`${AREAS[(at + note) % AREAS.length]}-${NOTES[note - 1]}`] : []),
          ],
        });
    }
    const again = async (/** @type {string} */ key, /** @type {string[]} */ ...texts) => {
      for (const content of texts) await call('memory_remember', { category: 'decision', key, content });
    };
    await again(
      'cache-500-harbours',
      'The cache keeps at most 500 harbours, because the display box has only 256 MB of memory.',
      'The cache keeps at most 800 harbours, because the display box now has 512 MB of memory.',
    );
    await again(
      '오류는-캐시하지-않기',
      '오류 응답은 캐시에 넣지 않는다.',
      '오류 응답은 30초 동안만 캐시에 넣는다.',
    );
    await again('night-job', 'The night job clears the cache, see [[no-such-rule]] and [[also-gone]].');
    await again('same-one', 'Forecasts are rounded to centimetres.');
    await again('same-two', 'Forecasts are rounded to centimetres.');
    for (const file of ['src/gone.ts', 'src/deeply/nested/folder/with/a/very-long-file-name-that-wraps.ts'])
      await call('memory_remember', {
        category: 'bug',
        key: `about-${file.length}`,
        content: `It was in ${file}.`,
        file,
      });
  });
  const hook = (
    /** @type {string} */ tool_name,
    /** @type {string} */ file,
    /** @type {object} */ input = {},
  ) =>
    spawnSync(process.execPath, [join(ROOT, 'dist/cli.js'), 'hook'], {
      cwd: run.workspace,
      env: { PATH: process.env.PATH ?? '', HOME: run.editor.home, LODELINE_CAPTURE: '1' },
      input: JSON.stringify({
        ...{ hook_event_name: 'PostToolUse', session_id: 'a-chat', cwd: run.workspace, tool_name },
        ...{
          timestamp: new Date().toISOString(),
          tool_use_id: `${tool_name} ${file}`,
          tool_response: 'done',
        },
        tool_input: { filePath: join(run.workspace, file), ...input },
      }),
    });
  hook('replace_string_in_file', 'cache.ts', { oldString: 'ttl = 60', newString: 'ttl = 90' });
  hook('create_file', 'docs/조수-예보.md', { content: '# 조수 예보' });
  hook('read_file', 'cache.ts');
}

describe('every view of memory, in three themes and two places', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let window;

  beforeAll(async () => {
    run = await open();
    window = await run.editor.openWindow();
    await seed(run);
    await openView(window, 'Lodeline');
    await resizeSidebar(window, 300);
  }, 600_000);
  afterAll(async () => await run?.close());

  const back = async (/** @type {import('playwright-core').Frame} */ panel) => {
    const button = panel.getByRole('button', { name: 'Back', exact: true });
    if (await button.isVisible()) await button.click();
  };

  /** What is looked at, and how it is reached. @type {Record<string, (panel: import('playwright-core').Frame) => Promise<unknown>>} */
  const views = {
    entries: async (panel) => {
      await panel.getByRole('tab', { name: /^Entries/ }).click();
      await panel.getByRole('option', { name: /^night-job/ }).waitFor();
    },
    graph: async (panel) => {
      await panel.getByRole('tab', { name: /^Graph/ }).click();
      await panel.getByRole('application', { name: 'Graph of memory' }).focus();
      await window.keyboard.press('Home');
      // It comes to rest.
      await window.waitForTimeout(1_500);
    },
    'graph-entry': async (panel) => {
      await window.keyboard.press('Enter');
      await panel.getByRole('button', { name: 'Copy key' }).waitFor();
    },
    health: async (panel) => {
      await back(panel);
      await panel.getByRole('tab', { name: /^Health/ }).click();
      await panel.getByText('[[no-such-rule]] leads nowhere').waitFor();
      await panel
        .getByRole('button', { name: /^Merge…:/ })
        .first()
        .click();
      await panel.getByRole('group', { name: 'What would be done' }).waitFor();
    },
    conflicts: async (panel) => {
      await panel.getByRole('button', { name: 'Review' }).click();
      await panel.locator('ins', { hasText: '800' }).first().waitFor();
      await panel.getByRole('button', { name: 'Merge…' }).first().click();
    },
    drafts: async (panel) => {
      await panel.getByRole('tab', { name: /^Drafts/ }).click();
      await panel.getByRole('heading', { name: /drafts?$/ }).waitFor();
    },
    archive: async (panel) => {
      await panel.getByRole('tab', { name: /^Archive/ }).click();
      await panel.getByRole('option', { name: /^old-build-box/ }).waitFor();
    },
    revisions: async (panel) => {
      await panel.getByRole('tab', { name: /^Entries/ }).click();
      const search = panel.getByRole('textbox', { name: 'Search memory' }).filter({ visible: true });
      await search.fill('cache-500-harbours');
      const first = panel.getByRole('option').first();
      await expect.poll(async () => await first.getAttribute('aria-label')).toMatch(/^cache-500-harbours/);
      await first.click();
      await panel
        .getByRole('button', { name: /^Compare / })
        .first()
        .click();
      await panel.locator('del, ins', { hasText: '500' }).first().waitFor();
    },
    merge: async (panel) => {
      await back(panel);
      const search = panel.getByRole('textbox', { name: 'Search memory' }).filter({ visible: true });
      await search.fill('forecasts rounded centimetres');
      await panel.getByRole('option', { name: /^same-one/ }).waitFor();
      const list = panel.getByRole('listbox', { name: 'Memory entries' });
      await list.focus();
      for (const key of ['Home', 'Space', 'ArrowDown', 'Space']) await window.keyboard.press(key);
      await panel.getByRole('button', { name: 'Merge…' }).click();
      await panel.getByRole('textbox', { name: 'Text after the merge' }).waitFor();
    },
  };

  for (const place of /** @type {const} */ (['side bar', 'tab']))
    it.each(shownThemes(/** @type {const} */ (['dark', 'light', 'high-contrast'])))(
      `${place}, %s`,
      async (theme) => {
        await setTheme(run.editor, window, theme);
        if (place === 'tab' && theme === 'dark') {
          await command(window, 'View: Toggle Primary Side Bar Visibility');
          await command(window, 'View: Toggle Secondary Side Bar Visibility');
          await command(window, 'Lodeline: Open Memory in Editor');
        }
        await back(await memoryPanel(window));
        for (const [name, show] of Object.entries(views)) {
          const panel = await memoryPanel(window);
          await show(panel);
          expect(await sticksOut(panel), name).toEqual([]);
          await picture(window, `views-${place.replace(' ', '-')}-${theme}-${name}`);
        }
        const panel = await memoryPanel(window);
        await panel.getByRole('button', { name: 'Cancel' }).filter({ visible: true }).click();
        await panel.getByRole('listbox', { name: 'Memory entries' }).press('Escape');
        await panel.getByRole('textbox', { name: 'Search memory' }).filter({ visible: true }).fill('');
      },
    );
});

/** What is wider than the panel, which never scrolls sideways. @param {import('playwright-core').Frame} panel */
async function sticksOut(panel) {
  return await panel.evaluate(() => {
    /** @param {ParentNode} root @returns {Element[]} */
    const within = (root) =>
      Array.from(root.querySelectorAll('*')).flatMap((one) => [
        one,
        ...(one.shadowRoot ? within(one.shadowRoot) : []),
      ]);
    return within(document.body)
      .filter(
        (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('svg, .visually-hidden'),
      )
      .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .map((one) => `${one.localName}.${one.className}`);
  });
}
