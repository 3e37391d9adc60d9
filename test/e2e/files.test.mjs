// @ts-check
/** Memory as files of the folder, and memory before a prompt. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, newChat } from './harness/chat.mjs';
import { answerNotification, clearNotifications } from './harness/workbench.mjs';
import { command, memoryCount, memoryPanel, open, openFile, picture, turn } from './support.mjs';

/**
 * @typedef {import('./support.mjs').Page} Page
 * @typedef {import('./support.mjs').ModelRequest} ModelRequest
 */

const KOREAN = '배포 절차';

describe('memory in files', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {Page} */
  let page;
  /** @type {string} */
  let dir;

  beforeAll(async () => {
    run = await open({ settings: { 'lodeline.memory.files': true } });
    dir = join(run.workspace, '.lodeline', 'memory');
    page = await run.editor.openWindow();
    await run.script([{ reply: [{ text: 'I am.' }] }]);
    await ask(page, 'Are you there?');
    await newChat(page);
  });
  afterAll(async () => await run?.close());

  /** @param {string} name */
  const read = (name) => readFile(join(dir, name), 'utf8').catch(() => '');
  /** @returns {Promise<ModelRequest>} */
  const request = async () => /** @type {ModelRequest} */ ((await run.requests()).at(-1));
  const shown = async () => (await request()).messages.map(({ text }) => text).join('\n');

  /** Saves a memory as the person does, in the panel. @param {string} key @param {string} content */
  const remember = async (key, content) => {
    await openFile(page, 'cache.ts:3');
    await command(page, 'Lodeline: Remember Selection');
    const panel = await memoryPanel(page);
    await panel.getByRole('textbox', { name: 'Content', exact: true }).fill(content);
    await panel.getByRole('textbox', { name: 'Key', exact: true }).fill(key);
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.getByRole('heading', { name: key }).waitFor();
  };

  it('a memory with a Korean name gets a file and a line in MEMORY.md', async () => {
    await remember(KOREAN, '금요일에는 배포하지 않는다.');
    await expect
      .poll(() => read('배포-절차.md'), { timeout: 60_000 })
      .toContain('금요일에는 배포하지 않는다.');
    await expect
      .poll(() => read('MEMORY.md'))
      .toBe(`# Memory\n\n- [${KOREAN}](배포-절차.md) — 금요일에는 배포하지 않는다.\n`);
    expect(await read('배포-절차.md')).toContain(`name: ${KOREAN}\n`);
  });

  it('goes before a prompt that it is about, as data with source and age, once', async () => {
    await run.script([{ reply: [{ text: '금요일은 피합니다.' }], repeat: true }]);
    await ask(page, '@lodeline 언제 배포하면 될까?');
    const text = await shown();
    expect(text).toContain(`key="${KOREAN}"`);
    expect(text).toMatch(/<memory ref="[^"]+" .*source="panel" saved="[\d-]+" age="\d+ minutes?">/);
    expect(text.indexOf('<memories>')).toBeLessThan(text.lastIndexOf('언제 배포하면 될까?'));
    await picture(page, 'files-injected');
    await ask(page, '@lodeline 배포 전에 할 일은?');
    expect((await shown()).match(/<memory ref=/g)).toHaveLength(1);
  });

  it('an entry’s file that is edited by hand is recalled by a chat', async () => {
    const text = await read('배포-절차.md');
    await writeFile(
      join(dir, '배포-절차.md'),
      text.replace('\n금요일에는 배포하지 않는다.\n', '\n화요일 오전에 카나리로 배포한다.\n'),
    );
    await expect.poll(() => read('MEMORY.md'), { timeout: 60_000 }).toContain('배포-절차.md');
    await writeFile(
      join(dir, 'port.md'),
      '---\nname: port\ntype: project\n---\n\nThe server listens on 9090.\n',
    );
    await memoryCount(page, 2);
    await run.script(turn('Which port', 'memory_recall', { query: 'port server' }));
    await newChat(page);
    expect(await ask(page, 'Which port?')).toContain('The server listens on 9090.');
    await run.script(turn('언제 배포', 'memory_recall', { query: '배포 카나리' }));
    const answer = await ask(page, '언제 배포?');
    expect(answer).toContain('화요일 오전에 카나리로 배포한다.');
    await picture(page, 'files-recalled');
    expect(await read('MEMORY.md')).toContain('- [port](port.md) — The server listens on 9090.');
  });

  it('what nobody has confirmed does not go before a prompt', async () => {
    await run.script([{ reply: [{ text: 'Fine.' }], repeat: true }]);
    await newChat(page);
    await ask(page, '@lodeline Which port does the server listen on?');
    expect(await shown()).not.toContain('9090');
    const panel = await memoryPanel(page);
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
    await panel.getByRole('option', { name: /^port,/ }).click();
    await panel.getByText('From a memory file and not confirmed by a person here yet.').waitFor();
    await picture(page, 'files-unconfirmed');
    await panel.getByRole('button', { name: 'Confirm', exact: true }).click();
    await panel.getByRole('button', { name: 'Confirm', exact: true }).waitFor({ state: 'detached' });
    await newChat(page);
    await ask(page, '@lodeline Which port does the server listen on?');
    expect(await shown()).toContain('9090');
  });

  it('a conflict is told, and a folder that is gone is asked about', async () => {
    const sides = '<<<<<<< HEAD\nIt listens on 9090.\n=======\nIt listens on 7070.\n>>>>>>> other\n';
    await writeFile(join(dir, 'port.md'), `---\nname: port\ntype: project\n---\n\n${sides}`);
    const notice = page.locator('.notification-toast', { hasText: 'both sides of a merge' });
    await notice.waitFor({ timeout: 60_000 });
    await picture(page, 'files-conflict');
    expect(await read('port.md')).toContain('<<<<<<< HEAD');
    await writeFile(join(dir, 'port.md'), '---\nname: port\ntype: project\n---\n\nIt listens on 7070.\n');
    await expect.poll(() => read('MEMORY.md'), { timeout: 60_000 }).toContain('It listens on 7070.');
    await rm(dir, { recursive: true });
    await page.locator('.notification-toast', { hasText: 'are gone from' }).waitFor({ timeout: 60_000 });
    await picture(page, 'files-missing');
    await memoryCount(page, 2);
    await answerNotification(page, 'are gone from', 'Write Them Again');
    await expect.poll(() => readdir(dir).catch(() => []), { timeout: 60_000 }).toContain('MEMORY.md');
    expect(await read('배포-절차.md')).toContain('카나리');
  });

  it('is off without the person’s own setting, whatever the folder’s says', async () => {
    await clearNotifications(page);
    await mkdir(join(run.workspace, '.vscode'), { recursive: true });
    await writeFile(join(run.workspace, '.vscode', 'settings.json'), '{"lodeline.memory.files": true}\n');
    await run.editor.settings.update({ 'lodeline.memory.files': false });
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'late.md'), 'Nobody reads this.\n');
    await run.script(turn('Anything late', 'memory_recall', { query: 'nobody reads' }));
    await newChat(page);
    expect(await ask(page, 'Anything late?')).not.toContain('Nobody reads this.');
  });
});
