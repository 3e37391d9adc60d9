// @ts-check
/** Copilot's agent mode on a managed model: rewinds change what the model is shown, and it can be left at any time. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, cancelAnswer, newChat, openChat, sendPrompt } from './harness/chat.mjs';
import { answerDialog, answerNotification, clearNotifications, notification } from './harness/workbench.mjs';
import { command, open, picture } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

const REPORT = 'The cache never evicts: see ttl in cache.ts.';
const PICKER = '.interactive-input-part .model-picker-name:visible';

/** A step of the script: after a result of this tool, or at the beginning of a turn. @param {string} prompt @param {string | undefined} after @param {unknown[]} reply */
const step = (prompt, after, ...reply) => ({
  when: { lastUserIncludes: prompt, ...(after === undefined ? {} : { afterToolResult: after }) },
  reply,
});
/** What the model was last shown, in one text. @param {readonly import('./support.mjs').ModelRequest[]} requests */
const shownIn = (requests) => {
  const { messages } = /** @type {import('./support.mjs').ModelRequest} */ (requests.at(-1));
  return messages.map(({ role, text }) => `${role}: ${text}`).join('\n');
};
/** In tokens; Copilot’s instructions and tools take up a good part of it. */
const WINDOW = 100_000;
/** Some 4,000 tokens. @param {number} at */
const chapter = (at) =>
  `chapter-${at} ${`The tide of day ${at} was ${at} cm above the mean of the year. `.repeat(300)}`;
/** @param {string} name @param {object} input */
const call = (name, input) => ({ toolCall: { name, input } });

/** Chooses a model in the chat. @param {Page} page @param {string} name */
async function chooseIn(page, name) {
  await openChat(page);
  await page.locator(PICKER).first().click();
  const rows = page.locator('.action-widget .monaco-list-row');
  await rows.first().waitFor();
  const row = rows.and(page.locator(`[aria-label="${name}"], [aria-label^="${name},"]`)).first();
  // Models that were not used yet are folded away; whether they are is remembered.
  const others = rows.filter({ hasText: 'Other Models' }).first();
  await row.waitFor({ timeout: 3_000 }).catch(() => others.click());
  await picture(page, 'managed-picker');
  await row.waitFor();
  await row.click();
  await expect.poll(async () => (await page.locator(PICKER).first().textContent())?.trim()).toBe(name);
}

