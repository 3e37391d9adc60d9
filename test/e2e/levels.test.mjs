// @ts-check
/** The level of a session as the person meets it: the status bar, raising it, what it hides, and the page about it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { answerInputBox, clearNotifications, notification, webviewFrame } from './harness/workbench.mjs';
import { command, memoryPanel, open, picture, quickPickLabels, turn } from './support.mjs';

const SECRET = { key: 'project-merger', content: 'The merger closes in May', category: 'knowledge' };

describe('the level of a session', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;

  beforeAll(async () => {
    run = await open({ settings: { 'chat.tools.global.autoApprove': true } });
    page = await run.editor.openWindow();
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
  });
  afterAll(async () => await run?.close());

  const item = () => page.locator('.statusbar-item[id$="lodeline.level"]');
  /** @param {string} text */
  const said = async (text) =>
    await page.locator(`.statusbar-item[id$="lodeline.level"][aria-label*="${text}"]`).waitFor();
  /** A row of a list by a part of its name, which begins with the name of its icon. @param {string} part */
  const choose = async (part) =>
    await page.locator(`.quick-input-list .monaco-list-row[aria-label*="${part}"]`).first().click();

  it('stands in the status bar before any chat has called', async () => {
    await said('PUBLIC');
    await said('No chat has called Lodeline yet');
  });

  it('is raised from the palette, which says why and offers no lower one', async () => {
    await newChat(page);
    await run.script(turn('Look at memory', 'memory_recall', { query: 'merger' }));
    await ask(page, '@lodeline Look at memory');
    await said('The chat that called Lodeline last');
    await command(page, 'Lodeline: Raise This Session’s Level…');
    await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await picture(page, 'level-raise');
    await choose('CONFIDENTIAL');
    await answerInputBox(page, 'merger papers');
    await notification(page, 'CONFIDENTIAL from now on').waitFor();
    await said('CONFIDENTIAL');
    await said('merger papers');
    await clearNotifications(page);
    await item().click();
    await choose('Raise this session');
    expect((await quickPickLabels(page)).map((label) => label.split(',')[0])).toEqual(['RESTRICTED']);
    await page.keyboard.press('Escape');
    await picture(page, 'level-raised');
  });

  it('hides what is saved then from a fresh chat, and shows it to the person with its level', async () => {
    await run.script(turn('Keep the merger', 'memory_remember', SECRET));
    expect(await ask(page, '@lodeline Keep the merger')).toContain('project-merger');
    await newChat(page);
    await run.script(turn('What of the merger', 'memory_recall', { query: 'merger May' }));
    expect(await ask(page, '@lodeline What of the merger')).not.toContain('closes in May');
    await said('PUBLIC');
    await command(page, 'Lodeline: Browse Memory');
    const panel = await memoryPanel(page);
    await panel.getByRole('option', { name: /^project-merger.*CONFIDENTIAL/ }).waitFor();
    await picture(page, 'level-browser');
  });

  it('has a page that says what is seen, and the next step', async () => {
    await item().click();
    await choose('What Lodeline sees');
    const preview = await webviewFrame(page, 'h1:has-text("What Lodeline sees")');
    await preview.getByText('Copilot chat without hooks (in use here)').waitFor();
    await preview.getByText('Observe Copilot Chats Fully').first().waitFor();
    await picture(page, 'what-is-seen');
  });
});
