// @ts-check
/** Sessions as the person meets them: chats on children, what the window says of messages, the palette, the schedule. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat, sendPrompt, waitForAnswer } from './harness/chat.mjs';
import {
  answerInputBox,
  answerNotification,
  clearNotifications,
  notification,
  openView,
  webviewFrame,
} from './harness/workbench.mjs';
import { showPanel } from './subagents-support.mjs';
import { command, open, picture, quickPickLabels, turn, writeFiles } from './support.mjs';

const OTHERS = ['Memory', 'Todo', 'Checkpoint', 'Subagents'];
const SCHEDULED = 'Scheduled: count the open tasks.';
/** Both windows are open by then, and wait for the same moment. Were they late, the job would be made up for. */
const LEAD_MS = 110_000;

/** Rules for the notes that a session is asked for after its work. */
const quiet = [
  { when: { lastNoteIncludes: 'Your task has ended' }, reply: [{ text: 'ANNOUNCE_SKIP' }], repeat: true },
  {
    when: { lastNoteIncludes: 'answer exactly REPLY_SKIP' },
    reply: [{ text: 'REPLY_SKIP' }],
    repeat: true,
  },
  { when: { lastNoteIncludes: 'ANNOUNCE_SKIP' }, reply: [{ text: 'ANNOUNCE_SKIP' }], repeat: true },
];
const told = [
  { when: { lastNoteIncludes: 'Your task has ended' }, reply: [{ text: 'No doubts.' }] },
  ...quiet,
];

