// @ts-check
/** Every command of the palette, the settings that decide what agents are offered, and the status bar. */
import { readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesUnder } from '../unit/support/files.ts';
import { ask, newChat } from './harness/chat.mjs';
import { installFolder } from './harness/extensions.mjs';
import {
  answerDialog,
  answerInputBox,
  answerNotification,
  clearNotifications,
  notification,
  openView,
  pickItem,
} from './harness/workbench.mjs';
import {
  CORE,
  command,
  memoryCount,
  memoryPanel,
  open,
  openFile,
  overMcp,
  paletteTitles,
  picture,
  quickPickLabels,
  reloadWindow,
  turn,
  writeFiles,
} from './support.mjs';

/** Every tool of memory that the package contributes. */
const FULL = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  .contributes.languageModelTools.map((/** @type {{ name: string }} */ { name }) => name)
  .filter((/** @type {string} */ name) => /^(memory|context)_/.test(name));

const COMMANDS = [
  'Browse Memory',
  'Delete Everything…',
  'Export Everything…',
  'Forget…',
  'Memory Brief',
  'Memory Statistics',
  'Open Memory in Editor',
  'Open Walkthrough',
  'Pin or Unpin…',
  'Recall…',
  'Remember Selection',
  'Show Log',
  'Raise This Session’s Level…',
  'What Lodeline Sees',
].map((title) => `Lodeline: ${title}`);

const SELECTED = 'export const redisUrl = "redis://cache";';

