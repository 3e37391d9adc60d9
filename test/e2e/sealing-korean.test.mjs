// @ts-check
/** Encryption in Korean. */
import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerDialog, clearNotifications, openView, resizeSidebar } from './harness/workbench.mjs';
import { answer, KEY, keyOf, seed } from './sealing-support.mjs';
import { command, memoryPanel, open, picture, reloadWindow } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

describe('encryption in Korean', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;
  const ENGLISH = /\b(?:the|and|of|is|not|no|memory|memories|key|encrypt|locked)\b/i;

  beforeAll(async () => {
    run = await open({ locale: 'ko', settings: { 'workbench.colorTheme': 'Light Modern' } });
    await seed(run);
    page = await run.editor.openWindow();
    await openView(page, 'Lodeline');
  });
  afterAll(async () => await run?.close());

  it('says all of it in Korean', async () => {
    await command(page, 'Lodeline: 이 폴더의 메모리 암호화…');
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'ko-sealing-preview');
    const said = await answer(page, '암호화하시겠습니까', '암호화');
    expect(said.replace('Cancel', '')).not.toMatch(ENGLISH);
    await page.locator('.monaco-dialog-box:visible', { hasText: KEY }).waitFor({ timeout: 60_000 });
    await picture(page, 'ko-sealing-key');
    expect((await answerDialog(page, '완료')).replaceAll('/.lodeline/keys', '')).not.toMatch(ENGLISH);
    await clearNotifications(page);
    const { file } = await keyOf(run);
    await rename(file, `${file}.away`);
    await reloadWindow(page);
    await openView(page, 'Lodeline');
    await resizeSidebar(page, 300);
    const panel = await memoryPanel(page);
    await panel.getByRole('button', { name: '키 입력…' }).waitFor();
    await picture(page, 'ko-sealing-locked');
    const words = await panel.locator('lodeline-memory').allInnerTexts();
    expect(words.join('\n').replace(file, '').replace('LODELINE_KEY', '')).not.toMatch(ENGLISH);
  });
});
