// @ts-check
/** What a person does in the workbench outside the chat: commands, views, dialogs, themes, pictures. */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {import('playwright-core').Frame} Frame
 * @typedef {import('playwright-core').Locator} Locator
 */

const THEMES = /** @type {const} */ ({
  dark: { name: 'Dark Modern', kind: 'vs-dark' },
  light: { name: 'Light Modern', kind: 'vs' },
  'high-contrast': { name: 'Default High Contrast', kind: 'hc-black' },
  'high-contrast-light': { name: 'Default High Contrast Light', kind: 'hc-light' },
});

/**
 * Runs a command from the palette by its full title ("Category: Title").
 * @param {Page} page @param {string} title
 */
export async function runCommand(page, title) {
  const input = page.locator('.quick-input-widget:visible input');
  await page.keyboard.press('F1');
  await input.waitFor();
  await input.fill(`>${title}`);
  const rows = page.locator('.quick-input-list .monaco-list-row');
  // An accessible name carries the key binding after a comma; the title itself may hold one as well.
  const escaped = JSON.stringify(title).slice(1, -1);
  const row = rows.and(page.locator(`[aria-label="${escaped}"], [aria-label^="${escaped}, "]`));
  try {
    await row.first().click({ timeout: 60_000 });
  } catch {
    const seen = await rows.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    await page.keyboard.press('Escape');
    throw new Error(`The palette has no command "${title}". It shows: ${seen.join(' | ') || 'nothing'}`);
  }
}

/** Types into an open input box and accepts it. @param {Page} page @param {string} text */
export async function answerInputBox(page, text) {
  const input = page.locator('.quick-input-widget:visible input');
  await input.waitFor();
  await input.fill(text);
  await page.keyboard.press('Enter');
}

/** Chooses from an open quick pick. @param {Page} page @param {string} label */
export async function pickItem(page, label) {
  await page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().click();
}

/**
 * Opens a view container of the activity bar; one that is open already stays open.
 * @param {Page} page @param {string} name  a part of its accessible name
 */
export async function openView(page, name) {
  const item = page.locator('.activitybar .action-item', {
    has: page.locator(`.action-label[aria-label*="${name}"]`),
  });
  const checked = page.locator('.activitybar .action-item.checked', {
    has: page.locator(`.action-label[aria-label*="${name}"]`),
  });
  await item.first().waitFor();
  if ((await checked.count()) === 0) await item.first().click();
  await checked.first().waitFor();
  // The name that appears under the mouse would cover the view.
  await page.mouse.move(640, 5);
}

/**
 * The document of a webview, found by one of its own elements.
 * @param {Page} page @param {string} selector @param {{ timeout?: number }} [options]
 * @returns {Promise<Frame>}
 */
export async function webviewFrame(page, selector, { timeout = 60_000 } = {}) {
  for (const deadline = Date.now() + timeout; Date.now() < deadline; await page.waitForTimeout(100)) {
    for (const frame of page.frames()) {
      if (frame === page.mainFrame()) continue;
      // A frame may go away while it is asked; a hidden webview keeps its frame.
      const visible = await frame
        .locator(selector)
        .first()
        .isVisible()
        .catch(() => false);
      if (visible && (await frameIsShown(frame))) return frame;
    }
  }
  throw new Error(`No webview shows ${selector}.`);
}

/** @param {Frame} frame */
async function frameIsShown(frame) {
  for (let at = frame; at.parentFrame(); at = /** @type {Frame} */ (at.parentFrame())) {
    const element = await at.frameElement().catch(() => undefined);
    if (!(await element?.isVisible().catch(() => false))) return false;
  }
  return true;
}

/**
 * Answers a modal dialog.
 * @param {Page} page @param {string} button @param {{ timeout?: number }} [options]
 * @returns {Promise<string>} what the dialog said
 */
export async function answerDialog(page, button, { timeout = 60_000 } = {}) {
  const dialog = page.locator('.monaco-dialog-box:visible');
  await dialog.waitFor({ timeout });
  const text = (await dialog.allInnerTexts()).join('\n');
  await dialog.locator('.monaco-button', { hasText: button }).first().click();
  await dialog.waitFor({ state: 'hidden' });
  return text;
}

