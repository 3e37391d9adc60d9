// @ts-check
/** Copilot chats with the editor's hooks on: wholly observed, and seen by other windows and agents. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness/chat.mjs';
import { answerDialog, answerNotification } from './harness/workbench.mjs';
import { calls, command, open, openFile, overMcp, picture, reloadWindow } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

describe('a Copilot chat with hooks', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;

  beforeAll(async () => {
    run = await open({
      settings: {
        'chat.useHooks': true,
        'chat.tools.global.autoApprove': true,
        'lodeline.memory.capture.enabled': true,
      },
    });
    page = await run.editor.openWindow();
  });
  afterAll(async () => await run?.close());

  const hookFile = () => join(run.workspace, '.github', 'hooks', 'lodeline.json');
  const cacheFile = () => join(run.workspace, 'cache.ts');

  const reading = () =>
    /** @type {[string, object]} */ (['read_file', { filePath: cacheFile(), startLine: 1, endLine: 3 }]);

  it('is observed once the person has seen what is written, and agreed', async () => {
    await command(page, 'Lodeline: Observe Copilot Chats Fully');
    await page.locator('.monaco-dialog-box:visible').waitFor();
    await picture(page, 'observe-chats');
    await answerDialog(page, 'Write File');
    await expect.poll(() => existsSync(hookFile())).toBe(true);
    const told = 'are observed once this window has been loaded again';
    await reloadWindow(page, () => answerNotification(page, told, 'Reload Window'));
  });

  it('shows the files that Copilot’s own tools read and edit to other agents, and captures them', async () => {
    const edit = { filePath: cacheFile(), oldString: 'ttl = 60', newString: 'ttl = 90' };
    await run.script(calls('Raise the ttl', [reading(), ['replace_string_in_file', edit]], 'It is 90 now.'));
    expect(await ask(page, 'Raise the ttl')).toContain('It is 90 now.');
    await overMcp(run, async (call) => {
      expect(await call('memory_sessions', {})).toMatch(
        /• copilot @ main\n {3}id: .+\n {3}Files:\n {5}• cache\.ts/,
      );
      expect(await call('memory_sessions', {})).toContain('• vscode @ main');
      const captured = await call('memory_captured', {});
      expect(captured).toContain('copilot@main · read_file · cache.ts');
      expect(captured).toContain('copilot@main · replace_string_in_file · cache.ts');
    });
  });

  it('stands in a session of its own with what was said and done', async () => {
    // What the agent says last is written down with the next prompt at the latest.
    const noted = { category: 'decision', key: 'ttl-90', content: 'The ttl is 90.' };
    await run.script(calls('Look once more', [reading(), ['memory_remember', noted]], 'Still 90.'));
    await ask(page, 'Look once more');
    const transcripts = () =>
      readdirSync(join(run.store, 'sessions'))
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => readFileSync(join(run.store, 'sessions', name), 'utf8'))
        .join('');
    await expect.poll(transcripts).toContain('It is 90 now.');
    for (const once of ['"text":"Raise the ttl"', '"name":"replace_string_in_file"'])
      expect(transcripts().split(once)).toHaveLength(2);
    expect(transcripts().split('"name":"read_file"')).toHaveLength(3);
    // Calls of tools of ours are recorded where they run, and what memory is told is kept there only.
    expect(transcripts().split('"name":"memory_remember"')).toHaveLength(2);
    expect(transcripts()).not.toContain('The ttl is 90.');
  });

  it('is briefed when it starts', async () => {
    const [first] = await run.requests();
    const shown = first?.messages.map(({ text }) => text).join('\n');
    expect(shown).toContain('From Lodeline, the memory of this project');
    expect(shown).toContain('Active sessions');
    expect(shown).toContain('# Context brief');
  });

  it('is in soft conflict with a chat and a person of another window, and not with its own window', async () => {
    const conflicts = () =>
      overMcp(run, async (call) => await call('memory_sessions', { conflictsOnly: true }));
    expect(await conflicts()).toMatch(/^No soft conflicts/);
    const notes = { filePath: join(run.workspace, 'notes.md'), content: 'Ttl is 90.\n' };
    await run.script(calls('Write it down', [['create_file', notes]], 'Written.'));
    await ask(page, 'Write it down');
    const other = await run.editor.openWindow();
    await run.script(calls('Read it here, too', [reading()], 'Read.'));
    await ask(other, 'Read it here, too');
    await openFile(other, 'notes.md:1');
    const editor = other.locator('.editor-group-container .monaco-editor[data-uri$="notes.md"]').first();
    await editor.locator('.view-line').first().click();
    await other.keyboard.type('By hand. ');
    await editor.getByText('By hand.').first().waitFor();
    await picture(other, 'by-hand');
    await other.keyboard.press('Control+S');
    await expect.poll(() => readFileSync(notes.filePath, 'utf8')).toContain('By hand.');
    await expect
      .poll(conflicts, { timeout: 60_000 })
      .toBe(
        [
          '🔥 Soft conflicts (2):',
          '  ⚠️ cache.ts  ↔  copilot@main, copilot@main',
          '  ⚠️ notes.md  ↔  vscode@main, copilot@main',
        ].join('\n'),
      );
    await other.close();
  });

  it('is no longer observed when the person ends it', async () => {
    await command(page, 'Lodeline: Stop Observing Copilot Chats');
    await expect.poll(() => existsSync(join(run.workspace, '.github'))).toBe(false);
  });
});
