// @ts-check
/** Long chats with @lodeline: compacted, folded, and left in the middle of a call. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerConfirmation, ask, confirmationCard, newChat, sendPrompt } from './harness/chat.mjs';
import { clearNotifications, pickItem, resizeSidebar, webviewFrame } from './harness/workbench.mjs';
import { command, open, picture, turn } from './support.mjs';

/**
 * @typedef {import('./support.mjs').Page} Page
 * @typedef {import('./support.mjs').Run} Run
 * @typedef {import('./support.mjs').ModelRequest} ModelRequest
 */

const WINDOW = 40_000;
const SUMMARY = 'The port of the cache is 6380.';
/** Some 4,000 tokens. @param {number} at */
const chapter = (at) =>
  `chapter-${at} ${`The tide of day ${at} was ${at} cm above the mean of the year. `.repeat(300)}`;
/** Rules for prompts that are answered at length, and for what asks for a summary. @param {number} from @param {number} to */
const chapters = (from, to) => [
  {
    when: { lastUserIncludes: '<summary>' },
    reply: [{ text: `<analysis>All of it.</analysis><summary>1. Intent: ${SUMMARY}</summary>` }],
    repeat: true,
  },
  ...Array.from({ length: to - from + 1 }, (_, at) => ({
    when: { lastUserIncludes: `Chapter ${from + at}.` },
    reply: [{ text: chapter(from + at) }],
  })),
];

/** The newest request that the model was shown, in one text. @param {Run} run */
async function shown(run) {
  const { messages } = /** @type {ModelRequest} */ ((await run.requests()).at(-1));
  return messages.map(({ text }) => text).join('\n');
}

/** A window in which @lodeline answers. @param {Run} run */
async function ready(run) {
  const page = await run.editor.openWindow();
  // Until Copilot has started there is no model, and a chat takes the names of participants for words.
  await run.script([{ reply: [{ text: 'I am.' }] }]);
  await ask(page, 'Are you there?');
  // What starts slowly may complain of it, right over the chat's input.
  await clearNotifications(page);
  await newChat(page);
  return page;
}

/** The checkpoint panel beside the chat. @param {Page} page */
async function checkpointPanel(page) {
  await command(page, 'Lodeline: Show Checkpoint');
  // The views above it leave it little room.
  for (const title of ['Memory', 'Todo']) {
    const header = page.locator('.part.sidebar .pane-header', { hasText: title });
    if ((await header.getAttribute('aria-expanded')) === 'true') await header.click();
  }
  return await webviewFrame(page, 'lodeline-checkpoint');
}

describe('a chat that grows beyond its window', () => {
  /** @type {Run} */
  let run;
  /** @type {Page} */
  let page;
  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.compaction.contextWindow': WINDOW } });
    page = await ready(run);
  });
  afterAll(async () => await run?.close());
  /** @param {string} prompt */
  const say = async (prompt) => await ask(page, `@lodeline ${prompt}`);

  it('is summarized, and the panel tells how full it is', async () => {
    await run.script(chapters(1, 9));
    for (let at = 1; at <= 9; at++) await say(`Chapter ${at}.`);
    const text = await shown(run);
    expect(text).toContain(SUMMARY);
    expect(text).toContain('chapter-8');
    expect(text).not.toContain('chapter-1 ');
    const panel = await checkpointPanel(page);
    await resizeSidebar(page, 340);
    await panel.getByRole('meter', { name: 'Context' }).waitFor();
    await panel.getByText(/Summarized .* so far/).waitFor();
    await picture(page, 'long-compacted');
  });

  it('is summarized at once by /compact, with what the person names', async () => {
    const said = await say('/compact keep the port numbers');
    expect(said).toMatch(/Summarized \d+ messages: about [\d,]+ tokens before, about [\d,]+ now/);
    expect(await shown(run)).toContain('keep the port numbers');
    await picture(page, 'long-compact');
    await run.script([{ when: { lastUserIncludes: 'Which port' }, reply: [{ text: '6380.' }] }]);
    expect(await say('Which port?')).toBe('6380.');
    const text = await shown(run);
    expect(text).toContain(SUMMARY);
    expect(text.match(/chapter-\d+ /g)?.length ?? 0).toBeLessThan(5);
  });

  it('is summarized from the panel', async () => {
    const panel = await checkpointPanel(page);
    await clearNotifications(page);
    await run.script(chapters(10, 10));
    await panel.getByRole('button', { name: 'Compact Now' }).click();
    await page.locator('.notification-toast', { hasText: /Summarized|nothing to summarize/ }).waitFor();
    await picture(page, 'long-compact-panel');
    await say('Chapter 10.');
    expect(await shown(run)).toContain(SUMMARY);
  });
});

