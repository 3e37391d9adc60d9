// @ts-check
/** Encryption of a folder's memory, and what a window shows whose key is not there. */
import { existsSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesUnder } from '../unit/support/files.ts';
import {
  answerConfirmation,
  ask,
  confirmationCard,
  newChat,
  sendPrompt,
  waitForAnswer,
} from './harness/chat.mjs';
import {
  answerDialog,
  answerInputBox,
  clearNotifications,
  notification,
  openView,
  resizeSidebar,
  setTheme,
} from './harness/workbench.mjs';
import { answer, KEY, keyOf, saveAs, seed, WORD } from './sealing-support.mjs';
import {
  command,
  memoryCount,
  memoryPanel,
  open,
  overMcp,
  picture,
  reloadWindow,
  shownThemes,
  turn,
} from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

const KEY_TITLE = 'The key of this folder';

describe('encryption', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;
  /** Another window on the same folder. @type {Page} */
  let second;
  let key = '';

  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.tools.profile': 'full' } });
    await seed(run);
    page = await run.editor.openWindow();
    await openView(page, 'Lodeline');
    await memoryCount(page, 2);
    second = await run.editor.openWindow();
    await openView(second, 'Lodeline');
    await (await memoryPanel(second)).getByRole('option', { name: /^cache/ }).waitFor();
  });
  afterAll(async () => await run?.close());

  const isSealed = () => existsSync(join(run.store, 'sealing.json'));

  it('asks the person when an agent wants it, and does nothing without them', async () => {
    await run.script(turn('Encrypt it', 'memory_encrypt', {}));
    await sendPrompt(page, 'Encrypt it');
    await confirmationCard(page).waitFor({ timeout: 60_000 });
    await picture(page, 'sealing-agent');
    expect(await answerConfirmation(page, 'Skip')).toContain('Encrypt everything');
    await waitForAnswer(page);
    expect(isSealed()).toBe(false);
    expect(bytesUnder(run.store)).toContain(WORD);
  });

  it('from the palette is previewed, and can be left', async () => {
    await command(page, 'Lodeline: Encrypt the Memory of This Folder…');
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'sealing-preview');
    const said = await answerDialog(page, 'Cancel');
    for (const part of [
      '“shop”',
      '2 memories',
      'chats',
      'Without it nobody, not even you, can read',
      'Decrypt the Memory',
    ])
      expect(said).toContain(part);
    expect(isSealed()).toBe(false);
  });

  it('shows the key to the person, once, with a way to copy and to save it', async () => {
    await command(page, 'Lodeline: Encrypt the Memory of This Folder…');
    await answer(page, 'Encrypt everything', 'Encrypt');
    const dialog = page.locator('.monaco-dialog-box:visible', { hasText: KEY_TITLE });
    await dialog.waitFor({ timeout: 60_000 });
    await picture(page, 'sealing-key');
    key = KEY.exec((await dialog.allInnerTexts()).join('\n'))?.[0] ?? '';
    expect((await keyOf(run)).key).toBe(key);
    const input = page.locator('.quick-input-widget:visible input').first();
    // What was not saved is shown again.
    await answer(page, KEY_TITLE, 'Save to a File');
    await input.waitFor();
    await page.keyboard.press('Escape');
    await answer(page, KEY_TITLE, 'Save to a File');
    await saveAs(page, join(run.workspace, 'kept.key'));
    await answer(page, 'protects nothing', 'OK');
    expect(existsSync(join(run.workspace, 'kept.key'))).toBe(false);
    await answer(page, KEY_TITLE, 'Save to a File');
    const kept = join(run.editor.home, 'kept.key');
    await saveAs(page, kept);
    await notification(page, 'The key was saved').waitFor();
    await notification(page, 'The memory of this folder is encrypted').waitFor();
    expect(await readFile(kept, 'utf8')).toBe(`${key}\n`);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    await expect.poll(async () => await page.locator('.monaco-dialog-box:visible').count()).toBe(0);
    await clearNotifications(page);
    await command(page, 'Lodeline: Encrypt the Memory of This Folder…');
    await notification(page, 'encrypted already').waitFor();
    expect(await page.getByText(KEY).count()).toBe(0);
  });

  it('is said in the panel, and nothing that is kept is in the clear', async () => {
    const panel = await memoryPanel(page);
    await panel.getByRole('status').filter({ hasText: 'Encrypted' }).waitFor();
    await panel.getByRole('option', { name: /^cache/ }).waitFor();
    await clearNotifications(page);
    await picture(page, 'sealing-panel');
    await expect.poll(() => bytesUnder(run.store), { timeout: 60_000 }).not.toContain(WORD);
  });

  it('lets Copilot save and recall as before, and a second window follow', async () => {
    const note = { category: 'pattern', key: 'clock', content: `Pass the clock: ${WORD}-two.` };
    await run.script([
      ...turn('Remember the clock', 'memory_remember', note),
      ...turn('What of the clock', 'memory_recall', { query: 'clock' }),
    ]);
    await newChat(page);
    await ask(page, 'Remember the clock', { confirm: 'Allow' });
    expect(await ask(page, 'What of the clock', { confirm: 'Allow' })).toContain(`${WORD}-two`);
    // It stood open all the time.
    const panel = await memoryPanel(second);
    await panel.getByRole('option', { name: /^clock/ }).waitFor();
    await panel.getByRole('status').filter({ hasText: 'Encrypted' }).waitFor();
    await panel.getByRole('option', { name: /^cache/ }).click();
    await panel.getByText(`The cache is a Map: ${WORD}.`).waitFor();
    await overMcp(run, async (call) => {
      expect(await call('memory_recall', { query: 'clock' })).toContain(`${WORD}-two`);
    });
    const stored = bytesUnder(run.store);
    expect(stored).not.toContain(WORD);
    expect(stored).not.toContain(key);
    await second.close();
  });

  it('locks a window that is loaded without the key, and opens it with the key', async () => {
    const { file } = await keyOf(run);
    await rename(file, `${file}.away`);
    await reloadWindow(page);
    await openView(page, 'Lodeline');
    const panel = await memoryPanel(page);
    await panel.getByRole('heading', { name: 'This folder’s memory is locked' }).waitFor();
    expect(await panel.getByText(file).count()).toBe(1);
    expect(await panel.getByRole('option').count()).toBe(0);
    await page.locator('.statusbar-item[id$="lodeline.memories"][aria-label*="locked"]').waitFor();
    await resizeSidebar(page, 300);
    for (const theme of shownThemes(/** @type {const} */ (['dark', 'light', 'high-contrast']))) {
      await setTheme(run.editor, page, theme);
      await picture(page, `sealing-locked-${theme}`);
    }
    await setTheme(run.editor, page, 'dark');
    await run.script(turn('What of the clock', 'memory_recall', { query: 'clock' }));
    expect(await ask(page, 'What of the clock', { confirm: 'Allow' })).toMatch(/sealed with the key/);
    await panel.getByRole('button', { name: 'Enter Key…' }).click();
    await answerInputBox(page, 'not a key');
    const box = page.locator('.quick-input-widget:visible');
    await box.getByText('That was no key').waitFor();
    await answerInputBox(page, 'ab'.repeat(32));
    await box.getByText('That was another key').waitFor();
    await picture(page, 'sealing-enter');
    await answerInputBox(page, key);
    await notification(page, 'can be read again').waitFor();
    await panel.getByRole('option', { name: /^clock/ }).waitFor();
    expect(await readFile(file, 'utf8')).toBe(`${key}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await memoryCount(page, 3);
  });

  it('opens by itself once the key’s file is back', async () => {
    const { file } = await keyOf(run);
    const kept = await readFile(file);
    await rename(file, `${file}.gone`);
    await reloadWindow(page);
    await openView(page, 'Lodeline');
    const panel = await memoryPanel(page);
    await panel.getByRole('heading', { name: 'This folder’s memory is locked' }).waitFor();
    await writeFile(file, kept, { mode: 0o600 });
    await panel.getByRole('option', { name: /^clock/ }).waitFor();
    await memoryCount(page, 3);
  });

  it('is undone the same way, previewed', async () => {
    await clearNotifications(page);
    await command(page, 'Lodeline: Decrypt the Memory of This Folder…');
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'sealing-decrypt');
    expect(await answerDialog(page, 'Cancel')).toContain('stored in the clear again');
    expect(bytesUnder(run.store)).not.toContain(WORD);
    await command(page, 'Lodeline: Decrypt the Memory of This Folder…');
    await answerDialog(page, 'Decrypt');
    await notification(page, 'no longer encrypted').waitFor({ timeout: 60_000 });
    await expect.poll(() => bytesUnder(run.store), { timeout: 60_000 }).toContain(WORD);
    const panel = await memoryPanel(page);
    await panel.getByRole('status').filter({ hasText: 'Encrypted' }).waitFor({ state: 'detached' });
  });

  it('has left the key in no log, no chat and no request to a model', async () => {
    expect(key).toMatch(KEY);
    expect(JSON.stringify(await run.requests())).not.toContain(key);
    expect(bytesUnder(join(run.editor.userDataDir))).not.toContain(key);
    expect(bytesUnder(run.store)).not.toContain(key);
  });
});
