// @ts-check
/** Where subagents may not start or be isolated, and the agents that a person writes for them. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness/chat.mjs';
import {
  answerInputBox,
  answerTrust,
  clearNotifications,
  notification,
  pickItem,
  trustWorkspace,
} from './harness/workbench.mjs';
import { batch, showPanel, subagentsPanel, worker, write } from './subagents-support.mjs';
import { command, open, paletteTitles, picture, quickPickLabels, turn, writeFiles } from './support.mjs';

const LIST = 'Lodeline: List and Edit Agents…';
const NEW = 'Lodeline: New Agent…';

/** Chats do not answer in a folder that is not trusted, but any extension can call a tool there. */
const CALLER = {
  'package.json': JSON.stringify({
    publisher: 'lodeline-test',
    name: 'caller',
    version: '0.0.1',
    engines: { vscode: '^1.106.0' },
    main: './extension.js',
    capabilities: { untrustedWorkspaces: { supported: true } },
    contributes: { commands: [{ command: 'caller.task', title: 'Call Task', category: 'Test' }] },
  }),
  'extension.js': `const vscode = require('vscode');
    const input = ${JSON.stringify(batch({ Never: 'NEVER' }))};
    exports.activate = ({ subscriptions }) => subscriptions.push(
      vscode.commands.registerCommand('caller.task', async () => {
        const said = await vscode.lm.invokeTool('task', { input, toolInvocationToken: undefined })
          .then(({ content }) => content.map(({ value }) => value).join(''), ({ message }) => message);
        await vscode.window.showInformationMessage(said);
      }));`,
};

const SCOUT = `---
name: scout
description: Looks around in this shop
tools: read, list
---

You are the scout of this shop.
`;

describe('subagents', () => {
  /** @type {string} */
  let caller;
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('./support.mjs').Page} */
  let page;
  /** @type {ReturnType<typeof subagentsPanel>} */
  let at;

  beforeAll(async () => {
    caller = await mkdtemp(join(tmpdir(), 'lodeline-caller-'));
    await writeFiles(caller, CALLER);
    run = await open({ trust: true, extensions: [caller] });
    await rm(join(run.workspace, '.git'), { recursive: true });
    await writeFiles(run.workspace, { 'agents/planted.md': SCOUT.replace('scout', 'planted') });
    page = await run.editor.openWindow();
    await answerTrust(page, false);
    await showPanel(page, ['Memory', 'Todo'], 'Subagents');
    at = subagentsPanel(page);
  });
  afterAll(async () => {
    await run?.close();
    await rm(caller, { recursive: true, force: true });
  });

  it('do not start in a folder that is not trusted, and that is said', async () => {
    await (await at.text('Read only, because this folder is not trusted.')).waitFor();
    await command(page, 'Test: Call Task');
    await notification(page, /task starts agents that change files.*this folder is not trusted/).waitFor();
    await picture(page, 'subagents-untrusted');
    await clearNotifications(page);
    await (await at.text('No subagents have run yet.')).waitFor();
    // Nothing was asked of the model.
    await expect(run.requests()).rejects.toThrow('ENOENT');
  });

  it('have no agents from a folder that is not trusted', async () => {
    const titles = await paletteTitles(page, 'Lodeline:');
    expect(titles).toContain(LIST);
    expect(titles).not.toContain(NEW);
    const labels = await agents();
    expect(labels.join('\n')).toMatch(/^task, bundled/m);
    expect(labels.join('\n')).not.toContain('planted');
  });

  it('are not isolated without a repository, and work plainly there', async () => {
    await trustWorkspace(page);
    await run.script([
      ...turn('Isolate it', 'task', batch({ Alone: 'ALONE' }, { isolated: true })),
      ...turn('Just do it', 'task', batch({ Plain: 'PLAIN' })),
      ...worker('PLAIN', [write('plain.md', 'plain\n')], 'Written.'),
    ]);
    expect(await ask(page, 'Isolate it')).toContain('Isolated task execution requires a git repository.');
    expect(await ask(page, 'Just do it')).toContain('1/1 succeeded');
    await (await at.row(/^Plain, done/)).waitFor();
    expect(await (await at.panel()).getByRole('treeitem', { name: /Alone/ }).count()).toBe(0);
    expect(await readFile(join(run.workspace, 'plain.md'), 'utf8')).toBe('plain\n');
    await picture(page, 'subagents-plain');
  });

  it('run as an agent that the person has just made', async () => {
    await command(page, NEW);
    await answerInputBox(page, 'scout');
    await pickItem(page, 'This project');
    await page.locator('.tab.active', { hasText: 'scout.md' }).waitFor();
    await picture(page, 'subagents-new-agent');
    expect(await readFile(join(run.workspace, 'agents/scout.md'), 'utf8')).toContain('name: scout');
    await writeFiles(run.workspace, { 'agents/scout.md': SCOUT });
    await run.script([
      ...turn('Look around', 'task', batch({ Round: 'AROUND' }, { agent: 'scout' })),
      ...worker('AROUND', [], 'Nothing here.'),
    ]);
    expect(await ask(page, 'Look around')).toContain('1/1 succeeded');
    const asked = (await run.requests()).find(({ lastUser }) => lastUser.includes('AROUND'));
    expect(asked?.messages.some(({ text }) => text.includes('You are the scout of this shop.'))).toBe(true);
    const tools = asked?.tools.map(({ name }) => name) ?? [];
    expect(tools).toEqual(expect.arrayContaining(['list', 'read', 'yield']));
    expect(tools).not.toContain('write');
  });

  it('have their agents listed, a faulty one with its problem, each to be read or edited', async () => {
    await writeFiles(run.workspace, { 'agents/broken.md': '# No front matter\n' });
    const labels = (await agents({ keep: true })).join('\n');
    expect(labels).toMatch(/broken\.md, has no front matter/);
    expect(labels).toMatch(/^scout, this project, Looks around in this shop/m);
    await picture(page, 'subagents-list-agents');
    await pickItem(page, 'broken.md');
    await page.locator('.tab.active', { hasText: 'broken.md' }).waitFor();
    await command(page, LIST);
    await pickItem(page, 'reviewer');
    await page
      .locator('.editor-instance .view-line', { hasText: /^name:\sreviewer/ })
      .first()
      .waitFor();
    await picture(page, 'subagents-bundled-agent');
  });

  /** What the list of agents offers. @param {{ keep?: boolean }} [options]  `keep` it open */
  const agents = async ({ keep = false } = {}) => {
    await command(page, LIST);
    // The palette itself names the command.
    await page.locator('.quick-input-title:visible', { hasText: 'Agents' }).waitFor();
    const labels = await quickPickLabels(page);
    if (!keep) await page.keyboard.press('Escape');
    return labels;
  };
});