describe('a chat whose agent folds it', () => {
  /** @type {Run} */
  let run;
  /** @type {Page} */
  let page;
  beforeAll(async () => {
    run = await open({
      settings: {
        'lodeline.compaction.contextWindow': 100_000,
        'lodeline.compaction.strategy': 'folding',
      },
    });
    page = await ready(run);
  });
  afterAll(async () => await run?.close());
  /** @param {string} prompt */
  const say = async (prompt) => await ask(page, `@lodeline ${prompt}`);

  it('lists what is folded, shows it, and opens it again', async () => {
    await run.script(chapters(1, 6));
    for (let at = 1; at <= 6; at++) await say(`Chapter ${at}.`);
    const summary = `The tides of the first two days, at length: nothing unusual, as far as anybody could see. ${SUMMARY}`;
    const content = [{ topic: 'The first days', startId: 'm00001', endId: 'm00004', summary }];
    await run.script(turn('Fold them', 'Compress', { content }));
    expect(await say('Fold them.')).toContain('b1(T1)=');
    await run.script([
      { when: { lastUserIncludes: 'What now' }, reply: [{ text: 'Nothing.' }], repeat: true },
    ]);
    await say('What now?');
    expect(await shown(run)).toContain(SUMMARY);
    expect(await shown(run)).not.toContain('chapter-1 ');
    const panel = await checkpointPanel(page);
    await resizeSidebar(page, 340);
    await panel.getByRole('button', { name: /The first days/ }).press('Enter');
    await panel.getByRole('button', { name: 'Show original' }).press('Enter');
    await panel
      .getByRole('region', { name: 'Original' })
      .getByText(/chapter-1 /)
      .waitFor();
    await picture(page, 'long-fold');
    await panel.getByRole('button', { name: 'Reopen…' }).press('Enter');
    await panel.getByRole('button', { name: 'Reopen it' }).click();
    await panel.getByRole('button', { name: /The first days.*Not in use/ }).waitFor();
    await picture(page, 'long-reopened');
    await say('What now, then?');
    expect(await shown(run)).toContain('chapter-1 ');
  });

  it('opens the original as a document from the palette', async () => {
    await command(page, 'Lodeline: Show Folded Parts of a Session…');
    await pickItem(page, 'Chapter 1.');
    await pickItem(page, 'The first days');
    await pickItem(page, 'Show Original');
    await page.locator('.editor-group-container .view-line', { hasText: 'The first days' }).first().waitFor();
    await picture(page, 'long-original');
  });
});

describe('a chat that is killed in the middle of a call', () => {
  /** @type {Run} */
  let run;
  /** @type {Page} */
  let page;
  beforeAll(async () => {
    run = await open();
    page = await ready(run);
  });
  afterAll(async () => await run?.close());
  /** @param {string} prompt */
  const say = async (prompt) => await ask(page, `@lodeline ${prompt}`);

  it('says after the restart what nobody knows, and writes nothing until it is settled', async () => {
    await run.script([
      {
        when: { lastUserIncludes: 'Clean up' },
        reply: [
          { text: 'I remove the old builds.' },
          {
            toolCall: {
              name: 'run_in_terminal',
              input: {
                ...{ command: 'sleep 300', explanation: 'Removes old builds', goal: 'Clean up' },
                ...{ mode: 'sync', isBackground: false, timeout: 300_000 },
              },
            },
          },
        ],
      },
    ]);
    await sendPrompt(page, '@lodeline Clean up.');
    await confirmationCard(page).waitFor();
    await answerConfirmation(page, 'Allow');
    await page.locator('.terminal-wrapper, .chat-terminal-content-part').first().waitFor();
    await run.restart();
    page = await ready(run);
    const resumed = await say('/resume clean up');
    expect(resumed).toContain('This chat goes on with Clean up.');
    expect(resumed).toContain('It is not known whether “run_in_terminal” took effect.');
    await picture(page, 'long-unknown');

    await run.script(turn('Write it', 'write', { path: 'note.txt', content: 'done' }));
    const refused = await say('Write it.');
    expect(refused).toContain('run_in_terminal');
    expect(existsSync(join(run.workspace, 'note.txt'))).toBe(false);
    const panel = await checkpointPanel(page);
    await resizeSidebar(page, 340);
    await panel.getByText('Left in the middle of a call').waitFor();
    await picture(page, 'long-unknown-panel');

    expect(await say('/acknowledge')).toContain('I remove the old builds.');
    expect(await say('/acknowledge 1 failed nothing was removed')).toContain('Nothing is open any more');
    await panel.getByText('Left in the middle of a call').waitFor({ state: 'detached' });
    await run.script(turn('Write again', 'write', { path: 'note.txt', content: 'done' }));
    await say('Write again.');
    await expect.poll(() => existsSync(join(run.workspace, 'note.txt'))).toBe(true);
    await picture(page, 'long-settled');
  });
});
