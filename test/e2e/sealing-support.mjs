// @ts-check
/** What the tests of encryption in the editor share. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { overMcp } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

export const WORD = 'quietword';
export const KEY = /[0-9a-f]{64}/;

/** @param {import('./support.mjs').Run} run */
export async function keyOf(run) {
  const dir = join(run.editor.home, '.lodeline', 'keys');
  const [name = ''] = (await readdir(dir)).filter((each) => each.endsWith('.key'));
  return { file: join(dir, name), key: (await readFile(join(dir, name), 'utf8')).trim() };
}

/**
 * Answers a dialog that another one may follow at once.
 * @param {Page} page @param {string} title @param {string} button
 */
export async function answer(page, title, button) {
  const dialog = page.locator('.monaco-dialog-box:visible', { hasText: title });
  await dialog.waitFor({ timeout: 60_000 });
  const text = (await dialog.allInnerTexts()).join('\n');
  await dialog.locator('.monaco-button', { hasText: button }).first().click();
  return text;
}

/** Names the file in the dialog that asks for one; it takes the name once it has looked into its folder. @param {Page} page @param {string} path */
export async function saveAs(page, path) {
  const input = page.locator('.quick-input-widget:visible input').first();
  await expect.poll(() => input.inputValue()).toMatch(/lodeline\.key$/);
  await input.fill(path);
  const isOpen = async () => await input.isVisible();
  await expect
    .poll(
      async () => {
        if (await isOpen()) await page.keyboard.press('Enter');
        return await isOpen();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(false);
}

/** @param {import('./support.mjs').Run} run */
export const seed = (run) =>
  overMcp(run, async (call) => {
    const note = { category: 'decision', key: 'cache', content: `The cache is a Map: ${WORD}.` };
    await call('memory_remember', note);
    await call('memory_remember', { category: 'bug', key: 'retry', content: 'The service answers 503.' });
  });
