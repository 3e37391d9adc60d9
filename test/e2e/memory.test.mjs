// @ts-check
/** Memory from end to end: the real editor, the real Copilot Chat, a scripted model, the panel and MCP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerConfirmation,
  ask,
  confirmationCard,
  newChat,
  sendPrompt,
  waitForAnswer,
} from './harness/chat.mjs';
import { openView, resizeSidebar, runCommand, setTheme } from './harness/workbench.mjs';
import { CORE, memoryPanel, open, overMcp, picture, shownThemes, turn } from './support.mjs';

describe('memory in the real editor', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let first;

  beforeAll(async () => {
    run = await open();
    first = await run.editor.openWindow();
  }, 600_000);
  afterAll(async () => await run?.close());

  it('saves a decision in one chat', async () => {
    await run.script(
      turn('Remember why we use Zod', 'memory_remember', {
        category: 'decision',
        key: 'use-zod',
        content: 'Use Zod for validation: one schema gives the types and the checks.',
        file: 'cache.ts:3',
        tags: 'validation;types',
      }),
    );
    const answer = await ask(first, 'Remember why we use Zod');
    expect(answer).toContain('🧠 Saved: decision/use-zod');
    expect(answer).toContain('Confidence: 1.00');
    await picture(first, 'remember');
  });

  it('offers each tool exactly once, and none that is for the person', async () => {
    const [{ tools }] = await run.requests();
    const names = tools.map((/** @type {{ name: string }} */ tool) => tool.name);
    for (const name of CORE)
      expect(
        names.filter((/** @type {string} */ each) => each === name),
        name,
      ).toHaveLength(1);
    expect(names).not.toContain('memory_browse');
    expect(names).not.toContain('memory_erase');
  });

  it('recalls it in another chat in another window, and the model is shown the entry', async () => {
    const second = await run.editor.openWindow();
    await run.script(turn('What do we know about validation', 'memory_recall', { query: 'validation' }));
    const answer = await ask(second, 'What do we know about validation?');
    expect(answer).toContain('Use Zod for validation: one schema gives the types and the checks.');
    const last = (await run.requests()).at(-1);
    expect(last?.toolResult).toMatchObject({
      tool: 'memory_recall',
      text: expect.stringContaining('[decision] use-zod'),
    });
    await second.close();
  });

  it('shows it in the memory browser, where the person edits it', async () => {
    await openView(first, 'Lodeline');
    const panel = await memoryPanel(first);
    const line = panel.getByRole('option', { name: /^use-zod, decision/i });
    await line.waitFor();
    await expect.poll(async () => await line.getAttribute('aria-label')).toMatch(/unconfirmed/i);
    await resizeSidebar(first, 420);
    await picture(first, 'browser-index');
    await line.click();
    await first.keyboard.press('Enter');
    await panel.getByRole('button', { name: 'Edit', exact: true }).click();
    const field = panel.getByRole('textbox', { name: 'Content' });
    await field.click();
    await first.keyboard.press('Control+A');
    await first.keyboard.insertText('Use Zod 4 for validation; Valibot only in the browser bundle.');
    await first.keyboard.press('Control+Enter');
    await panel.getByText('Use Zod 4 for validation; Valibot only in the browser bundle.').first().waitFor();
    await picture(first, 'browser-entry');
  });

  it('gives the edit to a second agent over MCP, with what was before', async () => {
    const text = await overMcp(run, async (call) => {
      const recalled = await call('memory_recall', { query: 'validation' });
      await call('memory_remember', {
        category: 'warning',
        key: 'no-any',
        content: 'Do not use any in the API layer',
      });
      return recalled;
    });
    expect(text).toContain('Use Zod 4 for validation; Valibot only in the browser bundle.');
    expect(text).not.toContain('Unconfirmed');
    // The window notices another process's write by itself.
    const panel = await memoryPanel(first);
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
    await panel.getByRole('option', { name: /^no-any, warning/i }).waitFor({ timeout: 60_000 });
  });

  it('asks before an agent forgets: skipping keeps the entry, allowing takes it out', async () => {
    await newChat(first);
    await run.script([...turn('Forget the any rule', 'memory_forget', { key: 'no-any' })]);
    await sendPrompt(first, 'Forget the any rule');
    await confirmationCard(first).waitFor({ timeout: 60_000 });
    await picture(first, 'confirmation');
    expect(await answerConfirmation(first, 'Skip')).toContain('no-any');
    await waitForAnswer(first);
    const panel = await memoryPanel(first);
    await panel.getByRole('option', { name: /^no-any, warning/i }).waitFor();
    await run.script([...turn('Really forget it', 'memory_forget', { key: 'no-any' })]);
    const answer = await ask(first, 'Really forget it', { confirm: 'Allow' });
    expect(answer).toContain('🗑️ Forgotten');
    await panel.getByRole('option', { name: /^no-any, warning/i }).waitFor({ state: 'detached' });
  });

  it('tells the model what to do when a call is wrong', async () => {
    await newChat(first);
    await run.script(
      turn('Save with a bad date', 'memory_remember', {
        category: 'bug',
        key: 'k',
        content: 'c',
        ttl: 'soon',
      }),
    );
    await ask(first, 'Save with a bad date');
    const last = (await run.requests()).at(-1);
    expect(last?.toolResult?.text).toContain('"soon" is not a time to live. Use hours or days');
  });

  it('keeps the state of the panel when the window is reloaded', async () => {
    const panel = await memoryPanel(first);
    await panel.getByRole('textbox', { name: 'Search memory' }).fill('zod');
    await panel.getByRole('option', { name: /^use-zod/i }).waitFor();
    await first.waitForTimeout(500);
    await runCommand(first, 'Developer: Reload Window');
    await first.waitForTimeout(3_000);
    const again = await memoryPanel(first, { timeout: 60_000 });
    await expect
      .poll(async () => await again.getByRole('textbox', { name: 'Search memory' }).inputValue(), {
        timeout: 60_000,
      })
      .toBe('zod');
    await again.getByRole('option', { name: /^use-zod/i }).waitFor();
  });

  it.each(shownThemes(/** @type {const} */ (['light', 'high-contrast'])))(
    'is drawn in the %s theme',
    async (theme) => {
      await setTheme(run.editor, first, theme);
      const panel = await memoryPanel(first);
      await panel.getByRole('option', { name: /^use-zod/i }).waitFor();
      await picture(first, `browser-${theme}`);
    },
  );
});
