// @ts-check
/** A folder that the person does not trust: memory can be read, and nothing is written until they do. */
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness/chat.mjs';
import { answerTrust, isRestricted, openView, trustWorkspace } from './harness/workbench.mjs';
import { memoryCount, memoryPanel, open, overMcp, paletteTitles, picture, turn } from './support.mjs';

const READING = [
  'Browse Memory',
  'Export Everything…',
  'Memory Brief',
  'Memory Statistics',
  'Open Memory in Editor',
  'Recall…',
  'Show Log',
].map((title) => `Lodeline: ${title}`);
const WRITING = ['Delete Everything…', 'Forget…', 'Pin or Unpin…', 'Remember Selection'].map(
  (title) => `Lodeline: ${title}`,
);

describe('a folder that is not trusted', () => {
  /** @type {import('./support.mjs').Run} */
  let run;
  /** @type {import('playwright-core').Page} */
  let page;
  /** @type {import('playwright-core').Frame} */
  let panel;

  beforeAll(async () => {
    run = await open({ trust: true });
    // An agent outside the editor has saved something before.
    await overMcp(run, (call) =>
      call('memory_remember', { category: 'bug', key: 'slow-redis', content: 'Redis answers late at noon.' }),
    );
    page = await run.editor.openWindow();
    await answerTrust(page, false);
  }, 600_000);
  afterAll(async () => await run?.close());

  it('shows its memory and offers nothing that changes it', async () => {
    expect(await isRestricted(page)).toBe(true);
    await openView(page, 'Lodeline');
    panel = await memoryPanel(page);
    await panel.getByText('Read only, because this folder is not trusted.').waitFor();
    const line = panel.getByRole('option', { name: /^slow-redis, bug/i });
    await line.waitFor();
    await picture(page, 'untrusted');
    await line.click();
    await panel.getByRole('heading', { name: 'slow-redis' }).waitFor();
    await panel.getByText('Redis answers late at noon.').first().waitFor();
    await picture(page, 'untrusted-entry');
    for (const name of ['Edit', 'Pin', 'Forget', 'Confirm', 'Add a memory']) {
      expect(await panel.getByRole('button', { name, exact: true }).count(), name).toBe(0);
    }
    // Neither do keys.
    await page.keyboard.press('p');
    await page.keyboard.press('Delete');
    await memoryCount(page, 1);
  });

  it('has only the commands that read', async () => {
    const titles = await paletteTitles(page, 'Lodeline:');
    expect(titles).toEqual(expect.arrayContaining(READING));
    expect(titles.filter((title) => WRITING.includes(title))).toEqual([]);
  });

  it('gets no files of ours from being read', async () => {
    expect((await readdir(run.workspace)).sort()).toEqual(['.git', 'cache.ts']);
  });

  it('can be written to as soon as the person trusts it, without a reload', async () => {
    // A mark that a reload would remove.
    await page.evaluate(() => Object.assign(globalThis, { sameDocument: true }));
    await trustWorkspace(page);
    await panel.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    expect(await panel.getByText('not trusted').count()).toBe(0);
    await panel.getByRole('button', { name: 'Confirm', exact: true }).click();
    await panel.getByText('Confirmed “slow-redis”.').first().waitFor();
    await panel.getByRole('button', { name: 'Back', exact: true }).click();
    await panel.getByRole('button', { name: 'Add a memory', exact: true }).waitFor();
    expect(await paletteTitles(page, 'Lodeline:')).toEqual(expect.arrayContaining(WRITING));
    expect(await page.evaluate(() => Reflect.get(globalThis, 'sameDocument'))).toBe(true);
  });

  it('and Copilot can save there', async () => {
    await run.script(
      turn('Remember the port', 'memory_remember', {
        category: 'knowledge',
        key: 'redis-port',
        content: 'Redis listens on 6380 here.',
      }),
    );
    expect(await ask(page, 'Remember the port')).toContain('🧠 Saved: knowledge/redis-port');
    await panel.getByRole('option', { name: /^redis-port, knowledge/i }).waitFor();
    await memoryCount(page, 2);
  });
});
