// @ts-check
/**
 * The boundary in the real editor: what Copilot's own tools read raises its chat, and what it saves then is hidden from
 * chats below and unreadable on disk. Chats that nobody observes begin at the level that the person chose for them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filesUnder } from '../unit/support/files.ts';
import { ask, newChat } from './harness/chat.mjs';
import {
  answerDialog,
  answerNotification,
  notification,
  openView,
  resizeSidebar,
  setTheme,
  webviewFrame,
} from './harness/workbench.mjs';
import { showPanel } from './subagents-support.mjs';
import {
  calls,
  chatIsReady,
  command,
  memoryPanel,
  open,
  overMcp,
  picture,
  reloadWindow,
  shownThemes,
  turn,
  writeFiles,
} from './support.mjs';

const PANELS = ['Memory', 'Todo', 'Checkpoint', 'Subagents', 'Sessions'];
/** What only the file says, and whoever read it. */
const BUYER = 'Quillfeather';
const TERMS = `${BUYER} pays forty million in May.\n`;
const UNSEEN = { category: 'knowledge', key: 'unseen-note', content: 'Gooseberry colours are out' };
const OPEN = { category: 'knowledge', key: 'opening-hours', content: 'The shop opens at nine sharp' };
const SECRET = { category: 'knowledge', key: 'merger-terms', content: `${BUYER} pays forty million` };
const SAVED = { key: 'merger-buyer', content: `The buyer is ${BUYER}` };