describe('sessions beside the chat', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;
  /** Another window on the same folder, which keeps the same schedule. @type {import('./support.mjs').Page} */
  let other;

  beforeAll(async () => {
    const job = { id: 'tally', at: clock(), message: SCHEDULED };
    run = await open({
      settings: { 'lodeline.tools.sessions.visibility': 'agent', 'lodeline.cron.jobs': [job] },
    });
    await seenBefore(run.store, job);
    page = await run.editor.openWindow();
    // Until Copilot has started there is no model, and a chat takes the names of participants for words.
    await run.script([scheduled, { reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
    await newChat(page);
    other = await run.editor.openWindow();
    await run.script([scheduled]);
  });
  afterAll(async () => await run?.close());

  const scheduled = {
    when: { lastNoteIncludes: SCHEDULED },
    reply: [{ text: 'Three are open.' }],
    repeat: true,
  };
  /** @param {unknown[]} rules */
  const script = async (rules) => await run.script([scheduled, ...rules]);
  /** @param {string} prompt */
  const say = async (prompt) => await ask(page, `@lodeline ${prompt}`);
  /** From an open pick list, by how the line begins. @param {string} start */
  const choose = async (start) =>
    await page.locator(`.quick-input-list .monaco-list-row[aria-label^="${start}"]`).first().click();
  const panel = async () => await webviewFrame(page, 'lodeline-sessions');
  /** @param {RegExp} name */
  const line = async (name) => (await panel()).getByRole('treeitem', { name }).first();
  /** What the model was shown in each request. */
  const shown = async () =>
    (await run.requests()).map(({ messages }) => messages.map(({ text }) => text).join('\n'));

  it('runs a scheduled job once, though two windows keep the schedule, and tells of it', async () => {
    for (const window of [page, other]) await openView(window, 'Lodeline');
    const announced = notification(page, '“tally” announces: Three are open.');
    const elsewhere = notification(other, '“tally” announces: Three are open.');
    await expect
      .poll(async () => (await announced.count()) + (await elsewhere.count()), { timeout: 240_000 })
      .toBe(1);
    for (const window of [page, other]) await clearNotifications(window);
    await showPanel(page, OTHERS, 'Sessions');
    await (await line(/^tally, .*scheduled/)).waitFor();
  });

  it('opens a chat on a child that was spawned as a thread, and what is typed there reaches the child', async () => {
    const input = { task: 'Child task: choose a colour.', label: 'painter', thread: true };
    await script([
      ...told,
      { when: { lastNoteIncludes: 'Child task' }, reply: [{ text: 'I choose green.' }] },
      ...turn('Spawn the painter', 'sessions_spawn', input),
    ]);
    // The chat on the child may open before the one that asked for it has ended its answer.
    await sendPrompt(page, '@lodeline Spawn the painter');
    const resumed = page.locator('.interactive-response:visible', {
      hasText: 'This chat goes on with painter.',
    });
    await resumed.first().waitFor({ timeout: 120_000 });
    await waitForAnswer(page);
    const spawned = async () =>
      (await run.requests()).find(({ toolResult }) => toolResult?.tool === 'sessions_spawn')?.toolResult
        ?.text;
    await expect.poll(spawned).toContain('"status":"accepted"');
    await picture(page, 'sessions-thread');
    await script([
      { when: { lastUserIncludes: 'Why that colour' }, reply: [{ text: 'It is calm.' }] },
      ...quiet,
    ]);
    expect(await say('Why that colour?')).toContain('It is calm.');
    const asked = (await shown()).find((text) => text.includes('Why that colour'));
    expect(asked).toContain('Child task: choose a colour.');
    expect(asked).toContain('I choose green.');
    expect(asked).not.toContain('Spawn the painter');
    await (await line(/^painter/)).click();
    await (await panel()).getByText('It is calm.').first().waitFor();
    await (await panel()).getByRole('button', { name: 'Back to the list' }).click();
  });

  it('counts on its icon what came while the view was hidden, and a notification opens the chat', async () => {
    await clearNotifications(page);
    await newChat(page);
    await openView(page, 'Explorer');
    await script([
      ...told,
      {
        when: { lastNoteIncludes: 'Child task' },
        reply: [{ text: 'There are [nine](command:workbench.action.quit).' }],
      },
      ...turn('Spawn the counter', 'sessions_spawn', { task: 'Child task: count.', label: 'counter' }),
    ]);
    await say('Spawn the counter');
    const toast = notification(page, '“counter” announces: There are [nine]');
    await toast.waitFor({ timeout: 120_000 });
    // What an agent writes is no link that runs a command.
    expect(await toast.locator('.notification-list-item-message a').count()).toBe(0);
    const badge = page.locator('.activitybar .action-item', {
      has: page.locator('.action-label[aria-label*="Lodeline"]'),
    });
    await badge.locator('.badge:visible').waitFor();
    await picture(page, 'sessions-badge');
    await answerNotification(page, '“counter” announces', 'Open Chat');
    const resumed = page.locator('.interactive-response:visible', {
      hasText: 'This chat goes on with Spawn the counter',
    });
    await resumed.first().waitFor({ timeout: 60_000 });
    await waitForAnswer(page);
    await openView(page, 'Lodeline');
    await badge.locator('.badge:visible').waitFor({ state: 'hidden' });
  });

  it('does from the palette what the panel does', async () => {
    await clearNotifications(page);
    await command(page, 'Lodeline: Rename a Session…');
    await choose('counter');
    await answerInputBox(page, 'Bookkeeper');
    await notification(page, 'Renamed “counter”.').waitFor();
    await (await line(/^Bookkeeper/)).waitFor();

    await script([
      { when: { lastNoteIncludes: 'From the palette' }, reply: [{ text: 'Read from the palette.' }] },
      ...quiet,
    ]);
    await command(page, 'Lodeline: Send a Message to a Session…');
    await choose('Bookkeeper');
    await answerInputBox(page, 'From the palette');
    await notification(page, 'Sent to “Bookkeeper”.').waitFor();
    await (await line(/^Bookkeeper/)).click();
    await (await panel()).getByText('Read from the palette.').first().waitFor({ timeout: 60_000 });
    await (await panel()).getByRole('button', { name: 'Back to the list' }).click();

    await command(page, 'Lodeline: Set Messages to a Session…');
    await choose('Bookkeeper');
    await choose('Deny');
    await (await line(/^Bookkeeper.*no messages/)).waitFor();
    await command(page, 'Lodeline: Send a Message to a Session…');
    expect((await quickPickLabels(page)).filter((label) => label.startsWith('Bookkeeper'))).toEqual([]);
    await page.keyboard.press('Escape');

    await command(page, 'Lodeline: Archive or Restore a Session…');
    await choose('Bookkeeper');
    await notification(page, 'Archived “Bookkeeper”.').waitFor();
    await (await line(/^Bookkeeper/)).waitFor({ state: 'detached' });
    await command(page, 'Lodeline: Archive or Restore a Session…');
    await choose('Bookkeeper');
    await (await line(/^Bookkeeper/)).waitFor();
    await picture(page, 'sessions-palette');
  });

  it('refuses a message to a chat whose person said /send off, and says so', async () => {
    await clearNotifications(page);
    await newChat(page);
    await script(turn('Name the sessions of the quiet room', 'sessions_list', {}));
    await say('Name the sessions of the quiet room');
    const { sessions } = JSON.parse((await run.requests()).at(-1)?.toolResult?.text ?? '');
    const room = sessions.find((/** @type {{ displayName: string | null }} */ { displayName }) =>
      displayName?.includes('quiet room'),
    );
    expect(await say('/send off')).toContain('No other session may write into this chat.');
    await newChat(page);
    await script(turn('Knock', 'sessions_send', { sessionKey: room.key, message: 'Knock, knock' }));
    await say('Knock');
    const { toolResult } = (await run.requests()).at(-1) ?? {};
    expect(toolResult?.text).toContain('"status":"forbidden"');
    expect(toolResult?.text).toContain('send');
    await picture(page, 'sessions-refused');
    await (await line(/quiet room.*no messages/)).click();
    await (await panel()).getByText('This session takes no messages. Its menu can allow them.').waitFor();
    // Nothing of it waits for a better time.
    expect(
      (await shown()).filter(
        (text) => text.includes('[Inter-session message]') && text.includes('Knock, knock'),
      ),
    ).toEqual([]);
  });

  it('has run the scheduled job no second time', async () => {
    const runs = (await run.requests()).filter(({ messages }) => messages.at(-1)?.text.includes(SCHEDULED));
    expect(runs).toHaveLength(1);
  });
});

/**
 * As if a window had seen the job before: one that is due before it was first seen waits for the next day.
 * @param {string} store @param {{ id: string, at: string }} job
 */
async function seenBefore(store, { id, at }) {
  const [hour, minute] = at.split(':').map(Number);
  const when = { at: Number(hour) * 60 + Number(minute) };
  const name = createHash('sha256')
    .update(JSON.stringify([id, when]))
    .digest('hex')
    .slice(0, 32);
  await writeFiles(join(store, 'cron'), { [`${name}.since`]: String(Date.now() - 60_000) });
}

/** The time of day of the first minute that is far enough ahead. */
function clock() {
  const at = new Date(Math.ceil((Date.now() + LEAD_MS) / 60_000) * 60_000);
  return at.toTimeString().slice(0, 5);
}
