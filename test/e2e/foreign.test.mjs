// @ts-check
/** Agents that run another program beside ours: seen in the panel with what they hold, and warned of in chats. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import {
  answerDialog,
  clearNotifications,
  resizeSidebar,
  setTheme,
  webviewFrame,
} from './harness/workbench.mjs';
import { showPanel } from './subagents-support.mjs';
import { calls, command, open, openFile, overMcp, picture, shownThemes, writeFiles } from './support.mjs';

/** @typedef {import('./support.mjs').Page} Page */

const OTHERS = ['Memory', 'Todo', 'Checkpoint', 'Subagents'];
const WARNING = 'Another session is at work on this file, too.';

describe('another program’s session', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;
  /** @type {Page} */
  let second;

  beforeAll(async () => {
    run = await open({ settings: { 'chat.useHooks': true, 'chat.tools.global.autoApprove': true } });
    await writeFiles(run.workspace, { 'notes.md': 'The ttl is 60.\n', 'own.ts': 'export {};\n' });
    await mkdir(sessions(), { recursive: true });
    await beat(['cache.ts', join(run.workspace, 'notes.md')]);
    page = await run.editor.openWindow();
  }, 600_000);
  afterAll(async () => await run?.close());

  const sessions = () => join(run.workspace, '.toon-memory', 'memory', 'sessions');
  /** A heartbeat as the other program writes it. @param {string[]} files */
  const beat = async (files, ended = false) => {
    const now = new Date().toISOString();
    const record = { id: 'sess-B', agent: 'claude', pid: process.pid, branch: 'refunds', startedAt: now };
    const touched = Object.fromEntries(files.map((file) => [file, now]));
    const whole = JSON.stringify({ ...record, lastSeen: now, ended, files: touched }, null, 2);
    await writeFile(join(sessions(), 'sess-B.json'), whole);
  };
  /** @param {Page} window */
  const panel = async (window) => await webviewFrame(window, 'lodeline-sessions');
  /** What the model was shown since the first so many requests. @param {number} from */
  const shown = async (from = 0) =>
    (await run.requests()).slice(from).map(({ messages }) => messages.map(({ text }) => text).join('\n'));
  const edit = (/** @type {string} */ from, /** @type {string} */ to) => ({
    filePath: join(run.workspace, 'cache.ts'),
    oldString: `ttl = ${from}`,
    newString: `ttl = ${to}`,
  });

  it('is in the panel, through which it is seen', async () => {
    await showPanel(page, OTHERS, 'Sessions');
    const row = (await panel(page)).getByRole('treeitem', {
      name: /^claude, idle, agent, through toon-memory/,
    });
    await row.waitFor({ timeout: 60_000 });
    await picture(page, 'foreign-row');
  });

  it('is what a Copilot chat is warned of once, as it edits the same file, and edits it', async () => {
    await command(page, 'Lodeline: Observe Copilot Chats Fully');
    await answerDialog(page, 'Write File');
    await page.getByText('are observed once this window has been loaded again').first().waitFor();
    await clearNotifications(page);
    await run.script(
      calls(
        'Raise the ttl',
        [
          ['replace_string_in_file', edit('60', '70')],
          ['replace_string_in_file', edit('70', '90')],
        ],
        'It is 90 now.',
      ),
    );
    expect(await ask(page, 'Raise the ttl')).toContain('It is 90 now.');
    expect(await readFile(join(run.workspace, 'cache.ts'), 'utf8')).toContain('ttl = 90');
    const all = (await shown()).filter((text) => text.includes('Raise the ttl'));
    const last = all.at(-1) ?? '';
    expect(last).toContain(WARNING);
    expect(last).toContain('cache.ts  ↔  claude@refunds');
    expect(last.split(WARNING)).toHaveLength(2);
    await picture(page, 'foreign-copilot');
  });

  it('is in conflict with the chat and with a person of a second window, for the panel and for agents', async () => {
    second = await run.editor.openWindow();
    await openFile(second, 'notes.md:1');
    const editor = second.locator('.editor-group-container .monaco-editor[data-uri$="notes.md"]').first();
    await editor.locator('.view-line').first().click();
    await second.keyboard.type('By hand. ');
    await editor.getByText('By hand.').first().waitFor();
    await second.keyboard.press('Control+S');
    const sidebar = await panel(page);
    const file = (/** @type {RegExp} */ name) => sidebar.getByRole('button', { name });
    await file(/^cache\.ts, worked on by .*copilot@main/).waitFor({ timeout: 60_000 });
    await file(/^cache\.ts, worked on by .*claude@refunds/).waitFor();
    await file(/^notes\.md, worked on by .*vscode@main/).waitFor({ timeout: 60_000 });
    await sidebar
      .getByRole('treeitem', { name: /^claude, idle, 2 files that others work on, too/ })
      .waitFor();
    await expect
      .poll(() => overMcp(run, async (call) => await call('memory_sessions', { conflictsOnly: true })), {
        timeout: 60_000,
      })
      .toMatch(/cache\.ts {2}↔ {2}.*\n.*notes\.md {2}↔ {2}/);
    await picture(page, 'foreign-conflicts-dark');
    await resizeSidebar(page, 300);
    for (const theme of shownThemes(/** @type {const} */ (['light', 'high-contrast']))) {
      await setTheme(run.editor, page, theme);
      await picture(page, `foreign-conflicts-${theme}`);
    }
    await setTheme(run.editor, page, 'dark');
    await sidebar.getByRole('treeitem', { name: /^claude/ }).click();
    await sidebar.getByText('notes.md ↔ vscode@main').waitFor();
    await picture(page, 'foreign-pane');
    await sidebar.getByRole('button', { name: 'Back to the list' }).click();
    await file(/^cache\.ts, worked on by/).click();
    await page.locator('.tab.active', { hasText: 'cache.ts' }).waitFor();
  });

  it('sees ours in its folder, in its format', async () => {
    const own = (await readdir(sessions())).filter((name) => name.startsWith('lodeline-'));
    const told = await Promise.all(
      own.map(async (name) => JSON.parse(await readFile(join(sessions(), name), 'utf8'))),
    );
    const copilot = told.find(({ agent }) => agent === 'copilot');
    expect(Object.keys(copilot ?? {}).toSorted()).toEqual(
      ['id', 'agent', 'pid', 'branch', 'startedAt', 'lastSeen', 'ended', 'files'].toSorted(),
    );
    expect(copilot).toMatchObject({ branch: 'main', ended: false });
    expect(Object.keys(copilot.files)).toEqual(['cache.ts']);
    expect(
      told.some(({ agent, files }) => agent === 'vscode' && join(run.workspace, 'notes.md') in files),
    ).toBe(true);
  });

  it('is what @lodeline is warned of with the result of its edit', async () => {
    await newChat(page);
    const before = (await run.requests()).length;
    const input = { path: 'cache.ts', old: 'ttl = 90', new: 'ttl = 120' };
    await run.script(calls('Longer', [['edit', input]], 'Done.'));
    expect(await ask(page, '@lodeline Longer', { confirm: 'Allow' })).toContain('Done.');
    const told = (await shown(before)).filter(
      (text) => text.includes(WARNING) || text.includes('Other sessions are at work'),
    );
    expect(told.join('\n')).toContain('claude@refunds');
  });

  it('leaves the panel free of conflicts when it ends', async () => {
    await beat([], true);
    const sidebar = await panel(page);
    await sidebar.getByRole('treeitem', { name: /^claude/ }).waitFor({ state: 'detached', timeout: 60_000 });
    await sidebar.getByRole('button', { name: /^notes\.md, worked on by/ }).waitFor({ state: 'detached' });
    expect(JSON.parse(await readFile(join(sessions(), 'sess-B.json'), 'utf8')).id).toBe('sess-B');
  });
});
