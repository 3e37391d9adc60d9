// @ts-check
/** Memory from end to end: the real editor, the real Copilot Chat, a scripted model, the panel and MCP. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerConfirmation,
  ask,
  confirmationCard,
  newChat,
  sendPrompt,
  waitForAnswer,
} from './harness/chat.mjs';
import { startEditor } from './harness/editor.mjs';
import {
  answerTrust,
  openView,
  resizeSidebar,
  runCommand,
  screenshot,
  setTheme,
  webviewFrame,
} from './harness/workbench.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VSIX = join(ROOT, 'lodeline.vsix');
const MODEL = join(ROOT, 'test/e2e/models/scripted');
/** Pictures go here when it is set; the README's are taken with `docs/pictures`. */
const PICTURES = process.env.LODELINE_PICTURES;

const CORE = ['memory_remember', 'memory_recall', 'memory_search', 'memory_forget', 'context_brief'];

/** @param {import('playwright-core').Page} page @param {string} name */
async function picture(page, name) {
  if (PICTURES !== undefined) await screenshot(page, join(PICTURES, `${name}.png`));
}

/** A workspace, a script for the model, and the editor on both. @param {{ trust?: boolean, locale?: 'en' | 'ko' }} [options] */
async function open(options = {}) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'lodeline-e2e-')));
  const workspace = join(folder, 'shop');
  execFileSync('git', ['init', '-q', '-b', 'main', workspace]);
  await writeFile(
    join(workspace, 'cache.ts'),
    'export const ttl = 60;\n\nexport const redisUrl = "redis://cache";\n',
  );
  const script = join(folder, 'script.json');
  await writeFile(script, '[]');
  const editor = await startEditor({
    workspace,
    vsix: [VSIX],
    extensions: [MODEL],
    env: { LODELINE_SCRIPT: script },
    ...options,
  });
  return {
    editor,
    workspace,
    /** @param {unknown[]} rules */
    script: (rules) => writeFile(script, JSON.stringify(rules)),
    requests: async () =>
      (await readFile(`${script}.log`, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    close: async () => {
      await editor.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Rules for one turn: on this prompt call a tool, then answer with its result. @param {string} prompt @param {string} name @param {object} input */
function turn(prompt, name, input) {
  return [
    { when: { lastUserIncludes: prompt }, reply: [{ toolCall: { name, input } }] },
    {
      when: { lastUserIncludes: prompt, afterToolResult: name },
      reply: [{ text: 'From memory: {{toolResult}}' }],
    },
  ];
}

describe('memory in the real editor', () => {
  /** @type {Awaited<ReturnType<typeof open>>} */
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
    expect(last.toolResult).toMatchObject({
      tool: 'memory_recall',
      text: expect.stringContaining('[decision] use-zod'),
    });
    await second.close();
  });

  it('shows it in the memory browser, where the person edits it', async () => {
    await openView(first, 'Lodeline');
    const panel = await webviewFrame(first, 'lodeline-memory');
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
    const client = new Client({ name: 'second-agent', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(ROOT, 'dist/mcp.js'), '--root', run.workspace],
        env: { PATH: process.env.PATH ?? '', HOME: run.editor.home },
      }),
    );
    try {
      const result = await client.callTool({ name: 'memory_recall', arguments: { query: 'validation' } });
      const [{ text }] = /** @type {{ text: string }[]} */ (result.content);
      expect(text).toContain('Use Zod 4 for validation; Valibot only in the browser bundle.');
      expect(text).not.toContain('Unconfirmed');
      await client.callTool({
        name: 'memory_remember',
        arguments: { category: 'warning', key: 'no-any', content: 'Do not use any in the API layer' },
      });
    } finally {
      await client.close();
    }
    // The window notices another process's write by itself.
    const panel = await webviewFrame(first, 'lodeline-memory');
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
    await panel.getByRole('option', { name: /^no-any, warning/i }).waitFor({ timeout: 10_000 });
  });

  it('asks before an agent forgets: skipping keeps the entry, allowing takes it out', async () => {
    await newChat(first);
    await run.script([...turn('Forget the any rule', 'memory_forget', { key: 'no-any' })]);
    await sendPrompt(first, 'Forget the any rule');
    await confirmationCard(first).waitFor({ timeout: 60_000 });
    await picture(first, 'confirmation');
    expect(await answerConfirmation(first, 'Skip')).toContain('no-any');
    await waitForAnswer(first);
    const panel = await webviewFrame(first, 'lodeline-memory');
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
    expect(last.toolResult.text).toContain('"soon" is not a time to live. Use hours or days');
  });

  it('keeps the state of the panel when the window is reloaded', async () => {
    const panel = await webviewFrame(first, 'lodeline-memory');
    await panel.getByRole('textbox', { name: 'Search memory' }).fill('zod');
    await panel.getByRole('option', { name: /^use-zod/i }).waitFor();
    await first.waitForTimeout(500);
    await runCommand(first, 'Developer: Reload Window');
    await first.waitForTimeout(3_000);
    const again = await webviewFrame(first, 'lodeline-memory', { timeout: 60_000 });
    await expect
      .poll(async () => await again.getByRole('textbox', { name: 'Search memory' }).inputValue(), {
        timeout: 20_000,
      })
      .toBe('zod');
    await again.getByRole('option', { name: /^use-zod/i }).waitFor();
  });

  it.each(/** @type {const} */ (['light', 'high-contrast']))('is drawn in the %s theme', async (theme) => {
    await setTheme(run.editor, first, theme);
    const panel = await webviewFrame(first, 'lodeline-memory');
    await panel.getByRole('option', { name: /^use-zod/i }).waitFor();
    await picture(first, `browser-${theme}`);
  });
});

describe('a folder that is not trusted', () => {
  it('is read only until the person trusts it', async () => {
    const run = await open({ trust: true });
    try {
      const page = await run.editor.openWindow();
      await answerTrust(page, false);
      await openView(page, 'Lodeline');
      const panel = await webviewFrame(page, 'lodeline-memory');
      await panel
        .getByText(/not trusted/i)
        .first()
        .waitFor();
      await picture(page, 'untrusted');
      expect(await panel.getByRole('button', { name: 'Add a memory', exact: true }).count()).toBe(0);
    } finally {
      await run.close();
    }
  }, 300_000);
});
