// @ts-check
/** A chat's plan from end to end: the agent writes it, the person edits it in the panel, the agent is told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { openView, resizeSidebar, webviewFrame } from './harness/workbench.mjs';
import { open, picture, turn } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

describe('the plan of a Copilot chat', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;

  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.checkpoint.enabled': true } });
    page = await run.editor.openWindow();
  });
  afterAll(async () => await run?.close());

  /** @param {string} element */
  const panel = async (element) => await webviewFrame(page, element);
  /** The newest tool result that the model was shown. */
  const result = async () => (await run.requests()).at(-1)?.toolResult?.text ?? '';

  it('is written by the agent and shown in the todo tree', async () => {
    const list = [{ phase: 'Cache', items: ['measure misses', 'raise the limit', 'write it down'] }];
    await run.script(turn('Plan the cache work', 'todo_write', { ops: [{ op: 'init', list }] }));
    expect(await ask(page, 'Plan the cache work')).toContain('Remaining items (3)');
    await openView(page, 'Lodeline');
    await resizeSidebar(page, 360);
    const todo = await panel('lodeline-todo');
    await todo.getByRole('treeitem', { name: /measure misses/ }).waitFor();
    await picture(page, 'todo');
  });

  it('is checked off by the person, and the agent is told without words of theirs', async () => {
    const todo = await panel('lodeline-todo');
    await todo.getByRole('treeitem', { name: /measure misses/ }).click();
    await page.keyboard.press('Space');
    await expect
      .poll(
        async () => await todo.getByRole('treeitem', { name: /measure misses/ }).getAttribute('aria-checked'),
      )
      .toBe('true');
    await run.script(
      turn('Go on with it', 'todo_write', { ops: [{ op: 'note', task: 'raise the limit', text: 'to 64' }] }),
    );
    await ask(page, 'Go on with it');
    const text = await result();
    expect(text).toContain('Notice from Lodeline, not a message: the todo list was edited by hand');
    expect(text).toContain('- [x] measure misses');
    expect(text).toContain('→ raise the limit (+1 note)');
  });

  it('belongs to its chat: another chat has none', async () => {
    await newChat(page);
    await run.script(
      turn('Continue elsewhere', 'todo_write', { ops: [{ op: 'start', task: 'raise the limit' }] }),
    );
    await ask(page, 'Continue elsewhere');
    expect(await result()).toContain('todo list is empty');
  });

  it('has a checkpoint that the panel shows, and whose rewind says that this chat was not pruned', async () => {
    await run.script(turn('Look for the leak', 'checkpoint', { goal: 'find the leak' }));
    await ask(page, 'Look for the leak');
    expect(await result()).toContain('Checkpoint created.\nGoal: find the leak');
    const header = page.locator('.pane-header', { hasText: 'Checkpoint' });
    if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
    const view = await panel('lodeline-checkpoint');
    await view.getByText('find the leak').first().waitFor();
    await picture(page, 'checkpoint');
    await run.script(turn('Report it', 'rewind', { report: 'The cache never evicts.' }));
    await ask(page, 'Report it');
    expect(await result()).toMatch(/^Rewind requested\.[\s\S]*was not\.[\s\S]*The cache never evicts\.$/);
    await view.getByRole('button', { name: /find the leak/ }).click();
    await view.getByText('The cache never evicts.').first().waitFor();
    await picture(page, 'checkpoint-history');
  });
});