describe('a command of the palette', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;

  beforeAll(async () => {
    run = await open();
    page = await run.editor.openWindow();
    await memoryCount(page, 0);
  }, 600_000);
  afterAll(async () => await run?.close());

  it('is there for everything that the manifest declares', async () => {
    expect(await paletteTitles(page, 'Lodeline:')).toEqual(expect.arrayContaining(COMMANDS));
  });

  it('Remember Selection: fills the form with the text, its file and line; the count follows', async () => {
    await openFile(page, 'cache.ts:3');
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.locator('.statusbar-item', { hasText: `(${SELECTED.length} selected)` }).waitFor();
    await command(page, 'Lodeline: Remember Selection');
    const panel = await memoryPanel(page);
    const field = (/** @type {string} */ name) => panel.getByRole('textbox', { name, exact: true });
    await expect.poll(() => field('File').inputValue()).toBe('cache.ts:3');
    expect(await field('Content').inputValue()).toBe(SELECTED);
    await field('Key').fill('redis-url');
    await picture(page, 'remember-selection');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.getByRole('heading', { name: 'redis-url' }).waitFor();
    await memoryCount(page, 1);
  });

  it('and the file of the entry opens at its line from the panel', async () => {
    await command(page, 'View: Close All Editors');
    const panel = await memoryPanel(page);
    await panel.getByRole('button', { name: 'cache.ts:3' }).click();
    await page.locator('.statusbar-item', { hasText: 'Ln 3, Col 1' }).waitFor();
    await page.locator('.tab.active', { hasText: 'cache.ts' }).waitFor();
  });

  it('Recall…: searches while typing and shows the chosen entry', async () => {
    await overMcp(run, async (call) => {
      await call('memory_remember', {
        category: 'warning',
        key: 'no-any',
        content: 'Do not use any in the API layer.',
      });
      await call('memory_summary', { action: 'set', file: 'cache.ts', summary: 'Where the cache is.' });
    });
    await memoryCount(page, 2);
    await command(page, 'Lodeline: Recall…');
    await expect.poll(async () => (await quickPickLabels(page)).length).toBe(2);
    await page.locator('.quick-input-widget:visible input').fill('API layer');
    await expect.poll(async () => (await quickPickLabels(page)).join()).toMatch(/^no-any, Warning/);
    await picture(page, 'recall');
    await pickItem(page, 'no-any');
    const panel = await memoryPanel(page);
    await panel.getByRole('heading', { name: 'no-any' }).waitFor();
  });

  it('Pin or Unpin…: takes effect in recall, and back', async () => {
    await command(page, 'Lodeline: Pin or Unpin…');
    await pickItem(page, 'redis-url');
    await notification(page, 'Pinned “redis-url”.').waitFor();
    const pinned = await overMcp(run, (call) => call('memory_recall', { query: 'nothing of the sort' }));
    expect(pinned).toContain('redis-url');
    await clearNotifications(page);
    await command(page, 'Lodeline: Pin or Unpin…');
    await pickItem(page, 'redis-url 📌');
    await notification(page, 'Unpinned “redis-url”.').waitFor();
    const unpinned = await overMcp(run, (call) => call('memory_recall', { query: 'nothing of the sort' }));
    expect(unpinned).not.toContain('redis-url');
    await clearNotifications(page);
  });

  it('Forget…: takes the entry out, and Undo brings it back', async () => {
    await command(page, 'Lodeline: Forget…');
    await pickItem(page, 'no-any');
    await notification(page, 'Forgot “no-any”.').waitFor();
    await memoryCount(page, 1);
    await answerNotification(page, 'Forgot “no-any”.', 'Undo');
    await memoryCount(page, 2);
    const panel = await memoryPanel(page);
    await panel.getByRole('button', { name: 'Forget', exact: true }).waitFor();
  });

  it('Memory Statistics: counts what there is', async () => {
    await command(page, 'Lodeline: Memory Statistics');
    const said = await answerDialog(page, 'OK');
    for (const line of ['Memories: 2', 'Knowledge: 1', 'Warning: 1', 'Not confirmed by a person: 1']) {
      expect(said).toContain(line);
    }
    expect(said).toContain('File summaries: 1');
  });

  it('Memory Brief: opens a document that cannot be edited and need not be saved', async () => {
    await command(page, 'Lodeline: Memory Brief');
    await page.locator('.tab.active:not(.dirty)', { hasText: 'Memory Brief.md' }).waitFor();
    const text = page.locator('.editor-instance .view-lines').last();
    await expect.poll(() => text.textContent()).toContain('no-any');
    await picture(page, 'brief');
    // The brief is of this moment.
    await overMcp(run, (call) =>
      call('memory_remember', { category: 'warning', key: 'no-eval', content: 'Do not use eval.' }),
    );
    await command(page, 'Lodeline: Memory Brief');
    await expect.poll(() => text.textContent()).toContain('no-eval');
    await command(page, 'View: Close All Editors');
    await page.locator('.tab').first().waitFor({ state: 'detached' });
  });

  it('Browse Memory and Open Memory in Editor: show the same memory in both places', async () => {
    await openView(page, 'Explorer');
    await command(page, 'Lodeline: Browse Memory');
    await page.locator('.part.sidebar .title-label', { hasText: 'Lodeline' }).waitFor();
    const panel = await memoryPanel(page);
    const back = panel.getByRole('button', { name: 'Back', exact: true });
    const inList = async () => {
      if (await back.isVisible()) await back.click();
      return await panel.getByRole('option', { name: /^redis-url/ }).isVisible();
    };
    await expect.poll(inList, { timeout: 60_000 }).toBe(true);
    await command(page, 'Lodeline: Open Memory in Editor');
    await page.locator('.tab.active', { hasText: 'Lodeline Memory' }).waitFor();
    const listing = async () => {
      const lists = page.frames().map((frame) => frame.getByRole('option', { name: /^redis-url/ }));
      const counts = await Promise.all(lists.map((list) => list.count().catch(() => 0)));
      return counts.filter((count) => count > 0).length;
    };
    await expect.poll(listing, { timeout: 60_000 }).toBe(2);
    // Asked for again, it comes to the front and is not opened twice.
    await command(page, 'Lodeline: Open Memory in Editor');
    await page.locator('.tab.active', { hasText: 'Lodeline Memory' }).waitFor();
    const tabs = page.locator('.tab', { hasText: 'Lodeline Memory' });
    expect(await tabs.count()).toBe(1);
    await command(page, 'View: Close All Editors');
    await tabs.waitFor({ state: 'detached' });
  });

  it('Export Everything…: writes every entry, its history and the summaries', async () => {
    await command(page, 'Lodeline: Export Everything…');
    const input = page.locator('.quick-input-widget:visible input');
    await expect.poll(() => input.inputValue()).toMatch(/shop\/lodeline-memory-\d{4}-\d\d-\d\d\.json$/);
    const file = await input.inputValue();
    await page.keyboard.press('Enter');
    await notification(page, 'Memory was exported to').waitFor();
    const exported = JSON.parse(await readFile(file, 'utf8'));
    await rm(file);
    expect(exported).toMatchObject({ lodeline: 1, summaries: { 'cache.ts': 'Where the cache is.' } });
    expect(exported.entries).toHaveLength(3);
    expect(exported.entries[0]).toMatchObject({
      key: 'redis-url',
      content: SELECTED,
      file: 'cache.ts:3',
      origin: 'human',
      confirmed: true,
    });
    await clearNotifications(page);
  });

  it('Open Walkthrough and Show Log: show them', async () => {
    await command(page, 'Lodeline: Open Walkthrough');
    await page.locator('.gettingStartedContainer', { hasText: 'Give your agents a memory' }).waitFor();
    await page.locator('.gettingStartedContainer', { hasText: 'What Lodeline remembers' }).waitFor();
    await picture(page, 'walkthrough');
    await command(page, 'View: Close All Editors');
    await command(page, 'Lodeline: Show Log');
    // The log takes the focus once it is there; a palette opened before that would close again.
    await page.locator('.part.panel .monaco-editor.focused').waitFor();
    expect(await page.locator('.part.panel .monaco-select-box:visible').first().inputValue()).toContain(
      'Lodeline',
    );
    await command(page, 'View: Hide Panel');
  });

  it('Delete Everything…: asks with a preview, keeps everything unless the folder is named, then leaves nothing', async () => {
    await command(page, 'Lodeline: Delete Everything…');
    const asked = await answerDialog(page, 'Cancel');
    for (const line of ['about “shop”?', 'Memories: 3', 'File summaries: 1', 'cannot be undone']) {
      expect(asked).toContain(line);
    }
    await command(page, 'Lodeline: Delete Everything…');
    await answerDialog(page, 'Delete…');
    await answerInputBox(page, 'shops');
    await notification(page, 'Nothing was deleted.').waitFor();
    await clearNotifications(page);
    expect(filesWith(run.store, 'Do not use any')).not.toEqual([]);

    await command(page, 'Lodeline: Delete Everything…');
    await answerDialog(page, 'Delete…');
    await answerInputBox(page, 'shop');
    await notification(page, 'All memory of “shop” was deleted.').waitFor();
    await memoryCount(page, 0);
    for (const text of [SELECTED, 'redis://', 'Do not use any', 'Do not use eval', 'Where the cache is']) {
      for (const folder of [run.store, run.editor.home, run.editor.userDataDir]) {
        expect(filesWith(folder, text), `${text} in ${folder}`).toEqual([]);
      }
    }
    await clearNotifications(page);
  });

  it('lodeline.tools.profile: "full" offers every tool once', async () => {
    await run.editor.settings.update({ 'lodeline.tools.profile': 'full' });
    await newChat(page);
    await run.script(turn('How healthy is the memory', 'memory_stats', {}));
    await ask(page, 'How healthy is the memory');
    const offered = (await run.requests()).at(-1)?.tools.map(({ name }) => name) ?? [];
    expect(FULL.length).toBeGreaterThan(CORE.length);
    expect(offered.filter((name) => FULL.includes(name)).sort()).toEqual([...FULL].sort());
    expect(offered.filter((name) => name.startsWith('memory_') && !FULL.includes(name))).toEqual([]);
    await run.editor.settings.update({ 'lodeline.tools.profile': null });
  });

  it('lodeline.mcp.enabled: offers the MCP server only while it is on', async () => {
    const servers = async () => {
      await command(page, 'MCP: List Servers');
      const labels = await quickPickLabels(page);
      await page.keyboard.press('Escape');
      return labels.filter((label) => label.startsWith('Lodeline')).length;
    };
    expect(await servers()).toBe(0);
    await run.editor.settings.update({ 'lodeline.mcp.enabled': true });
    await expect.poll(servers, { timeout: 60_000 }).toBe(1);
    await run.editor.settings.update({ 'lodeline.mcp.enabled': null });
    await expect.poll(servers, { timeout: 60_000 }).toBe(0);
  });

  it('says so when another extension owns the name of a tool', async () => {
    const clash = join(run.workspace, '..', 'clash');
    const tool = { name: 'memory_recall', displayName: 'Recall', modelDescription: 'Another memory.' };
    await writeFiles(clash, {
      'package.json': JSON.stringify({
        publisher: 'someone',
        name: 'else',
        version: '0.0.1',
        engines: { vscode: '^1.106.0' },
        contributes: { languageModelTools: [tool] },
      }),
    });
    await installFolder(clash, run.editor.extensionsDir);
    await reloadWindow(page);
    await notification(page, 'someone.else').waitFor();
    await command(page, 'Lodeline: Browse Memory');
    const panel = await memoryPanel(page);
    await panel.getByText(/someone\.else has tools of the same name as Lodeline: memory_recall/).waitFor();
    await picture(page, 'name-clash');
    // What is told once is not told again, but the panel keeps saying it.
    await reloadWindow(page);
    await memoryCount(page, 0);
    expect(await notification(page, 'someone.else').count()).toBe(0);
  });
});

/** Files below a folder that hold a text. @param {string} folder @param {string} text */
function filesWith(folder, text) {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le')];
  return filesUnder(folder).flatMap(({ path, bytes }) =>
    forms.some((form) => bytes.includes(form)) ? [path] : [],
  );
}