describe('a Copilot chat that reads a file under a rule', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;

  beforeAll(async () => {
    run = await open({
      settings: {
        'chat.useHooks': true,
        'chat.tools.global.autoApprove': true,
        'lodeline.tools.profile': 'full',
        'lodeline.classification.files': { 'contracts/**': 'CONFIDENTIAL' },
        'lodeline.classification.unobservedLevel': 'INTERNAL',
      },
    });
    await writeFiles(run.workspace, { 'contracts/terms.md': TERMS });
    page = await run.editor.openWindow();
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
  });
  afterAll(async () => await run?.close());

  /** The item of the status bar, once it says this. @param {string} text */
  const said = async (text) =>
    await page.locator(`.statusbar-item[id$="lodeline.level"][aria-label*="${text}"]`).waitFor();
  /** Has Copilot call a tool of ours, and returns what that answered. @param {string} prompt @param {string} name @param {object} input */
  const result = async (prompt, name, input) => {
    await run.script(turn(prompt, name, input));
    await ask(page, prompt);
    const { toolResult } = (await run.requests()).at(-1) ?? {};
    expect(toolResult?.tool).toBe(name);
    return toolResult?.text ?? '';
  };
  /** A line of the list of sessions. @param {RegExp} name */
  const session = async (name) => {
    const panel = await webviewFrame(page, 'lodeline-sessions');
    return panel.getByRole('treeitem', { name }).first();
  };
  /** Shows one panel alone. @param {string} name @param {number} width */
  const alone = async (name, width) => {
    const others = PANELS.filter((each) => each !== name);
    await showPanel(page, others, name, width);
  };

  it('begins without hooks at the level for chats that are not observed, and saves at it', async () => {
    await newChat(page);
    await result('Keep the unseen note', 'memory_remember', UNSEEN);
    await said('INTERNAL');
    await said('Not every file that this chat reads is seen');
    await said('Next step: run “Lodeline: Observe Copilot Chats Fully…”');
    await openView(page, 'Lodeline');
    await (await memoryPanel(page)).getByRole('option', { name: /^unseen-note.*INTERNAL/ }).waitFor();
    expect(await overMcp(run, async (call) => await call('memory_list', {}))).not.toContain('unseen-note');
    expect(holding('Gooseberry')).toEqual([]);
    await picture(page, 'level-unobserved');
  });

  it('begins with hooks at the level of the folder', async () => {
    await command(page, 'Lodeline: Observe Copilot Chats Fully');
    await answerDialog(page, 'Write File');
    // The editor takes up a new hook file some time after it is written; a chat that begins before is not observed.
    const told = 'are observed once this window has been loaded again';
    await notification(page, told).waitFor();
    await picture(page, 'level-hooks-reload');
    await reloadWindow(page, () => answerNotification(page, told, 'Reload Window'));
    await chatIsReady(page);
    await newChat(page);
    expect(await result('Keep the opening hours', 'memory_remember', OPEN)).toContain('opening-hours');
    await said('PUBLIC');
    // What is open is plain on disk, so a search there finds what is not sealed.
    await expect.poll(() => holding('nine sharp')).not.toEqual([]);
  });

  it('is raised by a tool of Copilot’s own, and says why', async () => {
    const read = { filePath: join(run.workspace, 'contracts/terms.md'), startLine: 1, endLine: 1 };
    await run.script(calls('Look at the terms', [['read_file', read]], `It is ${BUYER}.`));
    expect(await ask(page, 'Look at the terms')).toContain(BUYER);
    await said('CONFIDENTIAL');
    await said('contracts/**');
    await alone('Sessions', 300);
    await (await session(/opening hours.*CONFIDENTIAL/)).waitFor();
    await picture(page, 'level-hooks-sessions');
    await page.locator('.statusbar-item[id$="lodeline.level"]').hover();
    await page.locator('.workbench-hover', { hasText: 'contracts' }).first().waitFor();
    await picture(page, 'level-hooks-why');
    await page.mouse.move(640, 5);
    await page.locator('.workbench-hover:visible').first().waitFor({ state: 'detached' });
  });

  it('saves at its level from then on, which the person sees', async () => {
    expect(await result('Keep the terms', 'memory_remember', SECRET)).toContain('merger-terms');
    expect(JSON.parse(await result('Save the buyer', 'memory_save', SAVED))).toMatchObject({
      classification: 'CONFIDENTIAL',
    });
    expect(await result('What of the merger', 'memory_recall', { query: 'merger' })).toContain(BUYER);
    await alone('Memory', 300);
    const panel = await memoryPanel(page);
    for (const { key } of [SECRET, SAVED])
      await panel.getByRole('option', { name: new RegExp(`^${key}.*CONFIDENTIAL`) }).waitFor();
    await picture(page, 'level-hooks-memory');
    // Not even the keys, which a chat below would have to guess.
    for (const text of [BUYER, SECRET.key, SAVED.key]) expect(holding(text)).toEqual([]);
  });

  it('leaves nothing of it for a fresh chat, not even a count', async () => {
    await newChat(page);
    const about = [
      ['recall', 'memory_recall', { query: 'merger terms buyer forty million' }],
      ['index', 'memory_recall', { mode: 'index' }],
      ['search', 'memory_search', { query: 'merger' }],
      ['get', 'memory_get', { key: 'merger-buyer' }],
      ['get other', 'memory_get', { key: 'merger-terms' }],
      ['list', 'memory_list', {}],
      ['stats', 'memory_stats', {}],
      ['brief', 'context_brief', {}],
    ];
    /** @type {Record<string, string>} */
    const told = {};
    for (const [what, name, input] of /** @type {[string, string, object][]} */ (about))
      told[what] = await result(`Fresh ${what}`, name, input);
    await said('PUBLIC');
    for (const text of Object.values(told)) {
      expect(text).not.toContain(BUYER);
      expect(text).not.toContain('Gooseberry');
    }
    expect(JSON.parse(told.get ?? '')).toEqual({ found: false, key: 'merger-buyer' });
    expect(JSON.parse(told['get other'] ?? '')).toEqual({ found: false, key: 'merger-terms' });
    expect(JSON.parse(told.list ?? '').memories.map((/** @type {{ key: string }} */ { key }) => key)).toEqual(
      [OPEN.key],
    );
    for (const what of ['recall', 'index', 'search', 'list', 'stats', 'brief'])
      expect(told[what]).not.toMatch(/merger-(?:terms|buyer)|unseen-note/);
  });

  it('leaves nothing of it for another agent, and nothing to read on disk', async () => {
    await overMcp(run, async (call) => {
      for (const [name, input] of /** @type {[string, object][]} */ ([
        ['memory_list', {}],
        ['memory_recall', { query: 'merger' }],
        ['memory_sessions', {}],
        ['memory_stats', {}],
      ]))
        expect(await call(name, input)).not.toMatch(/Quillfeather|merger-(?:terms|buyer)|terms\.md/);
    });
    expect(holding(BUYER)).toEqual([]);
    expect(holding('Gooseberry')).toEqual([]);
    expect(holding('nine sharp')).not.toEqual([]);
  });

  it('stands in the audit log, and the page about what is seen says that hooks are on', async () => {
    await command(page, 'Lodeline: Show Audit Log');
    await page.locator('.tab.active', { hasText: 'Audit Log' }).waitFor();
    const text = page.locator('.editor-group-container .monaco-editor:visible .view-lines').first();
    await expect
      .poll(async () => ((await text.textContent()) ?? '').replaceAll('\u00a0', ' '))
      .toMatch(/PUBLIC → CONF/);
    await picture(page, 'level-hooks-audit');
    await command(page, 'Lodeline: What Lodeline Sees');
    const preview = await webviewFrame(page, 'h1:has-text("What Lodeline sees")');
    await preview.getByText('Copilot chat with hooks (in use here)').waitFor();
    await picture(page, 'level-hooks-seen');
    await command(page, 'View: Close All Editors');
  });

  it.each(shownThemes(/** @type {const} */ (['light', 'high-contrast', 'high-contrast-light', 'dark'])))(
    'is drawn in the %s theme',
    async (theme) => {
      await setTheme(run.editor, page, theme);
      await alone('Memory', 300);
      const panel = await memoryPanel(page);
      await panel.getByRole('option', { name: /^merger-terms.*CONFIDENTIAL/ }).waitFor();
      await picture(page, `level-memory-${theme}`);
      await alone('Sessions', 300);
      await (await session(/opening hours.*CONFIDENTIAL/)).waitFor();
      await picture(page, `level-sessions-${theme}`);
      await resizeSidebar(page, 560);
      await picture(page, `level-sessions-wide-${theme}`);
    },
  );

  /** The files of Lodeline's in which this stands, in any of the ways that a text is usually written. @param {string} text */
  function holding(text) {
    const folders = [run.store, join(run.workspace, '.lodeline'), join(run.editor.home, '.lodeline')];
    const base64 = [text, `x${text}`, `xx${text}`].map((each) =>
      Buffer.from(each).toString('base64').slice(4, -4),
    );
    const forms = [
      Buffer.from(text),
      Buffer.from(text, 'utf16le'),
      ...base64.map((each) => Buffer.from(each)),
    ];
    return folders
      .filter((folder) => existsSync(folder))
      .flatMap(filesUnder)
      .flatMap(({ path, bytes }) => (forms.some((form) => bytes.includes(form)) ? [path] : []));
  }
});
