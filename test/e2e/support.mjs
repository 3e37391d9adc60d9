// @ts-check
/** What the tests in the real editor share: a workspace with its editor, the model's script, the panel, an MCP client. */
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { openChat } from './harness/chat.mjs';
import { startEditor } from './harness/editor.mjs';
import { screenshot, webviewFrame } from './harness/workbench.mjs';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {Awaited<ReturnType<typeof open>>} Run
 * @typedef {{ name: string, description: string, inputSchema: unknown }} OfferedTool
 * @typedef {{ window: number, tools: OfferedTool[], messages: { role: string, text: string }[], lastUser: string, toolResult: { tool: string, text: string } | null }} ModelRequest
 */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VSIX = join(ROOT, 'lodeline.vsix');
const MODEL = join(ROOT, 'test/e2e/models/scripted');
/** The README's pictures go here when it is set: `docs/pictures`. */
const PICTURES = process.env.LODELINE_PICTURES;
/** Pictures of everything else, for people to look at, go here when it is set. */
const LOOKS = process.env.LODELINE_LOOKS;

/** What Copilot's agent mode is offered without a setting. */
export const CORE = ['memory_remember', 'memory_recall', 'memory_search', 'memory_forget', 'context_brief'];

const SHOP = {
  'cache.ts': 'export const ttl = 60;\n\nexport const redisUrl = "redis://cache";\n',
};

/**
 * A workspace, a script for the model, and the editor on both.
 * @param {Partial<import('./harness/editor.mjs').EditorOptions> & { demo?: boolean }} [options]
 *   `demo`: the demo project instead of an almost empty shop
 */
export async function open({ demo = false, extensions = [], ...options } = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lodeline-e2e-')));
  const workspace = join(folder, demo ? 'tidewatch' : 'shop');
  if (demo) await cp(join(ROOT, 'demo'), workspace, { recursive: true });
  else await writeFiles(workspace, SHOP);
  commitAll(workspace);
  const script = join(folder, 'script.json');
  await writeFile(script, '[]');
  // They outlive the server, so that it can be started again on them.
  const kept = {
    workspace,
    home: join(folder, 'home'),
    userDataDir: join(folder, 'data'),
    extensionsDir: join(folder, 'extensions'),
    env: { LODELINE_SCRIPT: script },
    ...options,
  };
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  let editor = await startEditor({ ...kept, vsix: [VSIX], extensions: [MODEL, ...extensions] }).catch(
    async (error) => {
      await remove();
      throw error;
    },
  );
  return {
    get editor() {
      return editor;
    },
    workspace,
    /** Where the memory of this workspace lies. */
    store: join(workspace, '.git', 'lodeline'),
    /** What only this run's processes have in their environment. */
    mark: `LODELINE_SCRIPT=${script}`,
    /** @param {unknown[]} rules */
    script: (rules) => writeFile(script, JSON.stringify(rules)),
    /** @returns {Promise<ModelRequest[]>} */
    requests: async () =>
      (await readFile(`${script}.log`, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    /** Ends the server and all its processes with SIGKILL, and starts another on the same folders. */
    restart: async () => {
      await editor.dispose();
      editor = await startEditor(kept);
    },
    close: async () => {
      await editor.dispose();
      await remove();
    },
  };
}

/** @param {string} folder @param {Record<string, string>} files */
export async function writeFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** A repository of its own with nothing changed in it. @param {string} folder */
function commitAll(folder) {
  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  const author = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false'];
  git(...author, 'commit', '-q', '-m', 'Start');
}

/** Rules for one turn: on this prompt call a tool, then answer with its result. @param {string} prompt @param {string} name @param {object} input */
export function turn(prompt, name, input) {
  return [
    { when: { lastUserIncludes: prompt }, reply: [{ toolCall: { name, input } }] },
    {
      when: { lastUserIncludes: prompt, afterToolResult: name },
      reply: [{ text: 'From memory: {{toolResult}}' }],
    },
  ];
}

/** Rules for one turn: these calls one after the other, then a word. @param {string} prompt @param {[string, object][]} uses @param {string} last */
export function calls(prompt, uses, last) {
  const when = { lastUserIncludes: prompt };
  const after = (/** @type {number} */ at) => uses[at]?.[0];
  return [
    ...uses.map(([name, input], at) => ({
      when: { ...when, ...(at > 0 && { afterToolResult: after(at - 1) }) },
      reply: [{ toolCall: { name, input } }],
    })),
    { when: { ...when, afterToolResult: after(uses.length - 1) }, reply: [{ text: last }] },
  ];
}

/** Takes a picture of a window for the README, when this run is to take them. @param {Page} page @param {string} name */
export async function readmePicture(page, name) {
  if (PICTURES !== undefined) await screenshot(page, join(PICTURES, `${name}.png`));
  await picture(page, name);
}

/** Takes a picture to be looked at, when this run is to take them. @param {Page} page @param {string} name */
export async function picture(page, name) {
  if (LOOKS !== undefined) await screenshot(page, join(LOOKS, `${name}.png`));
}

/**
 * Which of these themes to go through: all where pictures are taken. What a test can tell is the same in each of them.
 * @template T @param {readonly T[]} themes @returns {readonly T[]}
 */
export function shownThemes(themes) {
  return LOOKS === undefined && PICTURES === undefined ? themes.slice(0, 1) : themes;
}

/** The memory browser that this window shows. @param {Page} page @param {{ timeout?: number }} [options] */
export async function memoryPanel(page, options) {
  return await webviewFrame(page, 'lodeline-memory', options);
}

/**
 * Runs a command of the palette, also right after something that takes the focus a moment later (a revealed tab, a
 * walkthrough), which closes a palette that is open by then: it is opened again.
 * @param {Page} page @param {string} title
 */
export async function command(page, title) {
  const input = page.locator('.quick-input-widget:visible input');
  const row = page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first();
  for (const deadline = Date.now() + 60_000; ; ) {
    try {
      await page.keyboard.press('F1');
      await input.fill(`>${title}`, { timeout: 3_000 });
      await row.click({ timeout: 3_000 });
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await page.keyboard.press('Escape');
    }
  }
}

/** The titles of commands that the palette offers. @param {Page} page @param {string} start  without a space at its end @returns {Promise<string[]>} */
export async function paletteTitles(page, start) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget:visible input').fill(`>${start}`);
  await page
    .locator('.quick-input-list .monaco-list-row')
    .and(page.locator(`[aria-label^="${start}"]`))
    .first()
    .waitFor();
  const labels = new Set();
  const focused = page.locator('.quick-input-list .monaco-list-row.focused');
  // Only the rows in sight are in the document.
  for (;;) {
    for (const label of await quickPickLabels(page)) labels.add(label);
    if ((await focused.getAttribute('data-last-element')) === 'true') break;
    const row = await focused.getAttribute('data-index');
    await page.keyboard.press('PageDown');
    await page.locator(`.quick-input-list .monaco-list-row.focused:not([data-index="${row}"])`).waitFor();
  }
  await page.keyboard.press('Escape');
  return [...labels].filter((label) => label.startsWith(start));
}

/** What an open quick pick offers. @param {Page} page @returns {Promise<string[]>} */
export async function quickPickLabels(page) {
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.first().waitFor();
  return await rows.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''));
}