describe('the managed model', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;

  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.checkpoint.enabled': true } });
    page = await run.editor.openWindow();
  });
  afterAll(async () => await run?.close());

  const shown = async () => shownIn(await run.requests());
  const firstRole = async () => (await run.requests()).at(-1)?.messages[0]?.role;
  const statusItem = () => page.locator('.statusbar-item[id$="lodeline.managedModel"]');

  /** @param {string} name */
  const chooseModel = async (name) => await chooseIn(page, name);

  it('is off at first, and turned on by choosing a model and agreeing to what gets lost', async () => {
    await openChat(page);
    expect(await statusItem().count()).toBe(0);
    await command(page, 'Lodeline: Choose Models for Lodeline');
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Scripted' });
    await row.first().waitFor();
    expect(await row.count()).toBe(1);
    await row.locator('.monaco-checkbox').click();
    await picture(page, 'managed-choose');
    await page.locator('.quick-input-widget:visible .monaco-button', { hasText: 'OK' }).click();
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'managed-agree');
    expect(await answerDialog(page, 'Turn On')).toContain('each step of an agent may count');
    await notification(page, 'Scripted · Lodeline').waitFor();
    await statusItem().waitFor();
    await clearNotifications(page);
    await chooseModel('Scripted · Lodeline');
  });

  it('shows the model the report of a rewind once, and none of what was tried', async () => {
    const prompt = 'Find the leak';
    const probe = (/** @type {number} */ n) => call('memory_search', { query: `probe-${n}` });
    await run.script([
      step(prompt, undefined, { text: 'Let me look.' }, call('checkpoint', { goal: 'find the leak' })),
      step(prompt, 'checkpoint', { text: 'musing-1' }, probe(1)),
      step(prompt, 'memory_search', probe(2), probe(3)),
      step(prompt, 'memory_search', probe(4)),
      step(prompt, 'memory_search', { text: 'musing-2' }, probe(5)),
      step(prompt, 'memory_search', call('rewind', { report: REPORT })),
      {
        when: { lastNoteIncludes: REPORT, afterToolResult: 'checkpoint' },
        reply: [{ text: 'It is the ttl.' }],
      },
      step('Mend it', undefined, { text: 'Mended.' }),
    ]);
    expect(await ask(page, prompt, { confirm: 'Allow' })).toContain('It is the ttl.');
    const requests = (await run.requests()).map(({ messages }) => JSON.stringify(messages));
    // The one before the rewind had all of it.
    expect(requests.at(-2)).toContain('probe-5');
    const after = await shown();
    expect(after.split(REPORT)).toHaveLength(2);
    expect(after).toContain('[call checkpoint');
    expect(after).not.toMatch(/probe-|musing-|\[call rewind|\[result (?!checkpoint)/);
    await picture(page, 'managed-rewound');
    // It stays so in the next turn.
    expect(await ask(page, 'Mend it')).toContain('Mended.');
    const later = await shown();
    expect(later.split(REPORT)).toHaveLength(2);
    expect(later).toContain('It is the ttl.');
    expect(later).not.toMatch(/probe-|musing-|\[call rewind/);
  });

  it('is cancelled in the middle of an answer, and so is the model behind it', async () => {
    await newChat(page);
    const prompt = 'Tell me everything';
    await run.script([
      step(prompt, undefined, { text: 'It began ' }, { untilCancelled: true }, { text: 'and ended.' }),
    ]);
    await sendPrompt(page, prompt);
    await page.getByText('It began').last().waitFor();
    await cancelAnswer(page);
    const script = run.mark.slice(run.mark.indexOf('=') + 1);
    await expect.poll(() => existsSync(`${script}.cancelled`), { timeout: 60_000 }).toBe(true);
    expect(await page.getByText('and ended.').count()).toBe(0);
  });

  it('shows what the model says when it refuses', async () => {
    await newChat(page);
    await run.script([
      { ...step('Count the keys', undefined, { error: 'The quota is used up.' }), repeat: true },
    ]);
    await sendPrompt(page, 'Count the keys');
    await page.getByText('The quota is used up.').first().waitFor({ timeout: 60_000 });
    await picture(page, 'managed-error');
  });

  it('is turned off with one click, which one more undoes', async () => {
    await newChat(page);
    await run.script([step('Hello', undefined, { text: 'Hello yourself.' })]);
    await ask(page, 'Hello');
    // There is no role for instructions on the way.
    expect(await firstRole()).toBe('user');
    await statusItem().locator('a').first().click();
    await notification(page, 'The managed model is off').waitFor();
    await picture(page, 'managed-off');
    await statusItem().waitFor({ state: 'hidden' });
    await answerNotification(page, 'The managed model is off', 'Turn On Again');
    await statusItem().waitFor();
  });

  it('leaves the chat with the model itself once it is off', async () => {
    await statusItem().locator('a').first().click();
    await statusItem().waitFor({ state: 'hidden' });
    await clearNotifications(page);
    await chooseModel('Scripted');
    await page.locator(PICKER).first().click();
    const rows = page.locator('.action-widget .monaco-list-row');
    await rows.first().waitFor();
    expect(await rows.filter({ hasText: 'Lodeline' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await run.script([step('And now', undefined, { text: 'Still here.' })]);
    expect(await ask(page, 'And now')).toContain('Still here.');
    expect(await firstRole()).toBe('system');
  });
});

describe('a long chat on the managed model', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;

  beforeAll(async () => {
    // A person who chose the model earlier.
    run = await open({
      settings: {
        'lodeline.compaction.contextWindow': WINDOW,
        'lodeline.managedModel.enabled': true,
        'lodeline.managedModel.models': ['scripted/scripted'],
      },
    });
    page = await run.editor.openWindow();
  });
  afterAll(async () => await run?.close());

  it('is shown to the model as a summary of its beginning and what came last', async () => {
    await openChat(page);
    await page.locator('.statusbar-item[id$="lodeline.managedModel"]').waitFor();
    await chooseIn(page, 'Scripted · Lodeline');
    const summary = 'The port of the cache is 6380.';
    await run.script([
      {
        when: { lastUserIncludes: '<summary>' },
        reply: [{ text: `<analysis>All of it.</analysis><summary>${summary}</summary>` }],
        repeat: true,
      },
      ...Array.from({ length: 20 }, (_, at) => step(`Chapter ${at}.`, undefined, { text: chapter(at) })),
    ]);
    const summarised = async () =>
      (await run.requests()).filter(({ lastUser }) => lastUser.includes('<summary>')).length;
    let last = -1;
    do await ask(page, `Chapter ${++last}.`);
    while ((await summarised()) === 0 && last < 19);
    const text = shownIn(await run.requests());
    expect(text).toContain(summary);
    expect(text).toContain(`chapter-${last - 1} `);
    expect(text).toContain(`Chapter ${last}.`);
    expect(text).not.toContain('chapter-0 ');
    await picture(page, 'managed-summarised');
    // The next request begins with the same summary, and no other is asked for.
    await ask(page, `Chapter ${last + 1}.`);
    const next = shownIn(await run.requests());
    expect(await summarised()).toBe(1);
    expect(next).toContain(summary);
    expect(next).toContain(`chapter-${last} `);
    expect(next).not.toContain('chapter-0 ');
  });
});
