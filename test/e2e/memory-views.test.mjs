// @ts-check
/** The memory browser's other views in the real editor, over what an agent has saved through MCP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openView, resizeSidebar, setTheme } from './harness/workbench.mjs';
import { memoryPanel, open, overMcp, picture } from './support.mjs';

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
    await panel.getByRole('tab', { name: /^Health, 3 to look at/ }).waitFor({ timeout: 30_000 });
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

  it.each(/** @type {const} */ (['light', 'high-contrast']))('is drawn in the %s theme', async (theme) => {
    await setTheme(run.editor, window, theme);
    for (const [name, shown] of /** @type {const} */ ([
      [/^Health/, 'health'],
      [/^Drafts/, 'drafts'],
      [/^Archive/, 'archive'],
    ])) {
      const panel = await tab(name);
      await panel.getByRole('heading').first().waitFor();
      await picture(window, `${shown}-${theme}`);
    }
  });
});