/** Waits until the status bar counts this many memories. @param {Page} page @param {number} count */
export async function memoryCount(page, count) {
  await page.locator(`.statusbar-item[id$="lodeline.memories"][aria-label$=": ${count}"]`).waitFor();
}

/**
 * Reloads a window and waits until our extension runs in it again.
 * @param {Page} page
 * @param {() => Promise<void>} [reload]  what the person does for it, else the editor's command
 */
export async function reloadWindow(page, reload = () => command(page, 'Developer: Reload Window')) {
  const loaded = page.waitForEvent('load');
  await reload();
  await loaded;
  await page.locator('.statusbar-item[id$="lodeline.memories"]').waitFor({ timeout: 60_000 });
}

/** Shows the chat once it has the model of its last answer again, which takes a moment after a reload. @param {Page} page */
export async function chatIsReady(page) {
  await openChat(page);
  await page.locator('.interactive-input-part:visible', { hasText: 'Scripted' }).waitFor({ timeout: 60_000 });
}

/** Opens a file of the workspace with the cursor at a place. @param {Page} page @param {string} place  `path:line` */
export async function openFile(page, place) {
  const input = page.locator('.quick-input-widget:visible input');
  await page.keyboard.press('F1');
  await input.waitFor();
  await input.fill(place);
  await page
    .locator('.quick-input-list .monaco-list-row', { hasText: place.split(/[/:]/).at(-2) ?? place })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await input.waitFor({ state: 'hidden' });
  await page.locator('.editor-group-container .monaco-editor.focused').waitFor();
  const line = new RegExp(`\\b${place.split(':').at(-1)}\\b`);
  await page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: line }).waitFor();
}

/**
 * Calls tools over MCP as an agent outside the editor does.
 * @template T
 * @param {Run} run
 * @param {(call: (name: string, input: object) => Promise<string>) => Promise<T>} use
 * @param {{ daysAgo?: number }} [options]  `daysAgo`: the server's clock is that far behind
 * @returns {Promise<T>}
 */
export async function overMcp(run, use, { daysAgo = 0 } = {}) {
  const client = new Client({ name: 'claude-code', version: '2.1' });
  const server = [join(ROOT, 'dist/mcp.js'), '--root', run.workspace];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: daysAgo === 0 ? server : ['--import', clockBehind(daysAgo), ...server],
      env: { PATH: process.env.PATH ?? '', HOME: run.editor.home },
    }),
  );
  try {
    return await use(async (name, input) => {
      const result = await client.callTool({ name, arguments: { ...input } });
      const [{ text }] = /** @type {{ text: string }[]} */ (result.content);
      if (result.isError) throw new Error(`${name}: ${text}`);
      return text;
    });
  } finally {
    await client.close();
  }
}

/** A module that sets the clock of a process and its threads back. @param {number} days */
function clockBehind(days) {
  const code = `const Now = Date; const behind = ${days * 86_400_000};
    globalThis.Date = class extends Now {
      constructor(...given) { super(...(given.length === 0 ? [Now.now() - behind] : given)); }
      static now() { return Now.now() - behind; }
    };`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
