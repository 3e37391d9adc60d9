// @ts-check
/** @lodeline from end to end: its loop, its context, its session across reloads, cancelling and chats. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytesUnder } from '../unit/support/files.ts';
import { ask, cancelAnswer, newChat, openChat, sendPrompt, waitForAnswer } from './harness/chat.mjs';
import { answerDialog, openView, pickItem, resizeSidebar, webviewFrame } from './harness/workbench.mjs';
import { command, memoryCount, open, picture, reloadWindow, turn } from './support.mjs';

/**
 * @typedef {import('./support.mjs').Page} Page
 * @typedef {import('./support.mjs').ModelRequest} ModelRequest
 */

const REPORT = 'The cache never evicts: its limit is not read.';

describe('@lodeline', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;

  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.checkpoint.enabled': true } });
    page = await run.editor.openWindow();
    // Until Copilot has started there is no model, and a chat takes the names of participants for words.
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
    await newChat(page);
  });
  afterAll(async () => await run?.close());

  /** The newest request that the model was shown. @returns {Promise<ModelRequest>} */
  const request = async () => /** @type {ModelRequest} */ ((await run.requests()).at(-1));
  /** All that it was shown in it. */
  const shown = async () => (await request()).messages.map(({ text }) => text).join('\n');
  /** @param {string} prompt @param {import('./harness/chat.mjs').AskOptions} [options] */
  const say = async (prompt, options) => await ask(page, `@lodeline ${prompt}`, options);

  it('answers with the model of the chat, our tools and the editor’s', async () => {
    await run.script([{ when: { lastUserIncludes: 'Say hello' }, reply: [{ text: 'Hello **there**.' }] }]);
    expect(await say('Say hello')).toBe('Hello there.');
    const { messages, tools } = await request();
    expect(messages[0]?.text).toContain('You are Lodeline');
    expect(messages[0]?.role).toBe('user');
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['todo_write', 'rewind', 'memory_recall', 'copilot_readFile']),
    );
    expect(names).not.toContain('manage_todo_list');
    expect(names).not.toContain('copilot_memory');
    expect(names).not.toContain('memory_pin');
    expect(new Set(names).size).toBe(names.length);
  });

  it('calls a tool of the editor', async () => {
    const input = { filePath: join(run.workspace, 'cache.ts'), startLine: 1, endLine: 3 };
    await run.script(turn('Read the cache', 'copilot_readFile', input));
    await say('Read the cache');
    expect((await request()).toolResult?.text).toContain('export const redisUrl = "redis://cache";');
    await picture(page, 'participant-tool');
  });

  it('edits files of the folder, and asks before those that tools act on', async () => {
    const file = join(run.workspace, 'cache.ts');
    await run.script(turn('Longer', 'edit', { path: 'cache.ts', old: 'ttl = 60', new: 'ttl = 90' }));
    await say('Longer');
    await picture(page, 'participant-edited');
    expect(await readFile(file, 'utf8')).toContain('ttl = 90;\n\nexport const redisUrl');
    await run.script(turn('Start hook', 'write', { path: '.vscode/tasks.json', content: '{}' }));
    await sendPrompt(page, '@lodeline Start hook');
    expect(await answerDialog(page, 'Cancel')).toContain('.vscode/tasks.json');
    await waitForAnswer(page);
    expect((await request()).toolResult?.text).toContain('the person declined');
  });

  it('folds an exploration into its report', async () => {
    await run.script([
      { when: { lastUserIncludes: 'Find the leak' }, reply: [call('checkpoint', { goal: 'find the leak' })] },
      { when: { lastUserIncludes: 'Find the leak', afterToolResult: 'checkpoint' }, reply: explore(1) },
      ...[2, 3, 4, 5].map((at) => ({
        when: { lastUserIncludes: 'Find the leak', afterToolResult: 'memory_remember' },
        reply: explore(at),
      })),
      {
        when: { lastUserIncludes: 'Find the leak', afterToolResult: 'memory_remember' },
        reply: [call('rewind', { report: REPORT })],
      },
      // Of the calls only the checkpoint is left.
      {
        when: { lastUserIncludes: 'Find the leak', afterToolResult: 'checkpoint' },
        reply: [{ text: 'Found it.' }],
      },
    ]);
    expect(await say('Find the leak')).toContain('Found it.');
    expect(await folded()).toEqual({ reports: 1, explored: [], prompts: 1 });
    await memoryCount(page, 5);
    await picture(page, 'participant-rewind');
  });

  it('keeps it folded after the window was reloaded', async () => {
    // The editor saves a chat some time after its answer, and restores what it has saved.
    const chats = join(run.editor.userDataDir, 'User', 'workspaceStorage');
    await expect.poll(() => bytesUnder(chats), { timeout: 60_000 }).toContain('Found it.');
    // A browser's reload is not always told to the server, which then keeps the old extension host for a while: with
    // it the session, for which the prompt waits.
    await reloadWindow(page);
    await openChat(page);
    // Before it has a model again, the chat refuses.
    await page
      .locator('.interactive-input-part:visible', { hasText: 'Scripted' })
      .waitFor({ timeout: 60_000 });
    await run.script([{ when: { lastUserIncludes: 'And now' }, reply: [{ text: 'Now we mend it.' }] }]);
    const answer = await say('And now?');
    await picture(page, 'participant-reload');
    expect(answer).toBe('Now we mend it.');
    expect(await folded()).toEqual({ reports: 1, explored: [], prompts: 1 });
    expect(await shown()).toContain('Say hello');
  });

  it('writes a plan that the panel shows, and is told when the person edits it', async () => {
    const list = [{ phase: 'Mend', items: ['read the limit', 'evict', 'test it'] }];
    await run.script([
      ...turn('Plan it', 'todo_write', { ops: [{ op: 'init', list }] }),
      { when: { lastUserIncludes: 'Plan it' }, reply: [{ text: 'I stop here.' }], repeat: true },
    ]);
    await say('Plan it');
    // An agent that stops with open tasks is reminded three times.
    expect((await shown()).match(/<system-reminder>/g)?.length).toBeGreaterThanOrEqual(3);
    await openView(page, 'Lodeline');
    await resizeSidebar(page, 360);
    const todo = await webviewFrame(page, 'lodeline-todo');
    await todo.getByRole('treeitem', { name: /read the limit/ }).click();
    await page.keyboard.press('Space');
    await expect
      .poll(
        async () => await todo.getByRole('treeitem', { name: /read the limit/ }).getAttribute('aria-checked'),
      )
      .toBe('true');
    await run.script([
      { when: { lastUserIncludes: 'Go on' }, reply: [{ text: 'I saw your edit.' }], repeat: true },
    ]);
    await say('Go on');
    expect(await shown()).toContain('- [x] read the limit');
    await picture(page, 'participant-plan');
  });

  it('shows and changes the plan with /todo, and refuses paths outside of the folder', async () => {
    expect(await say('/todo')).toContain('evict');
    await picture(page, 'participant-todo');
    expect(await say('/todo done evict')).toContain('evict');
    expect(await say('/todo export ../out.md')).toContain('is not a path inside this folder');
    await say('/todo export plan.md');
    expect(await readFile(join(run.workspace, 'plan.md'), 'utf8')).toContain('- [x] evict');
    await sendPrompt(page, '@lodeline /todo export plan.md');
    expect(await answerDialog(page, 'Cancel')).toContain('plan.md');
    expect(await waitForAnswer(page)).toContain('Nothing was changed.');
  });

  it('opens the plan as a document whose save changes it', async () => {
    await say('/todo edit');
    const editor = page.locator('.editor-group-container .monaco-editor[data-uri^="lodeline-todo"]');
    await editor.locator('.view-line', { hasText: 'test it' }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(' twice');
    await page.keyboard.press('Control+S');
    const todo = await webviewFrame(page, 'lodeline-todo');
    await todo.getByRole('treeitem', { name: /test it twice/ }).waitFor();
    expect(await say('/todo')).toContain('test it twice');
    await picture(page, 'participant-edit');
  });

  it('goes on after it was cancelled in the middle of a turn', async () => {
    await run.script([
      {
        when: { lastUserIncludes: 'Think long' },
        reply: [{ text: 'Thinking about it' }, { untilCancelled: true }],
      },
    ]);
    await sendPrompt(page, '@lodeline Think long');
    await page.locator('.chat-most-recent-response', { hasText: 'Thinking about it' }).waitFor();
    await cancelAnswer(page);
    await run.script([
      { when: { lastUserIncludes: 'Shorter' }, reply: [{ text: 'In short: yes.' }], repeat: true },
    ]);
    expect(await say('Shorter, please')).toContain('In short: yes.');
    expect(await shown()).toContain('Think long');
    expect(await shown()).toContain('Thinking about it');
    expect(await shown()).toContain('Say hello');
  });

  it('goes on with a session in a new chat', async () => {
    await newChat(page);
    await run.script([{ when: { lastUserIncludes: 'Anything new' }, reply: [{ text: 'Nothing.' }] }]);
    await say('Anything new?');
    expect(await shown()).not.toContain('Say hello');
    const list = await say('/sessions');
    expect(list).toContain('Say hello');
    await picture(page, 'participant-sessions');
    expect(await say('/resume nothing like it')).toContain('No session fits');
    const resumed = await say('/resume say hello');
    expect(resumed).toContain('This chat goes on with Say hello');
    expect(resumed).toContain('test it twice');
    await picture(page, 'participant-resume');
    await run.script([
      { when: { lastUserIncludes: 'Where were we' }, reply: [{ text: 'At the test.' }], repeat: true },
    ]);
    expect(await say('Where were we?')).toContain('At the test.');
    expect(await folded()).toEqual({ reports: 1, explored: [], prompts: 1 });
    expect(await shown()).toContain('This session was resumed.');
  });

  it('takes back what came after an earlier request that the person changes', async () => {
    await page.locator('.interactive-request:visible', { hasText: 'Where were we?' }).last().click();
    await page.locator('.interactive-request .monaco-editor:visible').first().waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('@lodeline What is left?');
    await run.script([
      { when: { lastUserIncludes: 'What is left' }, reply: [{ text: 'One test.' }], repeat: true },
    ]);
    await page.keyboard.press('Enter');
    await page.locator('.chat-most-recent-response', { hasText: 'One test.' }).waitFor();
    await waitForAnswer(page);
    expect(await shown()).not.toContain('Where were we?');
    expect(await shown()).toContain('Thinking about it');
  });

  it('tells of a checkpoint that stays open, and lets the person end it', async () => {
    await say('/todo done');
    await say('/checkpoint why it is slow');
    await run.script([
      { when: { lastUserIncludes: 'Why slow' }, reply: [{ text: 'No idea.' }], repeat: true },
    ]);
    expect(await say('Why slow?')).toContain('The checkpoint “why it is slow” is still open.');
    await picture(page, 'participant-open');
    await page.locator('.chat-most-recent-response .monaco-button', { hasText: 'Show Checkpoint' }).click();
    const view = await webviewFrame(page, 'lodeline-checkpoint');
    await view.getByText('why it is slow').first().waitFor();
    await say('/rewind It is the disk.');
    await run.script([{ when: { lastUserIncludes: 'And then' }, reply: [{ text: 'Done.' }] }]);
    await say('And then?');
    expect((await shown()).split('It is the disk.')).toHaveLength(2);
    expect(await shown()).not.toContain('No idea.');
  });

  it('goes on with a session that was chosen from the palette', async () => {
    await command(page, 'Lodeline: Resume Session…');
    await pickItem(page, 'Anything new?');
    await page
      .locator('.chat-most-recent-response', { hasText: 'This chat goes on with Anything new?' })
      .waitFor();
    await picture(page, 'participant-palette');
  });

  /** What is left of the exploration in the newest request. */
  async function folded() {
    const text = await shown();
    return {
      reports: text.split(REPORT).length - 1,
      explored: [1, 2, 3, 4, 5].filter((at) => text.includes(`clue-${at}`)),
      prompts: text.split('Find the leak').length - 1,
    };
  }
});

/** @param {string} name @param {object} input */
function call(name, input) {
  return { toolCall: { name, input } };
}

/** One step of an exploration. @param {number} at */
function explore(at) {
  const input = { category: 'knowledge', key: `clue-${at}`, content: `What was found at step ${at}.` };
  return [call('memory_remember', input)];
}
