// @ts-check
/** Every command of the palette, the settings that decide what agents are offered, and the status bar. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { installFolder } from './harness/extensions.mjs';
import {
  answerDialog,
  answerInputBox,
  answerNotification,
  clearNotifications,
  notification,
  pickItem,
  runCommand,
} from './harness/workbench.mjs';
import { CORE, memoryPanel, open, openFile, overMcp, paletteTitles, picture, turn, writeFiles } from './support.mjs';

const FULL = [
  ...CORE,
  'memory_pin',
  'memory_unpin',
  'memory_tag',
  'memory_stats',
  'memory_diff',
  'memory_suggest',
  'memory_summary',
];

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
].map((title) => `Lodeline: ${title}`);

describe('commands', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;
  const statusBar = () => page.locator('.statusbar-item [aria-label^="Lodeline memories: "]');
  const quickRows = () => page.locator('.quick-input-list .monaco-list-row');

  beforeAll(async () => {
    run = await open();
    page = await run.editor.openWindow();
  }, 600_000);
  afterAll(async () => await run?.close());

  it('are all in the palette', async () => {
    await expect.poll(async () => (await paletteTitles(page, 'Lodeline: ')).sort()).toEqual(COMMANDS);
  });

  it('says the activation time', async () => {
    await statusBar().waitFor();
    await runCommand(page, 'Developer: Show Running Extensions');
    const row = page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: 'Lodeline' }).first();
    await row.waitFor();
    console.log(await row.innerText());
    await picture(page, 'running');
    await runCommand(page, 'View: Close All Editors');
  });

  it('remembers a selection with its file and line', async () => {
    await openFile(page, 'cache.ts:3');
    await page.locator('.editor-instance .view-line', { hasText: 'redisUrl' }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await runCommand(page, 'Lodeline: Remember Selection');
    const panel = await memoryPanel(page);
    const file = panel.getByRole('textbox', { name: 'File' });
    await expect.poll(() => file.inputValue()).toBe('cache.ts:3');
    expect(await panel.getByRole('textbox', { name: 'Content' }).inputValue()).toBe(
      'export const redisUrl = "redis://cache";',
    );
    await panel.getByRole('textbox', { name: 'Key' }).fill('redis-url');
    await picture(page, 'remember-selection');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.getByRole('heading', { name: 'redis-url' }).waitFor();
  });
});