/** The notification that says this. @param {Page} page @param {string | RegExp} text @returns {Locator} */
export function notification(page, text) {
  return page.locator('.notification-toast', { hasText: text }).first();
}

/** @param {Page} page @param {string | RegExp} text @param {string} button */
export async function answerNotification(page, text, button) {
  const toast = notification(page, text);
  await toast.hover();
  await toast.locator('.monaco-button', { hasText: button }).first().click();
}

/** @param {Page} page */
export async function clearNotifications(page) {
  if ((await page.locator('.notification-toast').count()) > 0) {
    await runCommand(page, 'Notifications: Clear All Notifications');
  }
}

/**
 * Answers what an editor with workspace trust asks when a window opens. Copilot answers in trusted folders only.
 * @param {Page} page @param {boolean} trust
 */
export async function answerTrust(page, trust) {
  await answerDialog(page, trust ? 'Yes, I trust the authors' : "No, I don't trust the authors", {
    timeout: 60_000,
  });
}

/** Trusts a folder that was not trusted before, in the trust editor. @param {Page} page */
export async function trustWorkspace(page) {
  await runCommand(page, 'Workspaces: Manage Workspace Trust');
  await page
    .locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
    .first()
    .click();
  await page.locator('.workspace-trust-editor.trusted').waitFor();
  await page.locator('.monaco-modal-editor-block .codicon-close:visible').first().click();
  await page.locator('.workspace-trust-editor').waitFor({ state: 'hidden' });
}

/** Whether the editor says that this folder is not trusted. @param {Page} page */
export async function isRestricted(page) {
  return (await page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).count()) > 0;
}

/**
 * @param {import('./editor.mjs').RunningEditor} editor
 * @param {Page} page
 * @param {keyof typeof THEMES} theme
 */
export async function setTheme(editor, page, theme) {
  const { name, kind } = THEMES[theme];
  await editor.settings.update({ 'workbench.colorTheme': name });
  await page.locator(`.monaco-workbench.${kind}`).waitFor();
  // Webviews get the new colours a moment later.
  await page.waitForTimeout(500);
}

/**
 * Drags the edge of the primary sidebar until it is this wide.
 * @param {Page} page @param {number} width
 * @returns {Promise<number>} the width that it took (a view has a smallest one)
 */
export async function resizeSidebar(page, width) {
  const sidebar = page.locator('.part.sidebar');
  const before = await sidebar.boundingBox();
  if (!before) throw new Error('The sidebar is hidden.');
  const y = before.y + before.height / 2;
  const edge = await sashNear(page, before.x + before.width);
  await page.mouse.move(edge, y);
  await page.mouse.down();
  await page.mouse.move(edge + width - before.width, y, { steps: 8 });
  await page.mouse.up();
  await page.mouse.move(edge + width, y - 100);
  await page.waitForTimeout(200);
  return Math.round((await sidebar.boundingBox())?.width ?? 0);
}

/** The middle of the handle that is closest to this edge. @param {Page} page @param {number} x */
async function sashNear(page, x) {
  const middles = await page.locator('.monaco-sash.vertical').evaluateAll((all) =>
    all.map((one) => {
      const box = one.getBoundingClientRect();
      return box.height > 100 ? box.x + box.width / 2 : Number.NaN;
    }),
  );
  const found = middles.filter((middle) => Math.abs(middle - x) < 12);
  if (found.length === 0) throw new Error('The sidebar has no handle.');
  return found.reduce((best, middle) => (Math.abs(middle - x) < Math.abs(best - x) ? middle : best));
}

/**
 * @param {Page} page @param {string} file
 * @param {{ of?: string }} [options]  `of`: only this element
 */
export async function screenshot(page, file, { of } = {}) {
  await mkdir(dirname(file), { recursive: true });
  const options = {
    path: file,
    animations: /** @type {const} */ ('disabled'),
    caret: /** @type {const} */ ('hide'),
  };
  if (of === undefined) await page.screenshot(options);
  else await page.locator(of).first().screenshot(options);
}
