// @ts-check
/** Talking to Copilot Chat in agent mode as a person does. */

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {import('playwright-core').Locator} Locator
 * @typedef {object} AskOptions
 * @property {string} [confirm]  how to answer each confirmation card on the way: "Allow", "Skip", …
 * @property {number} [timeout]
 */

const INPUT = '.interactive-input-part .monaco-editor:visible';
const NEWEST = '.chat-most-recent-response:visible';
/** The card to answer stands above the input; the conversation itself holds only copies and past ones. */
const CARD = '.chat-tool-confirmation-carousel:visible:has(.chat-confirmation-widget-buttons .monaco-button)';

/** Copilot itself needs some ten seconds after the first start; a prompt that comes earlier waits in the editor. */
const ANSWER_TIMEOUT = 120_000;

/** Shows the chat and puts the cursor into its input. @param {Page} page */
export async function openChat(page) {
  const input = page.locator(INPUT).first();
  if (!(await input.isVisible().catch(() => false))) await page.keyboard.press('Control+Alt+KeyI');
  await input.waitFor();
  await input.click();
}

/** Leaves the running conversation and starts another. @param {Page} page */
export async function newChat(page) {
  await openChat(page);
  await page.locator('.part.auxiliarybar .action-label[aria-label^="New Chat"]:visible').first().click();
  await page.locator('.interactive-item-container:visible').first().waitFor({ state: 'detached' });
  await openChat(page);
}

/** Sends a prompt without waiting for the answer. @param {Page} page @param {string} prompt */
export async function sendPrompt(page, prompt) {
  await openChat(page);
  const before = await newestIndex(page);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(prompt);
  await page.keyboard.press('Enter');
  for (
    const deadline = Date.now() + 60_000;
    (await newestIndex(page)) <= before;
    await page.waitForTimeout(50)
  ) {
    if (Date.now() > deadline) throw new Error(`The chat did not take the prompt "${prompt}".`);
  }
}

/**
 * Waits until the newest answer is whole.
 * @param {Page} page @param {AskOptions} [options]
 * @returns {Promise<string>} its text
 */
export async function waitForAnswer(page, { confirm, timeout = ANSWER_TIMEOUT } = {}) {
  for (const deadline = Date.now() + timeout; Date.now() < deadline; await page.waitForTimeout(100)) {
    if (confirm !== undefined && (await isAsking(page))) await answerConfirmation(page, confirm);
    if (await page.locator(`${NEWEST}:not(.chat-response-loading)`).count()) return await lastAnswer(page);
  }
  const shown = (await page.locator(NEWEST).allInnerTexts()).at(-1) ?? 'nothing';
  throw new Error(`The chat did not finish its answer in ${timeout} ms. It shows:\n${shown}`);
}

/**
 * Sends a prompt and waits for the answer.
 * @param {Page} page @param {string} prompt @param {AskOptions} [options]
 */
export async function ask(page, prompt, options) {
  await sendPrompt(page, prompt);
  return await waitForAnswer(page, options);
}

/** Stops the answer that is being given, and waits until it is over. @param {Page} page */
export async function cancelAnswer(page) {
  await openChat(page);
  await page.keyboard.press('Control+Escape');
  await page.locator(`${NEWEST}:not(.chat-response-loading)`).first().waitFor();
}

/** The text of the newest answer, without tool calls and footers. @param {Page} page */
async function lastAnswer(page) {
  const parts = page.locator(NEWEST).last().locator('.value > .chat-markdown-part:visible');
  return (await parts.allInnerTexts()).join('\n').trim();
}

/** The card that asks before a tool runs. @param {Page} page @returns {Locator} */
export function confirmationCard(page) {
  return page.locator(CARD).first();
}

/** @param {Page} page */
async function isAsking(page) {
  return (await page.locator(CARD).count()) > 0;
}

/**
 * Answers the card that asks before a tool runs.
 * @param {Page} page
 * @param {string} answer  "Allow" takes the main button, "Skip" refuses; "Allow Once", "Allow in this Workspace"
 *   and "Always Allow" stand in the menu beside the main button
 * @returns {Promise<string>} what the card said
 */
export async function answerConfirmation(page, answer) {
  const card = confirmationCard(page);
  await card.waitFor({ timeout: ANSWER_TIMEOUT });
  const text = (await card.allInnerTexts()).join('\n');
  const element = await card.locator('.chat-confirmation-widget-container').first().elementHandle();
  const button = card.locator('.monaco-button.monaco-text-button:visible', {
    hasText: new RegExp(`^${answer}`),
  });
  if (await button.count()) {
    await button.first().click();
  } else {
    await card.locator('.monaco-dropdown-button:visible').click();
    const item = page.locator('.monaco-menu .action-item:visible', { hasText: answer }).first();
    await item.waitFor();
    // A menu ignores the mouse at first, so that the click that opened it does not choose from it.
    await page.waitForTimeout(300);
    await item.click();
  }
  // The next card may already stand there; this one has to be gone.
  await element?.waitForElementState('hidden');
  return text;
}

/** @param {Page} page */
async function newestIndex(page) {
  const row = page.locator('.monaco-list-row', { has: page.locator(NEWEST) }).last();
  return (await row.count()) ? Number(await row.getAttribute('data-index')) : -1;
}
