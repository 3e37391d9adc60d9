// @ts-check
/** Sessions that spawn, message and announce to each other, from end to end, and the panel that shows them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { clearNotifications, notification, webviewFrame } from './harness/workbench.mjs';
import { showPanel } from './subagents-support.mjs';
import { command, open, picture } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

const OTHERS = ['Memory', 'Todo', 'Checkpoint', 'Subagents'];

describe('sessions', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;

  beforeAll(async () => {
    run = await open();
    page = await run.editor.openWindow();
    // Until Copilot has started there is no model, and a chat takes the names of participants for words.
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
    await newChat(page);
  });
  afterAll(async () => await run?.close());

  /** @param {string} prompt */
  const say = async (prompt) => await ask(page, `@lodeline ${prompt}`);
  /** @param {Page} window */
  const panel = async (window) => await webviewFrame(window, 'lodeline-sessions');
  /** What the model was shown in any request. */
  const shown = async () =>
    (await run.requests()).map(({ messages }) => messages.map(({ text }) => text).join('\n'));

  it('spawns a session with an attachment, and its result is announced', async () => {
    const input = {
      task: 'Child task: read the notes that come with it.',
      label: 'helper',
      attachments: [{ name: 'notes.txt', content: 'The limit is 500.' }],
    };
    await run.script([
      { when: { lastNoteIncludes: 'Your task has ended' }, reply: [{ text: 'Nothing is doubtful.' }] },
      { when: { lastNoteIncludes: 'Child task' }, reply: [{ text: 'The notes say 500.' }] },
      ...asked('Spawn the helper', 'sessions_spawn', input),
    ]);
    expect(await say('Spawn the helper')).toContain('"status":"accepted"');
    await notification(page, '“helper” announces: The notes say 500.').waitFor({
      timeout: 60_000,
    });
    await picture(page, 'sessions-announced');
    await clearNotifications(page);
    const folder = join(run.workspace, '.lodeline', 'attachments');
    const [staged = ''] = (await readdir(folder)).filter((name) => name !== '.gitignore');
    expect(await readFile(join(folder, staged, 'notes.txt'), 'utf8')).toBe('The limit is 500.');
    // The child knows nothing of the chat that asked.
    const child = (await shown()).find(
      (text) => text.includes('Child task') && !text.includes('Spawn the helper'),
    );
    expect(child).toContain(`.lodeline/attachments/${staged}/notes.txt`);
  });

  it('shows at the top of the next answer what has arrived', async () => {
    await run.script([
      { when: { lastUserIncludes: 'Anything new' }, reply: [{ text: 'The helper is done.' }] },
    ]);
    const answer = await say('Anything new?');
    expect(answer).toMatch(/^Since your last message other sessions wrote:\s*helper: The notes say 500\./);
    expect(answer).toContain('The helper is done.');
    await picture(page, 'sessions-quoted');
    // It is told once.
    await run.script([{ when: { lastUserIncludes: 'And now' }, reply: [{ text: 'Nothing.' }] }]);
    expect(await say('And now?')).toBe('Nothing.');
  });

  it('sends the session a message and gets its reply', async () => {
    const input = { label: 'helper', message: 'Which limit?', timeoutSeconds: 60 };
    await run.script([
      { when: { lastNoteIncludes: 'Which limit?' }, reply: [{ text: 'Five hundred.' }] },
      {
        when: { lastNoteIncludes: 'answer exactly REPLY_SKIP' },
        reply: [{ text: 'REPLY_SKIP' }],
        repeat: true,
      },
      { when: { lastNoteIncludes: 'ANNOUNCE_SKIP' }, reply: [{ text: 'ANNOUNCE_SKIP' }], repeat: true },
      ...asked('Ask the helper', 'sessions_send', input),
    ]);
    expect(await say('Ask the helper')).toContain('"reply":"Five hundred."');
    await picture(page, 'sessions-reply');
  });

  it('lists them in a second window, and reads what was said', async () => {
    const second = await run.editor.openWindow();
    await showPanel(second, OTHERS, 'Sessions');
    const sessions = await panel(second);
    await sessions.getByRole('treeitem', { name: /^helper/ }).click();
    await sessions.getByText('Five hundred.').waitFor();
    await sessions.getByText('The notes say 500.', { exact: true }).waitFor();
    await picture(second, 'sessions-second-window');
    await second.close();
  });

  it('sends a message from the panel, and shows what came of it', async () => {
    await showPanel(page, OTHERS, 'Sessions');
    const sessions = await panel(page);
    await run.script([
      { when: { lastNoteIncludes: 'A word from the person' }, reply: [{ text: 'Understood.' }] },
      { when: { lastNoteIncludes: 'ANNOUNCE_SKIP' }, reply: [{ text: 'ANNOUNCE_SKIP' }], repeat: true },
    ]);
    await sessions.getByRole('treeitem', { name: /^helper/ }).click();
    await sessions.getByRole('textbox', { name: 'Send a message' }).fill('A word from the person');
    await page.keyboard.press('Enter');
    await sessions.getByText('Understood.').first().waitFor({ timeout: 60_000 });
    await picture(page, 'sessions-panel-reader');
    await sessions.getByRole('button', { name: 'Back to the list' }).click();
    await sessions.getByRole('button', { name: /^Messages/ }).click();
    await sessions
      .getByRole('button', { name: /^replied, from helper/ })
      .first()
      .waitFor();
    await picture(page, 'sessions-panel-timeline');
  });

  it('takes no messages once the person has said so', async () => {
    expect(await say('/send off')).toContain('No other session may write into this chat.');
    await command(page, 'Lodeline: Show Sessions');
    const sessions = await panel(page);
    await sessions
      .getByRole('treeitem', { name: /no messages/ })
      .first()
      .waitFor();
    expect(await say('/send')).toContain('/send on');
    expect(await say('/send inherit')).toContain('as your settings say');
  });
});

/** Rules for one turn: on this prompt call a tool, then answer with its result. @param {string} prompt @param {string} name @param {object} input */
function asked(prompt, name, input) {
  return [
    { when: { lastUserIncludes: prompt }, reply: [{ toolCall: { name, input } }] },
    {
      when: { lastUserIncludes: prompt, afterToolResult: name },
      reply: [{ text: 'It says {{toolResult}}' }],
    },
  ];
}
